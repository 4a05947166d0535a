"""What holds on both engines."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from state.cursors import Cursors
from state.db import open_database
from state.errors import NewerSchema, NotStorable
from state.jobs import Jobs
from state.registry import Registry
from state.tables import Seen
from tests.state.parts import LEASE, accept, pragma


def test_opening_again_keeps_everything(where, clock):
    first = open_database(where)
    job = accept(Jobs(first, clock))
    first.dispose()
    second = open_database(where)
    assert Jobs(second, clock).show(job).job.subject == "PAY-1"
    second.dispose()


def test_many_open_a_new_database_at_once(nowhere):
    with ThreadPoolExecutor(8) as pool:
        databases = list(pool.map(lambda _: open_database(nowhere), range(8)))
    Cursors(databases[0]).set("a", "1")
    assert [Cursors(database).get("a") for database in databases] == ["1"] * 8
    for database in databases:
        database.dispose()


def test_an_exception_rolls_back(database, clock):
    def stopped_half_way():
        with database.writing() as session:
            session.add(Seen(key="k", surface="jira", via="poll", at=clock()))
            session.flush()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped_half_way()
    with database.reading() as session:
        assert session.get(Seen, "k") is None


def test_a_reader_sees_one_moment_while_others_write(database):
    cursors = Cursors(database)
    cursors.set("a", "1")
    with database.reading() as session:
        before = session.connection().exec_driver_sql("SELECT value FROM cursor").scalar_one()
        cursors.set("a", "2")
        assert session.connection().exec_driver_sql("SELECT value FROM cursor").scalar_one() == before == "1"
    assert cursors.get("a") == "2"


def test_a_newer_schema_is_refused(nowhere):
    database = open_database(nowhere)
    with database.writing() as session:
        session.connection().exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(NewerSchema, match=r"written by a newer version of Crosscheck \(schema 9999\)") as caught:
        open_database(nowhere)
    assert caught.value.advice == "wake"
    database.dispose()


def test_any_text_for_people_can_be_stored(jobs):
    nasty = "a\0b \ud800 \U0001f600 \u202eabc" + "x" * 10_000
    job = jobs.accept("k\U0001f600", "review", {nasty: nasty}, surface="jira", via="poll", subject=nasty)
    claim = jobs.claim(nasty, LEASE)
    jobs.fail(claim, nasty, None)
    view = jobs.show(job)
    assert view.job.key == "k\U0001f600"
    assert view.payload == {nasty: nasty}
    assert view.job.error.startswith("a\ufffdb ? \U0001f600 \u202eabcx")
    assert len(view.job.error) == 4_000


@pytest.mark.parametrize("key", ["k\ud800", "k\0"])
def test_a_key_that_no_database_can_hold_is_refused(jobs, key):
    with pytest.raises(NotStorable) as caught:
        accept(jobs, key)
    assert caught.value.advice == "tell"
    assert accept(jobs, "k") is not None


@pytest.mark.parametrize("value", [float("nan"), object(), b"bytes"])
def test_what_is_no_json_is_refused(jobs, value):
    with pytest.raises(NotStorable):
        jobs.accept("k", "review", {"x": value}, surface="jira", via="poll")
    assert accept(jobs, "k") is not None  # the refused one left no trace


def test_naive_times_are_refused(database, clock):
    with pytest.raises(NotStorable):
        Registry(database, clock).succeeded("git", clock().replace(tzinfo=None))


WRITER = """
import sys
from state.db import open_database
from state.jobs import Jobs
jobs = Jobs(open_database(sys.argv[1]))
for n in range(100_000):
    jobs.accept(f"k{n}", "review", {"n": n}, surface="jira", via="webhook")
    print(n, flush=True)
"""


def test_what_was_acknowledged_survives_a_kill(where):
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(where)], stdout=subprocess.PIPE, text=True)
    acknowledged = [int(writer.stdout.readline()) for _ in range(200)]
    os.kill(writer.pid, signal.SIGKILL)
    acknowledged += [int(line) for line in writer.communicate()[0].splitlines()]
    database = open_database(where)
    stored = {job.key for job in Jobs(database).list(limit=1_000_000)}
    assert {f"k{n}" for n in acknowledged} <= stored
    assert len(stored) <= len(acknowledged) + 1
    if isinstance(where, Path):
        assert pragma(database, "integrity_check") == "ok"
    database.dispose()
