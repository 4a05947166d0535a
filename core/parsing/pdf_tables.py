"""Tables on a page: whether columns of words are one, and its rows."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median

from core.parsing import markdown
from core.parsing.pdf_lines import Line, lines_of
from core.parsing.pdf_rules import Rules
from core.parsing.pdf_words import SOFT_HYPHEN, Word

_ALIGNED = 0.7  # of a table's lines stand beside a line of another column

Columns = Sequence[Sequence[Word]]


def is_table(columns: Columns, rules: Rules, unit: float) -> bool:
    """Whether columns of words are a table's: their lines face each other and are short, or lines are drawn through
    them. `unit` is the usual height of a word.
    """
    if len(columns) < 2:
        return False
    if len(_between(columns, rules)) >= 2:
        return True
    held = [lines_of(column) for column in columns]
    prose = [_is_prose(lines, unit) for lines in held]
    if all(prose) or (any(prose) and _written_by_column(columns)):
        return False
    facing = [
        any(_faces(line, other) for other in _others(held, index)) for index, lines in enumerate(held) for line in lines
    ]
    return sum(facing) >= _ALIGNED * len(facing)


def _others(held: Sequence[Sequence[Line]], index: int) -> Iterator[Line]:
    return (line for at, lines in enumerate(held) if at != index for line in lines)


def _faces(line: Line, other: Line) -> bool:
    shared = min(line.bottom, other.bottom) - max(line.top, other.top)
    return shared >= 0.5 * min(line.bottom - line.top, other.bottom - other.top)


def _is_prose(lines: Sequence[Line], unit: float) -> bool:
    """Lines as long as sentences need, most of them as wide as the column."""
    usual = median(line.width for line in lines)
    return usual >= 10 * unit and usual >= 0.6 * (max(line.right for line in lines) - min(line.left for line in lines))


def _written_by_column(columns: Columns) -> bool:
    """Whether the page's own order finishes each column before it goes on to the next."""
    return all(max(w.index for w in a) < min(w.index for w in b) for a, b in pairwise(columns))


def table(columns: Columns, rules: Rules) -> str:
    """A Markdown table: a row between two drawn lines where there are enough of them, else a row for each line."""
    edges = _between(columns, rules)
    parts = [_cells(columns, top, bottom) for top, bottom in pairwise([float("-inf"), *edges, float("inf")])]
    if not (len(edges) >= 2 and all(map(_is_one_row, parts))):
        head = [parts[0]] if edges and _is_head(parts[0]) else []
        parts = [*head, *(row for part in parts[len(head) :] for row in _rows(part))]
    return markdown.table([[_cell(cell) for cell in row] for row in parts])


def _rows(cells: Sequence[Sequence[Line]]) -> Iterator[list[list[Line]]]:
    """A row for each line."""
    columns = [_all(line.words for line in lines) for lines in cells]
    lines = lines_of(_all(columns))
    edges = [(above.bottom + below.top) / 2 for above, below in pairwise(lines)]
    return (_cells(columns, top, bottom) for top, bottom in pairwise([float("-inf"), *edges, float("inf")]))


def _cells(columns: Columns, top: float, bottom: float) -> list[list[Line]]:
    return [lines_of(word for word in column if top <= word.middle < bottom) for column in columns]


def _is_one_row(cells: Sequence[Sequence[Line]]) -> bool:
    """Whether what stands between two rules is one row: some cell of it is short."""
    return min((len(lines) for lines in cells if lines), default=0) <= 2


def _is_head(cells: Sequence[Sequence[Line]]) -> bool:
    """Whether what stands above the first rule is one row: some title has a line, and none has many."""
    counts = [len(lines) for lines in cells if lines]
    return min(counts, default=0) == 1 and max(counts) <= 3


def _cell(lines: Sequence[Line]) -> str:
    return " ".join(line.text for line in lines).replace(f"{SOFT_HYPHEN} ", "").replace(SOFT_HYPHEN, "-")


def _between(columns: Columns, rules: Rules) -> list[float]:
    """The heights of the lines drawn through the columns, between the first line of text and the last."""
    words = _all(columns)
    top, bottom = min(word.middle for word in words), max(word.middle for word in words)
    return [at for at in rules.across(columns) if top < at < bottom]


def _all(parts: Iterable[Iterable[Word]]) -> list[Word]:
    return [word for part in parts for word in part]
