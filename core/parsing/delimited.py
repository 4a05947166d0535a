"""CSV and its kin: rows as tables, in groups that each repeat the header, so that no row is read without it."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from statistics import median

from core.parsing import markdown
from core.parsing.parsed import Parsed, unreadable
from core.parsing.text import decoded
from core.types import Place

_DELIMITERS = ",;\t|"
_MOST_ROWS = 50_000
_MOST_COLUMNS = 200
_LONGEST_CELL = 10_000  # characters
_MOST_CHARACTERS = 5_000_000
_GROUP = 2_500  # characters of rows under one header: about a chunk
_MOST_REASONS = 20
_MOST_ROWS_IN_CELL = 20  # lines that look like rows; more of them were swallowed by a quote
_LOOKED_AT = 200  # lines


def parse(_name: str, data: bytes) -> Parsed:
    """The rows as Markdown tables with places `rows 2 to 60`. A file in which no delimiter is found stays text."""
    text = decoded(data)
    if not text.strip():
        return unreadable("it is empty")
    delimiter = _delimiter(text)
    if delimiter is None:
        return Parsed(text)
    gaps = _Gaps()
    return _tables(_rows(text, delimiter, gaps), gaps)


def _delimiter(text: str) -> str | None:
    """The one that cuts most of the first lines into the same number of cells, two at least."""
    sample = text[:100_000].split("\n")[:_LOOKED_AT]
    if len(sample) > 1:
        sample = sample[:-1]  # it may be cut off

    def score(delimiter: str) -> tuple[float, int]:
        try:
            widths = [len(row) for row in csv.reader(sample, delimiter=delimiter) if row]
        except csv.Error:
            widths = [line.count(delimiter) + 1 for line in sample]
        usual = int(median(widths)) if widths else 1
        return (sum(width == usual for width in widths) / len(widths), usual) if usual > 1 else (0, 0)

    best = max(_DELIMITERS, key=score)
    return best if score(best)[0] > 0 else None


class _Gaps:
    """What is not read, each named up to a number."""

    def __init__(self) -> None:
        self._named: list[str] = []
        self._more = 0

    def note(self, reason: str) -> None:
        if len(self._named) < _MOST_REASONS:
            self._named.append(reason)
        else:
            self._more += 1

    def reasons(self) -> tuple[str, ...]:
        return (*self._named, f"{self._more:,} more cells or rows not read") if self._more else tuple(self._named)


def _tables(rows: Iterable[tuple[int, list[str]]], gaps: _Gaps) -> Parsed:
    numbered = iter(rows)
    _number, header = next(numbered, (0, []))
    parts: list[str] = []
    places: list[Place] = []
    length = 0
    for group in _groups(numbered):
        if length > _MOST_CHARACTERS:
            gaps.note(f"rows from {group[0][0]:,} on not read: those before hold {_MOST_CHARACTERS:,} characters")
            break
        places.append(Place(length, _label(group)))
        parts.append(markdown.table([header, *(row for _, row in group)]))
        length += len(parts[-1]) + 2
    if not parts:
        parts.append(markdown.table([header]))
    parts += [f"[{reason}]" for reason in gaps.reasons()]
    text = markdown.join(parts)
    return Parsed(text, tuple(places), gaps.reasons()) if text else unreadable("it is empty")


def _groups(rows: Iterable[tuple[int, list[str]]]) -> Iterator[list[tuple[int, list[str]]]]:
    group: list[tuple[int, list[str]]] = []
    size = 0
    for number, row in rows:
        group.append((number, row))
        size += sum(map(len, row)) + 3 * len(row)
        if size >= _GROUP:
            yield group
            group, size = [], 0
    if group:
        yield group


def _label(group: Sequence[tuple[int, list[str]]]) -> str:
    first, last = group[0][0], group[-1][0]
    return f"row {first:,}" if first == last else f"rows {first:,} to {last:,}"


def _rows(text: str, delimiter: str, gaps: _Gaps) -> Iterator[tuple[int, list[str]]]:
    """Rows that hold something, with their numbers, from 1. One that cannot be read is noted and skipped."""
    reader = csv.reader(io.StringIO(text, newline="\n"), delimiter=delimiter)
    columns = 0
    for number in range(1, _MOST_ROWS + 1):
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            gaps.note(f"row {number:,} not read: {_reason(error)}")
            continue
        if any(cell.strip() for cell in row):
            columns = columns or len(row)
            if any(_rows_in(cell, delimiter, columns) > _MOST_ROWS_IN_CELL for cell in row):
                gaps.note(f"row {number:,}: a quote is not closed where one would expect it, so rows stand in one cell")
            yield number, _bounded(number, row, gaps)
    if more := text.count("\n", 0, len(text) - 1) + 1 - reader.line_num:
        gaps.note(f"{more:,} lines after row {_MOST_ROWS:,} not read")


def _rows_in(cell: str, delimiter: str, columns: int) -> int:
    """The lines within a cell that look like rows of the table."""
    return sum(line.count(delimiter) >= max(1, columns - 1) for line in cell.split("\n")[1:])


def _reason(error: csv.Error) -> str:
    limit = f"a cell of it has more than {csv.field_size_limit():,} characters"
    return limit if "limit" in str(error) else str(error)


def _bounded(number: int, row: Sequence[str], gaps: _Gaps) -> list[str]:
    if len(row) > _MOST_COLUMNS:
        gaps.note(f"row {number:,}: the cells after column {_MOST_COLUMNS} not read")
    cells = []
    for column, cell in enumerate(row[:_MOST_COLUMNS], 1):
        if len(cell) > _LONGEST_CELL:
            gaps.note(f"row {number:,}, column {column}: the text after {_LONGEST_CELL:,} characters not read")
        cells.append(markdown.one_line(cell[:_LONGEST_CELL]))
    return cells
