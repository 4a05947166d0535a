"""The parts of the load bench: they find what is wrong, plan alike from one seed, and measure what they say."""

import hashlib
import itertools
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.load.checks import carried, judge, settled, waits
from evals.load.clock import Clock
from evals.load.disk import disk
from evals.load.faults import EARLIEST, HOSTS, KINDS, LATEST, Dose, schedule
from evals.load.kept import database_ok
from evals.load.samples import Sampler, slope
from evals.load.service import Service
from evals.load.traffic import Asked
from evals.load.visible import Visible
from state.db import open_database
from state.jobs import Jobs
from state.outbox import Outbox
from state.types import NewPost

TS = "1796062401.169430"
KEY = f"slack|T1|C1|{TS}|question"
ASKED = Asked("slack", TS, "C1", 0.0)
ANSWER = f"{KEY}|answer|1"
NOTICE = f"{KEY}|notice 0|1"


@pytest.fixture
def database(tmp_path):
    opened = open_database(tmp_path / "crosscheck.sqlite")
    yield opened
    opened.dispose()


@pytest.fixture
def path(tmp_path, database):
    return tmp_path / "crosscheck.sqlite"


def accepted(database, message=TS):
    payload = {"surface": "slack", "place_id": "C1", "message_id": message}
    jobs = Jobs(database)
    jobs.accept(f"slack|T1|C1|{message}|question", "message", payload, surface="slack", via="event")
    return jobs, payload


def answered(database, *keys):
    """A job all of whose posts were sent."""
    jobs, payload = accepted(database)
    claim = jobs.claim("w", timedelta(minutes=1))
    body = {**payload, "body": {"kind": "message"}}
    posts = [NewPost(key, part=part, parts=len(keys), payload=body) for part, key in enumerate(keys, 1)]
    jobs.finish(claim, "done", {}, posts)
    outbox = Outbox(database)
    while delivery := outbox.claim("w", timedelta(minutes=1)):
        outbox.sent(delivery, "1.1", "https://example.com/1.1", adopted=False)


def seen(*keys, files=(), working=0, wider=0):
    return Visible(Counter(keys), Counter(files), working, wider)


def test_one_answer_that_stands_there_once_is_good(path, database):
    answered(database, ANSWER)
    found = judge(path, [ASKED], seen(ANSWER))
    assert found.good, found
    assert (found.questions, found.answered, found.attempts) == (1, 1, 1)
    assert settled(path, [ASKED])
    assert waits(path) == [pytest.approx(0, abs=5)]


@pytest.mark.parametrize(
    ("visible", "what"),
    [
        (seen(), "missing"),
        (seen(ANSWER, ANSWER), "doubled"),
        (seen(ANSWER, NOTICE), "doubled"),
        (seen(ANSWER, "somebody's"), "unknown"),
        (seen(ANSWER, files=["C1"]), "doubled"),
        (seen(ANSWER, working=1), "working"),
        (seen(ANSWER, wider=1), "wider"),
    ],
)
def test_what_stands_there_wrongly_is_found(path, database, visible, what):
    answered(database, *({ANSWER, NOTICE} & {ANSWER, *visible.keys}))
    found = judge(path, [ASKED], visible)
    assert getattr(found, what) == 1, found
    assert not found.good


def test_a_question_without_a_job_is_lost_and_a_job_that_waits_is_stuck(path, database):
    accepted(database, "1796062402.000000")
    found = judge(path, [ASKED], seen())
    assert (found.lost, found.unasked, found.stuck, found.good) == (1, 0, 1, False)
    assert not settled(path, [ASKED])


def test_an_answer_to_nobody_is_told(path, database):
    answered(database, ANSWER)
    found = judge(path, [], seen(ANSWER))
    assert (found.unasked, found.good) == (1, False)


def test_a_question_that_ended_for_a_reason_is_no_loss(path, database):
    jobs, _ = accepted(database)
    jobs.finish(jobs.claim("w", timedelta(minutes=1)), "gone", {}, error="The message was deleted.")
    found = judge(path, [ASKED], seen())
    assert (found.told_nobody, found.lost, found.good) == (1, 0, True)


def test_a_damaged_database_is_told_from_a_whole_one(path, database):
    answered(database, ANSWER)
    assert database_ok(path)
    with sqlite3.connect(path) as rows:
        rows.execute("PRAGMA foreign_keys=OFF")
        rows.execute("DELETE FROM job")
    assert not database_ok(path)


@given(seconds=st.floats(10, 1000), rounds=st.integers(1, 5), seed=st.integers(0, 99))
def test_the_schedule_has_each_fault_as_often_as_asked_and_only_in_its_time(seconds, rounds, seed):
    dose = Dose(rounds, 1, 1)
    planned = schedule(seconds, dose, random.Random(seed))
    assert planned == schedule(seconds, dose, random.Random(seed))
    assert Counter(kind for _, kind in planned) == dict.fromkeys(KINDS, rounds)
    assert all(EARLIEST * seconds <= at <= LATEST * seconds * 1.000001 for at, _ in planned)
    hosts = [at for at, kind in planned if kind in HOSTS]
    apart = (LATEST - EARLIEST) * seconds / len(hosts)
    assert all(later - at >= apart * 0.999 for at, later in itertools.pairwise(hosts)), "one after the other"


@given(st.floats(-100, 100), st.floats(0, 1000), st.integers(3, 50))
def test_the_slope_of_a_line_is_its_own_without_an_error(per_hour, level, count):
    times = [10.0 * number for number in range(count)]
    found = slope(times, [level + per_hour * at / 3600 for at in times])
    assert found.per_hour == pytest.approx(per_hour, abs=0.01)
    assert found.error == pytest.approx(0, abs=0.01)


def test_noise_is_in_the_error_of_the_slope():
    dice = random.Random(1)
    times = [float(number) for number in range(200)]
    found = slope(times, [300 + dice.gauss(0, 5) for _ in times])
    assert abs(found.per_hour) < 4 * found.error
    assert found.error > 1


def test_no_slope_of_what_was_seen_twice():
    with pytest.raises(ValueError, match="three values"):
        slope([1.0, 2.0], [1.0, 2.0])


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_a_process_whose_clock_is_set_sees_that_at_once_and_its_steady_clock_does_not(tmp_path):
    clock = Clock(tmp_path)
    told = "import sys, time\nfor _ in sys.stdin: print(time.time(), time.monotonic(), flush=True)"
    environment = {**os.environ, **clock.environment}
    with subprocess.Popen(
        [sys.executable, "-c", told], env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:

        def ahead():
            process.stdin.write("\n")
            process.stdin.flush()
            wall, steady = map(float, process.stdout.readline().split())
            return wall - time.time(), steady - time.monotonic()

        for seconds in (0, 3600, -60, 0):
            clock.set_ahead(seconds)
            assert ahead() == (pytest.approx(seconds, abs=2), pytest.approx(0, abs=2))
        process.stdin.close()


def test_a_full_disk_refuses_a_process_to_write_and_then_lets_it(tmp_path):
    """Whichever kind of disk may be had here."""
    told = (
        "import sys\nfor line in sys.stdin:\n try: open(sys.argv[1], 'ab', buffering=0).write(b'x' * 99999); "
        "print('written', flush=True)\n except OSError as error: print(error.errno, flush=True)"
    )
    folder = tmp_path / "data"
    with (
        disk(folder, 64) as room,
        subprocess.Popen(
            [sys.executable, "-c", told, str(folder / "file")], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as process,
    ):

        def write():
            process.stdin.write("\n")
            process.stdin.flush()
            return process.stdout.readline().strip()

        assert write() == "written", room.kind
        room.fill(process.pid)
        assert [write(), write()][1].isdigit(), room.kind
        room.free(process.pid)
        assert write() == "written", room.kind
        process.stdin.close()
    assert not folder.with_suffix(".img").exists()


def test_a_service_that_cannot_start_is_no_endless_wait(tmp_path):
    config = tmp_path / "crosscheck.toml"
    config.write_text("nonsense = 1\n", "utf-8")
    service = Service(config, {}, "http://127.0.0.1:9", tmp_path / "log", start=1.0)
    with pytest.raises(TimeoutError, match="did not start"), service:
        pass
    with pytest.raises(ProcessLookupError):
        os.kill(service.pid, 0)


def test_a_process_is_measured_until_it_ends(tmp_path):
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        with Sampler(lambda: process.pid, tmp_path / "none.sqlite", "http://127.0.0.1:9", 0.02) as sampler:
            time.sleep(0.3)
            process.communicate(b"\n")
            time.sleep(0.2)
        assert len(sampler.samples) >= 3
        assert sampler.samples[-1].threads == 1
        assert all(one.rss_mb >= one.own_mb > 0 for one in sampler.samples[:3])


def test_a_key_on_a_page_is_a_digest():
    assert carried("jira|x") == "jira|x"
    assert carried("confluence|x") == hashlib.sha256(b"confluence|x").hexdigest()[:32]
