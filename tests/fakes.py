"""Fakes behind the product's own seams, written once."""

import itertools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from bots.errors import BotError, Gone
from bots.jira.adf import render
from bots.outline import Outline
from bots.types import Place, Post, Posted, Trigger, Visibility
from core.types import Audience, Locator
from review.types import Cited, Finding, Priority, Review

START = datetime(2026, 11, 2, 9, tzinfo=UTC)


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **span: float) -> None:
        self.now += timedelta(**span)


class Tally:
    """Metrics that can be looked at: (name, labels) -> sum."""

    def __init__(self) -> None:
        self.counts: dict[tuple[str, frozenset[tuple[str, str]]], float] = {}

    def count(self, name: str, amount: float = 1, **labels: str) -> None:
        key = (name, frozenset(labels.items()))
        self.counts[key] = self.counts.get(key, 0) + amount

    def observe(self, name: str, value: float, **labels: str) -> None:
        self.count(name, **labels)

    def gauge(self, name: str, value: float, **labels: str) -> None:
        self.count(name, **labels)

    def total(self, name: str, **labels: str) -> float:
        wanted = set(labels.items())
        return sum(amount for (found, has), amount in self.counts.items() if found == name and wanted <= has)


@dataclass
class FakePlatform:
    """One ticket with one trigger on a platform that accepts comments: what a surface's client offers."""

    trigger_now: Trigger | None
    send_seconds: float = 5.0
    site: str = "http://jira"
    comments: dict[str, Post] = field(default_factory=dict)
    failures: list[BotError | None] = field(default_factory=list)
    """What the next sends end in; None: it goes well. An error with `written` set is raised after the write."""
    before_post: Callable[[], None] | None = None
    reads: list[BotError] = field(default_factory=list)
    """What the next reads of the trigger end in."""
    refusals: list[BotError] = field(default_factory=list)
    """What the next withdrawals end in."""
    memberships: set[str] = field(default_factory=set)
    """Groups and roles of whoever asks."""
    until: float = 0.0
    """The last send's limit, by the monotonic clock."""
    _ids: Iterable[int] = field(default_factory=lambda: itertools.count(100))

    def trigger(self, issue_id: str, comment_id: str) -> Trigger:
        if self.reads:
            raise self.reads.pop(0)
        if self.trigger_now is None:
            raise Gone("The comment is not there any more.")
        return self.trigger_now

    def render(self, outline: Outline) -> Sequence[Mapping[str, object]]:
        return render(outline)

    def file(self, name: str, content: bytes) -> Mapping[str, object]:
        return {"type": "file", "name": name, "content": content.decode("latin-1")}

    def belongs(self, place: Place, person_id: str, groups: Collection[str], roles: Collection[str]) -> bool:
        return bool({*groups, *roles} & self.memberships)

    def find(self, post: Post) -> list[Posted]:
        found = [(name, kept) for name, kept in self.comments.items() if kept.delivery_key == post.delivery_key]
        return [
            Posted(name, f"http://jira/{name}", kept.visibility, same_text=kept.body == post.body)
            for name, kept in found
        ]

    def post(self, post: Post, *, until: float = 0.0) -> Posted:
        self.until = until
        if self.before_post:
            self.before_post()
        failure = self.failures.pop(0) if self.failures else None
        if failure and not getattr(failure, "written", False):
            raise failure
        name = str(next(iter(self._ids)))
        self.comments[name] = post
        if failure:
            raise failure
        return Posted(name, f"http://jira/{name}", post.visibility)

    def withdraw(self, place: Place, remote_id: str) -> None:
        if self.refusals:
            raise self.refusals.pop(0)
        self.comments.pop(remote_id, None)


def trigger(**changes: object) -> Trigger:
    place = Place("jira", "http://jira", "10001", "PAY-1", "http://jira/browse/PAY-1", "PAY")
    asked = Trigger(place, "501", "Ana Sol", "po-1", START, "qa-check", Visibility(), False, "http://jira/501")
    return replace(asked, **changes)


def restricted(role: str) -> Visibility:
    return Visibility({"type": "role", "value": role, "identifier": role})


def review(audience: Audience, *findings: Finding, key: str = "PAY-1") -> Review:
    locator = Locator("jira:10001", f"{key} Lock accounts", "http://jira/browse/PAY-1")
    rests_on = frozenset(cited.locator.document_id for found in findings for cited in found.evidence)
    return Review(key, "Lock accounts", locator, findings, (), (), (), "rules", audience, START, rests_on)


def finding(document: str, quote: str, labels: Iterable[str]) -> Finding:
    cited = Cited(Locator(document, document, f"http://x/{document}"), frozenset(labels), quote)
    return Finding("rule", "conflict", Priority.P1, f"It says {quote}.", "It matters.", "Which one?", (cited,))
