"""A piece of code on its way to being a chunk, and how large one may be."""

from dataclasses import dataclass

MAX_LINES = 60
MAX_CHARACTERS = 3_000
"""Beyond either, a definition is no longer kept whole. A page of code, and well within what embedders read."""

MANY = 100
"""Names that are kept of one chunk, of those it defines and of those it uses."""

MAX_NAME = 100
"""Characters; what is longer is no name."""

SIGNATURES = 2
"""How many of the definitions around a piece have their first lines said, the innermost ones."""
MAX_SIGNATURE = 120
"""Characters of one of these lines."""


@dataclass(frozen=True, slots=True)
class Piece:
    """`text[start:end]`, which begins in line `row`, counted from 0."""

    start: int
    end: int
    row: int
    enclosing: tuple[str, ...] = ()
    """The names of the definitions that it stands in, outermost first."""
    signatures: tuple[str, ...] = ()
    """How the innermost of these begin."""
    symbols: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
