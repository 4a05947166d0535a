"""What people thought of the replies."""

from sqlmodel import col, select

from state.db import Database
from state.errors import NotFound
from state.leases import Clock, utc_now
from state.tables import Feedback as Row
from state.tables import Job
from state.types import FeedbackView


class Feedback:
    """Verdicts on jobs. A person may change their mind: all are kept, the last one counts."""

    def __init__(self, database: Database, clock: Clock = utc_now) -> None:
        self._database = database
        self._clock = clock

    def add(self, job_id: int, person: str, verdict: str, reason: str = "") -> None:
        """Raises `NotFound` when there is no such job."""
        with self._database.writing() as session:
            # Locked, lest it be deleted meanwhile for its age.
            if session.get(Job, job_id, with_for_update={"read": True, "key_share": True}) is None:
                raise NotFound(f"There is no job {job_id}.")
            session.add(Row(job_id=job_id, person=person, verdict=verdict, reason=reason, at=self._clock()))

    def of(self, job_id: int) -> tuple[FeedbackView, ...]:
        """Oldest first."""
        with self._database.reading() as session:
            rows = session.exec(select(Row).where(Row.job_id == job_id).order_by(col(Row.id)))
            return tuple(FeedbackView(row.person, row.verdict, row.reason, row.at) for row in rows)
