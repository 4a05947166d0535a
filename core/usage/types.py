"""What is said of the consumers of a name. All are frozen; none does I/O."""

from dataclasses import dataclass
from typing import Literal

from core.types import Evidence

Kind = Literal["symbol", "route", "event", "config", "table", "column"]
KINDS: tuple[Kind, ...] = ("symbol", "route", "event", "config", "table", "column")
How = Literal["syntax", "text"]
"""Whether a grammar read the use as one, or the text reads like one."""
Confidence = Literal["sure", "likely", "possible"]
CONFIDENCES: tuple[Confidence, ...] = ("sure", "likely", "possible")


@dataclass(frozen=True, slots=True)
class Consumer:
    """A line that uses a name, or one that defines it."""

    repo: str
    branch: str
    path: str
    line: int | None
    """From 1; None in documentation, whose lines mean nothing to a reader."""
    text: str
    """The line as it stands, white space around it aside; cut where it is very long."""
    how: How
    confidence: Confidence
    why: str
    """One sentence."""
    evidence: Evidence
    """The passage that holds the line; its locator names the line."""


@dataclass(frozen=True, slots=True)
class Consumption:
    """Who uses a name, as far as the audience may read. Orders are the same for the same index."""

    kind: Kind
    """As asked for, or as what it was taken for."""
    name: str
    defined: tuple[Consumer, ...]
    """Where it is defined, declared, served, published or, of a setting, set where it is read."""
    consumers: tuple[Consumer, ...]
    """Product code first, then tests, then documentation; within each the surest first, and other repositories before
    those that define it.
    """
    more: int = 0
    """How many were found beyond the limit."""
    not_looked: tuple[str, ...] = ()
    """Sentences: where it could not be looked, and what else the name may mean."""
