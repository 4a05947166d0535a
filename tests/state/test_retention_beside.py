"""Deletion of what is old, beside those who still work with it."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta

import psycopg
import pytest

from state.errors import NotFound
from state.feedback import Feedback
from state.forgetting import forget_person
from state.jobs import Jobs
from state.retention import Kept, Retention, wipe
from state.types import NewPost
from tests.state.parts import LEASE, accept, answered, postgresql_only, sqlite_only

DAY = timedelta(days=1)
ALL = Kept(DAY, DAY, DAY)


class Held:
    """A database whose transactions have done all, and wait for a word before they commit."""

    def __init__(self, database):
        self._database = database
        self.done, self.go = threading.Event(), threading.Event()

    @contextmanager
    def writing(self, *, in_turn=""):
        with self._database.writing(in_turn=in_turn) as session:
            yield session
            session.flush()
            self.done.set()
            assert self.go.wait(30)

    def reading(self):
        return self._database.reading()


@contextmanager
def beside(work, *arguments):
    """Work in a thread, over when the block is; its error is raised."""
    with ThreadPoolExecutor(1) as pool:
        under_way = pool.submit(work, *arguments)
        yield
        under_way.result(60)


def is_waited_for(where):
    """Somebody waits for a lock of somebody else."""
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    give_up = time.monotonic() + 30
    with psycopg.connect(where, autocommit=True) as connection:
        while connection.execute(waiting).fetchone() == (0,):
            assert time.monotonic() < give_up
            time.sleep(0.01)


def stuck(jobs, outbox, **more):
    """A job whose reply could not be posted; its id."""
    job = accept(jobs, **more)
    claim = jobs.claim("w", LEASE)
    jobs.finish(claim, "done", {"reply": "text"}, [NewPost("k1|answer|1", 1, 1, {"text": "it"})])
    outbox.fail(outbox.claim("w", LEASE), "refused", None)
    return job


@postgresql_only
@pytest.mark.parametrize("how", ["prune", "forget"])
def test_what_is_started_again_meanwhile_is_not_deleted(database, where, clock, jobs, outbox, how):
    job = stuck(jobs, outbox, asked_by="ann")
    clock.tick(5 * DAY.total_seconds())
    held = Held(database)

    def delete():
        if how == "prune":
            Retention(database, clock).prune(ALL)
        else:
            forget_person(database, "ann", "")

    with beside(Jobs(held, clock).retry, job, "admin"):
        assert held.done.wait(30)
        with beside(delete):
            is_waited_for(where)
            held.go.set()
    assert outbox.claim("w", LEASE).payload == {"text": "it"}
    assert jobs.show(job).job.state == "done"


@postgresql_only
def test_posts_are_emptied_in_the_order_in_which_all_lock(database, where, clock, jobs, outbox):
    """A job before its posts, else two would wait for each other and one of them were broken off."""
    job = answered(jobs, parts=2)
    outbox.sent(outbox.claim("w", LEASE), "1", "https://x/1", adopted=False)
    clock.tick(2 * DAY.total_seconds())
    outbox.fail(outbox.claim("w", LEASE), "refused", None)
    retrying, locked = Held(database), threading.Event()

    class Slow:
        """Locks the job, and the posts a while later."""

        @contextmanager
        def writing(self, *, in_turn=""):
            with database.writing(in_turn=in_turn) as session:
                session.connection().exec_driver_sql(f"SELECT id FROM job WHERE id = {job} FOR NO KEY UPDATE")
                locked.set()
                assert retrying.go.wait(30)
                yield session

    with beside(Jobs(Slow(), clock).retry, job, "admin"):
        assert locked.wait(30)
        with beside(Retention(database, clock).prune, Kept(None, DAY, None)):
            is_waited_for(where)
            retrying.go.set()
    assert [post.state for post in jobs.show(job).posts] == ["sent", "queued"]


@postgresql_only
def test_an_opinion_of_what_is_being_deleted_is_of_nothing(database, where, clock, jobs):
    job = accept(jobs)
    jobs.finish(jobs.claim("w", LEASE), "done", {})
    clock.tick(5 * DAY.total_seconds())
    held = Held(database)

    def judged():
        with pytest.raises(NotFound):
            Feedback(database, clock).add(job, "ann", "wrong")

    with beside(Retention(held, clock)._jobs, clock() - DAY):
        assert held.done.wait(30)
        with beside(judged):
            is_waited_for(where)
            held.go.set()


@sqlite_only
def test_who_reads_for_long_does_not_keep_others_from_writing(database, jobs):
    """The log is emptied once nobody reads it; who waits for that in SQLite holds the turn to write."""
    accept(jobs, "k1")
    with beside(wipe, database), database.reading() as session:
        session.connection().exec_driver_sql("SELECT count(*) FROM job").scalar_one()
        accept(jobs, "k2")
        deadline = time.monotonic() + 2
        n = 2
        while time.monotonic() < deadline:
            n += 1
            accept(jobs, f"k{n}")
            time.sleep(0.05)
