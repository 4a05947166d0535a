"""What a reader sees of an outline, whatever it is rendered in. No I/O."""

from collections.abc import Iterable

from bots.outline import Link, Span, Table
from bots.text import clean, is_visible

SHORTENED = "… (shortened)"
"""Ends a text that was cut."""
COLUMNS = 12
"""Of a table in a comment; what has more cannot be read side by side."""


def shown(span: Span) -> str:
    """The text of a span: a link without one of its own shows its locator's label."""
    text = clean(span.text)
    if isinstance(span, Link) and not is_visible(text):
        return clean(span.locator.label)
    return text


def shows(spans: Iterable[Span]) -> bool:
    """Whether there is anything to see."""
    return any(is_visible(shown(span)) for span in spans)


def side_by_side(table: Table, most: int = COLUMNS) -> tuple[list[str], list[list[tuple[Span, ...]]]]:
    """The names of a table's columns, and the rows that show something, each with as many cells as there are names.

    Columns beyond `most` are left out, and the last name says how many.
    """
    columns = max([len(table.header), *(len(row) for row in table.rows)], default=0)
    kept = min(columns, most)
    names = [clean(name) for name in [*table.header, *[""] * columns][:kept]]
    if columns > kept > 0:
        names[-1] += f" (… {columns - kept} more columns)"
    empty: list[tuple[Span, ...]] = [()] * columns
    rows = [[*row, *empty][:kept] for row in table.rows]
    return names, [row for row in rows if any(map(shows, row))]
