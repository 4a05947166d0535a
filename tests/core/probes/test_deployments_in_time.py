"""Environments that hang, break or are asked by many at once."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.probes.types import Running
from tests.core.probes.environments import READERS, START, Place


@pytest.fixture
def place(tmp_path):
    place = Place(tmp_path)
    place.mirror.fetch()
    return place


def timed(call):
    began = time.monotonic()
    return call(), time.monotonic() - began


def test_one_that_hangs_delays_nothing_beyond_the_limit_and_hides_nothing_of_the_others(place):
    place.environment("slow", place.first, hangs=3)
    place.environment("staging", place.first)
    deployments = place.deployments(seconds=0.4, whole=2)
    state, seconds = timed(lambda: deployments.state(READERS))
    slow, staging = state.standings
    assert seconds < 1.5
    assert (slow.contained, slow.unread) == ("unknown", "no answer within 0.4 s")
    assert slow.says[0].endswith("is not known: it could not be read (no answer within 0.4 s).")
    assert slow.settled_by
    assert staging.contained == "yes"
    _, again = timed(lambda: deployments.state(READERS, seconds=0.2))
    assert again < 0.6


def test_one_read_serves_everybody_who_asks_meanwhile_and_for_a_while_after(place):
    probe = place.environment("staging", place.first, waits=True)
    deployments = place.deployments(fresh=60)
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(deployments.state, READERS) for _ in range(8)]
        assert probe.entered.wait(5)
        probe.go.set()
        states = [one.result() for one in asked]
    assert (probe.reads, place.memory.kept) == (1, 1)
    assert all(state == states[0] for state in states)
    deployments.state(READERS)
    assert probe.reads == 1
    place.deployments(fresh=0).state(READERS)
    assert probe.reads == 2


def test_an_old_reading_is_said_to_be_one_and_decides_nothing(place):
    probe = place.environment("staging", Running("v1", place.first))
    deployments = place.deployments(fresh=0)
    assert deployments.state(READERS).standings[0].contained == "yes"
    place.clock.tick(24 * 60)
    probe.unread = "no answer within 5 s"
    (one,) = deployments.state(READERS).standings
    assert (one.contained, one.version, one.since) == ("unknown", "", None)
    ran = f"v1 (commit {place.first[:12]})"
    assert one.says[1] == f"staging was last read on 2026-04-01 08:00 UTC; then it ran {ran}."
    assert one.read_at > START


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_reader_that_breaks_is_an_environment_that_was_not_read(place):
    place.environment("broken", place.first, breaks=True)
    (one,) = place.deployments().state(READERS).standings
    assert one.unread == "reading it failed"


def test_a_thread_that_hangs_does_not_keep_the_program(place):
    place.environment("slow", place.first, hangs=1)
    place.deployments(seconds=0.1, whole=0.3).state(READERS)
    assert all(one.daemon for one in threading.enumerate() if one.name.startswith("probe"))
