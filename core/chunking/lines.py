"""Code cut by lines, before a definition or after a blank line where one is near.

For languages without a grammar here, for files that a grammar cannot take, and for what is too large within one.
"""

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from core.chunking.piece import MANY, MAX_CHARACTERS, MAX_NAME, MAX_SIGNATURE, SIGNATURES, Piece

_MAX_LINES = 40
_MIN_LINES = 15  # a cut is not looked for before this many lines

_MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|open|override|pub|unsafe"
    r"|data|sealed|inline|suspend)(?:\([^)\n]{0,20}\))?[ \t]+)*"
)
_DEFINITION = re.compile(
    rf"^(?P<indent>[ \t]*){_MODIFIERS}"
    r"(?:(?:def|class|function\*?|fn|fun|interface|struct|enum|trait|impl|type|object|module|namespace|record|protocol)"
    r"[ \t]+|func[ \t]+(?:\([^)\n]{0,80}\)[ \t]*)?)"
    r"(?P<name>[^\W\d][\w$]*)",
)
_SQL = re.compile(
    r"^(?P<indent>[ \t]*)CREATE[ \t]+(?:OR[ \t]+REPLACE[ \t]+)?"
    r"(?:(?:GLOBAL|LOCAL|TEMP|TEMPORARY|UNIQUE|MATERIALIZED)[ \t]+)*"
    r"(?:TABLE|VIEW|INDEX|FUNCTION|PROCEDURE|TRIGGER|TYPE|SEQUENCE)[ \t]+(?:IF[ \t]+NOT[ \t]+EXISTS[ \t]+)?"
    r"(?:[\"`\[]?\w+[\"`\]]?\.)?[\"`\[]?(?P<name>[^\W\d]\w*)",
    re.IGNORECASE,
)
_CONSTANT = re.compile(
    r"^(?P<indent>)(?:export[ \t]+)?(?:(?:const|let|var|val)[ \t]+)?(?P<name>[A-Z][A-Z0-9_]{2,})"
    r"[ \t]*(?::[^=\n]{1,60})?=(?!=)"
)
# A line that belongs to the definition below it: a decorator, an annotation, a comment.
_LEADING = re.compile(r"[ \t]*(?:@|#|//|/\*|\*|--)")


@dataclass(frozen=True, slots=True)
class _Definition:
    line: int  # from 0
    indent: int
    name: str


def by_lines(text: str) -> Iterator[Piece]:
    """Pieces of at most about 40 lines, with the names they define and what encloses them; none of an empty text."""
    lines = text.split("\n")
    offsets = list(accumulate((len(line) + 1 for line in lines), initial=0))
    offsets[-1] = len(text)
    filled = [number for number, line in enumerate(lines) if line and not line.isspace()]
    definitions = list(_definitions(lines, filled))
    enclosing = _Enclosing(definitions)
    for start, end, first in _pieces(lines, offsets, definitions):
        above = bisect_left(definitions, first, key=_line)
        within = definitions[above : bisect_left(definitions, bisect_left(offsets, end), key=_line)]
        names = dict.fromkeys(definition.name for definition in within if offsets[definition.line] >= start)
        at = bisect_left(filled, first)
        around = enclosing.of(first, _indent(lines[filled[at]]) if at < len(filled) else 0)
        yield Piece(
            start=start,
            end=end,
            row=first,
            enclosing=tuple(definition.name for definition in around),
            signatures=tuple(lines[one.line][:300].strip(" \t{")[:MAX_SIGNATURE] for one in around[-SIGNATURES:]),
            symbols=tuple(names)[:MANY],
        )


def _line(definition: _Definition) -> int:
    return definition.line


def defined_in(line: str) -> str:
    """The name that a line defines, by its look alone; empty if there is none."""
    match = _defining(line)
    return match["name"] if match else ""


def _definitions(lines: Sequence[str], filled: Iterable[int]) -> Iterator[_Definition]:
    for number in filled:
        if match := _defining(lines[number]):
            yield _Definition(number, len(match["indent"].expandtabs(4)), match["name"])


def _defining(line: str) -> re.Match[str] | None:
    head = line[:300]
    found = _DEFINITION.match(head) or _SQL.match(head) or _CONSTANT.match(head)
    return found if found and len(found["name"]) <= MAX_NAME else None


def _pieces(
    lines: Sequence[str], offsets: Sequence[int], definitions: Sequence[_Definition]
) -> Iterator[tuple[int, int, int]]:
    """Start and end offset and first line of each piece."""
    indents = {definition.line: definition.indent for definition in definitions}
    first = 0
    while first < len(lines) and offsets[first] < offsets[-1]:
        limit = _limit(offsets, first)
        after = len(lines) if limit >= len(lines) else _cut(lines, indents, first, limit)
        start, end = offsets[first], offsets[after]
        for at in range(start, end, MAX_CHARACTERS):  # one round, unless a single line is too long
            yield at, min(at + MAX_CHARACTERS, end), first
        first = after


def _limit(offsets: Sequence[int], first: int) -> int:
    """The line before which a piece that begins at `first` ends at the latest."""
    limit = min(first + _MAX_LINES, len(offsets) - 1)
    if 0 < len(offsets) - 1 - limit < _MIN_LINES:
        limit = max(first + 1, len(offsets) - 1 - _MIN_LINES)  # so that the last piece is no mere rest
    while limit > first + 1 and offsets[limit] - offsets[first] > MAX_CHARACTERS:
        limit -= 1
    return limit


def _cut(lines: Sequence[str], indents: dict[int, int], first: int, limit: int) -> int:
    """The best line to begin the next piece with: an outermost definition, else what follows a blank line."""
    window = range(min(first + _MIN_LINES, limit), limit + 1)
    if found := [line for line in window if line in indents]:
        best = min(found, key=lambda line: (indents[line], -line))
        while best - 1 > first and _LEADING.match(lines[best - 1]):
            best -= 1
        return best
    blank = [line for line in window if not lines[line - 1].strip()]
    return blank[-1] if blank else limit


def _indent(line: str) -> int:
    """How far a line is indented, in columns."""
    return len(line[: len(line) - len(line.lstrip())].expandtabs(4))


class _Enclosing:
    """The definitions that a line stands in. Asked for lines from the top down, it looks at each definition once."""

    def __init__(self, definitions: Iterable[_Definition]) -> None:
        self._ahead = deque(definitions)
        self._open: list[_Definition] = []  # each further indented than the one before

    def of(self, line: int, indent: int) -> list[_Definition]:
        """The definitions that a line with this indent stands in, outermost first."""
        while self._ahead and self._ahead[0].line < line:
            definition = self._ahead.popleft()
            while self._open and self._open[-1].indent >= definition.indent:
                self._open.pop()
            self._open.append(definition)
        return [definition for definition in self._open if definition.indent < indent]
