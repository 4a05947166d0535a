"""What an embedder is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from core.embedding.sparse import SparseVector
from core.errors import EmbedderUnavailable

Vectors = NDArray[np.float32]
Side = Literal["passage", "query"]
"""Whether a text is what is searched, or what is asked: some models want to be told."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """Texts as vectors, in their order."""

    dense: Vectors
    """One row a text, shape (texts, size), of length 1; all zeros for a text that holds nothing."""
    terms: tuple[SparseVector, ...] | None = None
    """Weights of terms that the model has learned; None: words are weighed by BM25."""


class Embedder(Protocol):
    """Turns texts into vectors whose dot product says how alike they are. Safe from any thread."""

    @property
    def name(self) -> str:
        """Other whenever the vectors would be. An index made under another name cannot be searched with this one."""
        ...

    @property
    def size(self) -> int:
        """Length of each dense vector."""
        ...

    @property
    def learned_terms(self) -> bool:
        """Whether `Encoded.terms` are given."""
        ...

    def embed(self, texts: Sequence[str], side: Side = "passage") -> Encoded:
        """All of every text, however long. Raises EmbedderUnavailable."""
        ...


def normalised(vectors: Vectors) -> Vectors:
    """The rows scaled to length 1; rows of zeros stay. EmbedderUnavailable if any number is not finite."""
    if not np.isfinite(vectors).all():
        raise EmbedderUnavailable("The embedder returned numbers that are not finite.")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    scaled: Vectors = (vectors / lengths).astype(np.float32, copy=False)
    return scaled
