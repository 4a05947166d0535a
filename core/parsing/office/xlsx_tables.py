"""Writes the blocks of a sheet down as tables, in groups of rows, the head with each."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from core.parsing import markdown
from core.parsing.office.xlsx_blocks import Block
from core.parsing.office.xlsx_heads import find_head, goes_on
from core.parsing.office.xlsx_sheet import Cell

GROUP = 2_500
"""Characters of a group of rows, its head included."""
_LEAST = 1_000
"""Characters of rows that a group has even under the longest head."""
_CONTINUES = 2  # from the last row of a table to the first of what may continue it: one empty row between


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a head. Without a head they are loose lines."""

    head: tuple[str, ...]
    rows: tuple[tuple[int, tuple[Cell | None, ...]], ...]
    """Each with its number on the sheet."""
    start: int
    """The row of its head, or else its first."""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """A piece of text and the rows it tells of."""

    text: str
    first: int
    last: int


def tables(found: Sequence[Block], hides: Callable[[int], bool]) -> Iterator[Table]:
    """The blocks as tables, titles above a head as loose rows of their own. A block right below a table that goes on
    like it has the same head. `hides` tells of a column whether it is hidden.
    """
    above: dict[int, tuple[Block, tuple[str, ...]]] = {}
    for part in found:
        block = part
        loose, levels = (0, part.head_rows) if part.name else find_head(part.rows)
        known = above.get(block.columns[0])
        if known and not loose and _continues(*known, block):
            block, head, levels = replace(block, columns=known[0].columns), known[1], 0
        else:
            head = _names(block, loose, levels)
        rows = tuple((number, tuple(map(row.get, block.columns))) for number, row in block.rows.items())
        if loose:
            yield Table((), rows[:loose], block.top)
        if loose < len(rows):
            yield Table(_marked(block, head, hides), rows[loose + levels :], rows[loose][0], block.name)
        body = dict(islice(block.rows.items(), loose + levels, None))
        for column in block.columns if any(head) and body else ():
            above[column] = replace(block, rows=body), head


def groups(table: Table, hidden_rows: set[int]) -> Iterator[Group]:
    """The table as Markdown in pieces of about `GROUP` characters, none cut through a row."""
    room = max(GROUP - _width(table.head) - len(table.name), _LEAST)
    part: list[tuple[int, list[str]]] = []
    size = 0
    for number, cells in table.rows:
        hidden = number in hidden_rows
        texts = _texts(cells, hidden=hidden, spelled=not part)
        if part and size + _width(texts) > room:
            yield _group(table, part)
            part, size = [], 0
            texts = _texts(cells, hidden=hidden, spelled=True)
        part.append((number, texts))
        size += _width(texts)
    if part or any(table.head):
        yield _group(table, part)


def _group(table: Table, rows: list[tuple[int, list[str]]]) -> Group:
    first, last = (rows[0][0], rows[-1][0]) if rows else (table.start, table.start)
    if any(table.head):
        text = markdown.table([table.head, *(texts for _number, texts in rows)])
    elif len(rows) == 1:
        text = " | ".join(markdown.one_line(text) for text in rows[0][1] if text)
    else:
        text = "\n".join(" | ".join(map(markdown.one_line, texts)).rstrip(" |") for _number, texts in rows)
    return Group(markdown.join([f"Table {table.name}:" if table.name else "", text]), first, last)


def _width(texts: Sequence[str]) -> int:
    return sum(len(text) + 3 for text in texts) + 2


def _texts(cells: Sequence[Cell | None], *, hidden: bool, spelled: bool) -> list[str]:
    texts = ["" if cell is None or cell.across else cell.full(spelled=spelled) for cell in cells]
    if hidden:
        at = next((index for index, text in enumerate(texts) if text), 0)
        texts[at] = f"{texts[at]} (hidden)".strip()
    return texts


def _marked(block: Block, head: tuple[str, ...], hides: Callable[[int], bool]) -> tuple[str, ...]:
    return tuple(
        f"{name} (hidden)".strip() if hides(column) else name for column, name in zip(block.columns, head, strict=True)
    )


def _names(block: Block, loose: int, levels: int) -> tuple[str, ...]:
    """The head's text by column; those of a head of several rows are joined, a merged one said once."""
    rows = list(islice(block.rows.values(), loose, loose + levels))
    cells = ([row[column].full() for row in rows if column in row] for column in block.columns)
    return tuple(" / ".join(dict.fromkeys(text for text in texts if text)) for texts in cells)


def _continues(above: Block, head: tuple[str, ...], block: Block) -> bool:
    """Whether a block goes on with the table above: right below, within its columns, in the same manner."""
    if (
        above.name
        or block.name
        or block.top - above.bottom > _CONTINUES
        or not set(block.columns) <= set(above.columns)
    ):
        return False
    first = block.rows[block.top]
    again = {cell.text for cell in first.values()} == {name for name in head if name}
    return len(first) > 1 and not again and goes_on(above.rows, first)
