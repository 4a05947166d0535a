"""What models have cost, by the day."""

from datetime import date

from sqlmodel import col

from state.db import Database
from state.leases import Clock, utc_now
from state.rows import insert
from state.tables import Spending as Row


class Spending:
    """The tokens that a purpose may cost in a day (UTC). For any number of threads and processes."""

    def __init__(self, database: Database, *, purpose: str, limit: int, clock: Clock = utc_now) -> None:
        self._database = database
        self._purpose = purpose
        self._limit = limit
        self._clock = clock

    @property
    def limit(self) -> int:
        """Tokens of a day."""
        return self._limit

    def left(self) -> int:
        """Of today. Below zero when more was used than was left: what a call costs is known after it."""
        with self._database.reading() as session:
            row = session.get(Row, (self._today(), self._purpose))
            return self._limit - (row.tokens if row else 0)

    def take(self, tokens: int) -> None:
        """Count what was used, whether or not it was left."""
        with self._database.writing() as session:
            first = insert(session, Row).values(day=self._today(), purpose=self._purpose, tokens=tokens)
            more = {"tokens": col(Row.tokens) + tokens}
            session.connection().execute(first.on_conflict_do_update(index_elements=["day", "purpose"], set_=more))

    def _today(self) -> date:
        return self._clock().date()
