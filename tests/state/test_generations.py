"""Generations of the index, and what belongs to each."""

import pytest
from sqlalchemy.exc import IntegrityError

from state.cursors import Cursors
from state.db import Database
from state.errors import StateError
from state.generations import Generations
from state.registry import Registry
from state.tables import Generation
from state.types import GenerationView
from tests.state.test_registry import Indexed


@pytest.fixture
def generations(database, clock):
    return Generations(database, clock)


def test_the_first_is_searched_at_once_and_the_next_when_it_is_complete(generations, clock):
    assert generations.searched() is None
    generations.remember("a", {"size": 1})
    clock.tick()
    generations.remember("b", {"size": 2})
    assert generations.all() == (
        GenerationView("a", {"size": 1}, searched=True, complete=False),
        GenerationView("b", {"size": 2}, searched=False, complete=False),
    )
    generations.completed("a")
    generations.remember("a", {"size": 1, "batch": 9})
    assert generations.all()[0] == GenerationView("a", {"size": 1, "batch": 9}, searched=True, complete=True)
    generations.completed("b")
    assert generations.searched() == "b"
    assert [view.searched for view in generations.all()] == [False, True]
    generations.search("a")
    assert generations.searched() == "a"


def test_two_are_never_searched(generations, database: Database, clock):
    generations.remember("a", {})
    with pytest.raises((StateError, IntegrityError)), database.writing() as session:
        session.add(Generation(name="b", settings={}, searched=True, complete=False, created_at=clock()))


def test_each_has_documents_sources_and_cursors_of_its_own(database, clock, generations):
    old, new = (Registry(database, clock, generation=name) for name in ("old_1", "oldx1"))
    positions = [Cursors(database, generation=name) for name in ("old_1", "oldx1")] + [Cursors(database)]
    for number, cursors in enumerate(positions):
        cursors.set("source:wiki", str(number))
    old.record("wiki", [Indexed(f"d{n}") for n in range(12_000)])
    new.record("wiki", [Indexed("d1", version="v2", masked=1)])
    old.succeeded("wiki", clock())
    new.started("wiki")
    assert new.versions("wiki")["d1"].version == "v2"
    assert old.versions("wiki")["d1"].version == "v1"
    assert (old.count("wiki"), new.count("wiki")) == (12_000, 1)
    assert [(view.documents, view.masked) for view in new.sources()] == [(1, 1)]
    assert new.last_success("wiki") is None
    new.forget(["d1"])
    assert old.count("wiki") == 12_000

    generations.remember("old_1", {})
    for _ in range(2):
        generations.forget("old_1")
    assert generations.all() == ()
    assert old.sources() == ()
    assert (old.count("wiki"), len(new.sources())) == (0, 1)
    assert [cursors.get("source:wiki") for cursors in positions] == [None, "1", "2"]


def test_all_that_is_known_of_one_is_copied_to_another_and_replaces_what_was_known_of_that(
    database, clock, generations
):
    old, new = (Registry(database, clock, generation=name) for name in ("old", "new"))
    generations.remember("old", {"size": 1})
    clock.tick()
    generations.remember("new", {"size": 2})
    old.record("wiki", [Indexed("d1", labels=frozenset({"org"})), Indexed("d2")])
    old.succeeded("wiki", clock())
    Cursors(database, generation="old").set("source:wiki", "7")
    Cursors(database, generation="older").set("source:wiki", "9")
    new.record("jira", [Indexed("d3")])
    Cursors(database, generation="new").set("source:jira", "8")
    for _ in range(2):
        generations.copied("old", "new")
        assert new.versions("wiki") == old.versions("wiki")
        assert new.sources() == old.sources()
        assert new.count("jira") == 0
        assert Cursors(database, generation="new").get("source:wiki") == "7"
        assert Cursors(database, generation="new").get("source:jira") is None
    assert [(view.name, view.searched, view.settings) for view in generations.all()] == [
        ("old", True, {"size": 1}),
        ("new", False, {"size": 2}),
    ]
