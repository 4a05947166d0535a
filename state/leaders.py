"""Tasks that only one process may do at a time: who does them, until when."""

from datetime import timedelta

from sqlalchemy import update
from sqlmodel import col, delete

from state.db import Database
from state.errors import Conflict
from state.leases import Clock, utc_now
from state.tables import Leader


class Leaders:
    """The tasks' leaders. Every method is one transaction and raises `StateError`."""

    def __init__(self, database: Database, clock: Clock = utc_now) -> None:
        self._database = database
        self._clock = clock

    def lead(self, task: str, holder: str, lease: timedelta) -> bool:
        """Whether the task is the holder's, from now for `lease`: it was, or the last leader's lease ran out."""
        now = self._clock()
        free = (col(Leader.holder) == holder) | (col(Leader.until) <= now)
        taken = update(Leader).where(col(Leader.name) == task, free).values(holder=holder, until=now + lease)
        try:
            with self._database.writing() as session:
                if session.connection().execute(taken).rowcount:
                    return True
                if session.get(Leader, task) is not None:
                    return False
                session.add(Leader(name=task, holder=holder, until=now + lease))
        except Conflict:  # another one was first
            return False
        return True

    def leave(self, task: str, holder: str) -> None:
        """Somebody else may lead at once; nothing if it is another one's."""
        with self._database.writing() as session:
            session.exec(delete(Leader).where(col(Leader.name) == task, col(Leader.holder) == holder))
