"""The order in which a page is read: columns one after the other, tables row by row.

The page is cut as a typesetter put it together. Bands of text that lie under each other are gathered while one strip
of white, a gutter, runs through all of them; a band without such a strip is ordinary text, or spans the columns above
and below. What stands to the left and right of a gutter is a table when its lines face each other and are short, or
rules are drawn through it; otherwise it is columns, and each is cut again.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from core.parsing.pdf_lines import follow, lines_of, paragraphs, turned_lines
from core.parsing.pdf_rules import Gutter, Rules
from core.parsing.pdf_tables import is_table, table
from core.parsing.pdf_words import SOFT_HYPHEN, Word

_MOST_WORDS = 10_000  # of a page that is laid out; a newspaper's has half as many
_DEEPEST = 5  # columns within columns
_SHRUNK = 0.1  # of a word's height, cut off above and below: letters of two lines may touch
_LEAST = 0.9  # heights of a word: no gutter is narrower
_NARROWEST = ((6, _LEAST), (3, 1.5), (2, 2.5))
"""Lines on both sides of a gutter, and how wide it must be then, in heights of a word: few lines may leave a strip of
white by chance."""
_FAR = 4.0  # heights of a word between two bands that do not belong together


def blocks(words: Sequence[Word], rules: Rules, body: float) -> list[str]:
    """The page in Markdown, block by block. `body` is the usual font's size in the document."""
    if len(words) > _MOST_WORDS:
        return [" ".join(word.text for word in words).replace(SOFT_HYPHEN, "-")]
    upright = [word for word in words if word.upright]
    aside = [line.text for line in turned_lines(words)]
    found = [*_region(upright, rules, body, 0), *aside] if upright else aside
    return [block.replace(SOFT_HYPHEN, "-") for block in found if block]


def _region(words: Sequence[Word], rules: Rules, body: float, depth: int) -> Iterator[str]:
    unit = median(word.height for word in words) or 1.0
    bands = _bands(words)
    flowing: list[Word] = []
    start = 0
    while start < len(bands):
        group = _group(bands, start, rules, unit) if depth < _DEEPEST else None
        if group is None:
            flowing += bands[start]
            start += 1
            continue
        yield from paragraphs(lines_of(flowing), body)
        flowing = []
        faced = _split(_joined(bands[start : group.faced]), group.gutters)
        if is_table(faced, rules, unit):
            end = _closed(bands, group, faced, rules)
            yield table(_split(_joined(bands[start:end]), group.gutters), rules)
            start = end
        else:
            columns = _split(_joined(bands[start : group.end]), group.gutters)
            yield from _one_after_the_other(list(_region(column, rules, body, depth + 1)) for column in columns)
            start = group.end
    yield from paragraphs(lines_of(flowing), body)


def _one_after_the_other(columns: Iterable[list[str]]) -> list[str]:
    """The columns' blocks. A sentence that runs on from one column into the next is one."""
    found: list[str] = []
    for blocks_of_column in columns:
        whole = follow(found[-1], blocks_of_column[0]) if found and blocks_of_column else None
        if whole is not None:
            found[-1] = whole
        found += blocks_of_column if whole is None else blocks_of_column[1:]
    return found


def _joined(bands: Iterable[list[Word]]) -> list[Word]:
    return [word for band in bands for word in band]


def _bands(words: Sequence[Word]) -> list[list[Word]]:
    """Words from top to bottom, cut wherever a strip of white runs from left to right."""
    bands: list[list[Word]] = []
    lowest = float("-inf")
    for word in sorted(words, key=lambda word: word.top + _SHRUNK * word.height):
        if word.top + _SHRUNK * word.height >= lowest:
            bands.append([])
        bands[-1].append(word)
        lowest = max(lowest, word.bottom - _SHRUNK * word.height)
    return bands


@dataclass(frozen=True, slots=True)
class _Group:
    """Bands with the same gutters."""

    gutters: list[Gutter]
    faced: int
    """The band after the last one that has words on both sides of a gutter."""
    end: int
    """The band after the last one."""


def _group(bands: Sequence[list[Word]], start: int, rules: Rules, unit: float) -> _Group | None:
    """The bands from `start` on that share gutters, as far as they do; None when they share none to speak of."""
    gutters = _gaps(bands[start], rules, unit)
    held = list(bands[start])
    faced = end = start + 1
    while gutters and end < len(bands):
        band = bands[end]
        if _is_far(bands[end - 1], band, rules, unit):
            break
        pieces = ((_narrowed(gutter, band), rules.divide(gutter, band)) for gutter in gutters)
        left = [piece for piece, divided in pieces if piece and (divided or _width(piece) >= _LEAST * unit)]
        lost = [gutter for gutter in gutters if not any(gutter[0] <= piece[0] <= gutter[1] for piece in left)]
        if not left or any(_is_sure(held, gutter, rules, unit) for gutter in lost):
            break
        gutters = left
        held += band
        end += 1
        if any(all(_sides(band, gutter)) for gutter in gutters):
            faced = end
    sure = [gutter for gutter in gutters if _is_sure(held, gutter, rules, unit)]
    return _Group(sure, faced, end) if sure else None


def _is_far(above: Sequence[Word], below: Sequence[Word], rules: Rules, unit: float) -> bool:
    """Whether there is too much white between two bands for them to belong together; a line drawn there binds them."""
    top, bottom = max(word.bottom for word in above), min(word.top for word in below)
    return bottom - top > _FAR * unit and not any(top <= rule.at <= bottom for rule in rules.level)


def _gaps(words: Sequence[Word], rules: Rules, unit: float) -> list[Gutter]:
    """The strips of white between words, as wide as a gutter at least or with a line drawn down them."""
    ordered = sorted(words, key=lambda word: word.left)
    reach = ordered[0].right
    gaps: list[Gutter] = []
    for word in ordered:
        gap = (reach, word.left)
        if _width(gap) >= _LEAST * unit or (_width(gap) > 0 and rules.divide(gap, words)):
            gaps.append(gap)
        reach = max(reach, word.right)
    return gaps


def _narrowed(gutter: Gutter, words: Iterable[Word]) -> Gutter | None:
    """The widest part of a gutter that these words leave white."""
    left, right = gutter
    pieces = []
    for word in sorted(words, key=lambda word: word.left):
        if word.right <= left or word.left >= right:
            continue
        pieces.append((left, word.left))
        left = max(left, word.right)
    pieces.append((left, right))
    return max((piece for piece in pieces if _width(piece) > 0), key=_width, default=None)


def _width(gutter: Gutter) -> float:
    return gutter[1] - gutter[0]


def _sides(words: Iterable[Word], gutter: Gutter) -> tuple[list[Word], list[Word]]:
    middle = sum(gutter) / 2
    left: list[Word] = []
    right: list[Word] = []
    for word in words:
        (left if word.left < middle else right).append(word)
    return left, right


def _is_sure(words: Sequence[Word], gutter: Gutter, rules: Rules, unit: float) -> bool:
    """Whether a strip of white is too long and wide to be chance."""
    lines = min(len(lines_of(side)) for side in _sides(words, gutter))
    return (lines > 1 and rules.divide(gutter, words)) or any(
        lines >= least and _width(gutter) >= width * unit for least, width in _NARROWEST
    )


def _split(words: Sequence[Word], gutters: Sequence[Gutter]) -> list[list[Word]]:
    columns: list[list[Word]] = []
    for gutter in gutters:
        left, words = _sides(words, gutter)
        columns.append(left)
    return [column for column in [*columns, list(words)] if column]


def _closed(bands: Sequence[list[Word]], group: _Group, columns: Sequence[Sequence[Word]], rules: Rules) -> int:
    """The end of a table: its last row may go on in one column, as far as its lines are drawn."""
    end = group.faced
    lowest = max(word.bottom for column in columns for word in column)
    posts = (
        rule.end
        for rule in rules.upright
        if rule.start <= lowest and any(gutter[0] <= rule.at <= gutter[1] for gutter in group.gutters)
    )
    closing = max((*rules.across(columns), *posts), default=float("-inf"))
    while end < group.end and max(word.middle for word in bands[end]) <= closing:
        end += 1
    return end
