"""Who holds which row. The rules are the same for reviews (`Job`) and for posts (`Post`)."""

import secrets
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Generic, TypeVar

from sqlalchemy import ColumnElement, and_, case, or_, update
from sqlmodel import Session, col, select

from state.errors import LeaseLost
from state.tables import JobEvent, Leased
from state.types import Claim, Delivery

MAX_ATTEMPTS = 5

Clock = Callable[[], datetime]
Row = TypeVar("Row", bound=Leased)


def utc_now() -> datetime:
    """The time, aware and in UTC."""
    return datetime.now(UTC)


class Leases(Generic[Row]):
    """Takes rows of one table, oldest due first, and keeps everybody else's hands off them.

    A row is taken at most `max_attempts` times to do its work; lost leases count. After that it is taken to be ended
    (`closings`), as many times again; then it ends by itself, so that not even a row whose ending kills the process
    comes back for ever.
    """

    def __init__(self, table: type[Row], clock: Clock, max_attempts: int) -> None:
        self._table = table
        self._clock = clock
        self._max_attempts = max_attempts

    def take(
        self,
        session: Session,
        worker: str,
        lease: timedelta,
        give_up: Callable[[Session, Row], None],
        *ready: ColumnElement[bool],
    ) -> Row | None:
        """The oldest due row that is `ready`, held until now + `lease`; `give_up` ends those that are past help."""
        while (row := self._take(session, worker, lease, ready)) is not None:
            if row.closings <= self._max_attempts:
                return row
            give_up(session, row)
            session.flush()
        return None

    def _take(
        self, session: Session, worker: str, lease: timedelta, ready: tuple[ColumnElement[bool], ...]
    ) -> Row | None:
        table, now = self._table, self._clock()
        oldest = (
            select(table.id)
            .where(col(table.due).is_not(None), _is_due(table, now), *ready)
            .order_by(col(table.due), col(table.id))
            .limit(1)
            .with_for_update(skip_locked=True, key_share=True)  # claims do not queue
        )
        spent = col(table.attempts) >= self._max_attempts
        claim = (
            update(table)
            .where(col(table.id) == oldest.scalar_subquery())
            .values(
                state="running",
                due=now + lease,
                token=secrets.token_hex(16),
                worker=worker,
                attempts=case((spent, col(table.attempts)), else_=col(table.attempts) + 1),
                closings=case((spent, col(table.closings) + 1), else_=col(table.closings)),
            )
            .returning(table)
            .execution_options(synchronize_session=False, populate_existing=True)
        )
        return session.scalars(claim).one_or_none()

    def mine(self, session: Session, held: Claim | Delivery) -> Row:
        """The row, when it is still held by this token. Nobody else can change that before the transaction ends.

        A lease that ran out but that nobody has taken since is still ours.

        Raises:
            LeaseLost: the row was settled or taken by somebody else.

        """
        table = self._table
        statement = (
            select(table)
            .where(col(table.id) == held.id, col(table.token) == held.token)
            .with_for_update(key_share=True)
        )
        row = session.exec(statement).one_or_none()
        if row is None:
            raise LeaseLost(f"The lease of {table.__name__.lower()} {held.id} was lost; somebody else has it.")
        return row

    def extend(self, session: Session, held: Claim | Delivery, lease: timedelta) -> datetime:
        """The new end of the lease, counted from now."""
        row = self.mine(session, held)
        row.due = self._clock() + lease
        return row.due

    def hand_back(self, session: Session, held: Claim | Delivery, pause: timedelta = timedelta(0)) -> Row:
        """Put the row back as if it had not been taken, to be taken after the pause."""
        row = self.mine(session, held)
        requeue(row, self._clock() + pause)
        if row.closings:
            row.closings -= 1
        else:
            row.attempts -= 1
        return row


def _is_due(table: type[Leased], now: datetime) -> ColumnElement[bool]:
    """Also what waits since a time that is yet to come: the clock was set back meanwhile, maybe by an hour."""
    return or_(col(table.due) <= now, and_(col(table.state) == "queued", col(table.created_at) > now))


def requeue(row: Leased, due: datetime) -> None:
    """Let go of the row; it may be taken from `due` on."""
    settle(row, "queued")
    row.due = due


def settle(row: Leased, state: str) -> None:
    """Let go of the row for good."""
    row.state, row.due, row.token, row.worker = state, None, None, None


def start_over(row: Leased, due: datetime) -> None:
    """Queue the row with a new count of attempts."""
    requeue(row, due)
    row.attempts = row.closings = 0


def note(session: Session, job_id: int, at: datetime, what: str, detail: str) -> None:
    """Add a line to the job's story, kept or lost with the change that it tells."""
    session.add(JobEvent(job_id=job_id, at=at, what=what, detail=detail))
