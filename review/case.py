"""What a rule is given, and what it gives back. A rule is a function `check(case) -> Checked` in `review/checks/`."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from core.tickets import Ticket
from core.types import Audience, Query, SearchResult
from review.types import Finding, Unknown
from review.words import Words


@dataclass(frozen=True, slots=True)
class Case:
    """A ticket as the reply's audience may read it, and ways to look further that stay within that audience."""

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


@dataclass(frozen=True, slots=True)
class Checked:
    """A rule's verdict: what it found, what it could not decide, what it looked at and found in order."""

    findings: tuple[Finding, ...] = ()
    unknowns: tuple[Unknown, ...] = ()
    settled: tuple[str, ...] = ()
    sources: frozenset[str] = frozenset()
    """Ids of other documents whose words stand in `unknowns` or `settled`."""


Check = Callable[[Case], Checked]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule and what it is for, as listed in `review/checks/__init__.py`."""

    id: str
    title: str
    check: Check = field(repr=False)
