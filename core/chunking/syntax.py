"""Code cut by its syntax tree."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count, pairwise

from tree_sitter import Language as Tables
from tree_sitter import Node, Parser, Query, QueryCursor, Tree

from core.chunking.cuts import chosen_cuts, possible_cuts
from core.chunking.languages import Language, grammar
from core.chunking.lines import by_lines
from core.chunking.piece import MAX_CHARACTERS, MAX_LINES, Piece
from core.chunking.symbols import Symbols, signature, symbols_of

_MAX_BYTES = 1_000_000
"""A tree takes up to two hundred times its source in memory, of broken code much more. Larger files are not written by
people."""
_LONG_LINE = 250  # characters of an average line of what is minified or holds data
_SECONDS = 1.0  # of processor time, for the tree and again for the names; 100 kB of code take a hundredth of it
_STEPS = 32  # calls of the parser, each after a hundred of its steps, between two looks at the clock
_WINDOW = 65_536  # bytes in which names are looked for at a time
_OPEN_MATCHES = 1_000
_NAMES = 6  # enclosing names that are said
_SIGNATURES = 2  # and signatures


def by_syntax(text: str, language: Language) -> list[Piece] | None:
    """Pieces of at most 3,000 bytes and 60 lines, cut between definitions where possible.

    None where a tree is of no use: the file is larger than 1 MB or minified, or so broken or so deep that parsing it
    would take seconds.
    """
    if len(text) > _LONG_LINE * (100 + text.count("\n")):
        return None
    source = text.encode("utf-8", "replace")
    if len(source) > _MAX_BYTES:
        return None
    known = grammar(language)
    tree = _parsed(known.tables, source)
    cuts = possible_cuts(tree.root_node, source) if tree else None
    matches = _matches(known.names, tree.root_node, source) if tree and cuts else None
    if cuts is None or matches is None:
        return None
    names = symbols_of(source, matches)
    chosen = chosen_cuts(cuts, len(source), source.count(b"\n") + 1)
    offsets = [*(cut.start for cut in chosen), len(source)]
    spans = [(start, end, cut.row) for cut, (start, end) in zip(chosen, pairwise(offsets), strict=True)]
    return list(_pieces(source, spans, names))


def _parsed(tables: Tables, source: bytes) -> Tree | None:
    """The syntax tree; None if it takes too long."""
    late, steps = _clock(), count(1)
    try:
        return Parser(tables).parse(
            lambda offset, _: source[offset:],
            progress_callback=lambda *_: next(steps) % _STEPS == 0 and late(),
        )
    except ValueError:  # that is how the parser says that it was stopped
        return None


def _matches(
    query: Query, root: Node, source: bytes
) -> list[tuple[int, Mapping[str, Sequence[Node]]]] | None:
    """What the query finds, some of it more than once; None if it takes too long.

    It is run over one window after the other to see the time: the query's own callback crashes in tree-sitter 0.26.1,
    which keeps a pointer to options that it has left behind.
    """
    late = _clock()
    found: list[tuple[int, Mapping[str, Sequence[Node]]]] = []
    cursor = QueryCursor(query, match_limit=_OPEN_MATCHES)
    for start in range(0, len(source), _WINDOW):
        cursor.set_byte_range(start, start + _WINDOW)
        found.extend(cursor.matches(root))
        if late():
            return None
    return found


def _clock() -> Callable[[], bool]:
    """Says whether this thread has worked for too long since now."""
    end = time.thread_time() + _SECONDS
    return lambda: time.thread_time() > end


def _pieces(source: bytes, spans: Sequence[tuple[int, int, int]], names: Symbols) -> Iterator[Piece]:
    """Spans in bytes as pieces in characters. What could not be cut between nodes is cut by lines."""
    at = 0  # in characters
    for start, end, row in _small(source, spans):
        text = source[start:end].decode()
        around = names.enclosing(start + len(text[: len(text) - len(text.lstrip())].encode()))
        yield Piece(
            start=at,
            end=at + len(text),
            row=row,
            enclosing=tuple(name for one in around[-_NAMES:] for name in (one.receiver, one.name) if name),
            signatures=tuple(signature(source, one) for one in around[-_SIGNATURES:]),
            symbols=names.defined(start, end),
            references=names.used(start, end),
        )
        at += len(text)


def _small(source: bytes, spans: Sequence[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    for number, (start, end, row) in enumerate(spans):
        below = spans[number + 1][2] if number + 1 < len(spans) else row + source.count(b"\n", start, end) + 1
        if end - start <= MAX_CHARACTERS and below - row <= MAX_LINES:
            yield start, end, row
            continue
        at = start
        for piece in by_lines(source[start:end].decode()):
            size = len(source[start:end].decode()[piece.start : piece.end].encode())
            yield at, at + size, row + piece.row
            at += size
