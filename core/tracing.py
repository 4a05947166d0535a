"""Writing down how a search comes to its answer."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from core.key import Key
from core.ranking import VOTES, Candidate, Rankings
from core.store.base import CollectionName, document_of
from core.types import Trace, TracedArm, TracedCandidate

_MOST = 100  # candidates that are kept


class Tracer:
    """Is told each step of one search. Knows only what was fetched for the audience."""

    def __init__(self, keys: Sequence[Key]) -> None:
        """`keys` are those that are looked up."""
        self._keys = keys
        self._arms: list[TracedArm] = []
        self._ranks: dict[str, dict[str, int]] = defaultdict(dict)
        self._of_documents: dict[str, dict[str, int]] = defaultdict(dict)
        self._fused: Sequence[Candidate] = ()
        self._dropped: Mapping[str, str] = {}
        self._reranker: str | None = None
        self._scores: Mapping[str, float] = {}
        self.seconds: dict[str, float] = {}
        """By step."""

    def asked(self, answers: Mapping[CollectionName, Rankings]) -> None:
        """The arms of each collection. Of the votes what they say of documents, of the others what of chunks."""
        for collection, rankings in answers.items():
            voted = [ranking for ranking in rankings.documents if ranking.name == VOTES]
            found = [ranking for ranking in rankings.chunks if ranking.name != VOTES]
            for ranks, some in ((self._ranks, found), (self._of_documents, voted)):
                for ranking in some:
                    self._arms.append(TracedArm(ranking.name, collection, round(ranking.weight, 4), len(ranking.ids)))
                    for rank, key in enumerate(ranking.ids, 1):
                        ranks[key][ranking.name] = rank

    def fused(self, candidates: Sequence[Candidate]) -> None:
        self._fused = candidates

    def dropped(self, reasons: Mapping[str, str]) -> None:
        self._dropped = reasons

    def reranked(self, by: str | None, scores: Mapping[str, float]) -> None:
        self._reranker, self._scores = by, scores

    def took(self, step: str, seconds: float) -> None:
        self.seconds[step] = seconds

    def finished(self, route: str, first: Sequence[Candidate], found: Sequence[Candidate]) -> Trace:
        """`first` were looked up, `found` searched for."""
        places = {candidate.id: number for number, candidate in enumerate([*first, *found], 1)}
        looked_up = [self._traced(candidate, None, places) for candidate in first]
        searched = [self._traced(candidate, rank, places) for rank, candidate in enumerate(self._fused, 1)]
        kept = [one for one in searched if one.fused is not None and (one.fused <= _MOST or one.id in places)]
        names = tuple(key.name for key in self._keys)
        steps = {step: round(1000 * seconds, 2) for step, seconds in self.seconds.items()}
        return Trace(route, names, tuple(self._arms), (*looked_up, *kept), self._reranker, steps)

    def _traced(self, candidate: Candidate, rank: int | None, places: Mapping[str, int]) -> TracedCandidate:
        score = self._scores.get(candidate.id)
        if candidate.id in places:
            fate = f"result {places[candidate.id]}"
        else:
            fate = self._dropped.get(candidate.id, "no place left")
        return TracedCandidate(
            id=candidate.id,
            document_id=candidate.passage.document_id,
            title=candidate.passage.title,
            kind=candidate.passage.kind,
            ranks=self._ranks.get(candidate.id, {}) | self._of_documents.get(document_of(candidate.id), {}),
            fused=rank,
            reranked=None if score is None else round(score, 4),
            fate=fate,
        )
