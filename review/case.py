"""What a rule is given, and what it gives back. A rule is a function `check(case) -> Checked` in `review/checks/`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from core.consumers import Use
from core.pulls.types import Side, Snapshot
from core.tickets import Kind, Ticket
from core.types import Audience, Evidence, Query, SearchResult
from review.focus import Focus
from review.types import Finding, Settled, Unknown
from review.words import Words


@dataclass(frozen=True, slots=True)
class Case:
    """A ticket or page as the reply's audience may read it, and ways to look further that stay within that audience."""

    ticket: Ticket
    audience: Audience
    search: Callable[[Query], SearchResult]
    """Finds evidence; the audience is already bound."""
    open_ticket: Callable[[str], Ticket | None]
    """Another ticket by key, read live, as this audience may read it; None when it is not there or not for them."""
    words: Words
    now: datetime
    agreed_statuses: frozenset[str] = frozenset()
    """Names of statuses that mean the text is agreed, from the settings, lower case."""
    snapshots: tuple[Snapshot, ...] = ()
    """The ticket's pull requests, at their heads."""
    all_pulls: bool = True
    """Whether these are all of them, as far as is known: no other was found that could not be read, and no place
    where there may be others was left out."""
    users_of: Callable[[str, frozenset[str]], Sequence[Use]] | None = None
    """Who uses a name that one of these documents defines, in all others; the audience is already bound."""
    read: "ReadsPulls | None" = None
    """Reads in them, and enters what it gives in the register. None where there are none."""
    focus: Focus = field(default_factory=Focus)


@dataclass(frozen=True, slots=True)
class Checked:
    """A rule's verdict: what it found, what it could not decide, what it looked at and found in order."""

    findings: tuple[Finding, ...] = ()
    unknowns: tuple[Unknown, ...] = ()
    settled: tuple[Settled, ...] = ()
    sources: frozenset[str] = frozenset()
    """Ids of other documents whose words stand in `unknowns` or `settled`."""


class ReadsPulls(Protocol):
    """As `core.pulls.types.Pulls`, for one review."""

    def difference(self, snapshot: Snapshot, path: str) -> tuple[Evidence, ...]: ...

    def file(
        self, snapshot: Snapshot, path: str, side: Side, first: int = 1, last: int | None = None
    ) -> tuple[Evidence, ...]: ...

    def grep(self, snapshot: Snapshot, text: str, glob: str | None = None) -> tuple[Evidence, ...]: ...

    def symbol(self, snapshot: Snapshot, name: str) -> tuple[Evidence, ...]: ...

    def changed_symbols(self, snapshot: Snapshot) -> tuple[str, ...]: ...


Check = Callable[[Case], Checked]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule and what it is for, as listed in `review/checks/__init__.py`."""

    id: str
    title: str
    check: Check = field(repr=False)
    kinds: frozenset[Kind] = frozenset({"ticket", "page"})
    """What it is for; of anything else it says nothing."""
