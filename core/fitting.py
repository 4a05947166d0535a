"""Weights of the arms, fitted to questions whose right documents are known. No I/O.

A weight leaves its start only when it clearly wins, and what is reported as won was measured on questions that the
weights had not been fitted to.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from core.ranking import DECIMALS, VOTES, Ranking, Rankings
from core.store.base import document_of

ARMS = ("content words", "context words", "content meaning", "context meaning")
"""The names of the rankings that find by words and by meaning. The first one's weight is the unit."""

LARGEST = 3.0
_GRID = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, LARGEST)
_SWEEPS = 3  # times that every weight is looked at
_FOLDS = 5
_WIDER = sqrt(1 + _FOLDS / (_FOLDS - 1))  # see `fit`
_FIRST = 10  # places that recall looks at
_RESAMPLES = 10_000
_AT_ONCE = 1_000  # resamples in memory

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Weights:
    """What each arm counts, from 0 to `LARGEST`; content words count 1."""

    context_words: float
    content_meaning: float
    context_meaning: float
    votes: float
    document: float
    """What an arm's ranking of documents counts, as a share of its ranking of chunks."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question and the documents that answer it."""

    question: str
    """Its id."""
    rankings: Rankings
    """Before they are weighed: each weight is how far the ranking may be believed."""
    relevant: frozenset[str]
    """As `document_of` tells them; at least one."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Means over the questions, each from 0 to 1."""

    mrr: float
    """One by the place of the first right document."""
    first: float
    """Acc@1: how often the first document is a right one."""
    recall: float
    """recall@10: the share of the right documents among the first ten."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean difference and its 95 % interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Fit:
    """Fitted weights, and what they are worth."""

    before: Scores
    """With the weights of the start."""
    after: Scores
    """Held out: each question is judged with weights that were fitted without it."""
    gain: Interval
    """After less before, in `mrr`."""
    weights: Weights
    """Fitted to all questions."""
    wins: bool
    """Whether the weights are others than the start's, and the gain's whole interval lies above 0."""


def fit(labelled: Sequence[Labelled], start: Weights, k: float, *, seed: int = 0) -> Fit:
    """Fit the weights to the mean reciprocal rank of the first right document, with the order of `ranking.fuse`.

    Coordinate ascent over a coarse grid; five-fold cross-validation (Stone, Cross-Validatory Choice and Assessment
    of Statistical Predictions, 1974). The folds' weights were fitted to much the same questions, so their gains are
    not independent: the interval is widened by sqrt(1 + folds / (folds - 1)) (Nadeau and Bengio, Inference for the
    Generalization Error, Machine Learning 52, 2003). Measured on noise, it won 8 of 100 times without that. The
    same arguments give the same fit. ValueError with fewer questions than folds.
    """
    if len(labelled) < _FOLDS:
        raise ValueError(f"{_FOLDS} questions are needed to hold some of them out")
    table = _Table(sorted(labelled, key=lambda one: one.question), k)
    judged: dict[Weights, Array] = {}

    def scores(weights: Weights) -> Array:
        if weights not in judged:
            judged[weights] = table.scores(weights)
        return judged[weights]

    before = scores(start)
    after = before.copy()
    fold = np.random.default_rng(seed).permutation(len(labelled)) % _FOLDS
    for held_out in range(_FOLDS):
        seen = fold != held_out
        weights = _ascended(scores, seen, start)
        after[~seen] = scores(weights)[~seen]
    final = _ascended(scores, np.ones(len(labelled), dtype=bool), start)
    gain = interval(after[:, 0] - before[:, 0], wider=_WIDER, seed=seed)
    return Fit(_means(before), _means(after), gain, final, wins=final != start and gain.low > 0)


def interval(differences: Array, *, wider: float = 1.0, seed: int = 0) -> Interval:
    """Of paired differences, by the percentiles of a bootstrap over the questions (Efron and Tibshirani, An
    Introduction to the Bootstrap, 1993, chapter 13), so many times as wide.
    """
    random, size = np.random.default_rng(seed), len(differences)
    means = [
        differences[random.integers(size, size=(_AT_ONCE, size))].mean(axis=1) for _ in range(_RESAMPLES // _AT_ONCE)
    ]
    mean = differences.mean()
    low, high = mean + wider * (np.percentile(np.concatenate(means), [2.5, 97.5]) - mean)
    return Interval(float(mean), float(low), float(high))


def _ascended(scores: Callable[[Weights], Array], seen: NDArray[np.bool_], start: Weights) -> Weights:
    """By the questions seen: one weight after the other, until none moves."""
    now = start
    for _ in range(_SWEEPS):
        before = now
        for one in fields(Weights):
            now = _moved(lambda tried: scores(tried)[seen, 0], now, one.name, getattr(start, one.name))
        if now == before:
            break
    return now


def _moved(judge: Callable[[Weights], Array], now: Weights, name: str, start: float) -> Weights:
    """With the value of this weight that is nearest to the start's among those that the best does not clearly beat:
    the rule of one standard error (Breiman, Friedman, Olshen and Stone, Classification and Regression Trees, 1984).
    """
    values = sorted({*_GRID, start}, key=lambda value: (abs(value - start), value))
    tried = [replace(now, **{name: value}) for value in values]
    judged = [judge(weights) for weights in tried]
    best = max(judged, key=lambda each: float(each.mean()))
    return next(weights for weights, each in zip(tried, judged, strict=True) if not _clearly(best - each))


def _clearly(gains: Array) -> bool:
    return bool(gains.mean() > gains.std(ddof=1) / sqrt(len(gains)))


def _means(scores: Array) -> Scores:
    mrr, first, recall = scores.mean(axis=0)
    return Scores(float(mrr), float(first), float(recall))


class _Table:
    """All rankings as one matrix, so that weights are judged by a multiplication instead of by hundreds of fusions.

    Its scores are those of `ranking.fuse`: they are linear in the weights.
    """

    def __init__(self, labelled: Sequence[Labelled], k: float) -> None:
        parts = [_Part(one, k) for one in labelled]
        sizes = np.array([len(part.starts) for part in parts])
        self._chunks = np.concatenate([part.chunks for part in parts])
        self._documents = np.concatenate([part.documents for part in parts])
        rows = np.cumsum([0, *(len(part.chunks) for part in parts[:-1])])
        self._starts = np.concatenate([part.starts + row for part, row in zip(parts, rows, strict=True)])
        self._question = np.repeat(np.arange(len(parts)), sizes)
        self._before = np.cumsum(sizes) - sizes  # documents of the questions before
        self._right = np.flatnonzero(np.concatenate([part.right for part in parts]))
        self._wanted = np.array([len(one.relevant) for one in labelled])

    def scores(self, weights: Weights) -> Array:
        """Of each question what `Scores` has, shape (questions, 3)."""
        places = self._places(weights)
        asked, size = self._question[self._right], len(self._wanted)
        reciprocal = np.zeros(size)
        np.maximum.at(reciprocal, asked, 1 / places)
        found = np.bincount(asked, weights=places <= _FIRST, minlength=size)
        return np.stack([reciprocal, reciprocal == 1, found / self._wanted], axis=1).astype(np.float64)

    def _places(self, weights: Weights) -> NDArray[np.int64]:
        """Of the right documents that some arm found, their places among the documents, from 1."""
        arms = np.array([1.0, weights.context_words, weights.content_meaning, weights.context_meaning])
        of_documents = self._documents @ np.array([*(arms * weights.document), weights.votes])
        if not len(self._starts):
            return np.zeros(0, dtype=np.int64)
        best = np.round(np.maximum.reduceat(self._chunks @ arms, self._starts) + of_documents, DECIMALS)
        order = np.lexsort((-best, self._question))  # stable: equal ones stay in the order of their ids
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        places: NDArray[np.int64] = (place - self._before[self._question] + 1)[self._right]
        return places


class _Part:
    """One question's part of the table."""

    def __init__(self, labelled: Labelled, k: float) -> None:
        rankings = labelled.rankings
        keys = sorted({key for ranking in rankings.chunks for key in ranking.ids})
        held = Counter(map(document_of, keys))  # sorted keys hold their document's chunks side by side
        documents = list(held)
        by_arm = [ranking for ranking in rankings.chunks if ranking.name != VOTES]
        self.chunks = _shares(by_arm, keys, ARMS, k)
        self.documents = _shares(rankings.documents, documents, (*ARMS, VOTES), k)
        self.right = np.array([key in labelled.relevant for key in documents], dtype=bool)
        self.starts = np.cumsum([0, *held.values()], dtype=np.int64)[:-1]


def _shares(rankings: Sequence[Ranking], keys: Sequence[str], names: Sequence[str], k: float) -> Array:
    """What each ranking gives to each key at weight 1, shape (keys, names)."""
    row = {key: number for number, key in enumerate(keys)}
    shares = np.zeros((len(keys), len(names)))
    for ranking in rankings:
        column = names.index(ranking.name)
        for rank, key in enumerate(ranking.ids, start=1):
            if key in row:
                shares[row[key], column] += ranking.weight / (k + rank)
    return shares
