"""A page says who may do something, or when nobody may, and the text lets others do it or leaves the case out."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.types import Evidence, Filters, Query
from review.case import Case, Checked
from review.checks.pages import in_force
from review.checks.places import Place, absent, comment_place, evidence_place, said, shown, written
from review.checks.replies import is_question
from review.text import Language, Sentence, language_of, phrases, sentences, stems, visible_prose
from review.types import Finding, Priority
from review.words import Words

ID = "reserved-deeds"
_PAGES = 12
_SEARCHES = 4
_TEXT = 400
"""Characters that are searched for."""
_MOST = 3
_SAME = 0.6
"""Share of what a page's sentence speaks of that the ticket's must speak of, too."""
_REST = 4
"""Stems in which a page's case may go beyond the ticket; a longer rest is another matter."""
_BY = re.compile(r"\b(?:by|von|vom|durch)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rule:
    """What a page reserves for some (`who`), or forbids in a case."""

    place: Place
    sentence: Sentence
    who: frozenset[str]
    """Empty: it is forbidden."""
    deed: frozenset[str]
    subject: frozenset[str]
    """Of who or what must not do it, or have it done; for what is reserved: nothing."""


@dataclass(frozen=True, slots=True)
class Deed:
    """What the ticket lets somebody do."""

    place: Place
    sentence: Sentence
    everything: frozenset[str]
    who: frozenset[str]
    """The stems before its verb; empty if it has none of the verbs that permit."""


def check(case: Case) -> Checked:
    language = language_of(f"{case.ticket.summary} {case.ticket.description}")
    deeds = case.focus.first(_deeds(case, language), lambda deed: deed.sentence.text)
    spoken = _spoken(case, language)
    findings: dict[str, Finding] = {}
    for rule in _rules(case, deeds):
        if found := _against(case, rule, deeds, spoken):
            findings.setdefault(rule.place.locator.document_id + rule.sentence.text, found)
    ordered = sorted(findings.values(), key=lambda finding: (not case.focus.is_of(finding), finding.priority))
    return Checked(tuple(ordered[:_MOST]))


def _deeds(case: Case, language: Language) -> Iterator[Deed]:
    for place in written(case.ticket):
        for sentence in sentences(place.text):
            if sentence.kind == "heading" or is_question(sentence, case.words):
                continue
            if sentence.prose in phrases(case.words.may_not) or sentence.prose in phrases(case.words.only):
                continue
            verb = phrases(case.words.may).find(sentence.prose)
            who = stems(sentence.prose[: verb.start(1)], language) if verb else frozenset[str]()
            yield Deed(place, sentence, stems(sentence.prose, language), who)


def _spoken(case: Case, language: Language) -> frozenset[str]:
    places = [*written(case.ticket), *(comment_place(comment) for comment in said(case))]
    return frozenset[str]().union(*(stems(place.text, language) for place in places))


def _rules(case: Case, deeds: Sequence[Deed]) -> Iterator[Rule]:
    """What pages in force reserve or forbid, on the ticket's matter."""
    ticket = case.ticket
    texts = [f"{ticket.summary} {ticket.description}", *(deed.sentence.text for deed in deeds if deed.who)]
    seen: set[str] = set()
    for text in list(dict.fromkeys(texts))[:_SEARCHES]:
        query = " ".join(visible_prose(text).split())[:_TEXT]
        if not any(char.isalnum() for char in query):
            continue
        for page in case.search(Query(query, filters=Filters(kinds=frozenset({"page"})), limit=_PAGES)).evidence:
            if page.kind == "page" and page.id not in seen:
                seen.add(page.id)
                if in_force(page, case.words):
                    yield from _of_page(page, case.words)


def _of_page(page: Evidence, words: Words) -> Iterator[Rule]:
    language = language_of(page.text)
    place = evidence_place(page)
    for sentence in sentences(page.text):
        if sentence.kind == "heading" or is_question(sentence, words) or sentence.prose in phrases(words.superseded):
            continue
        if rule := _reserved(place, sentence, words, language) or _forbidden(place, sentence, words, language):
            yield rule


def _reserved(place: Place, sentence: Sentence, words: Words, language: Language) -> Rule | None:
    """`Only shift leads may pay out`, `may be paid out only by shift leads`."""
    prose = sentence.prose
    only, verb = phrases(words.only).find(prose), phrases(words.may).find(prose)
    if only is None or verb is None or prose in phrases(words.may_not):
        return None
    if only.end(1) <= verb.start(1) and not prose[: only.start(1)].strip(" *_-"):
        who, deed = prose[only.end(1) : verb.start(1)], prose[verb.end(1) :]
    elif by := _BY.search(prose, only.end(1)):
        who, deed = prose[by.end() :], prose[: only.start(1)] + prose[only.end(1) : by.start()]
    else:
        return None
    return Rule(place, sentence, stems(who, language), stems(deed, language), frozenset())


def _forbidden(place: Place, sentence: Sentence, words: Words, language: Language) -> Rule | None:
    """`A closed till cannot be reset`, `Trainees must not open the till`."""
    verb = phrases(words.may_not).find(sentence.prose)
    if verb is None:
        return None
    subject, deed = sentence.prose[: verb.start(1)], sentence.prose[verb.end(1) :]
    return Rule(place, sentence, frozenset(), stems(deed, language), stems(subject, language))


def _against(case: Case, rule: Rule, deeds: Sequence[Deed], spoken: frozenset[str]) -> Finding | None:
    if rule.who:
        deed = next((one for one in deeds if _lets_others(rule, one, spoken)), None)
        return _lets(rule, deed, case.ticket.kind) if deed else None
    for deed in deeds:
        if _permits(rule, deed):
            return _lets(rule, deed, case.ticket.kind)
    if any(_leaves_out(rule, deed, spoken) for deed in deeds):
        return _left_out(case, rule)
    return None


def _lets_others(rule: Rule, deed: Deed, spoken: frozenset[str]) -> bool:
    """Whether somebody else may do what is reserved, and those for whom it is reserved are not spoken of."""
    shared = rule.deed & deed.everything
    same = len(shared) >= max(2, _SAME * len(rule.deed))
    return same and bool(deed.who) and not deed.who & rule.deed and not rule.who & spoken


def _permits(rule: Rule, deed: Deed) -> bool:
    """Whether the ticket lets the very one do the very thing that is forbidden."""
    whole = rule.subject | rule.deed
    return bool(deed.who & rule.subject) and len(whole) >= 2 and whole <= deed.everything


def _leaves_out(rule: Rule, deed: Deed, spoken: frozenset[str]) -> bool:
    """Whether the ticket speaks of the deed and its object, and nowhere of the case in which it is forbidden."""
    whole = rule.subject | rule.deed
    shared, rest = whole & deed.everything, whole - deed.everything
    return (
        len(shared) >= max(2, _SAME * len(whole))
        and bool(shared & rule.deed)
        and bool(shared & rule.subject)
        and 0 < len(rest) <= _REST
        and not rest & spoken
    )


def _lets(rule: Rule, deed: Deed, noun: str) -> Finding:
    reserved = "reserves this for others" if rule.who else "forbids this"
    return Finding(
        rule=ID,
        category="permission and state",
        priority=Priority.P1,
        statement=f"The {noun} says “{shown(deed.sentence.text)}” ({deed.place.name}), but the page "
        f"“{rule.place.name}” {reserved}: “{shown(rule.sentence.text)}”.",
        why="Built as written, people could do what the page keeps from them, or the page is out of date.",
        question="Who may do this, and which of the two texts will be corrected?",
        evidence=(deed.place.cite(deed.sentence.text), rule.place.cite(rule.sentence.text)),
    )


def _left_out(case: Case, rule: Rule) -> Finding:
    return Finding(
        rule=ID,
        category="permission and state",
        priority=Priority.P2,
        statement=f"The page “{rule.place.name}” says “{shown(rule.sentence.text)}”; the {case.ticket.kind} does not "
        "speak of that case.",
        why="What is forbidden in a certain state gets built as if it were always allowed.",
        question="Does this rule hold here, and what does a person see who tries it all the same?",
        evidence=(
            rule.place.cite(rule.sentence.text),
            absent(case.ticket, f"the case “{shown(rule.sentence.text)}”: in the texts and comments"),
        ),
    )
