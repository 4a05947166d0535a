"""What the reviews of a ticket have told, and which of their findings people set aside."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import Subquery
from sqlmodel import Session, col, func, select

from state.db import Database
from state.rows import put
from state.tables import Dismissal, Job, Post, Review
from state.types import Dismissed, NewReview, ReviewView
from state.views import stored

LATEST = 50
"""Reviews of one subject that are looked back at."""


class Reviews:
    """Reads what `Jobs.finish` remembers. Raises `StateError`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def told(self, subject: str, before: datetime | None = None) -> tuple[ReviewView, ...]:
        """The latest reviews of a subject whose reply was posted (`before` then, by our clock), oldest first.

        One that nobody was shown does not count: its post is held, failed, or still waiting.
        """
        posted = first_posts()
        mine = (posted.c.job_id == Review.job_id) & (posted.c.round == Review.round)
        wanted = [col(Review.subject) == subject, *([] if before is None else [posted.c.at < before])]
        latest = select(Review, posted.c.at).join(posted, mine).where(*wanted).order_by(posted.c.at.desc())
        with self._database.reading() as session:
            rows = session.exec(latest.limit(LATEST)).all()
            return tuple(_view(review, at) for review, at in reversed(rows))

    def subjects(self, since: datetime | None, after: str, limit: int) -> tuple[str, ...]:
        """What reviews were posted of (since then, by our clock), by name: so many beyond the name `after`."""
        posted = first_posts()
        mine = (posted.c.job_id == Review.job_id) & (posted.c.round == Review.round)
        wanted = [col(Review.subject) > after, *([] if since is None else [posted.c.at >= since])]
        some = select(Review.subject).join(posted, mine).where(*wanted).distinct().order_by(col(Review.subject))
        with self._database.reading() as session:
            return tuple(session.exec(some.limit(limit)))

    def last(self, subject: str, held: Collection[str], before: datetime | None = None) -> ReviewView | None:
        """The last of `told` that was made for nothing beyond the labels `held`, so that whoever holds them saw it."""
        return next((view for view in reversed(self.told(subject, before)) if view.made_for <= set(held)), None)

    def dismissals(self, subject: str) -> tuple[Dismissed, ...]:
        """What was set aside, oldest first. The comments may be gone since: that is for the reader to look at."""
        oldest = select(Dismissal).where(col(Dismissal.subject) == subject)
        with self._database.reading() as session:
            rows = session.exec(
                oldest.order_by(col(Dismissal.at), col(Dismissal.comment_id), col(Dismissal.fingerprint))
            )
            return tuple(
                Dismissed(row.subject, row.fingerprint, row.reason, row.by, row.comment_id, row.at) for row in rows
            )


def first_posts() -> Subquery:
    """Of each job and round that was told: when its first part was posted (`at`)."""
    return (
        select(Post.job_id, Post.round, func.min(Post.settled_at).label("at"))
        .where(col(Post.state) == "sent")
        .group_by(col(Post.job_id), col(Post.round))
        .subquery()
    )


def remember(session: Session, job: Job, review: NewReview | None, dismissals: Iterable[Dismissed]) -> None:
    """Keep what a job tells and sets aside, in the transaction that ends it. Again is no harm."""
    if review is not None:
        put(
            session,
            Review(
                job_id=stored(job.id),
                round=job.round,
                subject=review.subject,
                trigger_id=review.trigger_id,
                made_for=sorted(review.made_for),
                findings=[dict(finding) for finding in review.findings],
                at=review.at,
            ),
        )
    for one in dismissals:
        put(
            session,
            Dismissal(
                subject=one.subject,
                comment_id=one.comment_id,
                fingerprint=one.fingerprint,
                reason=one.reason,
                by=one.by,
                at=one.at,
            ),
        )


def _view(row: Review, told_at: Any) -> ReviewView:
    return ReviewView(
        subject=row.subject,
        trigger_id=row.trigger_id,
        made_for=frozenset(row.made_for),
        findings=tuple(row.findings),
        at=row.at,
        job_id=row.job_id,
        told_at=told_at,
    )
