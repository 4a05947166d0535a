"""What a migration touches, gathered from its file."""

from collections.abc import Iterable
from dataclasses import dataclass

from core.schema.types import Touched

MOST = 400
"""Tables and columns that are told of one migration."""
_LONGEST = 128  # characters of a name; no database allows more
MORE = f"It touches more than {MOST} tables and columns; only the first are listed."


@dataclass(frozen=True, slots=True)
class Contents:
    """What a file tells."""

    touched: tuple[Touched, ...] = ()
    notes: tuple[str, ...] = ()
    """What of it is not understood, in sentences."""


def contents(found: Iterable[Touched], notes: Iterable[str] = ()) -> Contents:
    """Each thing once, as it was first said."""
    kept: dict[tuple[str, str, str], Touched] = {}
    said = dict.fromkeys(notes)
    for touched in found:
        if not touched.table or len(touched.table) > 2 * _LONGEST or len(touched.column) > _LONGEST:
            continue
        kept.setdefault((touched.table.casefold(), touched.column.casefold(), touched.how), touched)
        if len(kept) > MOST:
            return Contents(tuple(kept.values())[:MOST], (*said, MORE))
    return Contents(tuple(kept.values()), tuple(said))


def names(touched: Touched, table: str | None, column: str | None) -> bool:
    """Whether this is that table, in any case, with or without its schema, and that column of it."""
    if table is not None and not _same(touched.table, table):
        return False
    return column is None or touched.column.casefold() == column.casefold()


def _same(one: str, other: str) -> bool:
    one, other = one.casefold(), other.casefold()
    return one == other or one.endswith(f".{other}") or other.endswith(f".{one}")
