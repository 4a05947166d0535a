"""Ranked lists made into one, and cut so that no document, repetition or source crowds out the rest. No I/O."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.embedding.sparse import FUNCTION_TERMS
from core.paths import group_of
from core.store.base import Hit, Passage, document_of
from core.tokens import terms

_TELLING = 4  # characters of a word that tells something
_ENOUGH = 3
_ALIKE = 0.9  # share of words in common from which two texts count as the same
_HEAD, _BODY = 20, 50  # documents; measured, see `agreement`

DECIMALS = 12
"""Of a fused score; beyond them is what differs with the order of a sum."""

VOTES = "commit votes"
"""The arm in which commits vote for the files they touched."""

PAGE = 10
"""Results are put together by so many at once, so that the first of them do not depend on how many are asked for."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """One arm's answer: ids, best first, and how much it counts."""

    name: str
    """`content words`, `context meaning`, ...; of another wording, `content words 2`."""
    ids: Sequence[str]
    weight: float

    @property
    def kind(self) -> str:
        """The arm's name without its wording's number."""
        return " ".join(self.name.split()[:2])


@dataclass(frozen=True, slots=True)
class Rankings:
    """What the arms answered to a question."""

    chunks: Sequence[Ranking]
    documents: Sequence[Ranking]
    """Ids as `document_of` tells them."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage with its score."""

    id: str
    passage: Passage
    score: float

    @property
    def group(self) -> str:
        return group_of(self.passage.kind, self.passage.path)


def fuse(chunks: Iterable[Ranking], documents: Iterable[Ranking], k: float) -> list[tuple[str, float]]:
    """Weighted reciprocal rank fusion; ids of chunks and scores, best first, ties by id.

        score(c) = sum over rankings r of chunks     that hold c                of  weight(r) / (k + rank(r, c))
                 + sum over rankings r of documents  that hold c's document     of  weight(r) / (k + rank(r, document))

    with ranks from 1. Cormack, Clarke and Buettcher, Reciprocal Rank Fusion outperforms Condorcet and individual Rank
    Learning Methods, SIGIR 2009 (there with k = 60 and without weights). A document leads to those of its chunks that
    some ranking of chunks holds. Scores are rounded, so that equal ones tie in whatever order they were summed.
    """
    scores: dict[str, float] = {}
    for ranking in chunks:
        for rank, key in enumerate(ranking.ids, start=1):
            scores[key] = scores.get(key, 0.0) + ranking.weight / (k + rank)
    of_document: dict[str, float] = {}
    for ranking in documents:
        for rank, key in enumerate(ranking.ids, start=1):
            of_document[key] = of_document.get(key, 0.0) + ranking.weight / (k + rank)
    for key in scores:
        scores[key] += of_document.get(document_of(key), 0.0)
    rounded = ((key, round(score, DECIMALS)) for key, score in scores.items())
    return sorted(rounded, key=lambda scored: (-scored[1], scored[0]))


def first_of_each(scored: Iterable[tuple[str, float]], most: int) -> list[tuple[str, float]]:
    """Of each document the first chunks, in the same order."""
    counted: Counter[str] = Counter()
    kept: list[tuple[str, float]] = []
    for key, score in scored:
        document = document_of(key)
        if counted[document] < most:
            counted[document] += 1
            kept.append((key, score))
    return kept


def by_document(hits: Iterable[Hit], best: int = 1) -> list[str]:
    """The documents of an arm's hits, by the sum of the scores of their `best` chunks, as `document_of` tells them."""
    scores: dict[str, float] = {}
    counted: Counter[str] = Counter()
    for hit in hits:
        key = document_of(hit.id)
        if counted[key] < best:
            counted[key] += 1
            scores[key] = scores.get(key, 0.0) + hit.score
    return sorted(scores, key=lambda key: (-scores[key], key))


def telling(question: str) -> frozenset[str]:
    """The terms of a question without function words and short words of English and its relatives: they say little."""
    asked = frozenset(terms(question)) - FUNCTION_TERMS
    return frozenset(term for term in asked if len(term) >= _TELLING or not term.isascii())


def share_known(words: frozenset[str], best: Passage) -> float:
    """How far an arm that compares words may be believed, from 0.1 to 1: by the square of how many of the question's
    words its best passage holds, of the three that make a match no accident.

    Without this, the only passage that happens to share one word with a question beats the right one that shares
    none, since a rank does not say how good the match is.
    """
    if not words:
        return 1.0
    enough = min(len(words), _ENOUGH)
    held = len(words & frozenset(terms(f"{best.context}\n{best.text}")))
    return max(0.1, min(1.0, held / enough) ** 2)


def agreement(documents: Sequence[str], leading: Sequence[str], known: float) -> float:
    """How far an arm may be believed, by how many of its first documents are among the leading arm's first: from 0 to
    1. An arm that knows nothing of a question returns what it likes, and would drag the right ones down; one that
    knows agrees with the other on much, and orders it otherwise.

    As far as the leading arm itself knows nothing (`known` below 1), agreeing with it proves nothing.
    """
    first = documents[:_HEAD]
    share = len(set(first).intersection(leading[:_BODY])) / len(first) if first else 0.0
    return 1 - known * (1 - share)


def standardised(scores: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """The scores less their mean, in standard deviations: comparable with another judge's of the same candidates."""
    values = np.asarray(scores, dtype=np.float64)
    spread = values.std() if len(values) else 0.0
    return (values - values.mean()) / spread if spread > 0 else np.zeros(len(values))


@dataclass(frozen=True, slots=True)
class Thinned:
    """Candidates without repetitions, in their order, and why the others are not among them."""

    kept: tuple[Candidate, ...]
    dropped: Mapping[str, str] = field(default_factory=dict)
    """By the candidate's id: `like` and the title of the one before it."""


def thinned(candidates: Sequence[Candidate], likeness: "Likeness") -> Thinned:
    """Without those that are almost the same as one before. Tickets stay: two that say the same are two
    facts; and what repeats a ticket stays, too.
    """
    kept: list[Candidate] = []
    texts: list[tuple[int, Candidate]] = []  # of those kept that are no tickets, each with its number of words
    dropped: dict[str, str] = {}
    for candidate in candidates:
        if candidate.group != "ticket":
            size = len(likeness.words(candidate))
            least, most = size * _ALIKE, size / _ALIKE  # sets of other sizes cannot be alike
            near = (other for words, other in texts if least <= words <= most)
            twin = next((other for other in near if likeness.between(candidate, other) >= _ALIKE), None)
            if twin is not None:
                dropped[candidate.id] = f"like {twin.passage.title}"
                continue
            texts.append((size, candidate))
        kept.append(candidate)
    return Thinned(tuple(kept), dropped)


class Likeness:
    """How alike candidates are: the Jaccard similarity of their texts' sets of words, from 0 to 1."""

    def __init__(self) -> None:
        self._words: dict[str, frozenset[str]] = {}

    def between(self, one: Candidate, other: Candidate) -> float:
        """0 where one has no words."""
        mine, theirs = self.words(one), self.words(other)
        common = len(mine & theirs)
        return common / (len(mine) + len(theirs) - common) if common else 0.0

    def words(self, candidate: Candidate) -> frozenset[str]:
        words = self._words.get(candidate.id)
        if words is None:
            words = self._words[candidate.id] = frozenset(candidate.passage.text.casefold().split())
        return words


def varied(candidates: Sequence[Candidate], novelty: float, likeness: Likeness) -> list[Candidate]:
    """Maximal marginal relevance: the next is always the one with the highest

        (1 - novelty) * score / best score  -  novelty * likeness to what comes before it

    (Carbonell and Goldstein, The Use of MMR, Diversity-Based Reranking, SIGIR 1998; there lambda = 1 - novelty). Scores
    are taken from the worst one's up.
    """
    if len(candidates) < 2 or novelty <= 0:
        return list(candidates)
    low, high = min(one.score for one in candidates), max(one.score for one in candidates)
    relevance = {one.id: (1 - novelty) * (one.score - low) / (high - low if high > low else 1) for one in candidates}
    nearest = dict.fromkeys(relevance, 0.0)
    left = list(candidates)
    ordered: list[Candidate] = []
    while left:
        best = max(left, key=lambda one: relevance[one.id] - novelty * nearest[one.id])  # of equals the first
        left.remove(best)
        ordered.append(best)
        for one in left:
            nearest[one.id] = max(nearest[one.id], likeness.between(one, best))
    return ordered


@dataclass(frozen=True, slots=True)
class Arrangement:
    """How a page of results is put together."""

    places: Mapping[str, int]
    """Of ten results, how many are kept for each group of kinds that has as many to offer, each for another document.
    Where they come to more than ten, in proportion.
    """
    apart: frozenset[str]
    """Groups that get no more than that, unless nothing else is left."""
    per_document: int
    """Chunks of one document among ten results."""


def arranged(
    candidates: Sequence[Candidate], how: Arrangement, limit: int, pinned: Sequence[Candidate] = ()
) -> list[Candidate]:
    """What follows the pinned, `limit` in all: a page of ten after the other, each with its reserved places and in
    reading order. The pinned stand first, and count as what their page holds.
    """
    waiting = list(candidates)
    chosen: list[Candidate] = []
    for start in range(0, limit, PAGE):
        page = _page(waiting, how, min(PAGE, limit - start), pinned[start : start + PAGE])
        chosen += in_reading_order(page)
        used = {candidate.id for candidate in page}
        waiting = [candidate for candidate in waiting if candidate.id not in used]
    return chosen


def _page(waiting: Sequence[Candidate], how: Arrangement, size: int, taken: Sequence[Candidate]) -> list[Candidate]:
    """What of those that wait comes on a page of `size` beside what is there already, in their order."""
    of_document = Counter(candidate.passage.document_id for candidate in taken)
    of_group = Counter(candidate.group for candidate in taken)
    chosen: dict[str, Candidate] = {}

    def choose(wanted: Iterable[Candidate], most: int, per_document: int) -> None:
        for candidate in wanted:
            if most <= 0 or len(chosen) + len(taken) >= size:
                return
            document = candidate.passage.document_id
            if candidate.id not in chosen and of_document[document] < per_document:
                chosen[candidate.id] = candidate
                of_document[document] += 1
                of_group[candidate.group] += 1
                most -= 1

    for group, places in _reserved(waiting, how.places, size).items():
        mine = [candidate for candidate in waiting if candidate.group == group]
        choose(mine, places - of_group[group], 1)  # each for another document
    choose([candidate for candidate in waiting if candidate.group not in how.apart], size, how.per_document)
    choose(waiting, size, how.per_document)
    choose(waiting, size, size)  # more of a document is better than an empty place
    return [candidate for candidate in waiting if candidate.id in chosen]


def _reserved(waiting: Iterable[Candidate], places: Mapping[str, int], size: int) -> dict[str, int]:
    """The places of each group that has something to offer; scaled down, but for one each, where they are too many.
    The group of the best comes first, since on a small page not even one for each is left.
    """
    there = dict.fromkeys(candidate.group for candidate in waiting)
    wanted = {group: places[group] * size / PAGE for group in there if group in places}
    scale = min(1.0, size / sum(wanted.values())) if wanted else 1.0
    return {group: max(1, int(count * scale)) for group, count in wanted.items()} if len(there) > 1 else {}


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
