"""Tells apart what stands on a sheet: its tables, side by side or below each other, and loose cells."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise
from typing import Any

from core.parsing.office.xlsx_heads import Rows, find_head

_DEEPEST = 40
_MOST_PARTS = 30
"""Parts side by side; what has more is a form or a drawing made of cells, and reads row by row."""
_LIKELY_ONE = 20
"""Rows from which two parts with the same rows are one table with an empty column: chance makes no such pair."""
_ALIKE = 0.5
"""Share of rows that both parts have, of those that either has, from which a lone column belongs to the other part."""
_APART = 0.3
"""The same share, below which parts without heads of their own have nothing to do with each other."""


@dataclass(frozen=True, slots=True)
class NamedTable:
    """A table that the workbook knows by name."""

    name: str
    area: Any
    """A `CellRange` of openpyxl."""
    head_rows: int


@dataclass(frozen=True, slots=True)
class Block:
    """A rectangle of a sheet with its cells; rows and columns in order."""

    rows: Rows
    columns: tuple[int, ...]
    """Those that hold anything."""
    name: str = ""
    """Of a named table."""
    head_rows: int = 0
    """Of a named table, which says so itself."""

    @property
    def top(self) -> int:
        return next(iter(self.rows))

    @property
    def bottom(self) -> int:
        return next(reversed(self.rows))


def blocks(rows: Rows, named: Iterable[NamedTable]) -> list[Block]:
    """All blocks of a sheet, from the top and from the left. Each cell is in one."""
    rest = {row: dict(cells) for row, cells in rows.items()}
    found = [
        Block(held, _columns(held), table.name, table.head_rows)
        for table in named
        if (held := _taken(rest, table.area))
    ]
    found += [Block(part, _columns(part)) for part in _cut({row: cells for row, cells in rest.items() if cells}, 0)]
    return sorted(found, key=lambda block: (block.top, block.columns[0]))


def _taken(rest: Rows, area: Any) -> Rows:
    """The cells of an area, which are no longer in `rest`."""
    held: Rows = {}
    for row, cells in rest.items():
        if area.min_row <= row <= area.max_row:
            inside = {column: cells.pop(column) for column in sorted(cells) if area.min_col <= column <= area.max_col}
            if inside:
                held[row] = inside
    return held


def _cut(rows: Rows, depth: int) -> Iterator[Rows]:
    """The parts between empty columns, then between empty rows, and so on within each."""
    if not rows:
        return
    for cut in (_by_columns, _by_rows, _by_steps) if depth < _DEEPEST else ():
        parts = cut(rows)
        if len(parts) > 1:
            for part in parts:
                yield from _cut(part, depth + 1)
            return
    yield {row: dict(sorted(cells.items())) for row, cells in rows.items()}


def _by_columns(rows: Rows) -> list[Rows]:
    """Parts with empty columns between them, as far as these divide tables and not a table or a form."""
    runs = list(_runs(_columns(rows)))
    if not 1 < len(runs) <= _MOST_PARTS:
        return [rows]
    at = {column: number for number, (first, last) in enumerate(runs) for column in range(first, last + 1)}
    parts: list[Rows] = [{} for _ in runs]
    for row, cells in rows.items():
        for column, cell in cells.items():
            parts[at[column]].setdefault(row, {})[column] = cell
    kept = parts[:1]
    for part in parts[1:]:
        if _one_table(kept[-1], part):
            kept[-1] = _union(kept[-1], part)
        else:
            kept.append(part)
    return kept


def _by_rows(rows: Rows) -> list[Rows]:
    numbers = iter(rows)
    return [{row: rows[row] for row in islice(numbers, last - first + 1)} for first, last in _runs(rows)]


def _by_steps(rows: Rows) -> list[Rows]:
    """Parts that only touch at a corner: all above lies left, or right, of all below."""
    numbers = list(rows)
    spans = [(min(cells), max(cells)) for cells in rows.values()]
    above = list(accumulate(spans, _span))
    below = list(accumulate(reversed(spans), _span))[::-1]
    steps = [at for at in range(1, len(numbers)) if above[at - 1][1] < below[at][0] or above[at - 1][0] > below[at][1]]
    return [{row: rows[row] for row in numbers[start:end]} for start, end in pairwise([0, *steps, len(numbers)])]


def _span(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return min(one[0], other[0]), max(one[1], other[1])


def _columns(rows: Rows) -> tuple[int, ...]:
    return tuple(sorted({column for cells in rows.values() for column in cells}))


def _runs(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """First and last of each run of neighbours in a rising sequence."""
    run: tuple[int, int] | None = None
    for number in numbers:
        if run is not None and number == run[1] + 1:
            run = run[0], number
            continue
        if run is not None:
            yield run
        run = number, number
    if run is not None:
        yield run


def _one_table(left: Rows, right: Rows) -> bool:
    """Whether the empty column between two parts lies within a table or a form. Two tables each have a head; a lone
    column beside the same rows is no table.
    """
    shared = len(left.keys() & right.keys()) / len(left.keys() | right.keys())
    if len(left) > 2 < len(right) and _first_texts(left) & _first_texts(right):
        return False
    if 1 in {len(_columns(left)), len(_columns(right))}:
        return shared >= _ALIKE
    if find_head(left)[1] and find_head(right)[1]:
        return len(left) >= _LIKELY_ONE and left.keys() == right.keys()
    return shared >= _APART


def _first_texts(rows: Rows) -> set[str]:
    """The texts of the row that is, or would be, the head."""
    row = next(islice(rows.values(), find_head(rows)[0], None))
    return {cell.text for cell in row.values() if cell.kind == "text" and cell.text}


def _union(left: Rows, right: Rows) -> Rows:
    return {row: {**left.get(row, {}), **right.get(row, {})} for row in sorted(left.keys() | right.keys())}
