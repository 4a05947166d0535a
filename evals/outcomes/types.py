"""What was told, and what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from review.previous import Previous
from review.types import Finding
from state.types import Dismissed

YOUNG = timedelta(days=7)
"""A finding that was told for the first time since then is too young to be judged."""


class Sign(StrEnum):
    """What people did; see the package's docstring."""

    YOUNG = "too young"
    UNKNOWN = "unknown"
    DISMISSED = "dismissed"
    REPLY = "accepted by reply"
    EDIT = "accepted by edit"
    NONE = "no sign"


ACCEPTED = frozenset({Sign.REPLY, Sign.EDIT})
JUDGED = frozenset({Sign.DISMISSED, Sign.REPLY, Sign.EDIT, Sign.NONE})
"""What shares are of."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A review that was told."""

    review: Previous
    by_model: bool
    """Whether a model judged in it; not where its record is gone."""
    whole: bool
    """Whether it looked everywhere, so that what it does not tell is not there; not where its record is gone."""


@dataclass(frozen=True, slots=True)
class Story:
    """What the database holds of one ticket or page."""

    document_id: str
    reviews: Sequence[Shown]
    """Oldest first."""
    dismissals: Sequence[Dismissed]


@dataclass(frozen=True, slots=True)
class Telling:
    """A finding, over all reviews of its subject that told it."""

    finding: Finding
    first: datetime
    """When it was told first."""
    last: Previous
    """The review that told it last."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a finding. It holds no text."""

    fingerprint: str
    rule: str
    category: str
    priority: str
    told_at: datetime
    """The first time."""
    sign: Sign
    at: datetime | None = None
    """When what the sign is of was done."""

    @property
    def days(self) -> float | None:
        """From the first telling to the acceptance; None if it was not accepted."""
        if self.at is None or self.sign not in ACCEPTED:
            return None
        return (self.at - self.told_at) / timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Subject:
    """A ticket or page and what came of its findings."""

    key: str
    """A ticket's key; a page's document id, and that of what could not be read."""
    outcomes: tuple[Outcome, ...]
    unread: str = ""
    """Why it could not be read; empty where it was."""
