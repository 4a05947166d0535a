import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest

from state.cursors import Cursors
from state.errors import NotFound
from state.feedback import Feedback
from state.registry import Registry
from state.types import Entry
from tests.state.parts import accept

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Indexed:
    id: str
    version: str = "v1"
    kind: str = "page"
    title: str = "Title"
    url: str = "https://wiki.example/1"
    labels: frozenset[str] = frozenset({"org", "confluence:S"})
    chunks: int = 3
    updated: datetime = NOW
    unread: tuple[str, ...] = ()
    masked: int = 0


@pytest.fixture
def registry(database, clock):
    return Registry(database, clock)


def test_documents_are_recorded_replaced_and_forgotten(registry):
    registry.record("wiki", [Indexed("a"), Indexed("b", labels=frozenset({"org"}))])
    registry.record("git", [Indexed("c")])
    registry.record("wiki", iter([Indexed("a", version="v2", chunks=5)]))
    assert registry.versions("wiki") == {
        "a": Entry("v2", 5, frozenset({"org", "confluence:S"}), Indexed.url, NOW),
        "b": Entry("v1", 3, frozenset({"org"}), Indexed.url, NOW),
    }
    registry.forget(["a", "never there"])
    assert (registry.count("wiki"), registry.count("git"), registry.count("none")) == (1, 1, 0)


def test_recording_the_same_again_changes_nothing(registry):
    batch = [Indexed(f"d{n}") for n in range(1_200)]
    registry.record("wiki", batch)
    before = registry.versions("wiki")
    registry.record("wiki", batch + batch[:10])
    assert registry.versions("wiki") == before


def test_an_interrupted_recording_keeps_whole_batches(registry):
    def documents():
        for n in range(700):
            yield Indexed(f"d{n}")
        raise ConnectionError

    with pytest.raises(ConnectionError):
        registry.record("wiki", documents())
    assert registry.count("wiki") == 500


def test_a_document_moves_between_sources(registry):
    registry.record("old", [Indexed("a")])
    registry.record("new", [Indexed("a")])
    assert (registry.versions("old"), list(registry.versions("new"))) == ({}, ["a"])


def test_a_sources_story(registry, clock):
    assert registry.last_success("wiki") is None
    registry.started("wiki")
    began = clock()
    (source,) = registry.sources()
    assert (source.running_since, source.last_attempt, source.last_success) == (began, began, None)
    clock.tick()
    registry.record("wiki", [Indexed("a")])
    registry.succeeded("wiki", began)
    clock.tick()
    registry.started("wiki")
    registry.failed("wiki", "The listing ended early.")
    registry.started("git")
    git, wiki = registry.sources()
    assert (git.name, git.documents, git.last_error) == ("git", 0, None)
    assert (wiki.documents, wiki.last_success, wiki.last_attempt) == (1, began, clock())
    assert (wiki.running_since, wiki.last_error) == (None, "The listing ended early.")
    assert registry.last_success("wiki") == began
    registry.succeeded("wiki", clock())
    assert registry.sources()[1].last_error is None


def test_the_cost_of_a_listing_grows_no_quicker_than_it_does(registry):
    """The real size is 200,000."""

    def cost(source, size):
        registry.record(source, (replace(Indexed("x"), id=f"{source}:{n}.py") for n in range(size)))
        times = []
        for _ in range(3):
            start = time.thread_time()
            assert len(registry.versions(source)) == size
            times.append(time.thread_time() - start)
        return min(times)

    assert cost("large", 10_000) < 40 * cost("small", 1_000)


def test_cursors(database):
    cursors = Cursors(database)
    assert cursors.get("jira") is None
    cursors.set("jira", "1700000000000")
    cursors.set("wiki", "x")
    cursors.set("jira", "1700000000001")
    assert (cursors.get("jira"), cursors.get("wiki")) == ("1700000000001", "x")


def test_feedback(database, jobs, clock):
    feedback = Feedback(database, clock)
    job = accept(jobs)
    feedback.add(job, "ann", "down", "The policy is older.")
    clock.tick()
    feedback.add(job, "ann", "up")
    assert [(entry.person, entry.verdict, entry.reason) for entry in feedback.of(job)] == [
        ("ann", "down", "The policy is older."),
        ("ann", "up", ""),
    ]
    assert feedback.of(job)[1].at - feedback.of(job)[0].at == timedelta(seconds=1)
    with pytest.raises(NotFound):
        feedback.add(99, "ann", "up")


def test_what_could_not_be_read_and_what_was_masked_is_counted_and_listed(registry):
    whole = Indexed("confluence:1", title="Whole")
    partly = Indexed("confluence:2", title="Partly", unread=("picture not read: a.png", "page 2: not read"), masked=2)
    also = Indexed("confluence:3", title="Also", unread=("could not be read: it is encrypted",), masked=1)
    registry.started("wiki")
    registry.record("wiki", [whole, partly, also])
    registry.started("empty")

    views = {view.name: view for view in registry.sources()}

    assert (views["wiki"].documents, views["wiki"].partly, views["wiki"].masked) == (3, 2, 3)
    assert (views["empty"].documents, views["empty"].partly, views["empty"].masked) == (0, 0, 0)
    assert [(view.id, view.unread) for view in registry.unread("wiki", 10)] == [
        ("confluence:3", also.unread),
        ("confluence:2", partly.unread),
    ]
    assert len(registry.unread("wiki", 1)) == 1
    assert registry.versions("wiki")["confluence:2"].unread == partly.unread
    registry.record("wiki", [Indexed("confluence:2", title="Partly")])
    assert [view.id for view in registry.unread("wiki", 10)] == ["confluence:3"]


def test_documents_are_counted_by_their_labels(registry):
    org, secret = frozenset({"org"}), frozenset({"org", "jira:SECRET"})
    registry.record(
        "jira",
        [
            Indexed("jira:1", labels=org),
            Indexed("jira:2", labels=secret, unread=("picture not read: a.png",), masked=2),
            Indexed("jira:3", labels=secret, masked=1),
        ],
    )
    registry.record("wiki", [Indexed("confluence:1", labels=org)])
    found = {one.labels: (one.documents, one.partly, one.masked) for one in registry.counts("jira")}
    assert found == {org: (1, 0, 0), secret: (2, 1, 3)}
    assert registry.counts("nowhere") == ()
