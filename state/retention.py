"""How long what was asked and answered is kept, and taking it out so that it is gone from the file as well.

A job is deleted with all that hangs on it: its story, posts, feedback, review and draft. Its seen key stays, a line
without any text, so that the same request is never answered a second time, whoever repeats it. Since the key's job is
gone, nothing can make a post under its delivery keys again.
"""

import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

from sqlalchemy import ColumnElement, delete, update
from sqlmodel import Session, col, select

from state.cursors import Cursors
from state.db import Database
from state.errors import DatabaseLocked
from state.leases import Clock, utc_now
from state.tables import Draft, Feedback, Job, JobEvent, Leased, Post, Refusal, Review, Seen
from state.views import stored

AT_ONCE = 200
"""Rows of a transaction: other writers wait for no more than this."""
TRACES = ("searches", "audit")
"""Parts of a job's result: how its evidence was found, and what models were shown."""
REPLY = "reply"
"""The part of a job's result that holds the text of its posts."""

_ENDED = ("done", "gone", "failed")
_UNDER_WAY = ("queued", "running")
_NEVER_SENT_AGAIN = ("sent", "dropped", "cancelled")
_TRIES, _PAUSE = 50, 0.1

Row = TypeVar("Row", bound=Leased)


@dataclass(frozen=True, slots=True)
class Kept:
    """For how long; None: for ever."""

    jobs: timedelta | None
    posts: timedelta | None
    traces: timedelta | None


@dataclass(frozen=True, slots=True)
class Pruned:
    """How many of each lost their text."""

    jobs: int
    posts: int
    traces: int


class Retention:
    """Deletes what is too old, a few rows at a time. Raises `StateError`."""

    def __init__(self, database: Database, clock: Clock = utc_now) -> None:
        self._database = database
        self._clock = clock
        self._cursors = Cursors(database)

    def prune(self, kept: Kept) -> Pruned:
        """Delete what is older. Jobs under way, and jobs with a post under way, are left alone. Again is no harm."""
        now = self._clock()
        jobs = self._jobs(now - kept.jobs) if kept.jobs is not None else 0
        posts = self._since("posts", now - kept.posts, self._posts) if kept.posts is not None else 0
        traces = self._since("traces", now - kept.traces, self._traces) if kept.traces is not None else 0
        if jobs or posts or traces:
            wipe(self._database)
        return Pruned(jobs, posts, traces)

    def _jobs(self, before: datetime) -> int:
        return delete_settled(self._database, col(Job.finished_at) < before)

    def _since(self, what: str, before: datetime, prune: Callable[[datetime | None, datetime], int]) -> int:
        """Only what has grown too old since the last time is looked at."""
        name = f"retention:{what}"
        last = self._cursors.get(name)
        count = prune(datetime.fromisoformat(last) if last else None, before)
        if last is None or datetime.fromisoformat(last) < before:
            self._cursors.set(name, before.isoformat())
        return count

    def _posts(self, after: datetime | None, before: datetime) -> int:
        wanted = [col(Post.settled_at) < before, col(Post.state).in_(_NEVER_SENT_AGAIN)]
        wanted += [] if after is None else [col(Post.settled_at) >= after]

        def emptied(session: Session, job: Job) -> int:
            mine = update(Post).where(col(Post.job_id) == job.id, *wanted).values(payload={})
            if job.state in _ENDED:
                without(job, (REPLY,))
            return session.connection().execute(mine).rowcount

        return each(self._database, Job, [col(Job.id).in_(select(Post.job_id).where(*wanted))], emptied)

    def _traces(self, after: datetime | None, before: datetime) -> int:
        wanted = [col(Job.finished_at) < before, col(Job.state).in_(_ENDED)]
        wanted += [] if after is None else [col(Job.finished_at) >= after]
        return each(self._database, Job, wanted, lambda _session, job: without(job, TRACES))


def settled() -> tuple[ColumnElement[bool], ...]:
    """That a job has ended, and nothing of it waits to be sent."""
    waiting = select(Post.id).where(col(Post.job_id) == col(Job.id), col(Post.state).in_(_UNDER_WAY))
    return col(Job.state).in_(_ENDED), ~waiting.exists()


def delete_settled(database: Database, *wanted: ColumnElement[bool]) -> int:
    """Delete the jobs that are wanted and `settled`, a few in each transaction; how many."""
    last, count = 0, 0
    while True:
        with erasing(database) as session:
            some = select(Job.id).where(*wanted, *settled(), col(Job.id) > last).order_by(col(Job.id)).limit(AT_ONCE)
            found = session.exec(some.with_for_update()).all()
            ids = _still(session, Job, found, settled())
            delete_jobs(session, ids)
        count += len(ids)
        if len(found) < AT_ONCE:
            return count
        last = stored(found[-1])


def delete_jobs(session: Session, ids: Sequence[int]) -> None:
    """Delete jobs with all that hangs on them; of each, its seen key stays, without the delivery's name."""
    connection = session.connection()
    keys = select(Job.key).where(col(Job.id).in_(ids)).scalar_subquery()
    connection.execute(update(Seen).where(col(Seen.key).in_(keys)).values(delivery_id=None))
    for table in (JobEvent, Post, Feedback, Review, Draft, Refusal):
        connection.execute(delete(table).where(col(table.job_id).in_(ids)))
    connection.execute(delete(Job).where(col(Job.id).in_(ids)))


def without(job: Job, parts: Collection[str]) -> bool:
    """Take parts out of a job's result; whether any of them was there."""
    held = job.result or {}
    there = any(part in held for part in parts)
    if there:
        job.result = {name: value for name, value in held.items() if name not in parts}
    return there


def each(
    database: Database,
    table: type[Row],
    wanted: Collection[ColumnElement[bool]],
    change: Callable[[Session, Row], int],
) -> int:
    """Change the rows that are wanted, a few in each transaction, erasing what they held; the sum of what was changed.

    What hangs on a row is changed after it, in the order of `state.rows.FOR_CHANGE`.
    """
    last, count = 0, 0
    while True:
        with erasing(database) as session:
            some = select(table).where(*wanted, col(table.id) > last).order_by(col(table.id)).limit(AT_ONCE)
            rows = session.exec(some.with_for_update(key_share=True)).all()
            still = set(_still(session, table, [row.id for row in rows], wanted))
            count += sum(change(session, row) for row in rows if row.id in still)
        if len(rows) < AT_ONCE:
            return count
        last = stored(rows[-1].id)


def _still(
    session: Session, table: type[Leased], ids: Sequence[int | None], wanted: Collection[ColumnElement[bool]]
) -> list[int]:
    """Which of these rows, locked by now, are still wanted. PostgreSQL looks again at a row for which it waited, but
    not at the other tables: an administrator may have started its posts again meanwhile.
    """
    return [stored(one) for one in session.exec(select(table.id).where(col(table.id).in_(ids), *wanted)).all()]


@contextmanager
def erasing(database: Database) -> Iterator[Session]:
    """A transaction whose deletions are written over with zeros, where the database is a file."""
    with database.writing() as session:
        if session.get_bind().dialect.name == "sqlite":
            session.connection().exec_driver_sql("PRAGMA secure_delete=ON")
        yield session


def wipe(database: Database, *, wholly: bool = False) -> None:
    """Empty SQLite's log, which still holds the pages as they were; `wholly`: rewrite the file, too, in case something
    was deleted before deletions were written over. PostgreSQL's own vacuum does it in its time.

    Raises DatabaseLocked when somebody reads for so long that the log cannot be emptied.
    """
    with database.reading() as session:
        bind = session.get_bind()
        if bind.dialect.name != "sqlite":
            return
        file = bind.engine.url.database
    try:
        with closing(sqlite3.connect(str(file), timeout=60)) as connection:
            if wholly:
                connection.execute("VACUUM")
            connection.execute("PRAGMA busy_timeout=0")  # while it waits for a reader, nobody could write
            for _ in range(_TRIES):
                if connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0:
                    return
                time.sleep(_PAUSE)
    except sqlite3.Error as e:
        raise DatabaseLocked(f"{file} could not be rewritten: {e}. What was deleted is; do it again.") from e
    raise DatabaseLocked(f"{file} is read all the time, so its log could not be emptied; do it again.")
