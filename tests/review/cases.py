"""Builders for small tickets, and a search over a list, so that each rule's cases read as a table."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from core.tickets import Change, Comment, Field, Person, Ticket, TicketLink
from core.types import Audience, Evidence, Locator, Query, SearchResult
from review.case import Case, Checked
from review.register import link_text, ticket_text
from review.words import defaults

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
NOW = START + timedelta(days=30)
LABELS = frozenset({"org"})
AUDIENCE = Audience(LABELS)
WORDS = defaults()
AGREED = frozenset({"approved", "ready for build", "freigegeben"})


def day(number: float) -> datetime:
    """A moment by days since the ticket was written."""
    return START + timedelta(days=number)


def person(name: str) -> Person:
    return Person(f"id-{name.lower()}", name)


def comment(author: str, text: str, at: float, *, to: Sequence[str] = (), by_bot: bool = False) -> Comment:
    identity = f"jira:1:comment:{author}-{at}"
    return Comment(
        id=identity,
        author=person(author),
        created=day(at),
        updated=day(at),
        text=text,
        mentions=tuple(person(name).id for name in to),
        labels=LABELS,
        locator=Locator(identity, f"Comment by {author}", f"https://tickets.example/1?comment={author}-{at}"),
        by_bot=by_bot,
    )


def talk(*lines: str) -> tuple[Comment, ...]:
    """`Ana: Is it 5?`, a comment a day; `Ana @Ben: ...` addresses somebody."""
    comments = []
    for number, line in enumerate(lines, start=1):
        head, _, text = line.partition(": ")
        author, _, to = head.partition(" @")
        comments.append(comment(author, text, number, to=[to] if to else ()))
    return tuple(comments)


def change(field: str, before: str, after: str, at: float, author: str = "Mia") -> Change:
    return Change(day(at), person(author), field, before, after)


def link(
    relation: str,
    key: str = "T-2",
    *,
    status: str = "Open",
    done: bool = False,
    resolution: str | None = None,
    kind: str = "Story",
    summary: str = "Something else",
) -> TicketLink:
    locator = Locator(f"jira:{key}", f"{key} {summary}", f"https://tickets.example/{key}")
    return TicketLink(relation, key, summary, kind, status, done, resolution, LABELS, locator)


def ticket(
    summary: str = "Print the packing slip",
    description: str = "",
    *,
    kind: str = "Story",
    fields: Mapping[str, str] | None = None,
    comments: Iterable[Comment] = (),
    history: Iterable[Change] = (),
    links: Iterable[TicketLink] = (),
    unread: tuple[str, ...] = (),
    done: bool = False,
    key: str = "T-1",
) -> Ticket:
    return Ticket(
        id="1",
        key=key,
        project="T",
        summary=summary,
        description=description,
        type=kind,
        status="Done" if done else "Open",
        done=done,
        resolution="Done" if done else None,
        reporter=person("Rae"),
        assignee=None,
        created=START,
        updated=NOW,
        labels=LABELS,
        locator=Locator(f"jira:{key}", f"{key} {summary}", f"https://tickets.example/{key}"),
        fields=tuple(Field(f"f-{name}", name, text) for name, text in (fields or {}).items()),
        comments=tuple(comments),
        history=tuple(history),
        links=tuple(links),
        unread=unread,
    )


def page(
    title: str, text: str, *, archived: bool = False, space: str = "RULES", heading: str | None = None
) -> Evidence:
    identity = f"confluence:{title}"
    locator = Locator(identity, title, f"https://pages.example/{len(title)}", heading)
    attributes = {"archived": "true" if archived else "false", "space": space}
    return Evidence(
        f"{identity}#{len(text)}",
        identity,
        "pages",
        "page",
        text,
        f"{space} > {title}",
        locator,
        LABELS,
        START,
        1.0,
        "hybrid",
        attributes,
    )


def bug(
    title: str, text: str = "", *, key: str = "T-90", kind: str = "Bug", done: bool = True, resolution: str = "Fixed"
) -> Evidence:
    locator = Locator(f"jira:{key}", f"{key} {title}", f"https://tickets.example/{key}")
    attributes = {
        "type": kind,
        "done": "true" if done else "false",
        "resolution": resolution,
        "status": "Closed" if done else "Open",
    }
    return Evidence(
        f"jira:{key}#0",
        f"jira:{key}",
        "tickets",
        "ticket",
        f"{title}\n\n{text}",
        f"{key} {title}",
        locator,
        LABELS,
        START,
        1.0,
        "hybrid",
        attributes,
    )


class Shelf:
    """A search over a list: evidence that shares a word with the query, most shared words first."""

    def __init__(self, evidence: Iterable[Evidence]) -> None:
        self._evidence = tuple(evidence)

    def __call__(self, query: Query) -> SearchResult:
        wanted = _words(query.text)
        kept = [
            (len(wanted & _words(f"{one.text} {one.context}")), one)
            for one in self._evidence
            if (not query.filters.kinds or one.kind in query.filters.kinds)
            and one.document_id not in query.filters.without
        ]
        ranked = sorted((pair for pair in kept if pair[0]), key=lambda pair: -pair[0])
        return SearchResult(tuple(one for _, one in ranked[: query.limit]))


def _words(text: str) -> set[str]:
    return {word[:5] for word in re.findall(r"\w{4,}", text.lower())}


def case(subject: Ticket, *evidence: Evidence, others: Iterable[Ticket] = ()) -> Case:
    by_key = {other.key: other for other in others}
    return Case(subject, AUDIENCE, Shelf(evidence), by_key.get, WORDS, NOW, AGREED)


def assert_cited(subject: Case, checked: Checked, evidence: Iterable[Evidence] = ()) -> None:
    """Laws 4 and 5: each finding cites, literally, what it was given; an absence says what was looked for."""
    it = subject.ticket
    texts: dict[str, list[str]] = {it.document_id: [ticket_text(it)]}
    texts[it.document_id] += [text for change in it.history for text in (change.before, change.after)]
    for remark in it.comments:
        texts.setdefault(remark.locator.document_id, []).append(remark.text)
    for other in it.links:
        texts.setdefault(other.locator.document_id, []).append(link_text(other))
    for one in evidence:
        texts.setdefault(one.document_id, []).append(one.text)
    for finding in checked.findings:
        assert finding.evidence
        assert finding.statement
        assert finding.why
        assert finding.question
        for cited in finding.evidence:
            assert cited.labels <= subject.audience.labels
            assert cited.quote.strip() or cited.looked_for.strip()
            assert any(cited.quote in text for text in texts[cited.locator.document_id]), cited
