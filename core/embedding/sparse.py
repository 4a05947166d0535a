"""BM25 as sparse vectors: a dot product with the engine's IDF gives the score.

score(q, d) = sum over terms t of q:  idf(t) * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average))

(Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009, section 3.2.) The document's
side holds the fraction, the query's side 1, and the engine multiplies by idf over the whole collection. The average
length is a constant: a learned one would make every stored vector wrong with each document added, and it only sets
where the penalty on length begins.
"""

import hashlib
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from math import log

from core.tokens import counted, terms, terms_of

_K1 = 1.5  # saturation of repeated terms; 1.2 to 2 are usual
_B = 0.75  # strength of the penalty on length, the usual value
_TITLE = 2.5  # measured; 2 to 3 are alike
_LONGEST_TITLE = 300  # characters
FUNCTION_TERMS = frozenset(
    terms(
        "a an and are as at be but by for if in into is it its no not of on or such that the their then there these"
        " they this to was will with i me my we us our you your he him his she her them what which who whom how why"
        " when"
        " where do does did can could should would may might must have has had having been being am were so than too"
        " very just from about"
    )
)
"""Articles, pronouns, prepositions, auxiliaries, question words. IDF alone does not do: in a small collection a
question's `what does` is rare enough to lead astray (recall@5 of 0.80 to 0.85 on the questions about code)."""


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Term ids (32 bits, distinct) and their weights, in the same order."""

    indices: tuple[int, ...]
    values: tuple[float, ...]

    def __bool__(self) -> bool:
        return bool(self.indices)


@dataclass(frozen=True, slots=True)
class Bm25:
    """Weighs the terms of texts that are about `average` terms long."""

    average: float

    def document(self, text: str) -> SparseVector:
        """What is stored."""
        counts: dict[int, int] = {}
        for word, script, count in counted(text):
            for index in _ids_of(word, script):
                counts[index] = counts.get(index, 0) + count
        base = _K1 * (1 - _B + _B * sum(counts.values()) / self.average)
        return SparseVector(tuple(counts), tuple([count * (_K1 + 1) / (count + base) for count in counts.values()]))


def query(text: str) -> SparseVector:
    """What is asked: each distinct term.

    A term that is repeated n times weighs 1 + ln n (the logarithmic tf of Salton and Buckley, Term-Weighting Approaches
    in Automatic Text Retrieval, 1988); the terms of a report's title weigh more by `_TITLE`. What only holds English
    sentences together is left out where there is something else.
    """
    counts = Counter(terms(text))
    if telling := counts.keys() - FUNCTION_TERMS:
        counts = Counter({term: counts[term] for term in counts if term in telling})
    weights = {term_id(term): 1.0 + log(count) for term, count in counts.items()}
    for term in set(terms(title_of(text))):
        if (index := term_id(term)) in weights:
            weights[index] += _TITLE
    return SparseVector(tuple(weights), tuple(weights.values()))


def title_of(text: str) -> str:
    """The first line of a text that has more, if it is short enough to be a title; else nothing."""
    first, _, rest = text.strip().partition("\n")
    return first if rest.strip() and len(first) <= _LONGEST_TITLE else ""


@lru_cache(maxsize=200_000)
def _ids_of(word: str, script: str) -> tuple[int, ...]:
    return tuple(term_id(term) for term in terms_of(word, script))


@lru_cache(maxsize=200_000)
def term_id(term: str) -> int:
    """A stable id of 32 bits. Two terms of a vocabulary of 200,000 share one about five times."""
    return int.from_bytes(hashlib.blake2b(term.encode("utf-8", "replace"), digest_size=4).digest(), "big")
