"""Code cut by its syntax tree."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from core.chunking.cuts import chosen_cuts, possible_cuts
from core.chunking.languages import Language, grammar
from core.chunking.lines import by_lines
from core.chunking.piece import MAX_CHARACTERS, MAX_LINES, SIGNATURES, Piece
from core.chunking.symbols import Symbols, signature, symbols_of
from core.chunking.trees import matches_of, tree_of

_NAMES = 6  # enclosing definitions that are named

_Span = tuple[int, int, int]  # start and end in bytes, and the row of the start


def by_syntax(text: str, language: Language) -> list[Piece] | None:
    """Pieces of at most 3,000 bytes and 60 lines, cut between definitions where possible.

    None where a tree is of no use: the file is larger than 1 MB or minified, or so broken or so deep that reading it
    so would take seconds, or gigabytes.
    """
    source = text.encode("utf-8", "replace")  # halves of surrogate pairs become `?`, one for one
    known = grammar(language)
    tree = tree_of(known.tables, source)
    if tree is None:
        return None
    cuts = possible_cuts(tree.root_node, source)
    matches = matches_of(known.names, tree.root_node, source) if cuts else None
    if cuts is None or matches is None:
        return None
    chosen = chosen_cuts(cuts, len(source), source.count(b"\n") + 1)
    offsets = [*(cut.start for cut in chosen), len(source)]
    spans = [(start, end, cut.row) for cut, (start, end) in zip(chosen, pairwise(offsets), strict=True)]
    return list(_pieces(source, _small(source, spans), symbols_of(source, matches)))


def _pieces(source: bytes, spans: Iterator[_Span], names: Symbols) -> Iterator[Piece]:
    """Spans in bytes as pieces in characters."""
    at = 0
    for start, end, row in spans:
        text = source[start:end].decode()
        blank = len(text) - len(text.lstrip())
        around = names.enclosing(start + len(text[:blank].encode()))
        path = (name for one in around[-_NAMES:] for name in (one.receiver, one.name) if name)
        yield Piece(
            start=at,
            end=at + len(text),
            row=row,
            enclosing=tuple(path),
            signatures=tuple(signature(source, one) for one in around[-SIGNATURES:]),
            symbols=names.defined(start, end),
            references=names.used(start, end),
        )
        at += len(text)


def _small(source: bytes, spans: Sequence[_Span]) -> Iterator[_Span]:
    """The spans; what could not be cut between nodes is cut by lines."""
    for start, end, row in spans:
        if end - start <= MAX_CHARACTERS and source.count(b"\n", start, end) <= MAX_LINES:
            yield start, end, row
            continue
        text = source[start:end].decode()
        at = start
        for piece in by_lines(text):
            size = len(text[piece.start : piece.end].encode())
            yield at, at + size, row + piece.row
            at += size
