"""Code cut by its syntax tree where its language has a grammar here, else by its lines."""

from core.chunking.languages import language_of
from core.chunking.lines import by_lines
from core.chunking.piece import Piece
from core.chunking.syntax import by_syntax
from core.types import Chunk, Document


def chunk_code(document: Document) -> list[Chunk]:
    """Pieces of at most about 60 lines, with the names they define and use and what encloses them.

    A definition is kept whole where it fits, together with the comments and annotations above it.
    """
    text = document.text
    language = language_of(document.path or document.title, text)
    pieces = by_syntax(text, language) if language else None
    if pieces is None:
        pieces = list(by_lines(text))
    return [_chunk(document, ordinal, piece) for ordinal, piece in enumerate(pieces or [Piece(0, 0, 0)])]


def _chunk(document: Document, ordinal: int, piece: Piece) -> Chunk:
    place = " > ".join([document.context, *piece.enclosing])
    return Chunk(
        document_id=document.id,
        ordinal=ordinal,
        text=document.text[piece.start : piece.end],
        start=piece.start,
        end=piece.end,
        context="\n".join([place, *piece.signatures]),
        line=piece.row + 1,
        symbols=piece.symbols,
        references=piece.references,
    )
