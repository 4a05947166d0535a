"""Law 8: a rerun changes nothing, an interrupted run loses nothing. And what becomes of bad documents."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import EmbedderUnavailable, SourceIncomplete, SourceUnavailable
from core.ingest import SEALED, Ingest
from core.types import ORG, Audience, Document, Place, Query
from tests.core.parts import EARLY, EVERYBODY, Bench, Shelf, contents, document, refusing

LONG = "\n\n".join(f"## Part {n}\n\n" + f"sentence {n} of the part. " * 120 for n in range(6))


def shelf() -> Shelf:
    return Shelf(
        [
            document("The account is locked after five tries.", id="a"),
            document(LONG, id="b"),
            document("def lock():\n    pass\n" * 100, id="c", kind="code", path="src/c.py"),
            document("", id="d", title="Only a title"),
        ]
    )


def test_what_a_first_sync_reports(bench: Bench) -> None:
    seen: list[tuple[int, int | None]] = []
    report = bench.ingest.sync(shelf(), progress=lambda done, total: seen.append((done, total)))
    assert (report.read, report.written, report.unchanged, report.deleted, report.unread) == (4, 4, 0, 0, ())
    assert report.chunks == bench.store.count() == sum(e.chunks for e in bench.registry.versions("wiki").values())
    assert report.chunks > 8
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert [entry[0] for entry in bench.registry.log] == ["started", "succeeded"]
    assert bench.ingest.check() is None


def test_a_source_is_fresh_as_of_the_beginning_of_its_sync(bench: Bench) -> None:
    times = iter(datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2, 3))
    ingest = Ingest(bench.store, bench.embedders, bench.registry, bench.cursors, clock=lambda: next(times))
    ingest.sync(shelf())
    assert bench.registry.log[-1] == ("succeeded", "wiki", datetime(2026, 1, 1, tzinfo=UTC))


def test_a_document_without_text_is_found_by_its_title(bench: Bench) -> None:
    bench.ingest.sync(shelf())
    assert bench.searcher.search(Query("only a title"), EVERYBODY).evidence[0].document_id == "d"


@pytest.mark.parametrize("full", [False, True])
def test_a_rerun_changes_nothing_and_embeds_nothing(bench: Bench, full: bool) -> None:
    bench.ingest.sync(shelf())
    before = contents(bench.store, bench.registry)

    report = Ingest(bench.store, refusing(bench.embedders), bench.registry, bench.cursors).sync(shelf(), full=full)
    assert (report.written, report.unchanged, report.chunks) == (0, 4, 0)
    assert contents(bench.store, bench.registry) == before


def test_a_changed_document_replaces_its_chunks(bench: Bench) -> None:
    source = shelf()
    bench.ingest.sync(source)
    source.documents[1] = replace(source.documents[1], text="Short now.", version="2")
    report = bench.ingest.sync(source)
    assert (report.written, report.unchanged, report.chunks) == (1, 3, 1)
    assert [p.text for p in bench.store.read("b", EVERYBODY, 99)] == ["Short now."]
    assert bench.ingest.check() is None


def test_changed_labels_are_written_without_embedding(bench: Bench) -> None:
    source = shelf()
    bench.ingest.sync(source)
    source.documents = [replace(d, labels=frozenset({ORG, "restriction:1"})) for d in source.documents]
    report = bench.ingest.sync(source)
    assert (report.relabelled, report.written, report.unchanged, report.chunks) == (4, 0, 0, 0)
    assert bench.store.read("b", EVERYBODY, 1) == ()
    assert len(bench.store.read("b", Audience(frozenset({ORG, "restriction:1"})), 99)) > 2
    assert bench.ingest.sync(source).unchanged == 4


def test_only_a_full_sync_deletes_and_a_restored_document_is_back(bench: Bench) -> None:
    source = shelf()
    bench.ingest.sync(source)
    gone = source.documents.pop(1)
    assert bench.ingest.sync(source).deleted == 0
    assert bench.ingest.sync(source, full=True).deleted == 1
    assert bench.store.read("b", EVERYBODY, 1) == ()
    assert "b" not in bench.registry.versions("wiki")
    source.documents.append(gone)
    assert bench.ingest.sync(source, full=True).written == 1
    assert bench.store.read("b", EVERYBODY, 1)


def test_what_the_source_says_is_gone_leaves_at_once(bench: Bench) -> None:
    source = shelf()
    bench.ingest.sync(source)
    gone, kept, again = source.documents.pop(0), source.documents[0], source.documents[1]
    source.changed, source.removed = [again.id], {gone.id, again.id, "never-seen"}
    assert bench.ingest.sync(source).deleted == 1  # what was read in this run is there, whatever else is said
    assert set(bench.registry.versions("wiki")) == {kept.id, again.id, "d"}
    assert not bench.store.read(gone.id, EVERYBODY, 1)
    assert bench.ingest.check() is None


def test_credentials_are_masked_and_counted(bench: Bench) -> None:
    token = "ghp_" + "a1" * 18
    source = Shelf([document(f"Use {token} to log in.", id="a", title=f"Key {token}", context=f"HELP > {token}")])
    report = bench.ingest.sync(source)
    assert report.masked == bench.registry.versions("wiki")["a"].masked == 3
    (passage,) = bench.store.read("a", EVERYBODY, 1)
    assert passage.text == f"Use {'*' * len(token)} to log in."
    assert token not in passage.title + passage.context
    assert bench.ingest.sync(source, full=True).written == 0


def test_what_could_not_be_read_is_kept_and_comes_with_the_evidence(bench: Bench) -> None:
    unread = tuple(f"picture not read: {n}.png" for n in range(9))
    report = bench.ingest.sync(
        Shelf([document("The lock lasts an hour.", id="a", unread=unread), document("x", id="b")])
    )
    assert report.partly == 1
    assert bench.registry.versions("wiki")["a"].unread == unread
    evidence = bench.searcher.search(Query("how long does the lock last"), EVERYBODY).evidence
    assert {e.document_id: e.unread for e in evidence} == {"a": (*unread[:5], "4 more things not read"), "b": ()}


def test_a_chunk_opens_at_its_place(bench: Bench) -> None:
    text = "First page. " * 30 + "Second page about locks. " * 30
    places = (Place(0, "page 1", "#page=1"), Place(360, "page 2", "#page=2"))
    bench.ingest.sync(Shelf([document(text, id="a", url="https://wiki.example/a.pdf", places=places)]))
    found = bench.searcher.search(Query("locks"), EVERYBODY).evidence
    assert {e.locator.heading: e.locator.url for e in found if "locks" in e.text} == {
        "page 2": "https://wiki.example/a.pdf#page=2"
    }


def test_another_date_or_address_is_written_and_nothing_is_embedded(bench: Bench) -> None:
    source = Shelf([document("The account is locked.", id="a", keys=frozenset({"KEY-1"}))])
    bench.ingest.sync(source)
    later = EARLY + timedelta(days=3)
    source.documents = [replace(source.documents[0], updated=later, url="https://wiki.example/new", unread=("x",))]
    embedding = refusing(bench.embedders, AssertionError("nothing is to be embedded"))
    Ingest(bench.store, embedding, bench.registry, bench.cursors).sync(source)
    (passage,) = bench.store.read("a", EVERYBODY, 9)
    assert (passage.updated, passage.url, passage.unread) == (later, "https://wiki.example/new", ("x",))
    assert bench.ingest.sync(source, full=True).unchanged == 1


def test_no_field_keeps_a_credential(bench: Bench) -> None:
    token = "ghp_" + "a1" * 18
    values = {
        "title": token,
        "keys": frozenset({token, "A-1"}),
        "attributes": {"a": "b", "title": token},
        "unread": (token,),
    }
    bench.ingest.sync(Shelf([document("x", id="a", **values)]))
    assert token not in str(bench.store.read("a", EVERYBODY, 1))
    assert token not in str(bench.registry.versions("wiki"))
    assert bench.store.read("a", EVERYBODY, 1)[0].keys == {"*" * len(token), "A-1"}


def test_a_document_without_its_text_is_taken_only_where_the_index_holds_it(bench: Bench) -> None:
    source = Shelf([document("The account is locked.", id="a")])
    bench.ingest.sync(source)
    bare = replace(source.documents[0], text="", labels=frozenset({ORG, "x"}), as_indexed=True)
    source.documents = [bare]
    assert bench.ingest.sync(source).relabelled == 1
    (passage,) = bench.store.read("a", Audience(frozenset({ORG, "x"})), 9)
    assert passage.text == "The account is locked."
    source.documents = [replace(bare, version="2")]
    assert bench.ingest.sync(source).unread == ("a: its text was not read again",)
    assert bench.store.count() == 0


def test_an_incomplete_listing_deletes_nothing(bench: Bench) -> None:
    source = shelf()
    bench.ingest.sync(source)
    source.documents.pop()
    source.fails = {"ids": SourceIncomplete("page 2 of space HELP answered 500")}
    with pytest.raises(SourceIncomplete):
        bench.ingest.sync(source, full=True)
    assert bench.registry.log[-1] == ("failed", "wiki", "page 2 of space HELP answered 500")
    source.fails, source.documents, source.listed = {}, [], set()
    with pytest.raises(SourceIncomplete, match="listed nothing"):
        bench.ingest.sync(source, full=True)
    assert len(bench.store.documents("wiki")) == 4


def test_what_was_just_read_is_not_deleted_by_a_late_listing(bench: Bench) -> None:
    source = shelf()
    source.listed = {"a"}
    assert bench.ingest.sync(source, full=True).deleted == 0
    assert len(bench.store.documents("wiki")) == 4


def test_a_source_that_breaks_off_goes_on_next_time(bench: Bench) -> None:
    source = shelf()
    source.fails = {"load": SourceUnavailable("reset by peer")}
    with pytest.raises(SourceUnavailable):
        bench.ingest.sync(source)
    assert bench.cursors.values == {}
    assert len(bench.store.documents("wiki")) == 4  # what was read before is kept
    source.fails = {}
    assert bench.ingest.sync(source).unchanged == 4
    assert bench.ingest.check() is None
    assert len(bench.store.documents("wiki")) == 4


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ({"labels": frozenset()}, "no access label"),
        ({"updated": datetime(2026, 1, 1)}, "no time zone"),  # noqa: DTZ001 - that is the fault
        ({"source": "jira"}, "its source is jira"),
        ({"version": ""}, "no version"),
    ],
)
def test_one_bad_document_costs_only_itself(bench: Bench, bad: dict, reason: str) -> None:
    source = shelf()
    bench.ingest.sync(source)
    source.documents[0] = replace(source.documents[0], **{"version": "2"} | bad)
    source.documents[3] = replace(source.documents[3], version="2", text="new")
    report = bench.ingest.sync(source)
    assert (report.read, report.written, report.unchanged) == (4, 1, 2)
    assert len(report.unread) == 1
    assert report.unread[0].startswith("a: ")
    assert reason in report.unread[0]
    assert set(bench.store.documents("wiki")) == {"b", "c", "d"}  # not cited as it was, to whom it was
    assert bench.ingest.check() is None


def test_text_that_cannot_be_encoded_is_mended(bench: Bench) -> None:
    text = "half \ud83d of a pair and a \x00 byte, PAY-3"
    source = Shelf([document(text, id="x", title="t\udc00", context="c\udc00")])
    assert bench.ingest.sync(source).unread == ()
    [stored] = bench.store.read("x", EVERYBODY, 9)
    assert stored.text == "half ? of a pair and a \x00 byte, PAY-3"
    assert bench.ingest.sync(source).unchanged == 1


def test_two_versions_of_a_document_in_one_run(bench: Bench) -> None:
    source = Shelf(
        [document(LONG, id="x"), document("short", id="x", version="2"), document("short", id="x", version="2")]
    )
    report = bench.ingest.sync(source)
    assert (report.written, report.unchanged) == (2, 1)
    assert [p.text for p in bench.store.read("x", EVERYBODY, 99)] == ["short"]
    assert bench.ingest.check() is None


def test_what_the_index_lost_is_said_and_repaired_by_a_full_sync(bench: Bench) -> None:
    source = shelf()
    bench.ingest.sync(source)
    before = contents(bench.store, bench.registry)
    bench.store.trim("documents", {"b": 1})
    assert "crosscheck sync --full" in (bench.ingest.check() or "")
    report = bench.ingest.sync(source, full=True)
    assert (report.written, report.unchanged) == (1, 3)
    assert contents(bench.store, bench.registry) == before
    assert bench.ingest.check() is None


def test_removing_a_source_leaves_the_others(bench: Bench) -> None:
    bench.ingest.sync(shelf())
    bench.ingest.sync(Shelf([document("other", id="o", source="jira")], name="jira"))
    assert bench.ingest.remove("wiki") == 4
    assert bench.store.count() == 1
    assert bench.ingest.sync(shelf()).written == 4


def test_sealed_documents_come_back_with_their_labels(bench: Bench) -> None:
    source = shelf()
    bench.ingest.sync(source)
    source.live = {"a": None}
    assert bench.ingest.sweep_labels(source) == 1
    assert bench.registry.versions("wiki")["a"].labels == SEALED
    assert bench.ingest.sync(source).relabelled == 1  # the source says again who may read it
    assert bench.store.read("a", EVERYBODY, 1)


# Killed at any step, then run again.


class Killed(BaseException):
    """Not an error that anything handles."""


class Steps:
    """Passes calls on, and raises before or after the n-th of them."""

    def __init__(self, at: int, after: bool) -> None:
        self._left = at
        self._after = after

    def around(self, call: Callable) -> Callable:
        def counted(*args, **named):
            self._left -= 1
            if self._left == 0 and not self._after:
                raise Killed
            result = call(*args, **named)
            if self._left == 0 and self._after:
                raise Killed
            return result

        return counted


class Watched:
    def __init__(self, inner: object, steps: Steps, watched: tuple[str, ...]) -> None:
        self._inner, self._steps, self._watched = inner, steps, watched

    def __getattr__(self, name: str):
        value = getattr(self._inner, name)
        return self._steps.around(value) if name in self._watched else value


WRITES = ("upsert", "trim", "relabel", "delete", "flush")


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(kills=st.lists(st.tuples(st.integers(1, 14), st.booleans()), min_size=1, max_size=3))
def test_an_interrupted_sync_repeated_equals_one_go(bench: Bench, kills: list[tuple[int, bool]]) -> None:
    bench.clear()
    old = shelf()
    bench.ingest.sync(old)
    new = Shelf(
        [
            replace(old.documents[0], labels=frozenset({ORG, "x"})),
            replace(old.documents[1], text="Short now.", version="2"),
            replace(old.documents[2], text=LONG, version="2"),
            document("An added page.", id="e"),
        ]
    )
    for at, after in kills:
        steps = Steps(at, after)
        ingest = Ingest(
            Watched(bench.store, steps, WRITES),
            bench.embedders,
            Watched(bench.registry, steps, ("record", "forget")),
            Watched(bench.cursors, steps, ("set",)),
        )
        try:
            ingest.sync(new, full=True)
        except Killed:
            continue
    bench.ingest.sync(new, full=True)
    interrupted = contents(bench.store, bench.registry)
    assert bench.ingest.check() is None
    bench.clear()
    bench.ingest.sync(new)
    assert interrupted == contents(bench.store, bench.registry)


def killed(bench: Bench, at: str, work: Callable[[Ingest], object], number: int = 1, *, after: bool = True) -> None:
    """Do the work, and die after (or before) the n-th call of that name."""
    steps = Steps(number, after)
    ingest = Ingest(
        Watched(bench.store, steps, (at,)),
        bench.embedders,
        Watched(bench.registry, steps, (at,)),
        Watched(bench.cursors, steps, (at,)),
    )
    with pytest.raises(Killed):
        work(ingest)


REPAIRS: dict[str, Callable[[Ingest, Shelf], object]] = {
    "sync": lambda ingest, source: ingest.sync(source),
    "full": lambda ingest, source: ingest.sync(source, full=True),
    "sweep": lambda ingest, source: ingest.sweep_labels(source),
}
SECRET = frozenset({ORG, "secret"})


@pytest.mark.parametrize("repair", REPAIRS)
@pytest.mark.parametrize("killer", REPAIRS)
def test_labels_written_by_who_was_killed_go_back_with_the_source(bench: Bench, killer: str, repair: str) -> None:
    """The source does not list the document: to it, nothing has changed since the cursor."""
    source = Shelf([document("the plan", id="a", labels=SECRET), document("other", id="b")])
    bench.ingest.sync(source)
    opened = Shelf([replace(source.documents[0], labels=frozenset({ORG})), source.documents[1]])
    killed(bench, "relabel", lambda ingest: REPAIRS[killer](ingest, opened))
    assert bench.store.read("a", EVERYBODY, 1)
    source.changed = []
    REPAIRS[repair](bench.ingest, source)
    assert bench.store.read("a", EVERYBODY, 1) == ()
    assert bench.store.read("a", Audience(SECRET), 1)
    assert bench.ingest.check() is None
    bench.ingest.sync(source)
    assert bench.registry.versions("wiki")["a"].labels == SECRET


@pytest.mark.parametrize("at", ["upsert", "trim", "flush", "record", "set"])
def test_text_written_by_who_was_killed_goes_back_with_the_source(bench: Bench, at: str) -> None:
    source = shelf()
    bench.ingest.sync(source)
    before = contents(bench.store, bench.registry)
    newer = Shelf([*source.documents[:3], document(LONG, id="d", version="2")])
    killed(bench, at, lambda ingest: ingest.sync(newer), after=at != "set")
    source.changed = []
    report = bench.ingest.sync(source)
    assert report.deleted == 0
    assert contents(bench.store, bench.registry) == before
    assert bench.ingest.check() is None
    assert bench.ingest.sync(source).read == 0  # not in full again


def test_what_the_killed_left_is_deleted_if_it_is_gone(bench: Bench) -> None:
    source = shelf()
    bench.ingest.sync(source)
    more = Shelf([*source.documents, document("a draft", id="e")])
    killed(bench, "upsert", lambda ingest: ingest.sync(more))
    assert bench.store.read("e", EVERYBODY, 1)
    assert bench.ingest.check() is None  # the next sync will see to it
    source.changed = []
    assert bench.ingest.sync(source).deleted == 1
    assert bench.store.read("e", EVERYBODY, 1) == ()
    assert "e" not in bench.registry.versions("wiki")


@pytest.mark.parametrize("at", ["delete", "flush", "forget"])
def test_what_the_killed_deleted_and_the_source_restored_is_back(bench: Bench, at: str) -> None:
    source = shelf()
    bench.ingest.sync(source)
    before = contents(bench.store, bench.registry)
    killed(bench, at, lambda ingest: ingest.sync(Shelf(source.documents[1:]), full=True))
    source.changed = []
    bench.ingest.sync(source)
    assert contents(bench.store, bench.registry) == before


@pytest.mark.parametrize("at", ["delete", "flush", "forget"])
def test_a_document_that_was_bad_when_killed_is_back(bench: Bench, at: str) -> None:
    source = shelf()
    bench.ingest.sync(source)
    before = contents(bench.store, bench.registry)
    bad = Shelf([replace(source.documents[0], labels=frozenset()), *source.documents[1:]])
    killed(bench, at, lambda ingest: ingest.sync(bad))
    bench.ingest.sync(source)
    assert contents(bench.store, bench.registry) == before


@pytest.mark.parametrize("at", ["set", "delete", "flush", "forget"])
def test_a_removal_that_was_killed_is_repeated_or_taken_back(bench: Bench, at: str) -> None:
    bench.ingest.sync(Shelf([document("other", id="o", source="jira")], name="jira"))
    for again in (True, False):
        source = shelf()
        bench.ingest.sync(source)
        before = contents(bench.store, bench.registry)
        killed(bench, at, lambda ingest: ingest.remove("wiki"))
        if again:
            bench.ingest.remove("wiki")
            assert bench.store.documents("wiki") == bench.registry.versions("wiki") == {}
            assert bench.ingest.remove("wiki") == 0
        else:  # it is configured again
            source.changed = []
            bench.ingest.sync(source)
            assert contents(bench.store, bench.registry) == before
        assert bench.store.documents("jira") == {"o": 1}
        assert bench.ingest.check() is None


def test_an_earlier_state_in_the_same_batch_does_not_win(bench: Bench) -> None:
    """A listing whose pages shift may show a document twice."""
    source = Shelf([document("old", id="a")])
    bench.ingest.sync(source)
    wider, newer = frozenset({ORG, "x"}), frozenset({ORG, "y"})
    source.documents = [document("old", id="a", labels=wider), document("new", id="a", version="2", labels=newer)]
    bench.ingest.sync(source)
    assert bench.registry.versions("wiki")["a"].version == "2"
    [held] = bench.store.read("a", Audience(newer), 9)
    assert held.text == "new"


def test_a_sync_that_broke_off_does_not_embed_again(bench: Bench) -> None:
    source = shelf()
    bench.ingest.sync(source)
    source.documents[0] = replace(source.documents[0], text="new", version="2")

    class Breaking(Shelf):
        def changed_since(self, cursor: str) -> Iterator[Document]:
            yield from super().changed_since(cursor)
            raise SourceUnavailable("reset by peer")

    with pytest.raises(SourceUnavailable):
        bench.ingest.sync(Breaking(source.documents))
    assert bench.ingest.sync(source).chunks == 0
    assert bench.registry.versions("wiki")["a"].version == "2"


def test_an_embedder_that_fails_leaves_the_index_as_it_was(bench: Bench) -> None:
    source = shelf()
    bench.ingest.sync(source)
    before = contents(bench.store, bench.registry)
    source.documents[0] = replace(source.documents[0], text="new", version="2")

    failing = refusing(bench.embedders, EmbedderUnavailable("the embedder is gone"))
    with pytest.raises(EmbedderUnavailable):
        Ingest(bench.store, failing, bench.registry, bench.cursors).sync(source)
    assert contents(bench.store, bench.registry) == before
    assert bench.registry.log[-1][0] == "failed"


def test_a_large_source_is_held_in_memory_in_parts(bench: Bench) -> None:
    """No write is larger than a batch, and documents are recorded long before the last one is read."""
    sizes: list[int] = []
    recorded: list[int] = []

    class Watching:
        def __getattr__(self, name: str):
            return getattr(bench.store, name)

        def upsert(self, points) -> None:
            sizes.append(len(points))
            bench.store.upsert(points)

    class Many(Shelf):
        def load(self) -> Iterator[Document]:
            for number in range(1_300):
                recorded.append(len(bench.registry.versions("wiki")))
                yield document(f"text {number}", id=f"n{number}")

        def ids(self) -> set[str]:
            return {f"n{number}" for number in range(1_300)}

    Ingest(Watching(), bench.embedders, bench.registry, bench.cursors).sync(Many())
    assert max(sizes) <= 1024
    assert recorded[-1] >= 1_000
