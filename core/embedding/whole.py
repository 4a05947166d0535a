"""Texts of any length for a model that reads only so much at once. Nothing is cut off."""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from sys import maxsize

import numpy as np

from core.embedding.base import Encoded, Vectors, normalised
from core.embedding.sparse import SparseVector
from core.model_server import batches

Embed = Callable[[Sequence[str]], Encoded]

_NO_TERMS = SparseVector((), ())


def embed_whole(
    texts: Sequence[str],
    size: int,
    *,
    cut: Callable[[str], Sequence[str]],
    batch: int,
    embed: Embed,
    characters: int = maxsize,
    run: Callable[[Embed, Iterable[Sequence[str]]], Iterable[Encoded]] = map,
) -> Encoded:
    """Embed texts by parts that the model can read, in batches of at most `batch` parts and `characters` characters, of
    about one length.

    `cut` gives a text's parts in order, `embed` the vectors of at least one part, `run` what `embed` makes of each
    batch, in their order. A text of several parts gets their mean, each part by its length, and of each term the
    largest weight in any part. A text that holds nothing is given zeros without asking.
    """
    parts = [(number, part) for number, text in enumerate(texts) if text.strip() for part in cut(text)]
    parts.sort(key=lambda each: len(each[1]))
    dense: Vectors = np.zeros((len(texts), size), dtype=np.float32)
    weights: list[dict[int, float]] = [{} for _ in texts]
    learned = False
    groups = [[parts[at] for at in group] for group in batches([part for _, part in parts], batch, characters)]
    encodings = run(embed, ([part for _, part in some] for some in groups))
    for some, encoded in zip(groups, encodings, strict=True):
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
