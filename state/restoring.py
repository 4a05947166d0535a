"""What a database that comes from a backup must be told, so that nothing is said a second time.

Between the backup and its restoration the service went on: jobs that wait in it may have been answered, posts that wait
in it may have been sent. What a platform can be asked about begins anew and is looked up before anything is sent; what
it cannot be asked about is never sent.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, delete, or_
from sqlmodel import Session, col, select

from state.cursors import Cursors
from state.db import Database
from state.jobs import BEFORE
from state.leases import Clock, note, settle, start_over, utc_now
from state.sole import refuse_others
from state.tables import Cursor, Document, Generation, Job, Leader, Post, Source
from state.views import stored

CURSOR = "restored"
"""When the database was last restored from a backup."""
MAY_HAVE_BEEN = "It may have been sent before the backup was restored, and cannot be looked up: it is not sent again."
_STORY = "backup restored"
_UNDER_WAY = ("queued", "running")


@dataclass(frozen=True, slots=True)
class Marked:
    """How many of each."""

    jobs: int
    """Begin anew: it is looked up whether they were answered."""
    posts: int
    """Begin anew: they are looked up before they are sent."""
    never: int
    """Jobs that end here, since nobody can tell whether they were answered."""


def mark(database: Database, private: Collection[str], clock: Clock = utc_now) -> Marked:
    """Mark a database as restored. Again is no harm. Raises DatabaseLocked while the service uses it: its workers would
    not look first.

    `private` are the kinds of jobs whose answers cannot be looked up. What was known of the index is forgotten, since
    the one that exists, if any, is of another moment: whoever marks deletes it first.
    """
    now = clock()
    with database.writing() as session:
        refuse_others(session)
        never, again = _jobs(session, private, now)
        posts, ended = _posts(session, private, now)
        for table in (Document, Source, Generation, Leader):
            session.connection().execute(delete(table))
        session.connection().execute(delete(Cursor).where(_of_the_index()))
        session.merge(Cursor(name=CURSOR, value=now.isoformat()))
        return Marked(again, posts, len(never | ended))


def restored_at(database: Database) -> datetime | None:
    """When this database was last restored from a backup; None if it never was."""
    value = Cursors(database).get(CURSOR)
    return datetime.fromisoformat(value) if value else None


def _of_the_index() -> ColumnElement[bool]:
    return or_(col(Cursor.name).startswith("index:"), col(Cursor.name).startswith("swept:"))


def _jobs(session: Session, private: Collection[str], now: datetime) -> tuple[set[int], int]:
    never, again = set(), 0
    for job in session.exec(select(Job).where(col(Job.state).in_(_UNDER_WAY))).all():
        if job.kind in private:
            settle(job, "done")  # not failed: a failed one could be started again
            job.finished_at, job.error = now, MAY_HAVE_BEEN
            note(session, stored(job.id), now, _STORY, MAY_HAVE_BEEN)
            never.add(stored(job.id))
        else:
            start_over(job, now)
            note(session, stored(job.id), now, _STORY, "it is looked up whether it was answered since")
            again += 1
    return never, again


def _posts(session: Session, private: Collection[str], now: datetime) -> tuple[int, set[int]]:
    again, ended = 0, set()
    waiting = select(Post, Job.kind).join(Job).where(col(Post.state).in_(_UNDER_WAY))
    for post, kind in session.exec(waiting).all():
        if post.round == BEFORE:  # a word about waiting, of a wait that is over
            settle(post, "cancelled")
            post.settled_at = now
        elif kind in private:
            settle(post, "failed")
            post.begun, post.error, post.settled_at = True, MAY_HAVE_BEEN, now
            if post.job_id not in ended:
                note(session, post.job_id, now, _STORY, MAY_HAVE_BEEN)
            ended.add(post.job_id)
        else:
            start_over(post, now)
            again += 1
    return again, ended
