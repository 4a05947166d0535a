"""The default reranker: late interaction over static token vectors, and words that stand together. No model runs."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import log

import numpy as np
from numpy.typing import NDArray

from core.embedding.static import StaticEmbedder
from core.ranking import standardised
from core.tokens import terms

NAME = "late interaction"

_QUESTION = 1_500  # characters of a question that are compared
_TEXT = 3_000  # characters of a text; a chunk is hardly longer
_BEGINNING = 1_600  # characters of a text whose tokens are compared
_TOKENS = 600  # of these characters; some are cut into several bytes
_WINDOW = 8  # words; as in Metzler and Croft's model, where 8 stands for about a sentence's part


class LateInteraction:
    """Two judges, each as far from its mean as the other: see `meaning` and `together`."""

    name = NAME

    def __init__(self, embedder: StaticEmbedder) -> None:
        self._embedder = embedder

    def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """See `Reranker.scores`."""
        question, texts = question[:_QUESTION], [text[:_TEXT] for text in texts]
        both: list[float] = (
            standardised(self.meaning(question, texts)) + standardised(together(question, texts))
        ).tolist()
        return both

    def meaning(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """Of each token of the question, the cosine with the text's most similar token; the mean of these, weighted.

        Khattab and Zaharia, ColBERT, SIGIR 2020 (MaxSim). A token's weight is the length of its static vector, which
        grows with how much it says.
        """
        read = self._embedder.tokens([question, *(text[:_BEGINNING] for text in texts)])
        asked, *held = [tokens[:_TOKENS] for tokens in read]
        lengths, directions = _unit(self._embedder.vectors_of(np.unique(asked)))
        if not lengths.sum() or not texts:
            return np.zeros(len(texts))
        # a token has one vector wherever it stands, so each two tokens are compared once for all texts
        tokens, places = np.unique(np.concatenate(held), return_inverse=True)
        alike = directions @ _unit(self._embedder.vectors_of(tokens))[1].T
        of_text = np.split(places, np.cumsum([len(each) for each in held])[:-1])
        best = [alike[:, each].max(axis=1) if len(each) else 0 * lengths for each in of_text]
        return np.array([float(lengths @ similarities) for similarities in best]) / float(lengths.sum())


def _unit(vectors: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The vectors' lengths, and the vectors scaled to length 1."""
    lengths = np.linalg.norm(vectors, axis=1)
    return lengths, vectors / np.maximum(lengths, 1e-9)[:, None]


def together(question: str, texts: Sequence[str]) -> NDArray[np.float64]:
    """How many of the pairs of neighbours in the question each text holds close to each other, weighted by how rare
    the pair's commoner word is among these texts; from 0 to 1.

    The unordered windows of Metzler and Croft, A Markov Random Field Model for Term Dependencies, SIGIR 2005.
    """
    asked = terms(question)
    pairs = list(dict.fromkeys((a, b) for a, b in pairwise(asked) if a != b))
    places = [_places(text, frozenset(asked)) for text in texts]
    held = Counter(term for each in places for term in each)
    count = len(texts)
    rare = {term: log(1 + (count - held[term] + 0.5) / (held[term] + 0.5)) for term in set(asked)}
    whole = sum(min(rare[a], rare[b]) for a, b in pairs)
    if not whole:
        return np.zeros(count)
    return np.array([sum(min(rare[a], rare[b]) for a, b in pairs if _near(each, a, b)) for each in places]) / whole


def _places(text: str, wanted: frozenset[str]) -> Mapping[str, Sequence[int]]:
    places: dict[str, list[int]] = defaultdict(list)
    for number, term in enumerate(terms(text)):
        if term in wanted:
            places[term].append(number)
    return places


def _near(places: Mapping[str, Sequence[int]], one: str, other: str) -> bool:
    if one not in places or other not in places:
        return False
    first, second = places[one], places[other]
    i = j = 0
    while i < len(first) and j < len(second):
        if abs(first[i] - second[j]) < _WINDOW:
            return True
        if first[i] < second[j]:
            i += 1
        else:
            j += 1
    return False
