"""Chunks of code whose cuts are given, with the names that they define and use and what they stand in."""

from collections.abc import Iterator, Sequence
from itertools import accumulate

from core.chunking.languages import Language, grammar, language_of
from core.chunking.lines import by_lines
from core.chunking.piece import MANY, SIGNATURES, Piece
from core.chunking.symbols import Symbols, signature, symbols_of
from core.chunking.trees import matches_of, tree_of
from core.types import Chunk, Document

_ENDINGS = ["py", "rs", "go", "java", "js", "ts", "tsx", "c", "cpp", "cs", "rb", "kt", "swift", "scala", "sql"]
_PHP = "php"  # whose grammar takes everything before its mark for text
_UNREAD = 0.2  # share of a text in which its own grammar may find errors: macros, newer syntax

Span = tuple[int, int]
"""Start and end in characters."""


def ending_of(text: str) -> str:
    """The ending that a source file of this text would have, with its dot: of the language whose grammar finds the
    fewest errors; empty if all find many.
    """
    if "<?php" in text:
        return f".{_PHP}"
    source = text.encode("utf-8", "replace")
    unread = {ending: _unread(language_of(f"x.{ending}", text), source) for ending in _ENDINGS}
    best = min(unread, key=lambda ending: unread[ending])
    return f".{best}" if unread[best] <= _UNREAD * len(source) else ""


def _unread(language: Language | None, source: bytes) -> int:
    """Bytes that stand in errors."""
    tree = tree_of(grammar(language).tables, source) if language else None
    if tree is None:
        return len(source)
    size, ahead = 0, [tree.root_node]
    while ahead:
        node = ahead.pop()
        if node.is_error:
            size += node.end_byte - node.start_byte
        elif node.has_error:
            ahead += node.children
    return size


def chunks_of(document: Document, spans: Sequence[Span]) -> list[Chunk]:
    """One chunk for each span, in their order; contexts are made as those of other code are."""
    language = language_of(document.path or document.title, document.text)
    pieces = _by_syntax(document.text, language, spans) if language else None
    return [
        Chunk(
            document_id=document.id,
            ordinal=ordinal,
            text=document.text[piece.start : piece.end],
            start=piece.start,
            end=piece.end,
            context="\n".join([" > ".join([document.context, *piece.enclosing]), *piece.signatures]),
            line=piece.row + 1,
            symbols=piece.symbols,
            references=piece.references,
        )
        for ordinal, piece in enumerate(pieces or _by_lines(document.text, spans))
    ]


def _by_syntax(text: str, language: Language, spans: Sequence[Span]) -> list[Piece] | None:
    """None where a tree is of no use."""
    source = text.encode("utf-8", "replace")
    known = grammar(language)
    tree = tree_of(known.tables, source)
    matches = matches_of(known.names, tree.root_node, source) if tree else None
    if matches is None:
        return None
    names = symbols_of(source, matches)
    offsets = list(accumulate((len(c.encode("utf-8", "replace")) for c in text), initial=0))
    return [_piece(text, source, names, offsets, span) for span in spans]


def _piece(text: str, source: bytes, names: Symbols, offsets: Sequence[int], span: Span) -> Piece:
    start, end = span
    blank = len(text[start:end]) - len(text[start:end].lstrip())
    around = names.enclosing(offsets[min(start + blank, end)])
    return Piece(
        start=start,
        end=end,
        row=text.count("\n", 0, start),
        enclosing=tuple(name for one in around for name in (one.receiver, one.name) if name),
        signatures=tuple(signature(source, one) for one in around[-SIGNATURES:]),
        symbols=names.defined(offsets[start], offsets[end]),
        references=names.used(offsets[start], offsets[end]),
    )


def _by_lines(text: str, spans: Sequence[Span]) -> Iterator[Piece]:
    """With what the usual pieces say that begin in a span, and what the one says that holds its start."""
    usual = list(by_lines(text))
    for start, end in spans:
        holding = next((piece for piece in usual if piece.start <= start < piece.end), Piece(start, end, 0))
        symbols = dict.fromkeys(
            name for piece in usual if piece.start < end and piece.end > start for name in piece.symbols
        )
        yield Piece(
            start=start,
            end=end,
            row=text.count("\n", 0, start),
            enclosing=holding.enclosing,
            signatures=holding.signatures,
            symbols=tuple(symbols)[:MANY],
        )
