"""Ranked lists made into one, and cut so that no document, repetition or source crowds out the rest. No I/O."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.store.base import Passage
from core.tokens import terms

_TELLING = 4  # characters of a word that tells something
_ENOUGH = 3
_ALIKE = 0.9  # share of words in common from which two texts count as the same


@dataclass(frozen=True, slots=True)
class Ranking:
    """One arm's answer: ids, best first, and how much it counts."""

    ids: Sequence[str]
    weight: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage with its fused score."""

    id: str
    passage: Passage
    score: float


def fuse(rankings: Iterable[Ranking], k: float) -> list[tuple[str, float]]:
    """Weighted reciprocal rank fusion; ids and scores, best first, ties by id.

        score(d) = sum over rankings r that hold d of  weight(r) / (k + rank(r, d)),  ranks from 1

    Cormack, Clarke and Buettcher, Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods,
    SIGIR 2009 (there with k = 60 and without weights).
    """
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(ranking.ids, start=1):
            scores[key] = scores.get(key, 0.0) + ranking.weight / (k + rank)
    return sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))


def telling(question: str) -> frozenset[str]:
    """The terms of a question without short words of English and its relatives, which say little."""
    return frozenset(term for term in terms(question) if len(term) >= _TELLING or not term.isascii())


def share_known(words: frozenset[str], best: Passage) -> float:
    """How far an arm that compares words may be believed, from 0.1 to 1: by how many of the question's words its best
    passage holds, of the three that make a match no accident.

    Without this, the only passage that happens to share one word with a question beats the right one that shares
    none, since a rank does not say how good the match is.
    """
    if not words:
        return 1.0
    enough = min(len(words), _ENOUGH)
    held = len(words & frozenset(terms(f"{best.context}\n{best.text}")))
    return max(0.1, min(1.0, held / enough))


def thinned(candidates: Iterable[Candidate], per_document: int, limit: int) -> list[Candidate]:
    """The first `limit` candidates that are not almost the same as one before, at most n of a document."""
    kept: list[Candidate] = []
    words: list[frozenset[str]] = []
    of_document: Counter[str] = Counter()
    for candidate in candidates:
        if len(kept) == limit:
            break
        document_id = candidate.passage.document_id
        mine = frozenset(candidate.passage.text.casefold().split())
        if of_document[document_id] == per_document or any(_alike(mine, other) for other in words):
            continue
        of_document[document_id] += 1
        kept.append(candidate)
        words.append(mine)
    return kept


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether the Jaccard similarity of two sets of words is high; two empty texts are not alike."""
    small, large = sorted((len(one), len(other)))
    if not small or small < _ALIKE * large:
        return False
    common = len(one & other)
    return common >= _ALIKE * (small + large - common)


def reserved(candidates: Sequence[Candidate], places: Mapping[str, int], limit: int) -> list[Candidate]:
    """The first `limit` candidates, but with up to `places[group]` of each group that has as many to offer.

    The last of what is in excess gives way; what is left stays in order.
    """
    chosen = list(candidates[:limit])
    waiting = list(candidates[limit:])
    for group, wanted in places.items():
        missing = wanted - sum(group_of(c.passage.kind) == group for c in chosen)
        for candidate in [c for c in waiting if group_of(c.passage.kind) == group][: max(missing, 0)]:
            counts = Counter(group_of(c.passage.kind) for c in chosen)
            spare = [c for c in chosen if counts[group_of(c.passage.kind)] > places.get(group_of(c.passage.kind), 0)]
            if not spare:
                break
            chosen.remove(spare[-1])
            chosen.append(candidate)
    return sorted(chosen, key=candidates.index)


def group_of(kind: str) -> str:
    """The kinds that share reserved places: a ticket and its comments are one source of knowledge."""
    return "ticket" if kind == "comment" else kind


def in_reading_order(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The same order, but neighbours of one document as the document has them."""
    ordered: list[Candidate] = []
    run: list[Candidate] = []
    for candidate in candidates:
        if run and run[-1].passage.document_id != candidate.passage.document_id:
            ordered += sorted(run, key=_ordinal)
            run = []
        run.append(candidate)
    return ordered + sorted(run, key=_ordinal)


def _ordinal(candidate: Candidate) -> int:
    return candidate.passage.ordinal
