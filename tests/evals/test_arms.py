"""Arms alone, from the traces of searches."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from core.search import Searcher
from core.types import Audience, Query, SearchResult, Trace, TracedCandidate
from evals.retrieval.results import ARM, about, measurements, result_of
from evals.retrieval.run import Setup, run
from evals.retrieval.sets import recognise
from tests.evals import small_sets


class Traced:
    """A searcher that says of one arm that it had everything the wrong way round."""

    def __init__(self, inner: Searcher) -> None:
        self._inner = inner

    def search(self, query: Query, audience: Audience) -> SearchResult:
        result = self._inner.search(query, audience)
        places = range(len(result.evidence), 0, -1)
        candidates = [
            TracedCandidate(
                id=one.id,
                document_id=one.document_id,
                title="",
                kind=one.kind,
                ranks={"right": 1 + len(places) - place, "reversed": place},
                fused=None,
                reranked=None,
                fate="",
            )
            for one, place in zip(result.evidence, places, strict=True)
        ]
        return replace(result, trace=Trace("hybrid", candidates=_shuffled(candidates)))


def _shuffled(candidates: Sequence[TracedCandidate]) -> tuple[TracedCandidate, ...]:
    return (*candidates[1::2], *candidates[::2])


def test_the_best_arm_stands_beside_the_search(tmp_path: Path, setup: Setup) -> None:
    small_sets.corpus(tmp_path / "set")
    chosen = recognise(tmp_path / "set")
    traced = Setup(setup.embedders, lambda store, embedders: Traced(Searcher(store, embedders)))
    outcome = run(chosen, traced, lambda _message: None)
    assert outcome.arms["right"] == outcome.run
    assert outcome.arms["reversed"]["LAMP-1"] == outcome.run["LAMP-1"][::-1]
    result = result_of(chosen, outcome)
    assert result.best_arm == "right"
    assert result.arms["right"] > result.arms["reversed"]
    row = result.rows[0]
    assert (row.others[ARM].value, row.others[ARM].to.value) == (row.measured, 0)
    assert any("right" in sentence for sentence in about(result))
    assert [one.way for one in measurements(result)] == ["search", "BM25", "best arm"]
    assert measurements(result)[2].made_with["arm"] == "right"
