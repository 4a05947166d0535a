"""What somebody who looks on wants to see of jobs, feedback and leaders: pages of it, and nothing is written."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, func
from sqlmodel import col, select

from state.db import Database
from state.tables import Feedback, Job, Leader, Post
from state.types import FeedbackView, JobState


@dataclass(frozen=True, slots=True)
class Said:
    """A verdict, and the job whose reply it is about."""

    id: int
    job_id: int
    verdict: FeedbackView


@dataclass(frozen=True, slots=True)
class Leading:
    """Who does a task that only one process may do at a time."""

    task: str
    until: datetime
    """In the past: nobody does it now."""


class Looking:
    """Reads alone. Every method is one transaction and raises `StateError`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def jobs(self, state: JobState | None, before: int | None, limit: int) -> tuple[int, ...]:
        """The ids of the newest jobs first, of those older than `before`."""
        wanted: list[ColumnElement[bool]] = [] if state is None else [col(Job.state) == state]
        wanted += [] if before is None else [col(Job.id) < before]
        with self._database.reading() as session:
            query = select(col(Job.id)).where(*wanted).order_by(col(Job.id).desc()).limit(limit)
            return tuple(one for one in session.exec(query) if one is not None)

    def failed(self, since: datetime, limit: int) -> tuple[int, ...]:
        """The newest jobs that ended since then without what was asked for."""
        return self._ended(since, limit, col(Job.state) == "failed")

    def unsent(self, since: datetime, limit: int) -> tuple[int, ...]:
        """The newest jobs that ended well since then, but of whose reply a part could not be posted."""
        stuck = col(Job.id).in_(select(col(Post.job_id)).where(col(Post.state).in_(("failed", "withheld"))))
        return self._ended(since, limit, (col(Job.state) == "done") & stuck)

    def feedback(self, before: int | None, limit: int) -> tuple[Said, ...]:
        """The newest verdicts first, of those older than `before`."""
        wanted = [] if before is None else [col(Feedback.id) < before]
        with self._database.reading() as session:
            rows = session.exec(select(Feedback).where(*wanted).order_by(col(Feedback.id).desc()).limit(limit))
            return tuple(
                Said(row.id, row.job_id, FeedbackView(row.person, row.verdict, row.reason, row.at))
                for row in rows
                if row.id is not None
            )

    def feedback_of(self, job_id: int) -> tuple[FeedbackView, ...]:
        """Of one job, oldest first."""
        with self._database.reading() as session:
            rows = session.exec(select(Feedback).where(col(Feedback.job_id) == job_id).order_by(col(Feedback.id)))
            return tuple(FeedbackView(row.person, row.verdict, row.reason, row.at) for row in rows)

    def verdicts(self) -> Mapping[str, int]:
        """How many people gave which verdict, of each person's verdicts on a job the last."""
        last = select(func.max(Feedback.id)).group_by(col(Feedback.job_id), col(Feedback.person))
        query = select(Feedback.verdict, func.count()).where(col(Feedback.id).in_(last)).group_by(Feedback.verdict)
        with self._database.reading() as session:
            return dict(session.exec(query).all())

    def leaders(self) -> tuple[Leading, ...]:
        """Every task that somebody does or did, by name."""
        with self._database.reading() as session:
            rows = session.exec(select(Leader).order_by(col(Leader.name)))
            return tuple(Leading(row.name, row.until) for row in rows)

    def _ended(self, since: datetime, limit: int, how: ColumnElement[bool]) -> tuple[int, ...]:
        with self._database.reading() as session:
            query = select(col(Job.id)).where(how, col(Job.finished_at) >= since).order_by(col(Job.id).desc())
            return tuple(one for one in session.exec(query.limit(limit)) if one is not None)
