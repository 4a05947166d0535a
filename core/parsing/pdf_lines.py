"""Words gathered into lines, and lines into paragraphs."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from core.parsing import markdown
from core.parsing.pdf_words import SOFT_HYPHEN, Word

_BULLET = re.compile(r"(?:[\u2022\u25aa\u25cf\u25e6\u2013\u2023*-]|\(?(?:\d{1,3}|[A-Za-z])[.)])\s")
_WIDE = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"  # scripts without spaces
_BREAKABLE = re.compile(rf"\w[-\u2010\u2013/].$|[{_WIDE}][{_WIDE}]$|//.$")
"""The end of a line and the first character of the next, where a line may break without a space."""
_DOUBLE_SPACED = 1.6  # times the font's size, between the lines of one paragraph
_LONGEST_HEADING = 150  # characters
_HEADING_SIZE = 1.2  # times the usual font of the document


@dataclass(frozen=True, slots=True)
class Line:
    """Words that stand beside each other, as they are read."""

    words: tuple[Word, ...]

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    @property
    def left(self) -> float:
        return min(word.left for word in self.words)

    @property
    def right(self) -> float:
        return max(word.right for word in self.words)

    @property
    def top(self) -> float:
        return min(word.top for word in self.words)

    @property
    def bottom(self) -> float:
        return max(word.bottom for word in self.words)

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def size(self) -> float:
        return median(word.size for word in self.words)


def lines_of(words: Iterable[Word]) -> list[Line]:
    """Lines from top to bottom. A word belongs to a line if half of its height, or of the line's, stands beside it."""
    lines: list[list[Word]] = []
    bands: list[tuple[float, float]] = []
    for word in sorted(words, key=lambda word: (word.middle, word.left)):
        if bands:
            top, bottom = bands[-1]
            shared = min(bottom, word.bottom) - max(top, word.top)
            if shared >= 0.5 * min(bottom - top, word.height):
                lines[-1].append(word)
                if word.height > bottom - top:  # the tallest word stands for the line, not the sum of all
                    bands[-1] = (word.top, word.bottom)
                continue
        lines.append([word])
        bands.append((word.top, word.bottom))
    return [_in_reading_order(line) for line in lines]


def turned_lines(words: Iterable[Word]) -> list[Line]:
    """What is written up or down the page, line by line, each in the page's own order."""
    lines: list[list[Word]] = []
    for word in sorted((word for word in words if not word.upright), key=lambda word: word.left):
        if lines and word.left < lines[-1][-1].right:
            lines[-1].append(word)
        else:
            lines.append([word])
    return [Line(tuple(sorted(line, key=lambda word: word.index))) for line in lines]


def _in_reading_order(words: Sequence[Word]) -> Line:
    """From left to right; where most words are written from right to left, as the page has them."""
    backwards = sum(_is_backwards(word.text) for word in words)
    key = (lambda word: word.index) if 2 * backwards > len(words) else (lambda word: word.left)
    return Line(tuple(sorted(words, key=key)))


def _is_backwards(text: str) -> bool:
    return any(unicodedata.bidirectional(character) in {"R", "AL"} for character in text[:3])


def paragraphs(lines: Sequence[Line], body: float) -> Iterator[str]:
    """Lines in Markdown: those that follow each other closely are one paragraph. `body` is the usual font's size. A
    paragraph may end in a soft hyphen.
    """
    if not lines:
        return
    gaps = [below.top - above.bottom for above, below in pairwise(lines)]
    usual = min(median(gaps), _DOUBLE_SPACED * body) if gaps else 0.0
    edge = max(line.right for line in lines)
    start = 0
    for index, gap in enumerate(gaps, 1):
        if gap > usual + 0.4 * body or _other_font(lines[index - 1], lines[index], body):
            yield _paragraph(lines[start:index], edge, body)
            start = index
    yield _paragraph(lines[start:], edge, body)


def follow(above: str, below: str) -> str | None:
    """Two paragraphs as one, if the first breaks off in mid-sentence and the second goes on."""
    if above.startswith(("#", "|")) or not below[:1].islower():
        return None
    if above.endswith(SOFT_HYPHEN):
        return above[:-1] + below
    return f"{above} {below}" if above[-1:].isalnum() or above.endswith(",") else None


def _other_font(above: Line, below: Line, body: float) -> bool:
    """Whether a heading begins or ends here."""
    large = _HEADING_SIZE * body
    return (above.size >= large or below.size >= large) and abs(above.size - below.size) > 0.1 * body


def _paragraph(lines: Sequence[Line], edge: float, body: float) -> str:
    text = _joined(lines, edge)
    size = median(line.size for line in lines)
    if size >= _HEADING_SIZE * body and len(text) <= _LONGEST_HEADING and any(map(str.isalpha, text)):
        return markdown.heading(1 if size >= 1.6 * body else 2, text.replace("\n", " "))
    return text


def _joined(lines: Sequence[Line], edge: float) -> str:
    """A line that reaches the right edge goes on in the next; a shorter one was ended by its writer."""
    parts = [lines[0].text]
    for line, below in pairwise(lines):
        room = below.words[0].right - below.words[0].left
        if parts[-1].endswith(SOFT_HYPHEN):
            parts[-1] = parts[-1][:-1]
        elif line.right + room < edge - 2 * line.size or _BULLET.match(below.text):
            parts.append("\n")
        elif not _BREAKABLE.search(line.text + below.text[0], len(line.text) - 2):
            parts.append(" ")
        parts.append(below.text)
    return "".join(parts)
