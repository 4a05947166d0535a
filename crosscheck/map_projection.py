"""Where things stand in a picture of the index: what is alike in words and meaning stands together.

Each thing becomes one row: its dense vector, scaled to length 1, beside its words (weighted by their rarity, reduced
by a truncated singular value decomposition), scaled to length 1 too, so that meaning and words count the same. The
rows' principal components are laid out in two dimensions by t-SNE (van der Maaten and Hinton, Visualizing Data using
t-SNE, 2008; van der Maaten, Accelerating t-SNE using Tree-Based Algorithms, 2014).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from core.embedding.base import Vectors, normalised
from core.embedding.sparse import SparseVector
from crosscheck.errors import CrosscheckError

WORDS = "words"
"""The space of terms that are weighed by BM25: the rarity of each is counted here."""

_TOPICS = 100  # columns that the words are reduced to, the usual number for latent semantic analysis
_COMPONENTS = 50  # what t-SNE compares: more is noise and time
_PERPLEXITY = 30.0  # neighbours that each point is kept near, the usual value
_FEWEST = 12  # below this t-SNE has nothing to arrange, and the first two components say it all
_SEED = 0

_PACKAGES = ("matplotlib", "scipy", "sklearn")

Rows = NDArray[np.float32]
Step = Callable[[int, int], None]
"""Told (steps done, steps in all)."""


@dataclass(frozen=True, slots=True)
class Item:
    """What is to be placed: its vectors by the name of their space. Only vectors of one space can be compared."""

    dense: Mapping[str, Vectors]
    terms: Mapping[str, SparseVector]


def check_installed() -> None:
    """CrosscheckError if the packages that a map needs are not there."""
    if any(find_spec(name) is None for name in _PACKAGES):
        raise CrosscheckError(
            "Drawing a map needs packages that are not installed: the extra `map` (pip install 'crosscheck[map]'; in a "
            "checkout '.[map]')."
        )


def positions(items: Sequence[Item], step: Step = lambda _done, _steps: None) -> Rows:
    """A row (x, y) for each item, the whole centred in the unit square. The same items in the same order stand at the
    same places. CrosscheckError if packages are missing.
    """
    check_installed()
    if not items:
        return np.zeros((0, 2), dtype=np.float32)
    rows = np.hstack([_meaning(items), _words(items)])
    step(1, 3)
    components = _principal(rows, _COMPONENTS)
    step(2, 3)
    placed = _tsne(components) if len(items) >= _FEWEST else components[:, :2]
    step(3, 3)
    return _framed(placed)


def _meaning(items: Sequence[Item]) -> Rows:
    """The dense vectors, those of each space in columns of their own."""
    sizes = {name: len(vector) for item in items for name, vector in item.dense.items()}
    rows = np.zeros((len(items), sum(sizes.values())), dtype=np.float32)
    begins = 0
    for name in sorted(sizes):
        for row, item in zip(rows, items, strict=True):
            if name in item.dense:
                row[begins : begins + sizes[name]] = normalised(item.dense[name][None])[0]
        begins += sizes[name]
    return normalised(rows)


def _words(items: Sequence[Item]) -> Rows:
    """The terms, those of each space in columns of their own, reduced to topics."""
    from scipy.sparse import csr_array
    from sklearn.utils.extmath import randomized_svd

    names = sorted({name for item in items for name in item.terms})
    keys, values, ends = [np.zeros(0, dtype=np.int64)], [np.zeros(0)], [0]
    for item in items:
        for name, terms in item.terms.items():
            keys.append(np.array(terms.indices, dtype=np.int64) + (names.index(name) << 32))  # term ids have 32 bits
            values.append(np.array(terms.values))
        ends.append(ends[-1] + sum(len(terms.indices) for terms in item.terms.values()))
    columns, column_of, found_in = np.unique(np.concatenate(keys), return_inverse=True, return_counts=True)
    topics = min(_TOPICS, len(items) - 1, len(columns))
    if topics < 1:
        return np.zeros((len(items), 0), dtype=np.float32)
    counted = np.array([name == WORDS for name in names])[columns >> 32]
    scale = np.where(counted, _rarity(found_in, len(items)), 1.0)
    matrix = csr_array((np.concatenate(values) * scale[column_of], column_of, ends), shape=(len(items), len(columns)))
    left, strength, _ = randomized_svd(matrix, topics, random_state=_SEED)
    return normalised((left * strength).astype(np.float32))


def _rarity(found_in: NDArray[np.int64], total: int) -> NDArray[np.float64]:
    """The square root of each term's IDF as the search counts it: on both sides of a product, so that a question's
    product with a passage is its BM25 score.
    """
    scale: NDArray[np.float64] = np.sqrt(np.log1p((total - found_in + 0.5) / (found_in + 0.5)))
    return scale


def _principal(rows: Rows, most: int) -> Rows:
    """The rows in the directions in which they differ most, at least two columns."""
    centred = rows - rows.mean(axis=0, keepdims=True)
    _, directions = np.linalg.eigh(centred.T @ centred)
    largest = directions[:, ::-1][:, :most]
    chosen: Rows = centred @ (largest * _signs(largest))
    return np.pad(chosen, ((0, 0), (0, max(0, 2 - chosen.shape[1]))))


def _signs(directions: Rows) -> Rows:
    """A direction and its opposite are equally good: its largest number is made positive."""
    if not directions.size:
        return np.ones((1, directions.shape[1]), dtype=np.float32)
    signs: Rows = np.sign(np.take_along_axis(directions, np.abs(directions).argmax(axis=0)[None], axis=0))
    return signs


def _tsne(components: Rows) -> Rows:
    """Begun from the first two components, so that the whole keeps its shape and does not depend on chance.

    On one thread: several add up the same numbers in another order each time, and small differences grow.
    """
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    spread = components[:, 0].std()
    begin = components[:, :2] * (1e-4 / spread if spread > 0 else 0.0)
    perplexity = min(_PERPLEXITY, (len(components) - 1) / 3)
    with threadpool_limits(1, user_api="openmp"):
        placed: Rows = TSNE(init=begin, perplexity=perplexity, random_state=_SEED).fit_transform(components)
    return placed


def _framed(placed: Rows) -> Rows:
    """Moved and scaled alike in both directions, until the unit square just holds it."""
    low, high = placed.min(axis=0), placed.max(axis=0)
    extent = float((high - low).max())
    framed: Rows = (placed - (low + high) / 2) / (extent if extent > 0 else 1.0) + 0.5
    return framed
