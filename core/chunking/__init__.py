"""Documents cut into pieces that are small enough to be embedded and whole enough to be read.

Pieces cover their document without gap or overlap, and their offsets point back into it.
"""

from core.chunking.code import chunk_code
from core.chunking.prose import chunk_prose
from core.types import Chunk, Document


def chunk(document: Document) -> list[Chunk]:
    """The document's chunks, in order; at least one, so that a document without text is found by where it lives."""
    return chunk_code(document) if document.kind == "code" else chunk_prose(document)
