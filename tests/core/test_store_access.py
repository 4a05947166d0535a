"""Law 4 while labels change: sets of labels that are new, that change between searches, and that others write."""

from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from qdrant_client import QdrantClient

from core.store.base import COLLECTIONS, Arm, Hit, Scope, Store
from core.store.conditions import in_scope
from core.store.known import Counted, Known, Memory, Readers, Taken
from core.store.payload import access, number
from core.store.server import ServerStore
from core.store.server_calls import Calls
from core.store.server_collections import ServerSettings
from core.types import ORG, Audience, Filters
from tests.core.parts import EVERYBODY
from tests.core.points import NO_INDEXES, STORES, TINY, opened, point, scope_of

pytestmark = pytest.mark.filterwarnings(NO_INDEXES)

LABELS = (ORG, "jira:P", "repo:r", "team")
DOCUMENTS = ("a", "b", "c")
DENSE = Arm("content", point().content)
WORDS = Arm("content", point().content_terms)

Labels = frozenset[str]
Change = tuple[str, str, Labels, bool, str]
"""What is done, with which document, its labels, whether it is of a branch in development, its kind."""

CHANGES: st.SearchStrategy[Change] = st.tuples(
    st.sampled_from(("write", "relabel", "delete")),
    st.sampled_from(DOCUMENTS),
    st.frozensets(st.sampled_from(LABELS), min_size=1),
    st.booleans(),
    st.sampled_from(("page", "code")),
)
AUDIENCES = st.builds(Audience, st.frozensets(st.sampled_from(LABELS)))


@pytest.fixture(scope="module", params=STORES)
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with opened(request.param, tmp_path_factory.mktemp("store")) as made:
        yield made


@given(st.lists(st.tuples(CHANGES, AUDIENCES), min_size=1, max_size=12))
@settings(max_examples=40, deadline=None)
def test_after_each_change_of_labels_an_audience_finds_what_it_may_read_and_nothing_else(
    store: Store, steps: list[tuple[Change, Audience]]
) -> None:
    store.delete(DOCUMENTS)
    there: dict[tuple[str, bool, str], Labels] = {}
    for (what, document, labels, development, kind), audience in steps:
        if what == "write":
            branch = "next" if development else "main"
            chunk = int(development)
            store.upsert([point(document, chunk, labels=labels, kind=kind, development=development, branch=branch)])
            there[document, development, kind] = labels
        elif what == "relabel":
            store.relabel({document: labels})
            there |= {key: labels for key in there if key[0] == document}
        else:
            store.delete([document])
            there = {key: held for key, held in there.items() if key[0] != document}
        for who in (audience, Audience(labels), EVERYBODY):
            _finds(store, {key for key, held in there.items() if held <= who.labels}, who)


def _finds(store: Store, readable: set[tuple[str, bool, str]], audience: Audience) -> None:
    for branch in (None, "next"):
        scope = Scope(audience, Filters(branch=branch))
        for collection, kind in zip(COLLECTIONS, ("page", "code"), strict=True):
            mine = [key for key in readable if key[1] == (branch is not None) and key[2] == kind]
            expected = {point(document, int(developed), kind=kind).id for document, developed, _ in mine}
            for hits in store.rank(collection, [DENSE, WORDS], scope, 20):
                assert {hit.id for hit in hits} == expected
    branches = Counter("next" if developed else "main" for _, developed, _ in readable)
    assert store.names("branch", Scope(audience)) == branches
    for document in DOCUMENTS:
        expected = [key for key in readable if key[0] == document and not key[1]]
        assert len(store.read(document, audience, 9)) == len(expected)


@pytest.fixture(scope="module", params=[kind for kind in STORES if kind != "local"])
def shared_store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One that may be read while it is written, which the client's local mode may not."""
    with opened(request.param, tmp_path_factory.mktemp("shared")) as made:
        yield made


def test_no_set_of_labels_is_found_by_others_while_it_is_written(shared_store: Store) -> None:
    """Each document has a set of its own, that no search has heard of before."""
    store = shared_store
    secret = {point(f"s{n}").id: n for n in range(150)}
    public = {point(f"p{n}").id for n in range(150)}
    store.delete([f"{kind}{n}" for n in range(150) for kind in "sp"])
    store.upsert([point("p0")])
    done = Event()

    def write() -> None:
        try:
            for n in range(150):
                store.upsert([point(f"s{n}", labels=frozenset({ORG, f"secret:{n}"})), point(f"p{n}")])
                store.relabel({f"s{n}": frozenset({ORG, f"secret:{n}", "more"})})
        finally:
            done.set()

    def search(*labels: str) -> int:
        asked = 0
        while not done.is_set():
            found = _ids(store.rank("documents", [DENSE, WORDS], scope_of(*labels), 400))
            held = {
                key for key, n in secret.items() if {f"secret:{n}", "more"} & set(labels) == {f"secret:{n}", "more"}
            }
            assert found - public <= held
            assert store.names("source", scope_of(*labels))["wiki"] <= 151
            asked += 1
        return asked

    with ThreadPoolExecutor(3) as threads:
        searching = [threads.submit(search, ORG), threads.submit(search, ORG, "secret:7", "more")]
        threads.submit(write).result()
        assert all(search.result() > 3 for search in searching)
    assert _ids(store.rank("documents", [DENSE], scope_of(ORG), 400)) == public
    store.delete([f"{kind}{n}" for n in range(150) for kind in "sp"])


def test_a_search_that_begins_after_a_relabel_does_not_find_what_it_hid(shared_store: Store) -> None:
    store = shared_store
    hidden = [Event() for _ in range(60)]
    store.upsert([point(f"h{n}") for n in range(60)])

    def search() -> None:
        while not hidden[-1].is_set():
            gone = {point(f"h{n}").id for n, event in enumerate(hidden) if event.is_set()}
            assert not gone & _ids(store.rank("documents", [DENSE, WORDS], scope_of(ORG), 200))

    with ThreadPoolExecutor(2) as threads:
        searching = threads.submit(search)
        for n, event in enumerate(hidden):
            store.relabel({f"h{n}": frozenset({ORG, f"new:{n}"})})
            event.set()
        searching.result()
    store.delete([f"h{n}" for n in range(60)])


def _ids(answers: tuple[tuple[Hit, ...], ...]) -> set[str]:
    return {hit.id for hits in answers for hit in hits}


def test_labels_that_another_process_writes_are_unreadable_until_they_are_known(tmp_path: Path) -> None:
    now = [0.0]
    client = QdrantClient(path=str(tmp_path))
    here, there = (ServerStore.over(client, ServerSettings(""), TINY, Calls(), clock=lambda: now[0]) for _ in range(2))
    here.upsert([point("old"), point("moved")])
    scope = scope_of(ORG, "team")

    def found() -> set[str]:
        return _ids(here.rank("documents", [DENSE], scope, 9))

    assert found() == {point("old").id, point("moved").id}
    there.upsert([point("new", labels=frozenset({"team"})), point("hidden", labels=frozenset({"other"}))])
    there.relabel({"moved": frozenset({"other", ORG})})
    assert found() == {point("old").id}
    now[0] = 4.9
    assert found() == {point("old").id}
    now[0] = 5.0
    assert found() == {point("old").id, point("new").id}
    client.close()


# What is known


def known(counts: Mapping[str, int]) -> Known:
    return Known(lambda _field, _access: counts, Memory())


class Counts:
    """What each field holds, and what was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[Counted, tuple[int, ...] | None]] = []

    def __call__(self, field: Counted, access: Taken | None) -> Mapping[str, int]:
        self.asked.append((field, access and access.numbers))
        return {"access_key": {key(ORG): 1, key("secret"): 1}}.get(field, {})


def key(*labels: str, development: bool = False) -> str:
    return access(labels, development=development)["access_key"]


def test_an_audience_takes_the_sets_of_labels_that_it_holds_all_of() -> None:
    sets = [key("a"), key("a", "b"), key("b", "c"), key("a", development=True), key()]
    one = known(dict.fromkeys(sets, 1))
    assert one.access(Readers(Audience(frozenset({"a", "b"})), development=False)).numbers == numbers(sets[:2])
    assert one.access(Readers(Audience(frozenset({"a"})), development=True)).numbers == numbers([sets[0], sets[3]])
    assert one.access(Readers(Audience(frozenset()), development=True)).numbers == ()


@given(st.lists(st.frozensets(st.text(max_size=3), min_size=1), min_size=2, max_size=2, unique=True))
def test_different_labels_are_never_the_same_set(sets: list[Labels]) -> None:
    """Whatever stands in a label."""
    one, other = (access(labels, development=False) for labels in sets)
    assert one["access_key"] != other["access_key"]
    assert one["access"] != other["access"]
    assert known({one["access_key"]: 1}).access(Readers(Audience(sets[1]), development=False)).numbers == (
        (one["access"],) if sets[0] <= sets[1] else ()
    )


def test_which_way_is_faster_is_told_by_what_is_there() -> None:
    one = known({key("a"): 10, key("b"): 90})
    assert one.access(Readers(Audience(frozenset({"a"})), development=False)).few
    assert not one.access(Readers(Audience(frozenset({"b"})), development=False)).few
    assert not known({}).files("*.py", Readers(Audience(frozenset({"a"})), development=False)).numbers


def test_what_is_worked_out_while_something_is_written_is_not_remembered() -> None:
    memory = Memory()

    def beside_a_write() -> str:
        memory.forget()
        return "old"

    assert memory.get("key", beside_a_write) == "old"
    assert memory.get("key", lambda: "new") == "new"
    assert memory.get("key", lambda: "newer") == "new"
    for n in range(1_000):
        memory.get(n, lambda n=n: n)
    assert memory.get(999, lambda: -1) == 999
    assert memory.get("key", lambda: "newer") == "newer"


def test_what_is_remembered_may_go_while_it_is_looked_for() -> None:
    """Another thread has many questions, and so clears what is remembered between any two steps."""
    memory = Memory()
    others = [lambda: None, lambda: None, lambda: [memory.get(n, lambda n=n: n) for n in range(1_000)]]

    class Key:
        def __hash__(self) -> int:
            others.pop(0)()
            return 7

    key = Key()
    held = [memory.get(key, lambda: "found")]
    others[:] = [lambda: None, *others[-1:], *[lambda: None] * 9]
    assert [*held, memory.get(key, lambda: "found")] == ["found", "found"]


def numbers(keys: list[str]) -> tuple[int, ...]:
    return tuple(sorted(map(number, keys)))


@pytest.mark.parametrize(
    "filters",
    [Filters(sources=frozenset({"x"})), Filters(repos=frozenset({"x"})), Filters(path="x/**"), Filters(branch="x")],
)
def test_what_a_reader_names_is_looked_for_among_what_he_may_read_alone(filters: Filters) -> None:
    """And so it takes the same time whether it is hidden or nowhere."""
    counts = Counts()
    assert in_scope(Scope(EVERYBODY, filters), Known(counts, Memory())) is None
    asked = [access for field, access in counts.asked if field != "access_key"]
    assert asked == [numbers([key(ORG)])]
    nobody = Counts()
    assert in_scope(Scope(Audience(frozenset({"other"})), filters), Known(nobody, Memory())) is None
    assert {field for field, _ in nobody.asked} == {"access_key"}
