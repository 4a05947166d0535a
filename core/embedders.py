"""Which embedder each collection has."""

from dataclasses import dataclass
from typing import Self

from core.embedding.base import Embedder
from core.store.base import CollectionName


@dataclass(frozen=True, slots=True)
class Embedders:
    """Documents and code may have different ones."""

    documents: Embedder
    code: Embedder

    @classmethod
    def same(cls, embedder: Embedder) -> Self:
        """One for both."""
        return cls(embedder, embedder)

    def of(self, collection: CollectionName) -> Embedder:
        return self.documents if collection == "documents" else self.code
