"""Texts of any length for a model that reads only so much at once. Nothing is cut off."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from core.embedding.base import Encoded, Vectors, normalised
from core.embedding.sparse import SparseVector

_NO_TERMS = SparseVector((), ())


def embed_whole(
    texts: Sequence[str],
    size: int,
    *,
    cut: Callable[[str], Sequence[str]],
    batch: int,
    embed: Callable[[Sequence[str]], Encoded],
) -> Encoded:
    """Embed texts by parts that the model can read, at most `batch` at once and of about one length.

    `cut` gives a text's parts in order, `embed` the vectors of at least one part. A text of several parts gets their
    mean, each part by its length, and of each term the largest weight in any part. A text that holds nothing is given
    zeros without asking.
    """
    parts = [(number, part) for number, text in enumerate(texts) if text.strip() for part in cut(text)]
    parts.sort(key=lambda each: len(each[1]))
    dense: Vectors = np.zeros((len(texts), size), dtype=np.float32)
    weights: list[dict[int, float]] = [{} for _ in texts]
    learned = False
    for start in range(0, len(parts), batch):
        some = parts[start : start + batch]
        encoded = embed([part for _, part in some])
        rows = normalised(encoded.dense)
        learned = learned or encoded.terms is not None
        for (number, part), row, terms in zip(some, rows, encoded.terms or (_NO_TERMS,) * len(some), strict=True):
            dense[number] += row * len(part)
            held = weights[number]
            for index, weight in zip(terms.indices, terms.values, strict=True):
                held[index] = max(weight, held.get(index, 0.0))
    vectors = tuple(SparseVector(tuple(held), tuple(held.values())) for held in weights)
    return Encoded(normalised(dense), vectors if learned else None)


def windows(text: str, starts: Sequence[int], most: int) -> list[str]:
    """The text cut before every `most`-th of its tokens, which begin at `starts` (offsets into it)."""
    edges = [0, *starts[most::most], len(text)]
    return [text[a:b] for a, b in pairwise(edges) if text[a:b].strip()]
