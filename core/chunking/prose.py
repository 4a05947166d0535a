"""Markdown cut at its own structure: sections first, then blocks, sentences, words."""

import re
from bisect import bisect_right
from collections.abc import Iterator

from semantic_text_splitter import MarkdownSplitter

from core.types import Chunk, Document

# About 1,000 tokens of English at three characters each. Measured in characters: counting the tokens of every possible
# cut takes several hundred times as long, more than all other work of a synchronisation.
_SPLITTER = MarkdownSplitter(3_000, trim=False)
_WHOLE = 1_500  # characters; a comment, a commit or a small ticket is not cut
_LEAST = 200  # characters of a piece that stands alone

_HEADING = re.compile(r" {0,3}(?P<level>#{1,6})[ \t]+(?P<title>.*?)(?:[ \t]+#+)?[ \t]*$")
_FENCE = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})")


def chunk_prose(document: Document) -> list[Chunk]:
    """Pieces of about 1,000 tokens at most, each with the headings it stands under."""
    outline = _Outline(document.text)
    chunks = []
    for ordinal, (start, end) in enumerate(_spans(document.text)):
        text = document.text[start:end]
        path = outline.at(start + len(text) - len(text.lstrip()))
        heading = path[-1] if path else None
        context = " > ".join([document.context, *(title for title in path if title != document.title)])
        chunks.append(Chunk(document.id, ordinal, text, start, end, context, heading))
    return chunks


def _spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each piece. A piece too small to mean something, such as a heading alone, joins the next one."""
    if len(text) <= _WHOLE:
        return [(0, len(text))]
    starts = [0]
    for start, piece in _SPLITTER.chunk_indices(text):
        if len(text[starts[-1] : start].strip()) >= _LEAST and piece.strip():
            starts.append(start)
    if len(starts) > 1 and len(text[starts[-1] :].strip()) < _LEAST:
        starts.pop()
    return list(zip(starts, [*starts[1:], len(text)], strict=True))


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
