"""Where names are defined in a file, by its syntax tree where its language has a grammar here, else line by line."""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate

from core.chunking.languages import grammar, language_of
from core.chunking.lines import defined_in
from core.chunking.symbols import Symbols, symbols_of
from core.chunking.trees import matches_of, tree_of

_PARTS = re.compile(r"::|[.#]")
_AFTER = 30  # lines that are shown of what only its first line tells

Span = tuple[int, int]
"""First and last line, from 1."""


def last_part(name: str) -> str:
    """`name` of `Owner.name`."""
    return ([part for part in _PARTS.split(name) if part] or [""])[-1]


class Definitions:
    """The definitions in one file."""

    def __init__(self, path: str, lines: Sequence[str]) -> None:
        self._lines = lines
        self._source = "\n".join([*lines, ""]).encode("utf-8", "replace")
        sizes = (len(line.encode("utf-8", "replace")) + 1 for line in lines)
        self._starts = list(accumulate(sizes, initial=0))
        self._symbols = self._read(path)

    def _read(self, path: str) -> Symbols | None:
        language = language_of(path, self._source[:20_000].decode("utf-8", "replace"))
        if language is None:
            return None
        known = grammar(language)
        tree = tree_of(known.tables, self._source)
        matches = matches_of(known.names, tree.root_node, self._source) if tree else None
        return None if matches is None else symbols_of(self._source, matches)

    def of(self, name: str) -> list[Span]:
        """Where a name is defined. `Owner.name` is what `name` is within `Owner`."""
        *owners, last = (part for part in _PARTS.split(name) if part)
        word = re.compile(rf"(?<!\w){re.escape(last)}(?!\w)")
        spans = (
            span for row, line in enumerate(self._lines) if word.search(line) for span in self._at(row, last, owners)
        )
        return list(dict.fromkeys(spans))

    def _at(self, row: int, name: str, owners: Sequence[str]) -> Iterator[Span]:
        if self._symbols is None:
            if defined_in(self._lines[row]) == name:
                yield row + 1, min(row + 1 + _AFTER, len(self._lines))
            return
        written = name.encode("utf-8", "replace")
        at = self._source.find(written, self._starts[row], self._starts[row + 1])
        while at >= 0:
            around = self._symbols.enclosing(at + len(written) - 1)
            found = next((one for one in reversed(around) if one.name == name and one.defines), None)
            if found and set(owners) <= {found.receiver, *(one.name for one in around if one != found)}:
                yield self._row(found.start) + 1, self._row(found.end - 1) + 1
            at = self._source.find(written, at + 1, self._starts[row + 1])

    def names(self, numbers: Collection[int]) -> Iterator[str]:
        """What these lines define, or, where they define nothing, what they stand in."""
        for number in sorted(numbers):
            line = self._lines[number - 1]
            if not line.strip():
                continue
            if self._symbols is None:
                yield from filter(None, [defined_in(line)])
                continue
            start = self._starts[number - 1]
            defined = [name for name in self._symbols.defined(start, self._starts[number]) if "." not in name]
            if defined:
                yield from defined
                continue
            at = start + len(line[: len(line) - len(line.lstrip())].encode())
            yield from [one.name for one in self._symbols.enclosing(at) if one.defines][-1:]

    def _row(self, at: int) -> int:
        """From 0."""
        return self._source.count(b"\n", 0, at)
