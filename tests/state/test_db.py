import os
import signal
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import event

from state.cursors import Cursors
from state.db import open_database
from state.errors import DatabaseLocked, DatabaseUnusable, NewerSchema, NotStorable, StorageFull
from state.jobs import Jobs
from state.registry import Registry
from state.tables import Seen
from tests.state.parts import LEASE, accept, answer


def pragma(database, name):
    with database.reading() as session:
        return session.connection().exec_driver_sql(f"PRAGMA {name}").scalar_one()


def test_opened_for_durability(tmp_path):
    database = open_database(str(tmp_path / "new" / "folders" / "100%" / "state.db"))
    assert pragma(database, "journal_mode") == "wal"
    assert pragma(database, "synchronous") == 2  # FULL
    assert pragma(database, "foreign_keys") == 1
    assert pragma(database, "busy_timeout") == 10_000
    database.dispose()


def test_opening_again_keeps_everything(path, clock):
    first = open_database(path)
    job = accept(Jobs(first, clock))
    first.dispose()
    second = open_database(path)
    assert Jobs(second, clock).show(job).job.subject == "PAY-1"
    second.dispose()


def test_many_open_a_new_database_at_once(path):
    with ThreadPoolExecutor(8) as pool:
        databases = list(pool.map(lambda _: open_database(path), range(8)))
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


def test_a_locked_database_says_so_and_loses_nothing(path, clock):
    database = open_database(path, busy_timeout=timedelta(milliseconds=50))
    jobs = Jobs(database, clock)
    accept(jobs)
    claim = jobs.claim("w", LEASE)
    shell = sqlite3.connect(path, isolation_level=None)
    shell.execute("BEGIN IMMEDIATE")
    with pytest.raises(DatabaseLocked, match="Another program is writing") as caught:
        jobs.finish(claim, "done", {}, answer(claim))
    assert caught.value.advice == "retry"
    with pytest.raises(DatabaseLocked):
        accept(jobs, "k2")
    assert jobs.show(claim.id).job.state == "running"  # reading goes on
    shell.execute("ROLLBACK")
    shell.close()
    jobs.finish(claim, "done", {}, answer(claim))
    assert accept(jobs, "k2") is not None
    database.dispose()


def test_a_writer_waits_for_another(path, clock):
    database = open_database(path)
    shell = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    shell.execute("BEGIN IMMEDIATE")
    timer = threading.Timer(0.2, lambda: shell.execute("COMMIT"))
    timer.start()
    assert accept(Jobs(database, clock)) == 1
    timer.join()
    shell.close()
    database.dispose()


def test_a_thread_that_never_gets_its_turn_says_so(path):
    database = open_database(path, busy_timeout=timedelta(milliseconds=50))
    cursors = Cursors(database)
    with ThreadPoolExecutor(1) as pool, database.writing():
        blocked = pool.submit(cursors.set, "a", "1")
        with pytest.raises(DatabaseLocked, match="other threads"):
            blocked.result()
    cursors.set("a", "2")
    assert cursors.get("a") == "2"
    database.dispose()


def test_full_storage_says_so_and_loses_nothing(database, clock):
    jobs = Jobs(database, clock)
    accept(jobs)
    claim = jobs.claim("w", LEASE)
    full = pragma(database, "page_count") + 2
    database.dispose()
    limit = [f"PRAGMA max_page_count={full}"]
    event.listen(database._engine, "connect", lambda connection, _: connection.execute(limit[0]))
    with pytest.raises(StorageFull, match="free disk space") as caught:
        jobs.finish(claim, "done", {"text": "x" * 100_000}, answer(claim))
    assert caught.value.advice == "wake"
    with pytest.raises(StorageFull):
        jobs.accept("k2", "review", {"text": "x" * 100_000}, surface="jira", via="poll")
    view = jobs.show(claim.id)
    assert (view.job.state, view.posts) == ("running", ())
    assert pragma(database, "integrity_check") == "ok"
    database.dispose()
    limit[0] = "PRAGMA max_page_count=1000000"
    jobs.finish(claim, "done", {"text": "x" * 100_000}, answer(claim))
    assert jobs.accept("k2", "review", {}, surface="jira", via="poll") is not None


def test_a_newer_schema_is_refused(path, database):
    with database.writing() as session:
        session.connection().exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(NewerSchema, match=r"written by a newer version of Crosscheck \(schema 9999\)") as caught:
        open_database(path)
    assert caught.value.advice == "wake"


@pytest.mark.parametrize(
    "content", [b"no database at all, but long enough to be looked at" * 100, b"SQLite format 3\0"]
)
def test_no_database_is_refused(path, content):
    path.write_bytes(content)
    with pytest.raises(DatabaseUnusable):
        open_database(path)
    assert path.read_bytes() == content


def test_a_folder_in_its_place_is_refused(tmp_path):
    with pytest.raises(DatabaseUnusable, match="cannot be opened"):
        open_database(tmp_path)


def test_a_file_as_its_folder_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DatabaseUnusable, match="cannot be made"):
        open_database(tmp_path / "file" / "state.db")


def test_any_text_for_people_can_be_stored(jobs):
    nasty = "a\0b \ud800 \U0001f600 \u202eabc" + "x" * 10_000
    job = jobs.accept("k\0\U0001f600", "review", {nasty: nasty}, surface="jira", via="poll", subject=nasty)
    claim = jobs.claim(nasty, LEASE)
    jobs.fail(claim, nasty, None)
    view = jobs.show(job)
    assert view.job.key == "k\0\U0001f600"
    assert view.payload == {nasty: nasty}
    assert view.job.error.startswith("a\ufffdb ? \U0001f600 \u202eabcx")
    assert len(view.job.error) == 4_000


def test_a_key_that_no_database_can_hold_is_refused(jobs):
    with pytest.raises(NotStorable) as caught:
        accept(jobs, "k\ud800")
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


def test_what_was_acknowledged_survives_a_kill(path):
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    acknowledged = [int(writer.stdout.readline()) for _ in range(200)]
    os.kill(writer.pid, signal.SIGKILL)
    acknowledged += [int(line) for line in writer.communicate()[0].splitlines()]
    database = open_database(path)
    stored = {job.key for job in Jobs(database).list(limit=1_000_000)}
    assert {f"k{n}" for n in acknowledged} <= stored
    assert len(stored) <= len(acknowledged) + 1
    assert pragma(database, "integrity_check") == "ok"
    database.dispose()
