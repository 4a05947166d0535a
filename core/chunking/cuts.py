"""Where code may be cut, by its syntax tree, and where it is.

A cut stands at the beginning of a line. What is too large for one chunk can be cut before each of its parts, and before
each part of these that is too large in turn: a class between its members, a function between its statements.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from core.chunking.piece import MAX_CHARACTERS, MAX_LINES

_TARGET = 1_500
"""Bytes up to which neighbours are put together, which makes chunks of about 1 kB: enough to tell what code is about,
little enough to be about one thing."""
_TARGET_LINES = 50
_LEAST = 200  # bytes of a chunk that stands alone
_CROWD = 10_000
"""Tokens without names, such as brackets, in one error or beside each other."""
_DEPTH = 2_000  # nodes too large for one chunk, each in the one before
_LEADING = frozenset({"decorator", "attribute_item", "annotation", "marginalia"})


@dataclass(frozen=True, slots=True)
class Cut:
    """A place where a chunk may begin."""

    start: int
    """In bytes."""
    row: int
    depth: int
    """In how many nodes too large for one chunk it stands."""
    large: bool
    """What begins here is too large for one chunk itself."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A child of a node, with the comments and annotations above it."""

    node: Node
    start: int
    row: int
    begins_line: bool

    @property
    def large(self) -> bool:
        return (
            self.node.end_byte - self.start > MAX_CHARACTERS or self.node.end_point.row - self.row >= MAX_LINES
        ) and self.node.child_count > 0


def possible_cuts(root: Node, source: bytes) -> list[Cut] | None:
    """All places to cut at, in order, the first at 0; None if the tree is too broken or too deep: the time to look for
    names would grow with the square of its size.
    """
    if _crowded(root):
        return None
    cuts = [Cut(0, 0, 0, large=False)]
    ahead = [_parts(root, source)]
    while ahead:
        part = next(ahead[-1], None)
        if part is None:
            ahead.pop()
            continue
        large = part.large
        if part.begins_line and cuts[-1].start < part.start < len(source):
            cuts.append(Cut(part.start, part.row, len(ahead) - 1, large))
        if large:
            if _crowded(part.node) or len(ahead) == _DEPTH:
                return None
            ahead.append(_parts(part.node, source))
    return cuts


def _crowded(node: Node) -> bool:
    named = node.named_child_count
    unnamed = node.child_count - named
    return unnamed - (0 if node.is_error else named) > _CROWD


def _parts(node: Node, source: bytes) -> Iterator[_Part]:
    """What a node consists of; what leads a part is part of it if it stands right above and is not the longer one."""
    lead: _Part | None = None
    last_row = 0  # of the lead
    for child in node.named_children:
        part = _part(child, source)
        if lead is not None and part.row - last_row > 1:  # a blank line parts them
            yield lead
            lead = None
        if part.begins_line and (child.is_extra or child.type in _LEADING) and not part.large:
            lead = lead or part
            end = child.end_point
            last_row = end.row if end.column else end.row - 1
            continue
        if lead is not None and part.begins_line and part.start - lead.start <= _TARGET:
            yield _Part(child, lead.start, lead.row, begins_line=True)
        else:
            if lead is not None:
                yield lead
            yield part
        lead = None
    if lead is not None:
        yield lead


def _part(node: Node, source: bytes) -> _Part:
    row, column = node.start_point
    start = node.start_byte
    before = source[start - column : start]
    begins = not before or before.isspace()
    return _Part(node, start - column if begins else start, row, begins)


def chosen_cuts(cuts: Sequence[Cut], size: int, rows: int) -> list[Cut]:
    """The cuts that are made in a text of so many bytes and lines. What lies between two is too large only where it
    cannot be cut.
    """
    made = [cuts[0]]
    last = Cut(size, rows, 0, large=False)
    ends = [*cuts[1:], last]
    for before, cut, end in zip(cuts, cuts[1:], ends[1:], strict=False):
        first = made[-1]
        leaves = cut.depth < first.depth  # the large node that this chunk began in
        apart = cut.large and before.depth >= cut.depth  # it does not begin behind what is complete
        if not (leaves or apart or end.start - first.start > _TARGET or end.row - first.row > _TARGET_LINES):
            continue
        if cut.start - first.start < _LEAST:  # a rest goes to what it is the rest of, a beginning to what follows
            if leaves and len(made) > 1 and _takes(made[-2], first, cut):
                made.pop()
            elif not leaves and _fits(first, end):
                continue
        made.append(cut)
    if len(made) > 1 and size - made[-1].start < _LEAST and _takes(made[-2], made[-1], last):
        made.pop()
    return made


def _takes(first: Cut, rest: Cut, end: Cut) -> bool:
    """Whether a chunk can take the rest behind it; one that has to be cut by lines can."""
    return _fits(first, end) or not _fits(first, rest)


def _fits(first: Cut, end: Cut) -> bool:
    return end.start - first.start <= MAX_CHARACTERS and end.row - first.row <= MAX_LINES
