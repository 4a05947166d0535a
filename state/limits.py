"""How much a person, and a place, has asked for in the last hour."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, select

from state import views
from state.db import Database
from state.leases import Clock, utc_now
from state.rows import FOR_CHANGE
from state.tables import Job, Refusal

HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Over:
    """A request that is one too many."""

    of: Literal["person", "place"]
    until: datetime
    """When the oldest that counts is an hour old."""
    told: bool
    """It is told already, by the reply to an earlier request, until when nothing more is answered."""


class Asked:
    """Counts requests. Every method is one transaction and raises `StateError`."""

    def __init__(self, database: Database, clock: Clock = utc_now) -> None:
        self._database = database
        self._clock = clock

    def admit(
        self, job_id: int, *, person: str, place: str, person_hour: int, place_hour: int, tells: bool = True
    ) -> Over | None:
        """Count the job's request, or say why not: the person has `person_hour`, or the place `place_hour`, that count
        within the last hour. 0: no limit.

        One that counts already stays, whatever came after it. A job without a person belongs to the place alone. The
        person is remembered with the job in any case.

        Of the requests that are refused, the first one is to tell until when, unless it is none that `tells` anything;
        it stays that one over all its attempts.
        """
        now = self._clock()
        with self._database.writing(in_turn="asked") as session:
            job = session.get_one(Job, job_id, with_for_update=FOR_CHANGE)
            if job.place:
                return None
            person = job.asked_by = job.asked_by or person
            mine = _since(session, col(Job.asked_by) == person, now, person_hour) if person else None
            here = _since(session, col(Job.place) == place, now, place_hour)
            if mine is None and here is None:
                job.place = place
                return None
            if mine is not None and (here is None or mine >= here):
                return Over("person", mine, not tells or _is_told(session, job_id, (person, ""), now, mine))
            until = views.stored(here)
            return Over("place", until, not tells or _is_told(session, job_id, (person, place), now, until))

    def count(self, *, person: str = "", place: str = "") -> int:
        """How many requests count now: the person's, the place's, or the person's there."""
        wanted = [col(Job.place) != "", *_lately(self._clock())]
        wanted += [col(Job.asked_by) == person] if person else []
        wanted += [col(Job.place) == place] if place else []
        with self._database.reading() as session:
            return len(session.exec(select(Job.id).where(*wanted)).all())


def _since(session: Session, whose: ColumnElement[bool], now: datetime, most: int) -> datetime | None:
    """When one more is free, where `most` count; None where one is free now."""
    if not most:
        return None
    counted = (whose, col(Job.place) != "", *_lately(now))
    newest = select(Job.created_at).where(*counted).order_by(col(Job.created_at).desc())
    full = session.exec(newest.offset(most - 1).limit(1)).first()
    return full + HOUR if full is not None else None


def _lately(now: datetime) -> tuple[ColumnElement[bool], ...]:
    """Within an hour of now. What is further ahead was stored before the clock went back: else nobody who asked then
    would be heard until it has caught up.
    """
    return col(Job.created_at) > now - HOUR, col(Job.created_at) < now + HOUR


def _is_told(session: Session, job_id: int, whom: tuple[str, str], now: datetime, until: datetime) -> bool:
    """Whether another job's reply tells it; else this one's does from now on."""
    row = session.get(Refusal, whom)
    if row is None:
        session.add(Refusal(person=whom[0], place=whom[1], job_id=job_id, until=until))
        return False
    if row.job_id != job_id and now < row.until < now + 2 * HOUR:  # else it was told before the clock went back
        return True
    row.job_id, row.until = job_id, until
    return False
