"""Markdown cut at its own structure: places first, then sections, blocks, rows, sentences, words."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from semantic_text_splitter import MarkdownSplitter

from core.types import Chunk, Document, Place

# About 1,000 tokens of English at three characters each. Measured in characters: counting the tokens of every possible
# cut takes several hundred times as long, more than all other work of a synchronisation.
_SPLITTER = MarkdownSplitter(3_000, trim=False)
_WHOLE = 1_500  # characters; a comment, a commit or a small ticket is not cut
_LEAST = 200  # characters of a piece that stands alone
_OVERLAP = 600  # characters, about 200 tokens; what a piece repeats of the one before, where a section had to be cut
_LONGEST_ROW = 20_000  # characters; a table's row is not cut before it is longer

_LONGEST_HEAD = 200  # characters of a table's head in a context

_HEADING = re.compile(r" {0,3}(?P<level>#{1,6})[ \t]+(?P<title>.*?)(?:[ \t]+#+)?[ \t]*$")
_FENCE = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})")
_SENTENCE = re.compile(r"(?:\n\s*|[.!?]['\")\]]?\s+|[\u3002\uff01\uff1f]\s*)(?=\S)")


def chunk_prose(document: Document) -> list[Chunk]:
    """Pieces of about 1,000 tokens at most, each with the headings and the place it stands under. A piece that goes on
    in the middle of a section begins with up to 200 tokens of what stands before it.
    """
    outline, tables = _Outline(document.text), _Tables(document.text)
    chunks = []
    for ordinal, (start, end, place) in enumerate(_spans(document.text, document.places)):
        text = document.text[start:end]
        path = outline.at(start + len(text) - len(text.lstrip()))
        heading = place.label if place else path[-1] if path else None
        above = [*([place.label] if place else []), *(title for title in path if title != document.title)]
        context = " > ".join([document.context, *above, *tables.columns(start)])
        fragment = place.fragment if place else ""
        chunks.append(Chunk(document.id, ordinal, text, start, end, context, heading, fragment=fragment))
    return chunks


def _spans(text: str, places: Sequence[Place]) -> Iterator[tuple[int, int, Place | None]]:
    """Start and end of each piece, and the place where it begins. Places too small to mean something join the next."""
    if not places:
        yield from ((start, end, None) for start, end in _cut(text, 0, len(text)))
        return
    bounds: list[tuple[int, Place | None]] = [(0, None)]
    for one in places:
        if len(text[bounds[-1][0] : one.start].strip()) >= _LEAST:
            bounds.append((one.start, one))
        elif bounds[-1][1] is None:
            bounds[-1] = (bounds[-1][0], one)
    ends = [start for start, _ in bounds[1:]] + [len(text)]
    for (start, place), end in zip(bounds, ends, strict=True):
        yield from ((first, last, place) for first, last in _cut(text, start, end))


def _cut(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Start and end of each piece of a part of the text."""
    if end - start <= _WHOLE:
        return [(start, end)]
    rows = _Rows(text, start, end)
    starts = [start]
    for offset, piece in _SPLITTER.chunk_indices(text[start:end]):
        at = rows.whole(start + offset)
        if at > starts[-1] and len(text[starts[-1] : at].strip()) >= _LEAST and piece.strip():
            starts.append(at)
    if len(starts) > 1 and len(text[starts[-1] : end].strip()) < _LEAST:
        starts.pop()
    begins = [start, *(_begin(text, before, at, rows) for before, at in pairwise(starts))]
    return list(zip(begins, [*starts[1:], end], strict=True))


def _begin(text: str, before: int, at: int, rows: "_Rows") -> int:
    """Where a piece that would begin at `at` begins with its overlap: at a line or sentence within the piece before."""
    if _HEADING.match(text[at : at + 200].lstrip("\n").partition("\n")[0]):
        return at
    window = text[max(before, at - _OVERLAP) : at]
    first = next((at - len(window) + match.end() for match in _SENTENCE.finditer(window)), at)
    return min(at, rows.whole(first))


class _Tables:
    """Finds the head of the table in whose middle a piece begins. Asked from the top down."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._since = 0
        self._head: int | None = None

    def columns(self, start: int) -> Iterator[str]:
        """The cells of that head in a line; nothing for a piece that begins elsewhere."""
        head = self._first_row(start)
        self._since, self._head = start, head
        if head is not None and head < start:
            line = self._text[head : self._text.find("\n", head)]
            yield " | ".join(cell.strip() for cell in line.strip("| ").split("|"))[:_LONGEST_HEAD]

    def _first_row(self, start: int) -> int | None:
        if not self._text.startswith("|", start):
            return None
        first = start
        while first > self._since:
            above = self._text.rfind("\n", self._since, first - 1) + 1 or self._since
            if not self._text.startswith("|", above):
                return first
            first = above
        return first if self._head is None else self._head


class _Rows:
    """The rows of the tables in a part of a text: a piece never begins within one."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self._text = text
        self._start = start
        self._end = end

    def whole(self, offset: int) -> int:
        """The offset, or the beginning of the next line if it is within a table's row."""
        text = self._text
        begin = text.rfind("\n", self._start, offset) + 1 or self._start
        if begin == offset or not text.startswith("|", begin):
            return offset
        after = text.find("\n", offset, self._end) + 1 or self._end
        return after if after - begin <= _LONGEST_ROW else offset


class _Outline:
    """The headings of a Markdown text, by where they stand."""

    def __init__(self, text: str) -> None:
        self._starts: list[int] = []
        self._paths: list[tuple[str, ...]] = []
        stack: list[tuple[int, str]] = []
        for start, level, title in _headings(text):
            stack = [(above, name) for above, name in stack if above < level] + [(level, title)]
            self._starts.append(start)
            self._paths.append(tuple(name for _, name in stack if name))

    def at(self, offset: int) -> tuple[str, ...]:
        """The titles of the headings that hold at this offset, outermost first."""
        index = bisect_right(self._starts, offset)
        return self._paths[index - 1] if index else ()


def _headings(text: str) -> Iterator[tuple[int, int, str]]:
    """Offset, level and title of each `#` heading outside fenced code."""
    fence: str | None = None
    offset = 0
    for line in text.split("\n"):
        content = line.rstrip("\r")
        if mark := _FENCE.match(content):
            if fence is None:
                fence = mark["mark"]
            elif mark["mark"].startswith(fence):
                fence = None
        elif fence is None and (heading := _HEADING.match(content)):
            yield offset, len(heading["level"]), heading["title"].strip()
        offset += len(line) + 1
