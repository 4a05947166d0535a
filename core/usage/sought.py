"""A name as it is looked for: what leads to it, and the rows that have to do with it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

from core.usage.types import Confidence, How
from core.usage.view import View

Role = Literal["uses", "defines", "sets", "imports"]


@dataclass(frozen=True, slots=True)
class Sighting:
    """A row of a passage that has to do with the name."""

    row: int
    """From 0, within the passage."""
    confidence: Confidence
    why: str
    how: How = "text"
    role: Role = "uses"
    """`sets`: gives a setting its value. `imports`: names it only to use it elsewhere in the file."""
    telling: bool = True
    """The row shows what kind of name it is, and is not merely one that has it."""


@dataclass(frozen=True, slots=True)
class Trail:
    """What leads to the passages that may hold a name."""

    symbols: tuple[str, ...] = ()
    """Names that code is known to define."""
    references: tuple[str, ...] = ()
    """Names that code is known to use."""
    texts: tuple[str, ...] = ()
    """Each a set of words, of which a passage holds as many as possible."""
    wholes: tuple[str, ...] = ()
    """Identifiers, of which a passage holds at least one as it is."""


class Sought(Protocol):
    """A name of some kind, as it is looked for."""

    @property
    def trail(self) -> Trail: ...

    def may_be_in(self, text: str) -> bool:
        """Whether a passage is worth a closer look. Quick."""
        ...

    def sightings(self, view: View) -> Iterator[Sighting]:
        """The rows that have to do with it, each once."""
        ...
