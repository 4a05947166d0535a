"""Syntax trees within limits of size, time and memory. Where one is passed, there is None instead."""

import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from itertools import count

from tree_sitter import Language, Node, Parser, Query, QueryCursor, Tree

_MAX_BYTES = 1_000_000
"""A tree takes up to two hundred times its source in memory, of broken code more. Larger files are hardly ever written
by people."""
_LONG_LINE = 250  # bytes of an average line of what is minified or holds data
_SECONDS = 1.0
"""Of processor time, for the tree and again for what is looked for in it. 100 kB of code take a hundredth of it."""
_STEPS = 32  # calls of the parser, each after a hundred of its steps, between two looks at the clock
_WINDOW = 65_536  # bytes that are searched at a time
_OPEN_MATCHES = 1_000
_BLOCK = 4_096  # bytes in which repetition is looked for
_REPEATED = 30  # how many times smaller such a block gets; code that people write stays below 15
_PROBE = 1_000  # bytes of it that are tried

Match = tuple[int, Mapping[str, Sequence[Node]]]
"""Which pattern, and its nodes by the names it captures them under."""


def tree_of(tables: Language, source: bytes) -> Tree | None:
    """The syntax tree of a file."""
    if len(source) > _MAX_BYTES or len(source) > _LONG_LINE * (100 + source.count(b"\n")):
        return None
    return None if _explodes(tables, source) else _parsed(tables, source)


def _explodes(tables: Language, source: bytes) -> bool:
    """Whether one thing is repeated and left open each time, as in `a<a<a<`.

    At the first error after it, which may be the file's end, the parser takes memory with the square of what is open,
    in one step that cannot be stopped: gigabytes for 20 kB.
    """
    blocks = (source[at : at + _BLOCK] for at in range(0, len(source), _BLOCK))
    repeated = (block[:_PROBE] for block in blocks if len(block) > _REPEATED * len(zlib.compress(block, 1)))
    return any(_is_one_error(_parsed(tables, probe)) for probe in repeated)


def _is_one_error(tree: Tree | None) -> bool:
    """Whether one error holds most of a text; what is merely cut off has small ones at its ends."""
    if tree is None:
        return True
    root = tree.root_node
    most = (root.end_byte - root.start_byte) / 2
    return any(node.is_error and node.end_byte - node.start_byte > most for node in (root, *root.children))


def _parsed(tables: Language, source: bytes) -> Tree | None:
    late, steps = _clock(), count(1)
    try:
        return Parser(tables).parse(
            lambda offset, _: source[offset:],
            progress_callback=lambda *_: next(steps) % _STEPS == 0 and late(),
        )
    except ValueError:  # that is how the parser says that it was stopped
        return None


def matches_of(query: Query, root: Node, source: bytes) -> list[Match] | None:
    """What the query finds, some of it more than once.

    It is run over one window after the other to see the time: the query's own callback crashes in tree-sitter 0.26.1,
    which keeps a pointer to options that it has left behind.
    """
    late = _clock()
    found: list[Match] = []
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
