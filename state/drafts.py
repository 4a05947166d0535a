"""What was drafted in a thread, for the next request there to go on with."""

from sqlmodel import Session, col, select

from state.db import Database
from state.reviews import first_posts
from state.tables import Draft, Job
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


def remember(session: Session, job: Job, draft: NewDraft | None) -> None:
    """Keep what a job drafts, in the transaction that ends it, in place of what an earlier round of it drafted."""
    if draft is not None:
        session.merge(
            Draft(
                job_id=stored(job.id),
                round=job.round,
                subject=draft.subject,
                version=draft.version,
                record=dict(draft.record),
                made_for=sorted(draft.made_for),
                rests_on=sorted(draft.rests_on),
                at=draft.at,
            )
        )
