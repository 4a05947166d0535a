"""Running headers and footers: what comes back on page after page is kept once, out of the way of the sentences."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.parsing.pdf_lines import Line, lines_of, turned_lines
from core.parsing.pdf_words import SOFT_HYPHEN, Word

_NUMBERS = re.compile(r"\d+|\b[ivxlc]+\b", re.IGNORECASE)
_NEAREST = 0.6  # heights of a line between a running line and the text
_DEEP = 0.15  # of the page, where running lines stand
_LINES = 2  # at most, on either edge
_SHARE = 0.3  # of the pages


@dataclass(frozen=True, slots=True)
class Margins:
    """A document's running lines."""

    words: tuple[frozenset[int], ...]
    """For each page, the indices of the words that belong to them."""
    texts: tuple[str, ...]
    """Each line as it is first written, but for those that are only a number."""


def margins_of(pages: Sequence[Sequence[Word]], heights: Sequence[float]) -> Margins:
    """`heights` are the pages', in points. A line runs if it comes again, its numbers aside, on another page
    and on a fair share of all, apart from the text; then it does so where it touches the text, too.
    """
    edges = [_Edges.of(words, height) for words, height in zip(pages, heights, strict=True)]
    seen = Counter(key for page in edges for key in {_key(line) for line in page.apart})
    running = {key for key, count in seen.items() if count >= max(2, _SHARE * len(pages))}
    first: dict[str, str] = {}
    indices: list[frozenset[int]] = []
    for page in edges:
        found = [line for line in page.lines if _key(line) in running]
        for line in found:
            first.setdefault(_key(line), line.text.replace(SOFT_HYPHEN, "-"))
        indices.append(frozenset(word.index for line in found for word in line.words))
    emptied = sum(len(ran) == len(words) for ran, words in zip(indices, pages, strict=True))
    if 2 * emptied > len(pages):  # there is no text for them to run along: they are what the pages say
        return Margins((frozenset(),) * len(pages), ())
    texts = (text for text in first.values() if any(map(str.isalpha, _NUMBERS.sub("", text))))
    return Margins(tuple(indices), tuple(dict.fromkeys(texts)))


def _key(line: Line) -> str:
    return _NUMBERS.sub("#", line.text)


@dataclass(frozen=True, slots=True)
class _Edges:
    """The outermost lines of a page, and what is written up or down its side."""

    lines: tuple[Line, ...]
    apart: tuple[Line, ...]
    """Those that stand apart from the text."""

    @classmethod
    def of(cls, words: Sequence[Word], height: float) -> "_Edges":
        lines = lines_of(word for word in words if word.upright)
        aside = turned_lines(words)
        top = [line for line in lines[:_LINES] if line.bottom < _DEEP * height]
        bottom = [line for line in lines[: -_LINES - 1 : -1] if line.top > (1 - _DEEP) * height and line not in top]
        apart = (*_apart(lines, len(top)), *_apart(lines[::-1], len(bottom)), *aside)
        return cls((*top, *bottom, *aside), apart)


def _apart(inwards: Sequence[Line], most: int) -> Sequence[Line]:
    """The first lines from the edge on, `most` or as many of them as have white below."""
    for count in range(most, 0, -1):
        edge, rest = inwards[count - 1], inwards[count : count + 1]
        if all(max(edge.top - line.bottom, line.top - edge.bottom) > _NEAREST * edge.height for line in rest):
            return inwards[:count]
    return ()
