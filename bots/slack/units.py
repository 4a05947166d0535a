"""Outline -> what is filled into messages: the pieces that stay whole, each with what it costs. No I/O."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from bots.outline import Bullets, Code, Heading, Outline, Paragraph, Table
from bots.shown import SHORTENED, shows, side_by_side
from bots.slack.blocks import CELLS, COLUMNS, HEADER, ROWS, length, text_of
from bots.slack.limits import MESSAGE_WEIGHT, weigh
from bots.slack.rich_text import (
    Node,
    cut,
    inline,
    literal,
    plain_text,
    prefix,
    section,
    table_cell,
    text_weight,
)
from bots.text import clean, is_visible

ROOM = MESSAGE_WEIGHT - 1_500
"""For the units of a message; the rest is for the buttons and the line that says which part it is."""
_OPENING = 270  # for a block, and the section or list in it
_ALONE = ROOM - _OPENING - 1_200  # the rest is for the headings above
_HEADING = 500
_CODE_MARKS = 250
_CODE_PARTS = 4  # messages that one piece of code may fill
_ROW = ROOM // (ROWS - 2)  # what a row costs at least, so that no message has too many of them
_CELL = 8  # for a cell beside its text


class Kind(Enum):
    HEADER = auto()
    SECTION = auto()
    LIST = auto()
    CODE = auto()
    TABLE = auto()


@dataclass(frozen=True, slots=True, eq=False)
class Shell:
    """What is around units of a kind, opened anew in every message: the same object for all units of one block, and
    for paragraphs that follow each other.
    """

    kind: Kind
    group: int
    """The heading that it stands under."""
    opening: int = _OPENING
    """What it costs where it is opened."""
    header: tuple[Node, ...] = ()
    """A table's first row."""
    lines: int = 0
    """Of code."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What may not be split."""

    shell: Shell
    nodes: tuple[Node, ...]
    """A block, inline elements, one line of code, or the cells of a row."""
    cost: int
    number: int | None = None
    """Of an item in an ordered list, of a line in code."""
    leads: bool = False
    """A heading: it does not stand last in a message."""

    @property
    def opening(self) -> int:
        """What its shell costs where it is opened."""
        return self.shell.opening


def units(outline: Outline) -> Iterator[Unit]:
    """A block without anything to see gives none."""
    group = 0
    shell: Shell | None = None  # of the section that a paragraph may be added to
    for block in outline:
        if isinstance(block, Paragraph):
            if shows(block.spans):
                shell = shell or Shell(Kind.SECTION, group)
                yield _in_section(shell, inline(block.spans), _ALONE)
            continue
        shell = None
        if isinstance(block, Heading):
            if is_visible(text := " ".join(clean(block.text).split("\n"))):
                group += 1
                unit = _heading(text, block.level, group)
                shell = unit.shell if unit.shell.kind is Kind.SECTION else None
                yield unit
        elif isinstance(block, Bullets):
            yield from _list(block, group)
        elif isinstance(block, Table):
            yield from _table(block, group)
        else:
            yield from _code(block, group)


def _heading(text: str, level: int, group: int) -> Unit:
    """A header block; bold text where it is below the third level, or longer than a header may be."""
    if level <= 3 and length(text) <= HEADER:
        block = {"type": "header", "text": plain_text(text)}
        return Unit(Shell(Kind.HEADER, group), (block,), weigh(block), leads=True)
    return _in_section(Shell(Kind.SECTION, group), [literal(text, bold=True)], _HEADING, leads=True)


def _in_section(shell: Shell, elements: list[Node], room: int, *, leads: bool = False) -> Unit:
    fitting = cut(elements, room)
    gap = 32  # an element of line ends before it
    return Unit(shell, tuple(fitting), sum(weigh(one) + 1 for one in fitting) + gap, leads=leads)


def _list(block: Bullets, group: int) -> Iterator[Unit]:
    shell = Shell(Kind.LIST, group)
    for number, item in enumerate(filter(shows, block.items), start=1):
        elements = tuple(cut(inline(item), _ALONE - 50))
        yield Unit(shell, elements, weigh(section(elements)) + 1, number if block.ordered else None)


def _code(block: Code, group: int) -> Iterator[Unit]:
    """One unit where the code fits into a message; otherwise its lines."""
    text = clean(block.text).rstrip("\n")
    if not is_visible(text):
        return
    shell = Shell(Kind.CODE, group, _OPENING + _CODE_MARKS)
    room = _ALONE - _CODE_MARKS
    if (cost := text_weight(text)) <= room:
        yield Unit(shell, (literal(text),), cost)
        return
    lines = text.split("\n")
    ends = itertools.accumulate(min(text_weight(line) + 2, room) for line in lines)
    kept = sum(1 for _ in itertools.takewhile(lambda end: end <= _CODE_PARTS * room, ends))
    shell = Shell(Kind.CODE, group, _OPENING + _CODE_MARKS, lines=kept)
    for number, line in enumerate(lines[:kept], start=1):
        fitting = line if text_weight(line) + 2 <= room else prefix(line, room - 30) + SHORTENED
        yield Unit(shell, ({"text": fitting},), text_weight(fitting) + 2, number)
    if kept < len(lines):
        told = [literal(f"{SHORTENED[:-1]}: {len(lines) - kept} more lines of code)")]
        yield _in_section(Shell(Kind.SECTION, group), told, _ALONE)


def _table(table: Table, group: int) -> Iterator[Unit]:
    """Its rows."""
    names, rows = side_by_side(table, COLUMNS)
    if not names:
        return
    header = _row([[literal(name, bold=True)] if name else [] for name in names], CELLS // 4)
    named = any(map(is_visible, names))
    opening = _OPENING + (_row_cost(header) if named else 0)
    shell = Shell(Kind.TABLE, group, opening, header=header if named and rows else ())
    if named and not rows:
        yield Unit(shell, header, 0)
    for row in rows:
        cells = _row([*map(inline, row)], CELLS // 2)
        yield Unit(shell, cells, _row_cost(cells))


def _row(cells: list[list[Node]], room: int) -> tuple[Node, ...]:
    """Cells of equal right to the room; none may be empty."""
    each = room // len(cells)
    return tuple(table_cell(cut(cell, each)) for cell in cells)


def _row_cost(cells: Sequence[Node]) -> int:
    text = sum(length(text_of(cell)) for cell in cells)
    return max(_ROW, text * ROOM // CELLS + _CELL * len(cells) + 1)
