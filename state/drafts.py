"""What was drafted in a thread, for the next request there to go on with."""

from sqlalchemy import func
from sqlmodel import Session, col, delete, select

from state.db import Database
from state.errors import Overtaken
from state.reviews import first_posts
from state.rows import put_first
from state.tables import Draft, Job, Post
from state.types import DraftView, NewDraft
from state.views import stored


class Drafts:
    """Reads what `Jobs.finish` remembers. Raises `StateError`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def latest(self, subject: str) -> DraftView | None:
        """The draft of a thread that was posted last; None while there is none.

        One that nobody was shown does not count: its post is held, failed, or still waiting.
        """
        posted = first_posts()
        mine = (posted.c.job_id == Draft.job_id) & (posted.c.round == Draft.round)
        newest = (
            select(Draft, posted.c.at)
            .join(posted, mine)
            .join(Job)
            .where(col(Draft.subject) == subject, col(Job.state) == "done")
            .order_by(posted.c.at.desc(), col(Draft.job_id).desc())
            .limit(1)
        )
        with self._database.reading() as session:
            found = session.exec(newest).one_or_none()
        if found is None:
            return None
        row, told_at = found
        return DraftView(
            subject=row.subject,
            version=row.version,
            record=row.record,
            made_for=frozenset(row.made_for),
            rests_on=frozenset(row.rests_on),
            at=row.at,
            job_id=row.job_id,
            told_at=told_at,
        )

    def next_version(self, subject: str) -> int:
        """The number that no draft of the thread has, shown or not; from 1."""
        with self._database.reading() as session:
            newest = session.exec(select(func.max(Draft.version)).where(Draft.subject == subject)).one()
        return (newest or 0) + 1

    def is_waiting(self, subject: str) -> bool:
        """Whether a draft of the thread is stored and about to be shown, so that it is not to be gone past."""
        with self._database.reading() as session:
            mine = (col(Post.job_id) == Draft.job_id) & (col(Post.round) == Draft.round)
            under_way = (
                select(Draft.job_id)
                .join(Post, mine)
                .where(Draft.subject == subject, Post.part == 1, col(Post.state).in_(("queued", "running")))
            )
            return session.exec(under_way.limit(1)).first() is not None


def remember(session: Session, job: Job, draft: NewDraft | None) -> None:
    """Keep what a job drafts, in the transaction that ends it, in place of what an earlier round of it drafted.

    Raises `Overtaken` when another job has stored this version.
    """
    if draft is None:
        return
    session.exec(delete(Draft).where(col(Draft.job_id) == job.id))
    new = Draft(
        job_id=stored(job.id),
        round=job.round,
        subject=draft.subject,
        version=draft.version,
        record=dict(draft.record),
        made_for=sorted(draft.made_for),
        rests_on=sorted(draft.rests_on),
        at=draft.at,
    )
    if not put_first(session, new):
        raise Overtaken(f"Version {draft.version} of the draft has been made by another request meanwhile.")
