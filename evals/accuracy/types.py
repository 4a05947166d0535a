"""A shipped ticket as a task, and what became of it. All of it is kept as JSON, so fields are plain."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

Arm = Literal["baseline", "crosscheck"]
ARMS: tuple[Arm, Arm] = ("baseline", "crosscheck")
Met = Literal["met", "partly", "not met"]


@dataclass(frozen=True, slots=True)
class Task:
    """A ticket that was shipped, at the state before its change."""

    id: str
    """`booking-api-BKG-88`: safe as a file's name."""
    repo: str
    """As the settings call it."""
    key: str
    """The ticket's key; the change's own commit id, shortened, where there is no ticket."""
    title: str
    text: str
    """What was asked for, as it stood at `moment`."""
    told_by: Literal["ticket", "commit message"]
    base: str
    """The commit that the change was made on: the parent of its first commit."""
    tip: str
    """The last commit of the change."""
    moment: datetime
    """When work on it began: what is later must not be known. Just before the change's first commit."""
    files: tuple[str, ...]
    """That the change touched, at `base` or `tip`."""
    remarks: tuple[str, ...] = ()
    """Sentences: what of the change is not in it."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """Something that the change must do, as a person who uses or tests it would see it."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Spent:
    """What a model took."""

    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    dollars: float | None = None
    """None where no price is known."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Attempt:
    """What a candidate made of a task in one arm."""

    task: str
    candidate: str
    arm: Arm
    patch: str
    """A unified diff on `Task.base`, as `git apply` takes it; empty where nothing was changed."""
    spent: Spent
    calls: dict[str, int] = field(default_factory=dict)
    """Of tools, by name."""
    ended: str = "done"
    """`done`, or why it ended before: `40 requests`, `30 minutes`, or the model's failure in a sentence."""
    said: str = ""
    """What the candidate wrote last. Judges are not shown it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one judge says of one attempt."""

    task: str
    candidate: str
    arm: Arm
    judge: str
    met: dict[str, Met]
    """By the criterion's id; all of them."""
    reasons: dict[str, str]
    shown_as: str
    """What the judge saw it called: `patch 1`."""
    spent: Spent
