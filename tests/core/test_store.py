"""Both stores: what they refuse to hold, what they keep, and what they give back.

The server's store runs over its client's local mode, and over a real server when CROSSCHECK_QDRANT_URL names one.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from core.embedding.sparse import SparseVector
from core.store.base import Arm, Point, Scope, Store, point_id
from core.store.payload import from_payload, to_payload
from core.types import Audience, Filters
from tests.core.parts import EARLY, EVERYBODY
from tests.core.points import NO_INDEXES, NO_TERMS, STORES, opened, passage, point, scope_of, terms

pytestmark = pytest.mark.filterwarnings(NO_INDEXES)


@pytest.fixture(scope="module", params=STORES)
def open_store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with opened(request.param, tmp_path_factory.mktemp("store")) as store:
        yield store


@pytest.fixture
def store(open_store: Store) -> Store:
    open_store.delete(open_store.documents("wiki"))
    return open_store


def test_a_passage_comes_back_as_it_was() -> None:
    full = passage(
        heading="H",
        line=3,
        symbols=("a", "b"),
        keys=frozenset({"PAY-1"}),
        repo="r",
        path="a/b.py",
        branch="dev",
        attributes={"status": "Done"},
        labels=frozenset({"b", "a"}),
        updated=EARLY.replace(microsecond=123_457),
    )
    for one in (full, passage()):
        assert from_payload(json.loads(json.dumps(to_payload(one)))) == one
    with pytest.raises(ValueError, match="time zone"):
        to_payload(passage(updated=EARLY.replace(tzinfo=None)))


def test_writing_twice_overwrites(store: Store) -> None:
    store.upsert([point("d", n) for n in range(3)])
    store.upsert([point("d", n, text="new") for n in range(3)])
    assert store.count() == 3
    assert {p.text for p in store.read("d", EVERYBODY, 10)} == {"new"}


def test_ids_tell_documents_places_and_collections_apart() -> None:
    made = {point_id(d, n, c) for d in ("a", "a1", "\x00") for n in (0, 1, 11) for c in ("documents", "code")}
    assert len(made) == 18
    assert point_id("a", 0, "code") == point_id("a", 0, "code")


@pytest.mark.parametrize(
    "bad",
    [
        point("bad", labels=frozenset()),
        point("bad", vector=(float("nan"), 0, 0, 0)),
        point("bad", vector=(float("inf"), 0, 0, 0)),
    ],
)
def test_a_point_that_must_not_be_stored_stops_its_batch(store: Store, bad: Point) -> None:
    with pytest.raises(ValueError, match="bad"):
        store.upsert([point("good"), bad])
    assert store.count() == 0


def test_a_document_cannot_lose_its_labels(store: Store) -> None:
    store.upsert([point("d")])
    with pytest.raises(ValueError, match="d has no access label"):
        store.relabel({"d": frozenset()})
    assert store.read("d", EVERYBODY, 1)


def test_trim_keeps_the_first_chunks_of_one_collection(store: Store) -> None:
    store.upsert([point("d", n) for n in range(5)] + [point("e", n) for n in range(5)])
    store.upsert([point("d", n, kind="code") for n in range(5)])
    store.trim("documents", {"d": 2, "e": 3})
    assert store.documents("wiki") == {"d": 2, "e": 3}
    assert [p.ordinal for p in store.read("e", EVERYBODY, 9)] == [0, 1, 2]
    store.delete(["d"])
    assert store.documents("wiki") == {"e": 3}
    assert store.documents("jira") == {}


def test_reading_narrows_by_audience(store: Store) -> None:
    store.upsert([point("d", labels=frozenset({"a", "b"})), replace(point("e"), content=np.zeros(4, dtype=np.float32))])
    assert store.read("d", Audience(frozenset({"a"})), 5) == ()
    assert store.read("d", Audience(frozenset({"a", "b", "c"})), 5)
    assert store.find("documents", "keys", "x", scope_of("a"), 5) == ()


def test_each_arm_ranks_its_own_vectors_best_first_and_ties_by_id(store: Store) -> None:
    first, second = (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0)
    near = point("near", vector=first)
    far = replace(point("far", vector=second), context_terms=terms(t8=1.0))
    same = [point(f"same{n}", vector=(0.5, 0.5, 0, 0)) for n in range(6)]
    store.upsert([near, far, *same])
    arms = [
        Arm("content", np.array(first, dtype=np.float32)),
        Arm("context", np.array(second, dtype=np.float32)),
        Arm("content", terms(t7=1.0)),
        Arm("context", terms(t8=1.0)),
        Arm("content", terms(t9=1.0)),
        Arm("content", NO_TERMS),
    ]
    content, context, words, place, unknown, nothing = store.rank("documents", arms, Scope(EVERYBODY), 10)
    tied = sorted(p.id for p in same)
    assert [hit.id for hit in content] == [near.id, *tied, far.id]
    assert [hit.id for hit in context] == [far.id, *tied, near.id]
    assert [hit.id for hit in words] == sorted([near.id, far.id, *tied])
    assert [hit.id for hit in place] == [far.id]
    assert unknown == nothing == ()
    assert [hit.id for hit in store.rank("documents", arms[:1], Scope(EVERYBODY), 4)[0]] == [near.id, *tied[:3]]
    assert store.rank("documents", [], Scope(EVERYBODY), 3) == ()
    assert store.rank("code", arms[:2], Scope(EVERYBODY), 3) == ((), ())


def test_new_labels_count_at_once_in_both_collections(store: Store) -> None:
    store.upsert([point("d", 0), point("d", 0, kind="code", symbols=("lock",)), point("e", 0)])
    store.relabel({"d": frozenset({"jira:P", "org"})})
    assert store.read("d", EVERYBODY, 5) == ()
    assert store.find("code", "symbols", "lock", Scope(EVERYBODY), 5) == ()
    assert [p.labels for p in store.read("d", Audience(frozenset({"jira:P", "org"})), 5)] == [{"jira:P", "org"}] * 2
    assert store.names("source", Scope(EVERYBODY)) == {"wiki": 1}


def test_identifiers_are_found_whole_or_by_their_beginning(store: Store) -> None:
    keys = ("abc123", "abd999", "ABC")
    store.upsert([point(f"d{n}", keys=frozenset({key})) for n, key in enumerate(keys)])

    def found(value: str, *, prefix: bool = False) -> list[str]:
        return [p.document_id for p in store.find("documents", "keys", value, Scope(EVERYBODY), 9, prefix=prefix)]

    assert found("abc123") == ["d0"]
    assert found("ab") == []
    assert found("ab", prefix=True) == ["d0", "d1"]


def test_what_is_stored_of_a_text_is_found_by_its_document(store: Store) -> None:
    one = point("d", text="same", context="place", vector=(0, 1, 0, 0))
    store.upsert([one, point("e", text="same", vector=(0, 0, 1, 0))])
    found = store.vectors("documents", ["d"], ["same", "place", "other"])
    assert found.keys() == {"same", "place"}
    assert found["same"].dense.tolist() == [0, 1, 0, 0]
    assert held(found["same"].terms) == held(one.content_terms)
    assert found["place"].terms == NO_TERMS
    assert store.vectors("documents", [], ["same"]) == store.vectors("code", ["d"], ["same"]) == {}


def test_more_points_than_a_request_holds_come_and_go_whole(store: Store) -> None:
    numbers = np.random.default_rng(1).normal(size=(130, 4)).astype(np.float32)
    written = [
        replace(point(f"d{n}", vector=tuple(row.tolist())), context_terms=terms(t5=0.1 * n) if n % 2 else NO_TERMS)
        for n, row in enumerate(numbers)
    ]
    store.upsert(written)
    pages = list(store.points("documents", 40))
    assert [len(page) for page in pages] == [40, 40, 40, 10]
    read = {p.id: p for page in pages for p in page}
    assert len(read) == 130
    for p in written:
        same_point(read[p.id], p)
    assert list(store.points("code")) == []
    store.trim("documents", {})
    store.delete([])
    assert store.count() == 130


def same_point(one: Point, other: Point) -> None:
    assert one.passage == other.passage
    assert one.content.tolist() == other.content.tolist()
    assert one.context.tolist() == other.context.tolist()
    for name in ("content_terms", "context_terms"):
        assert held(getattr(one, name)) == held(getattr(other, name))


def held(vector: SparseVector) -> dict[int, float]:
    """Engines keep weights in 32 bits, in an order of their own."""
    return {index: float(np.float32(value)) for index, value in zip(vector.indices, vector.values, strict=True)}


def test_a_branch_in_development_is_seen_only_by_who_asks_for_it(store: Store) -> None:
    """But its name is told."""
    base, new = point("base", branch="main"), point("new", branch="next", development=True)
    store.upsert([base, new])
    assert store.names("source", Scope(EVERYBODY)) == {"wiki": 1}
    assert store.names("branch", Scope(EVERYBODY)) == {"main": 1, "next": 1}
    for branch, seen in ((None, base), ("main", base), ("next", new)):
        (hits,) = store.rank("documents", [Arm("content", base.content)], Scope(EVERYBODY, Filters(branch=branch)), 5)
        assert [hit.id for hit in hits] == [seen.id]
    store.relabel({"base": frozenset({"a"}), "new": frozenset({"a"})})
    assert store.names("branch", Scope(EVERYBODY)) == {}
    assert store.names("branch", scope_of("a")) == {"main": 1, "next": 1}
    assert store.names("source", scope_of("a")) == {"wiki": 1}


def test_a_moment_in_the_past_is_exact(store: Store) -> None:
    written = EARLY.replace(microsecond=123_457)
    store.upsert([point("d", updated=written)])
    for as_of, count in ((written, 1), (written - timedelta(microseconds=1), 0), (written + timedelta(days=1), 1)):
        (hits,) = store.rank("documents", [Arm("content", point().content)], Scope(EVERYBODY, Filters(as_of=as_of)), 5)
        assert len(hits) == count


def test_code_of_today_is_found_beside_documents_of_a_moment(store: Store) -> None:
    changed = EARLY + timedelta(days=1)
    code = {"kind": "code", "repo": "shop", "path": "a.py", "symbols": ("lock",)}
    store.upsert([point("page", updated=changed), point("file", updated=changed, **code)])
    for today, seen in ((False, 0), (True, 1)):
        scope = Scope(EVERYBODY, Filters(as_of=EARLY, code_of_today=today))
        (hits,) = store.rank("code", [Arm("content", point().content)], scope, 5)
        assert len(hits) == len(store.find("code", "symbols", "lock", scope, 5)) == seen
        assert store.rank("documents", [Arm("content", point().content)], scope, 5) == ((),)
        assert store.names("document_id", scope).keys() == ({"file"} if today else set())


@pytest.mark.parametrize("field", ["source", "kind", "labels"])
def test_what_is_written_is_counted_at_once(store: Store, field: str) -> None:
    """What is known of the values that there are is never older than the last write."""
    for n in range(3):
        value = f"new{n}"
        store.upsert([point(f"d{n}", **{field: frozenset({value}) if field == "labels" else value})])
        scope = {
            "source": Scope(EVERYBODY, Filters(sources=frozenset({value}))),
            "kind": Scope(EVERYBODY, Filters(kinds=frozenset({value}))),
            "labels": scope_of(value),
        }[field]
        for hits in store.rank("documents", [Arm("content", point().content)], scope, 5):
            assert [hit.id for hit in hits] == [point(f"d{n}").id]
        assert sum(store.names("source", scope).values()) == 1
        store.delete([f"d{n}"])
        assert store.names("source", scope) == {}
