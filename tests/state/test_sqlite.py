import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import event

from state.cursors import Cursors
from state.db import open_database
from state.errors import DatabaseLocked, DatabaseUnusable, StorageFull
from state.jobs import Jobs
from tests.state.parts import LEASE, accept, answer, pragma, sqlite_only


def test_opened_for_durability(tmp_path):
    database = open_database(str(tmp_path / "new" / "folders" / "100%" / "state.db"))
    assert pragma(database, "journal_mode") == "wal"
    assert pragma(database, "synchronous") == 2  # FULL
    assert pragma(database, "foreign_keys") == 1
    assert pragma(database, "busy_timeout") == 10_000
    database.dispose()


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


@sqlite_only
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
