"""What a check of a plan says."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from core.types import Audience, Locator
from review.types import Cited, Priority, Unknown

Category = Literal["past regression", "requirement or policy", "consumer", "deployed or migrated"]

LONGEST = 60_000
"""Characters of a plan."""
MOST_SOURCES = 3
MOST_CHECKS = 5


@dataclass(frozen=True, slots=True)
class PlanSource:
    """A source that the plan does not show to know, and that could change it."""

    locator: Locator
    labels: frozenset[str]
    kind: str
    """As `Document.kind`."""
    source: str
    text: str
    """The words that matter, cut to a few lines, verbatim."""
    why: str
    """Why it could change the plan, one sentence."""
    updated: datetime


@dataclass(frozen=True, slots=True)
class PlanCheck:
    """Something to look at before, or while, the plan is carried out."""

    category: Category
    priority: Priority
    statement: str
    """What to check, one sentence that an engineer can act on."""
    why: str
    """Why it could change the plan, one sentence."""
    evidence: tuple[Cited, ...]
    """Never empty."""


@dataclass(frozen=True, slots=True)
class PlanReview:
    """At most three sources and five checks, most important first, and how they were found."""

    sources: tuple[PlanSource, ...]
    checks: tuple[PlanCheck, ...]
    unknowns: tuple[Unknown, ...]
    """Where it could not be looked."""
    degraded: tuple[str, ...]
    made_by: str
    """`rules and MODEL`, or `rules alone` and why."""
    audience: Audience
    at: datetime
    rests_on: frozenset[str] = frozenset()
    """Ids of all documents whose words may stand in it."""
    numbers: dict[str, float] = field(default_factory=dict)
    """Counts and seconds by step, for logs."""

    @property
    def nothing_new(self) -> bool:
        """Whether nothing was found that the plan does not show to know."""
        return not (self.sources or self.checks)
