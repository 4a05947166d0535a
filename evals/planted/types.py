"""What is planted, and what came of it."""

from dataclasses import dataclass

from review.types import Finding

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
    degraded: tuple[str, ...] = ()
    shown: str = ""
    """All text of the review that a reader could see."""
    seconds: float = 0.0
    """How long it took."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One review beside what was planted in its ticket."""

    planted: Planted
    reviewed: Reviewed
    found: tuple[Gap, ...]
    missed: tuple[Gap, ...]
    right: tuple[Finding, ...]
    wrong: tuple[tuple[Finding, Leave | None], ...]
    """Findings that were not planted, each with what it fell for, if that was planted."""
    restricted: tuple[str, ...] = ()
    """Words of places that its readers may not read, which it shows."""
    forbidden: tuple[str, ...] = ()
    """Strings that no reader may be shown, which it shows: a link or a mention that a model made up."""

    @property
    def fell_for(self) -> frozenset[Leave]:
        """What of the tempting things it claims."""
        return frozenset(leave for _, leave in self.wrong if leave is not None)

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """Of its findings, in their order."""
        return tuple(finding.fingerprint for finding in self.reviewed.findings)
