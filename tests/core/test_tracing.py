"""What is written down of a search: all of its answer, as plain data, and not more than is of use."""

import json
from dataclasses import asdict

import pytest

from core.embedding.static import StaticEmbedder
from core.rerank.chain import Reranking
from core.rerank.late import NAME, LateInteraction
from core.search import Searcher
from core.types import Query, SearchResult, Trace
from tests.core.parts import EVERYBODY, Bench, document
from tests.core.test_exact import code, commit, ticket

STEPS = ["exact", "embedding", "candidates", "fusion", "reranking", "order"]


def searched(bench: Bench, text: str, embedder: StaticEmbedder | None = None, **more: object) -> SearchResult:
    reranking = Reranking([LateInteraction(embedder)], 60) if embedder else None
    searcher = Searcher(bench.store, bench.embedders, bench.metrics, reranking=reranking)
    return searcher.search(Query(text, **more), EVERYBODY)


def traced(result: SearchResult) -> Trace:
    assert result.trace is not None
    return result.trace


@pytest.fixture
def shop(bench: Bench) -> Bench:
    bench.index(
        code("def lock_account(user):\n    user.locked = True\n", "src/lock.py"),
        code("def open_account(user):\n    user.locked = False\n", "src/open.py"),
        commit("a" * 39 + "1", "Lock the account after five tries", attributes={"paths": "src/open.py"}),
        ticket("PAY-7", "Users want the account locked."),
        document("The account is locked after five tries.", id="wiki:1", title="Rules"),
        document("The account is locked after five tries.", id="wiki:2", title="Copy"),
    )
    return bench


def test_every_result_is_there_with_its_fate(shop: Bench, embedder: StaticEmbedder) -> None:
    result = searched(shop, "what does PAY-7 say of the locked account", embedder)
    trace = traced(result)
    by_id = {one.id: one for one in trace.candidates}
    assert [by_id[evidence.id].fate for evidence in result.evidence] == [
        f"result {number}" for number in range(1, len(result.evidence) + 1)
    ]
    assert trace.route == "hybrid"
    assert trace.keys == ("PAY-7",)
    assert trace.reranker == NAME
    looked_up = by_id[result.evidence[0].id]
    assert (looked_up.document_id, looked_up.fused, looked_up.reranked) == ("jira:PAY-7", None, None)
    copies = sorted(one.fate for one in trace.candidates if one.document_id in {"wiki:1", "wiki:2"})
    assert copies[0].startswith("like ")
    assert copies[1].startswith("result ")
    searched_for = [one for one in trace.candidates if one.fused is not None]
    assert [one.fused for one in searched_for] == list(range(1, len(searched_for) + 1))
    assert all(one.reranked is not None for one in searched_for if one.fate.startswith("result"))


def test_the_arms_are_there_with_what_they_counted(shop: Bench) -> None:
    trace = traced(searched(shop, "lock the account", variants=("open it",)))
    names = {(arm.collection, arm.name) for arm in trace.arms}
    assert {("documents", "content words"), ("code", "content meaning"), ("code", "commit votes")} <= names
    assert ("documents", "content meaning 2") in names
    assert all(arm.weight >= 0 and arm.hits > 0 for arm in trace.arms)
    voted = next(one for one in trace.candidates if one.document_id == "git:shop:src/open.py")
    assert voted.ranks["commit votes"] == 1
    for one in trace.candidates:
        assert all(1 <= rank <= 100 for rank in one.ranks.values())


def test_the_steps_are_timed_once_each(shop: Bench) -> None:
    assert list(traced(searched(shop, "lock the account")).steps) == STEPS
    exact = traced(searched(shop, "PAY-7"))
    assert (exact.route, list(exact.steps), exact.arms, exact.reranker) == ("exact", STEPS[:1], (), None)
    assert [one.fate for one in exact.candidates] == ["result 1"]


def test_without_a_reranker_none_is_named(shop: Bench) -> None:
    trace = traced(searched(shop, "lock the account"))
    assert trace.reranker is None
    assert {one.reranked for one in trace.candidates} == {None}


@pytest.mark.parametrize("text", ["lock the account", "PAY-7", "nothing-like-it", "PAY-9999"])
def test_it_becomes_json(shop: Bench, embedder: StaticEmbedder, text: str) -> None:
    trace = traced(searched(shop, text, embedder))
    assert json.loads(json.dumps(asdict(trace), allow_nan=False))["route"] == trace.route


def test_only_the_identifiers_that_were_looked_up_are_named(shop: Bench) -> None:
    trace = traced(searched(shop, " ".join(f"ABC-{number}" for number in range(1, 900))))
    assert trace.keys == tuple(f"ABC-{number}" for number in range(1, 9))


def test_it_does_not_grow_with_the_index_nor_with_the_question(bench: Bench) -> None:
    bench.index(*(document(f"rule {n} of locks", id=f"wiki:{n}", title=f"T{n} " + "x" * 60) for n in range(400)))
    result = searched(bench, "rule of locks " * 600, variants=("locks",) * 50, limit=10_000)
    trace = traced(result)
    shown = {one.id for one in trace.candidates}
    assert {evidence.id for evidence in result.evidence} <= shown
    assert len(shown) == len(trace.candidates) <= max(100, len(result.evidence))
    assert len(trace.arms) <= 40
    small = traced(searched(bench, "rule of locks"))
    assert len(small.candidates) <= 110
    assert len(json.dumps(asdict(small))) < 60_000
