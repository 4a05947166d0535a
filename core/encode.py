"""Chunks as points: each with four vectors, and no text embedded twice."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from core.embedders import Embedders
from core.embedding.sparse import Bm25, SparseVector
from core.store.base import CollectionName, Passage, Point, Store, Vectored, collection_of

_CONTENT_TERMS = Bm25(average=200)
_CONTEXT_TERMS = Bm25(average=12)
_CONTEXT = 3  # times that a word of the context counts among the content's
_NO_TERMS = SparseVector((), ())


class Encoder:
    """Makes points of passages, with each collection's embedder. Raises EmbedderUnavailable."""

    def __init__(self, store: Store, embedders: Embedders) -> None:
        self._store = store
        self._embedders = embedders
        self._beside = ThreadPoolExecutor(1, thread_name_prefix="embedding")

    def points(self, passages: Sequence[Passage], written_before: Collection[str]) -> list[Point]:
        """In the passages' order. What the store holds of documents that were written before is not embedded again:
        a paragraph added at the top of a page moves all others, and changes none.
        """
        by_collection: dict[CollectionName, list[Passage]] = defaultdict(list)
        for passage in passages:
            by_collection[collection_of(passage.kind)].append(passage)
        embedded = {
            name: self._beside.submit(self._vectors, name, some, written_before) for name, some in by_collection.items()
        }
        words = [self._words(passage) for passage in passages]  # while the embedder, which holds no lock, works
        vectors = {name: future.result() for name, future in embedded.items()}
        return [
            _point(passage, vectors[collection_of(passage.kind)], terms)
            for passage, terms in zip(passages, words, strict=True)
        ]

    def _vectors(
        self, collection: CollectionName, passages: Sequence[Passage], written_before: Collection[str]
    ) -> Mapping[str, Vectored]:
        """The vectors of every text and context. Chunks of one place have the same context: it is embedded once."""
        texts = dict.fromkeys(text for passage in passages for text in (passage.text, passage.context))
        before = {passage.document_id for passage in passages}.intersection(written_before)
        vectors = self._store.vectors(collection, before, texts) if before else {}
        missing = [text for text in texts if text not in vectors]
        if not missing:
            return vectors
        encoded = self._embedders.of(collection).embed(missing)
        terms = encoded.terms or (_NO_TERMS,) * len(missing)
        return vectors | {
            text: Vectored(dense, weights) for text, dense, weights in zip(missing, encoded.dense, terms, strict=True)
        }

    def _words(self, passage: Passage) -> tuple[SparseVector, SparseVector] | None:
        """Content and context by BM25; None where the embedder has learned which terms matter."""
        if self._embedders.of(collection_of(passage.kind)).learned_terms:
            return None
        content = _CONTENT_TERMS.document(f"{passage.context}\n" * _CONTEXT + passage.text)
        return content, _CONTEXT_TERMS.document(passage.context)


def _point(passage: Passage, vectors: Mapping[str, Vectored], words: tuple[SparseVector, SparseVector] | None) -> Point:
    content, context = vectors[passage.text], vectors[passage.context]
    content_terms, context_terms = words or (content.terms, context.terms)
    return Point(passage, content.dense, context.dense, content_terms, context_terms)
