from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from threading import Thread

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from state.deployed import Deployed, SeenVersion
from state.sqlite import SQLite
from tests.state.parts import Clock


@dataclass(frozen=True)
class Told:
    version: str
    commit: str = ""


@dataclass(frozen=True)
class Reading:
    probe: str
    at: datetime
    running: tuple[Told, ...]


def read(deployed, clock, *versions, probe="staging"):
    reading = Reading(probe, clock(), tuple(map(Told, versions)))
    deployed.keep(reading)
    return reading


def test_a_version_is_one_span_until_another_is_read_and_comes_back_as_another(database, clock):
    deployed = Deployed(database)
    began = clock()
    for version in ("v1", "v1", "v2", "v1"):
        read(deployed, clock, version)
        clock.tick(60)
    minute = [began + timedelta(minutes=number) for number in range(4)]
    assert deployed.earlier("staging") == [
        SeenVersion("v1", "", minute[3], minute[3]),
        SeenVersion("v2", "", minute[2], minute[2]),
        SeenVersion("v1", "", minute[0], minute[1]),
    ]
    assert deployed.earlier("other") == []


def test_instances_that_differ_are_spans_of_their_own(database, clock):
    deployed = Deployed(database)
    for versions in (("v1",), ("v1", "v2", "v2"), ("v2",)):
        read(deployed, clock, *versions)
        clock.tick(60)
    spans = {one.version: (one.last - one.first).seconds for one in deployed.earlier("staging")}
    assert spans == {"v1": 60, "v2": 60}


def test_what_could_not_be_read_or_came_late_changes_nothing(database, clock):
    deployed = Deployed(database)
    first = read(deployed, clock, "v1")
    clock.tick(60)
    read(deployed, clock)
    read(deployed, clock, "")
    assert deployed.earlier("staging")[0].last == first.at
    deployed.keep(replace(first, at=first.at - timedelta(minutes=1), running=(Told("v0"),)))
    assert [one.version for one in deployed.earlier("staging")] == ["v1"]


def test_it_is_bounded(database, clock):
    deployed = Deployed(database)
    read(deployed, clock, "kept", probe="production")
    for number in range(60):
        clock.tick()
        read(deployed, clock, f"v{number}\0\ud800" + "x" * 5_000)
    assert len(deployed.earlier("staging")) == 50
    assert len(deployed.earlier("production")) == 1


def test_a_database_that_cannot_be_used_costs_the_memory_alone(tmp_path, clock):
    deployed = Deployed(SQLite(tmp_path / "empty.db", timedelta(seconds=1)))  # without tables
    read(deployed, clock, "v1")
    assert deployed.earlier("staging") == ()


def test_many_threads(database, clock):
    deployed = Deployed(database)
    threads = [Thread(target=read, args=(deployed, Clock(), "v1")) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(deployed.earlier("staging")) == 1


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sets(st.sampled_from("abc"), max_size=3), max_size=12), st.integers())
def test_the_newest_spans_are_what_was_read_last(database, told, seed):
    """And no two spans of a version touch."""
    deployed, clock, probe = Deployed(database), Clock(), f"{seed} {told}"
    for versions in told:
        read(deployed, clock, *sorted(versions), probe=probe)
        clock.tick(60)
    spans = deployed.earlier(probe)
    read_last = next((versions for versions in reversed(told) if versions), set())
    latest = max((one.last for one in spans), default=None)
    assert {one.version for one in spans if one.last == latest} == read_last
    heard = [versions for versions in told if versions]
    runs = sum(1 for before, after in zip([set(), *heard], heard, strict=False) for one in after if one not in before)
    assert len(spans) == runs
