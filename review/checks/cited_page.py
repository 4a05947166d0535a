"""A page that is relied on is archived, replaced, gone, or was not brought up to date as decided."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.tickets import CHILD
from core.types import Evidence, Filters, Query
from review.case import Case, Checked
from review.checks.addresses import document_of, page_id
from review.checks.pages import is_archived, void_notice
from review.checks.places import Place, comment_place, said, shown, written
from review.checks.replies import is_question
from review.text import Sentence, phrases, sentences, stems
from review.types import Cited, Finding, Priority, Settled, Unknown
from review.words import Words

ID = "cited-page"
_PAGE = re.compile(r"\b(?:page|policy|wiki|handbook|document|seite|richtlinie|handbuch)\b", re.IGNORECASE)
_MOST = 10
"""Pages that are looked up."""
_PASSAGES = 6
"""Passages of a page that are read."""
_TITLE = 3
"""Words of a title that may stand in a text without a link; fewer are words like others."""
_SAME = 0.6
"""Share of the words of two titles that makes one the other's successor, or another edition of it."""
_URL = re.compile(r"(?:\[(?P<title>[^\[\]\n]{1,200})\]\()?(?P<url>https?://[^\s<>\])|\"]{4,500})")
_OLD = re.compile(
    r"\b(?:archiv\w+|outdated|superseded|obsolete|old|former|previous|veraltet\w*|ersetzt\w*|alte[rns]?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Citation:
    """A page as the ticket, or the page under review, names it."""

    title: str
    url: str
    where: str
    cited: Cited
    page: tuple[Evidence, ...] = ()
    """Its first passages; empty: it is not in the index, or not for this audience."""


def check(case: Case) -> Checked:
    found = [_resolved(case, citation) for citation in _citations(case)][:_MOST]
    found += _by_title(case, {one.document_id for citation in found for one in citation.page})
    findings: list[Finding] = []
    settled: list[Settled] = []
    valid = [citation for citation in found if citation.page and not _state(citation, case.words)]
    for citation in found:
        if not citation.page or not (state := _state(citation, case.words)):
            continue
        newer = next((one for one in valid if _is_edition(one.page[0], citation.page[0])), None)
        if newer:
            what = (
                f"The page “{_title(citation)}” holds no longer; the {case.ticket.kind} cites the one that does, too."
            )
            settled.append(Settled(what, (newer.cited,)))
        elif not _is_known_old(case, citation):
            findings.append(_finding(case, citation, state))
    for citation in valid:
        findings += [*_replaced(case, citation, valid), *_not_updated(case, citation)]
    unique = {finding.evidence[-1].locator.document_id: finding for finding in findings}
    sources = frozenset(one.document_id for citation in valid for one in citation.page[:1] if settled)
    return Checked(
        tuple(unique.values()), tuple(_missing(found, case.ticket.kind)), tuple(dict.fromkeys(settled)), sources
    )


def _citations(case: Case) -> Iterator[Citation]:
    """Links of the ticket or page, then addresses in its texts and comments. Nothing relies on what is below it."""
    ticket = case.ticket
    known = {_target(ticket.locator.url), *(_target(link.url) for link in ticket.remote_links)}
    for link in ticket.remote_links:
        if link.relation == CHILD or _target(link.url) == _target(ticket.locator.url):
            continue
        title = link.title.strip()
        cited = Cited(ticket.locator, ticket.labels, quote=title, looked_for="" if title else "the linked page")
        yield Citation(title, link.url, "links to", cited)
    for place in [*written(ticket), *(comment_place(comment) for comment in said(case))]:
        for found in _URL.finditer(place.text):
            url, title = found["url"].rstrip(".,;:!?'"), (found["title"] or "").strip()
            if page_id(url) and _target(url) not in known:
                known.add(_target(url))
                cited = place.cite(title) if title else Cited(place.locator, place.labels, looked_for="the page")
                yield Citation(title, url, f"cites in {_the(place)}", cited)


def _target(url: str) -> str:
    """What tells whether two addresses lead to the same page."""
    return page_id(url) or url


def _the(place: Place) -> str:
    return place.name if place.name.startswith("a comment") else f"the {place.name}"


def _resolved(case: Case, citation: Citation) -> Citation:
    """With what the index has of the page."""
    page = page_id(citation.url)
    candidates: list[Evidence] = []
    for text in (citation.url if page else "", citation.title):
        if any(char.isalnum() for char in text):
            candidates += _pages(case, text)
    document = document_of(citation.url, citation.title, candidates)
    return replace(citation, page=_passages(case, document, citation.title or citation.url) if document else ())


def _pages(case: Case, text: str) -> list[Evidence]:
    found = case.search(Query(text, filters=Filters(kinds=frozenset({"page"})), limit=_MOST)).evidence
    return [one for one in found if one.kind == "page"]


def _passages(case: Case, document: str, text: str) -> tuple[Evidence, ...]:
    only = Filters(kinds=frozenset({"page"}), documents=frozenset({document}))
    found = case.search(Query(text, filters=only, limit=_PASSAGES)).evidence
    return tuple(one for one in found if one.document_id == document)


def _by_title(case: Case, known: set[str]) -> Iterator[Citation]:
    """Pages whose title stands in the ticket's own words."""
    ticket = case.ticket
    text = f"{ticket.summary} {ticket.description}"[:1_000]
    if not any(char.isalnum() for char in text):
        return
    for page in _pages(case, text):
        title = page.attributes.get("title") or page.locator.title
        if page.document_id in known or len(title.split()) < _TITLE:
            continue
        pattern = re.compile(rf"(?<!\w){re.escape(title)}(?!\w)", re.IGNORECASE)
        for place in [*written(ticket), *(comment_place(comment) for comment in said(case))]:
            if found := pattern.search(place.text):
                known.add(page.document_id)
                cited = place.cite(found.group())
                yield Citation(title, "", f"names in {_the(place)}", cited, _passages(case, page.document_id, title))
                break


def _state(citation: Citation, words: Words) -> tuple[str, Cited] | None:
    """Why the page holds no longer, with the words that say so; None if it holds."""
    for passage in citation.page:
        if notice := void_notice(passage, words):
            return f"says of itself: “{shown(notice.strip('*_> #'))}”", _cite(passage, notice)
    first = citation.page[0]
    if is_archived(first):
        opening = next((s.text for s in sentences(first.text)), "")
        return "is archived", Cited(first.locator, first.labels, opening, "" if opening else "a text in force")
    return None


def _cite(passage: Evidence, quote: str) -> Cited:
    return Cited(passage.locator, passage.labels, quote=quote)


def _title(citation: Citation) -> str:
    page = citation.page[0]
    return shown(page.attributes.get("title") or page.locator.title, 120)


def _is_edition(one: Evidence, other: Evidence) -> bool:
    """Whether two pages are of the same matter by their titles."""
    mine, theirs = stems(one.locator.title), stems(other.locator.title)
    return len(mine & theirs) >= _SAME * min(len(mine), len(theirs)) if mine and theirs else False


def _is_known_old(case: Case, citation: Citation) -> bool:
    """Whether the ticket says itself that the page is old, where it speaks of it."""
    named = stems(_title(citation))
    places = [*written(case.ticket), *(comment_place(comment) for comment in said(case))]
    every = (sentence for place in places for sentence in sentences(place.text))
    return any(_says_old(sentence, case.words) and len(named & stems(sentence.text)) >= 2 for sentence in every)


def _says_old(sentence: Sentence, words: Words) -> bool:
    return _OLD.search(sentence.prose) is not None or sentence.prose in phrases((*words.superseded, *words.replaces))


def _replaced(case: Case, citation: Citation, valid: list[Citation]) -> Iterator[Finding]:
    """Another page in force says that it takes this one's place."""
    title = _title(citation)
    own = {one.document_id for each in valid for one in each.page}
    for page in _pages(case, title):
        if page.document_id in own or is_archived(page) or void_notice(page, case.words):
            continue
        for sentence in sentences(page.text):
            if sentence.prose in phrases(case.words.replaces) and title.lower() in sentence.text.lower():
                state = f"was replaced: “{shown(page.locator.title, 120)}” says “{shown(sentence.text)}”"
                yield _finding(case, citation, (state, _cite(page, sentence.text)))
                return


def _not_updated(case: Case, citation: Citation) -> Iterator[Finding]:
    """The ticket is done, it was said that the page will be changed, and the page is older than that."""
    page = citation.page[0]
    named = stems(_title(citation))
    for comment in said(case) if case.ticket.done else ():
        if comment.created <= page.updated:
            continue
        for sentence in sentences(comment.text):
            about = bool(_PAGE.search(sentence.prose)) or len(named & stems(sentence.text)) >= 2
            if about and sentence.prose in phrases(case.words.changes) and not is_question(sentence, case.words):
                opening = next((one.text for one in sentences(page.text)), "")
                state = f"has not changed since it was said on {comment.created:%Y-%m-%d}: “{shown(sentence.text)}”"
                cited = Cited(page.locator, page.labels, opening, "" if opening else "a change")
                relying = replace(citation, cited=comment_place(comment).cite(sentence.text))
                yield replace(_finding(case, relying, (state, cited)), priority=Priority.P2)
                return


def _missing(found: list[Citation], noun: str) -> Iterator[Unknown]:
    """Pages that the texts cite by an address. Those that the ticket links to are told where the links are read."""
    for citation in found:
        if not citation.page and not citation.where.startswith("links"):
            name = f" “{shown(citation.title, 120)}”" if citation.title else ""
            what = f"A page{name} that the {noun} {citation.where} is not in the index."
            yield Unknown(what, f"Adding its source to the index, or its rules to the {noun}.")


def _finding(case: Case, citation: Citation, state: tuple[str, Cited]) -> Finding:
    told, quote = state
    noun = case.ticket.kind
    return Finding(
        rule=ID,
        category="conflict",
        priority=Priority.P1,
        statement=f"The {noun} {citation.where} the page “{_title(citation)}”, but that page {told}.",
        why="What is built by a page that holds no longer follows rules that nobody stands for.",
        question=f"Which page holds today, and does this {noun} still follow from it?",
        evidence=(citation.cited, quote),
    )
