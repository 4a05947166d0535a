"""What a review says."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from typing import Any

from core.types import Audience, Locator, Trace


class Priority(IntEnum):
    """P0 stops the work, P1 must be answered before it starts, P2 before it ships, P3 is worth a look."""

    P0 = 0
    P1 = 1
    P2 = 2
    P3 = 3


@dataclass(frozen=True, slots=True)
class Cited:
    """A quote and where it stands. For an absence, `quote` is empty and `looked_for` says what was not found there."""

    locator: Locator
    labels: frozenset[str]
    quote: str = ""
    looked_for: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    rule: str
    """The rule's id, or `model`."""
    category: str
    """missing rule, conflict, undecided condition, boundary and exception, regression risk, permission and state,
    data and migration, not verifiable."""
    priority: Priority
    statement: str
    """What is missing or in conflict, in a product owner's words."""
    why: str
    """Why it matters."""
    question: str
    """The question whose answer settles it."""
    evidence: tuple[Cited, ...]

    @property
    def fingerprint(self) -> str:
        """Category, cited documents and quotes; never the wording, which a model may vary."""
        parts = sorted(
            f"{c.locator.document_id}\x1f{' '.join(c.quote.split())}\x1f{c.looked_for}" for c in self.evidence
        )
        return hashlib.sha256("\x1e".join([self.category, *parts]).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Unknown:
    """What could not be checked, and what would settle it."""

    what: str
    settled_by: str


@dataclass(frozen=True, slots=True)
class Settled:
    """What was looked at and needs no answer: in order, answered already, set aside by somebody."""

    what: str
    evidence: tuple[Cited, ...] = ()
    """Where the answer stands."""
    fingerprint: str = ""
    """Of the finding that would have been told, if there was one."""


@dataclass(frozen=True, slots=True)
class Since:
    """What changed since the last review of the same ticket or page, as far as this audience was told of it."""

    at: datetime
    new: frozenset[str]
    """Fingerprints of findings that were not told then."""
    gone: tuple[str, ...]
    """Statements of findings that were told then and do not stand any more."""


@dataclass(frozen=True, slots=True)
class PullSeen:
    """A pull request that was read for a review."""

    locator: Locator
    labels: frozenset[str]
    head: str
    says: tuple[str, ...]
    """Sentences: what it is, how much of it was read."""


@dataclass(frozen=True, slots=True)
class Review:
    """Findings by priority, what could not be checked, and how it was made."""

    key: str
    """What records know it by; of a page its document id."""
    title: str
    locator: Locator
    findings: tuple[Finding, ...]
    unknowns: tuple[Unknown, ...]
    settled: tuple[Settled, ...]
    degraded: tuple[str, ...]
    made_by: str
    """In plain words: `rules and MODEL`, or `rules alone` and, where no model failed, why."""
    audience: Audience
    """What it was made for: nothing beyond these labels was read."""
    at: datetime
    rests_on: frozenset[str] = frozenset()
    """Ids of all documents whose words may stand in it: it may be shown only to who may read every one of them."""
    read_live: frozenset[str] = frozenset()
    """Of these, the ones that were read from their source for this review, labels and all, and not from the index."""
    numbers: Mapping[str, float] = field(default_factory=dict)
    """Counts and seconds by step, for logs and traces."""
    searches: tuple["Searched", ...] = ()
    """What was searched for, in order; nothing of it is for the reply."""
    audit: tuple[Mapping[str, Any], ...] = ()
    """What models were shown, what they asked for and said, for the job's record; nothing of it is for the reply."""
    pulls: tuple[PullSeen, ...] = ()
    since: Since | None = None
    """None: there was no earlier review for this audience."""
    language: str = "en"
    """The language of whoever asked, or else of the ticket."""
    called: str = ""
    """What people call it: a ticket by its key, a page by its title and the version that was read. The key where
    nothing else is given."""

    def __post_init__(self) -> None:
        """A ticket is called by its key."""
        object.__setattr__(self, "called", self.called or self.key)


@dataclass(frozen=True, slots=True)
class Searched:
    """A question that the review asked of the index, and how its answer was found."""

    text: str
    trace: Trace
