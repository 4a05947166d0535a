"""By how much our clock differs from that of the database's server, by which hosts can be compared."""

from datetime import datetime, timedelta

from sqlalchemy import func, select

from state.db import Database
from state.leases import Clock, utc_now


def ahead(database: Database, clock: Clock = utc_now) -> timedelta:
    """Negative when ours is behind; nothing of a file, which is of this host. As exact as the way there takes time.

    Raises `StateError`.
    """
    with database.reading() as session:
        if session.get_bind().dialect.name != "postgresql":
            return timedelta(0)
        connection = session.connection()
        before = clock()
        there: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
        return before + (clock() - before) / 2 - there
