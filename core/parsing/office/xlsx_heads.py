"""Tells the head of a table from titles above it and from data."""

from collections.abc import Sequence
from itertools import islice

from core.parsing.office.xlsx_sheet import Cell

_SEARCHED = 50  # rows that tell how wide a table is
_LEVELS = 4  # rows of a head whose cells are merged

Row = dict[int, Cell]
Rows = dict[int, Row]


def find_head(rows: Rows) -> tuple[int, int]:
    """How many rows of titles stand above the head, and of how many rows it is: none when there is no head."""
    first = list(islice(rows.values(), _SEARCHED))
    columns = {column for row in first for column in row}
    if len(columns) == 1:
        return 0, int(_heads_a_column([cell for row in first for cell in row.values()]))
    width = max(_filled(row) for row in first)
    if width == 1:
        return 0, 0
    at = next(number for number, row in enumerate(first) if not _is_title(row, width, min(columns)))
    if at + 1 >= len(first) or not _is_head(first[at]):
        return at, 0
    levels = 1
    while any(cell.across for cell in first[at + levels - 1].values()) and levels < _LEVELS:
        if at + levels + 1 >= len(first) or not _is_head(first[at + levels]):
            break
        levels += 1
    return at, levels


def goes_on(above: Rows, below: Row) -> bool:
    """Whether a row is like the last ones of a table: alike in kind, and in having digits, in every column."""
    last = list(islice(reversed(above.values()), 3))
    return all(
        _look(cell) in looks
        for column, cell in below.items()
        if (looks := {_look(row[column]) for row in last if column in row})
    )


def _look(cell: Cell) -> tuple[str, bool]:
    return cell.kind, any(letter.isdecimal() for letter in cell.text)


def _heads_a_column(cells: Sequence[Cell]) -> bool:
    """Whether the first of the cells differs from all others as a heading does: in kind, or in looks."""
    first, rest = cells[0], cells[1:]
    if not rest or first.kind != "text":
        return False
    return all(cell.kind in {"number", "date"} for cell in rest) or all(cell.style != first.style for cell in rest)


def _is_title(row: Row, width: int, left: int) -> bool:
    """Less than half as wide as the table; of two columns, only the left one."""
    return _filled(row) * 2 < max(width, 3) and not (width == 2 and left not in row)


def _filled(row: Row) -> int:
    return sum(not cell.across for cell in row.values())


def _is_head(row: Row) -> bool:
    """Words, and among them numbers only when they may be labels: years, dates. A colon belongs to a form."""
    cells = list(row.values())
    if cells[0].kind != "text" or any(cell.text.endswith(":") for cell in cells):
        return False
    return all(cell.kind in {"text", "date"} or _is_year(cell) for cell in cells)


def _is_year(cell: Cell) -> bool:
    return cell.text.isdecimal() and len(cell.text) == 4
