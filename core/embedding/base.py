"""What an embedder is."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.errors import EmbedderUnavailable

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into vectors whose dot product says how alike they are."""

    @property
    def name(self) -> str:
        """Model and version. An index made under another name cannot be searched with this embedder."""
        ...

    @property
    def size(self) -> int:
        """Length of each vector."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row a text, shape (len(texts), size), of length 1; all zeros for a text that holds nothing.

        Raises EmbedderUnavailable.
        """
        ...


def normalised(vectors: Vectors) -> Vectors:
    """The rows scaled to length 1; rows of zeros stay. EmbedderUnavailable if any number is not finite."""
    if not np.isfinite(vectors).all():
        raise EmbedderUnavailable("The embedder returned numbers that are not finite.")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    scaled: Vectors = (vectors / lengths).astype(np.float32, copy=False)
    return scaled
