"""What a reranker is."""

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """Says how well each text answers a question, having read both. Safe from any thread."""

    @property
    def name(self) -> str:
        """Other whenever the scores would be."""
        ...

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """A finite number for each text, in their order; higher is better. Comparable within one call alone.

        Raises RerankerUnavailable.
        """
        ...
