"""What is planted, and what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from review.types import Finding, Settled

CATEGORIES = (
    "missing rule",
    "conflict",
    "undecided condition",
    "boundary and exception",
    "regression risk",
    "permission and state",
    "data and migration",
    "not verifiable",
)


@dataclass(frozen=True, slots=True)
class Cite:
    """One side of what a finding must rest on."""

    documents: tuple[str, ...]
    """Ids of which one is enough; each stands for what is below it too: a ticket for its comments and its history,
    `confluence` for all pages."""
    quotes: tuple[str, ...]
    """Fragments of which one must be in the quote; none: any quote, and an absence, will do."""


@dataclass(frozen=True, slots=True)
class Gap:
    what: str
    categories: tuple[str, ...]
    """Any of them will do. It is counted under the first."""
    cites: tuple[Cite, ...]
    """All of them must be cited."""
    demanded: bool = True
    """Whether it counts when it is missed. What may be told as well counts for nothing."""


@dataclass(frozen=True, slots=True)
class Leave:
    """Something that tempts, and is right as it is."""

    what: str
    categories: tuple[str, ...]
    cites: tuple[Cite, ...]
    answered: bool
    """Whether it is a question that has its answer elsewhere."""


@dataclass(frozen=True, slots=True)
class Planted:
    key: str
    about: str
    gaps: tuple[Gap, ...]
    leaves: tuple[Leave, ...]


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What a review of one ticket told."""

    key: str
    findings: tuple[Finding, ...]
    settled: tuple[Settled, ...] = ()
    degraded: tuple[str, ...] = ()
    shown: str = ""
    """All text of the review that a reader could see."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One review beside what was planted in its ticket."""

    planted: Planted
    found: tuple[Gap, ...]
    missed: tuple[Gap, ...]
    right: tuple[Finding, ...]
    wrong: tuple[tuple[Finding, Leave | None], ...]
    """Findings that were not planted, each with what it fell for, if that was planted."""
    forbidden: tuple[str, ...] = ()
    """Words of other people's places that the review shows."""

    @property
    def answered(self) -> int:
        """Questions asked although their answer stands elsewhere."""
        return sum(1 for _, leave in self.wrong if leave is not None and leave.answered)


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a whole, and its 95 % interval."""

    part: int
    of: int
    low: float
    high: float

    @property
    def value(self) -> float:
        return self.part / self.of if self.of else 0.0


@dataclass(frozen=True, slots=True)
class Scores:
    tickets: int
    recall: Share
    false: Share
    """Of the findings."""
    by_category: dict[str, Share]
    """Recall of the gaps by the first category of each; `any` for those that no category fits best."""
    answered: Share
    """Of the questions that have their answer elsewhere: asked all the same."""
    forbidden: int
    missed: Sequence[str]
    told_wrongly: Sequence[str]
