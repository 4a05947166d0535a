"""A table of the storage format to Markdown, with its merged cells taken apart, so that every row reads on its own."""

import re
from collections.abc import Iterable, Iterator, Sequence

from core.parsing import markdown
from core.parsing.storage_walk import Block, Element, Piece, Walker, paragraphs

_MOST_ROWS = 10_000
_MOST_COLUMNS = 500
_MOST_CELLS = 400_000  # rows times columns, which is what is written
_REPEATED = 120  # characters of a merged cell that are said again
_SPAN = re.compile(r"\d{1,5}", re.ASCII)
_SECTIONS = frozenset({"thead", "tbody", "tfoot"})


def table(walker: Walker, element: Element, depth: int) -> Iterable[Piece]:
    """The table, after what stands within it but in no row (a caption)."""
    around = [
        text
        for part in element
        if part.tag != "tr" and part.tag not in _SECTIONS and part.tag != "colgroup"
        for text in paragraphs(walker.pieces(part, depth + 1))
    ]
    rows = [row for part in element for row in ([part] if part.tag == "tr" else part if part.tag in _SECTIONS else ())]
    grid = _Grid(walker, depth + 1).of(rows)
    blocks = [*around, markdown.table(grid)]
    if len(grid) < len(rows):
        walker.unread.append(f"of a table of {len(rows)} rows: all after row {len(grid)}")
        blocks.append(f"[table: rows {len(grid) + 1} to {len(rows)} not read]")
    return tuple(Block(text) for text in blocks)


class _Grid:
    """Rows of equal columns. What a merged cell says holds for each row and column that it spans, and is said there
    again, but for a cell that fills its row alone: a heading within the table.
    """

    def __init__(self, walker: Walker, depth: int) -> None:
        self._walker = walker
        self._depth = depth
        self._hanging: dict[int, tuple[int, str]] = {}  # column -> rows still to come, text
        self._width = 0
        self._cut = False

    def of(self, rows: Sequence[Element]) -> list[list[str]]:
        grid: list[list[str]] = []
        group: Element = None
        for row in rows[:_MOST_ROWS]:
            if row.getparent() is not group:  # no cell reaches from a table's head into its body
                group = row.getparent()
                self._hanging.clear()
            cells = self._row(row)
            self._width = max(self._width, len(cells))
            if self._width * len(grid) > _MOST_CELLS:
                break
            grid.append(cells)
        if self._cut:
            self._walker.unread.append(f"of a table: all after column {_MOST_COLUMNS}")
        return grid

    def _row(self, row: Element) -> list[str]:
        line: list[str] = []
        alone = len(row) == 1 and not self._hanging
        for cell in row:
            line += self._from_above(len(line))
            if len(line) >= _MOST_COLUMNS:
                self._cut = True
                break
            wide, tall = _span(cell, "colspan"), _span(cell, "rowspan")
            text = self._walker.text(cell, self._depth + 1)
            again = _short(text)
            start, end = len(line), min(len(line) + wide, _MOST_COLUMNS)
            line += [text, *([""] if alone else [again]) * (end - start - 1)]
            if tall > 1:
                self._hanging |= dict.fromkeys(range(start, end), (tall - 1, again))
        last = max(self._hanging, default=-1)
        while len(line) <= last:  # a row that is too short
            line += list(self._from_above(len(line))) or [""]
        return line

    def _from_above(self, column: int) -> Iterator[str]:
        """The cells that hang into this row from here on, until a column is free."""
        while column in self._hanging:
            left, text = self._hanging.pop(column)
            if left > 1:
                self._hanging[column] = (left - 1, text)
            yield text
            column += 1


def _span(cell: Element, name: str) -> int:
    """A rowspan of 0 reaches to the end of its part of the table (head, body or foot)."""
    text = cell.get(name) or "1"
    number = int(text) if _SPAN.fullmatch(text) else 1
    return number or (99_999 if name == "rowspan" else 1)


def _short(text: str) -> str:
    return text if len(text) <= _REPEATED else text[:_REPEATED].rstrip() + " ..."
