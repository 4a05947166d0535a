"""Law 4 in both stores: nothing is returned whose labels the audience does not all hold, whatever else is asked.

What may be seen is worked out here once more in plain Python, and each way of reading must give exactly that.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.store.base import COLLECTIONS, Arm, CollectionName, NameField, Point, Scope, Store
from core.store.glob import glob_pattern
from core.types import Audience, Filters
from tests.core.parts import EARLY
from tests.core.points import NO_INDEXES, NO_TERMS, STORES, opened, point, terms

pytestmark = pytest.mark.filterwarnings(NO_INDEXES)

SOURCES = ("wiki", "jira", "git")
KINDS = ("page", "ticket", "code")
LABELS = ("org", "jira:P", "repo:r")
DOCUMENTS = ("a", "b", "c", "d")
PATHS = ("src/a.py", "src/deep/b.py", "docs/a.md", "a.py")
GLOBS = ("*.py", "src/**", "src/*.py", "docs", "lib/**", "[", "a?py")
DAYS = tuple(EARLY + timedelta(days=n) for n in range(3))
NAMES: tuple[NameField, ...] = ("source", "repo", "branch", "language")
MANY = 100


def some(values: tuple[str, ...]) -> st.SearchStrategy[frozenset[str]]:
    return st.frozensets(st.sampled_from(values))


def maybe(values: tuple[str, ...]) -> st.SearchStrategy[str | None]:
    return st.none() | st.sampled_from(values)


@st.composite
def points(draw: st.DrawFn) -> Point:
    made = point(
        draw(st.sampled_from(DOCUMENTS)),
        draw(st.integers(0, 2)),
        source=draw(st.sampled_from(SOURCES)),
        kind=draw(st.sampled_from(KINDS)),
        labels=draw(some(LABELS).filter(bool)),
        keys=draw(some(("K-1", "K-22"))),
        repo=draw(maybe(("r", "s"))),
        path=draw(maybe(PATHS)),
        branch=draw(maybe(("main", "next"))),
        language=draw(maybe(("python", "java"))),
        development=draw(st.booleans()),
        updated=draw(st.sampled_from(DAYS)),
        vector=tuple(draw(st.lists(st.integers(-3, 3), min_size=4, max_size=4))),
    )
    return replace(made, content_terms=draw(st.sampled_from([NO_TERMS, terms(t1=1.0), terms(t1=0.5, t2=2.0)])))


FILTERS = st.builds(
    Filters,
    sources=some(SOURCES),
    kinds=some(KINDS),
    repos=some(("r", "s", "unknown")),
    path=maybe(GLOBS),
    languages=some(("python", "java")),
    branch=maybe(("main", "next")),
    as_of=st.none() | st.sampled_from(DAYS),
    documents=some(DOCUMENTS),
    without=some(DOCUMENTS),
)
SCOPES = st.builds(Scope, st.builds(Audience, some((*LABELS, "other"))), st.just(Filters()) | FILTERS)


def seen(one: Point, scope: Scope, *, development: bool = False) -> bool:
    """`development`: of any branch, if none is asked for."""
    passage, filters = one.passage, scope.filters
    return (
        passage.labels <= scope.audience.labels
        and (not filters.sources or passage.source in filters.sources)
        and (not filters.kinds or passage.kind in filters.kinds)
        and (not filters.repos or passage.repo in filters.repos)
        and (not filters.languages or passage.language in filters.languages)
        and (passage.branch == filters.branch if filters.branch else development or not passage.development)
        and (filters.as_of is None or passage.updated <= filters.as_of)
        and (not filters.documents or passage.document_id in filters.documents)
        and passage.document_id not in filters.without
        and (filters.path is None or bool(passage.path and glob_pattern(filters.path).fullmatch(passage.path)))
    )


@pytest.fixture(scope="module", params=STORES)
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with opened(request.param, tmp_path_factory.mktemp("store")) as made:
        yield made


@given(st.lists(points(), max_size=12), SCOPES)
@settings(max_examples=100, deadline=None)
def test_every_way_of_reading_gives_just_what_may_be_seen(store: Store, written: list[Point], scope: Scope) -> None:
    store.delete(DOCUMENTS)
    store.upsert(written)
    there = {p.id: p for p in written}
    visible = {key: p for key, p in there.items() if seen(p, scope)}
    assert store.count() == len(there)
    for collection in COLLECTIONS:
        mine = {key: p for key, p in visible.items() if p.collection == collection}
        _ranked(store, collection, scope, mine)
        for prefix, key in ((False, "K-1"), (True, "K-")):
            wanted = [
                p.passage for p in mine.values() if any(k == key or (prefix and k[:2] == key) for k in p.passage.keys)
            ]
            assert store.find(collection, "keys", key, scope, MANY, prefix=prefix) == in_order(wanted)
        readable = {k: p.passage for k, p in there.items() if p.passage.labels <= scope.audience.labels}
        here = {k: passage for k, passage in readable.items() if there[k].collection == collection}
        assert store.fetch(collection, list(there), scope.audience) == here
    for field in NAMES:
        told = {k: p for k, p in there.items() if seen(p, scope, development=field == "branch")}
        values = (getattr(p.passage, field) for p in told.values())
        assert store.names(field, scope) == Counter(value for value in values if value is not None)
    for key in DOCUMENTS:
        found = store.read(key, scope.audience, MANY)
        expected = [p for p in there.values() if p.passage.document_id == key and seen(p, Scope(scope.audience))]
        assert in_order(found) == in_order(p.passage for p in expected)


def _ranked(store: Store, collection: CollectionName, scope: Scope, mine: dict[str, Point]) -> None:
    """A dense arm gives all that may be seen, a sparse one what of it shares a term."""
    arms = [Arm("content", np.array((1, -1, 2, 0), dtype=np.float32)), Arm("content", terms(t2=1.0))]
    dense, sparse = store.rank(collection, arms, scope, MANY)
    scores = {key: float(arms[0].vector @ p.content) for key, p in mine.items()}
    assert [hit.id for hit in dense] == sorted(mine, key=lambda key: (-scores[key], key))
    assert {hit.id: hit.score for hit in dense} == scores
    assert {hit.id for hit in sparse} == {key for key, p in mine.items() if 2 in p.content_terms.indices}


def in_order(passages):
    return tuple(sorted(passages, key=lambda p: (p.document_id, p.ordinal, p.kind)))
