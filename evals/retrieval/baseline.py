"""BM25 over whole documents, with the product's own terms and nothing else of it: what a search has to beat."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from math import log

import numpy as np
from numpy.typing import NDArray

from core.tokens import counted, terms_of

_K1 = 1.5
_B = 0.75


class Baseline:
    """score(q, d) = sum over terms t of q: idf(t) * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average))

    with idf(t) = ln(1 + (N - n(t) + 0.5) / (n(t) + 0.5)), as Lucene has it; a term that a question repeats counts each
    time. k1 = 1.5 and b = 0.75 are what the bm25s library takes.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._ids = list(texts)
        lengths = np.zeros(len(self._ids))
        postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, text in enumerate(texts.values()):
            counts = _counts(text)
            lengths[number] = counts.total()
            for term, count in counts.items():
                postings[term].append((number, count))
        self._base = _K1 * (1 - _B + _B * lengths / max(float(lengths.mean()), 1.0))
        self._postings: dict[str, NDArray[np.int64]] = {term: np.array(row) for term, row in postings.items()}

    def search(self, text: str, limit: int, without: frozenset[str] = frozenset()) -> list[str]:
        """The ids of the best `limit` documents that hold a term of the text; ties by id."""
        scores = np.zeros(len(self._ids))
        for term, asked in _counts(text).items():
            if term in self._postings:
                documents, counts = self._postings[term].T
                rare = log(1 + (len(self._ids) - len(documents) + 0.5) / (len(documents) + 0.5))
                scores[documents] += asked * rare * counts * (_K1 + 1) / (counts + self._base[documents])
        found = sorted(np.flatnonzero(scores).tolist(), key=lambda number: (-scores[number], self._ids[number]))
        return [self._ids[number] for number in found if self._ids[number] not in without][:limit]


def _counts(text: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    for word, script, count in counted(text):
        for term in terms_of(word, script):
            counts[term] += count
    return counts
