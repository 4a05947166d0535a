"""That nobody else works on a database, for what would go wrong beside others."""

import time

from sqlalchemy import text
from sqlmodel import Session

from state.errors import DatabaseLocked

_OTHERS = text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
    "AND backend_type = 'client backend' AND application_name = current_setting('application_name')"
)
_CLEAR = text("SELECT pg_stat_clear_snapshot()")  # else a transaction sees what it saw at first
_TRIES, _PAUSE = 30, 0.1  # who has just hung up is there for a moment longer


def refuse_others(session: Session) -> None:
    """Raise DatabaseLocked while another process of ours is connected to a server's database.

    Of a file the data folder's owner takes care.
    """
    if session.get_bind().dialect.name != "postgresql":
        return
    connection = session.connection()
    for _ in range(_TRIES):
        connection.execute(_CLEAR)
        count = connection.execute(_OTHERS).scalar_one()
        if not count:
            return
        time.sleep(_PAUSE)
    raise DatabaseLocked(
        f"The service still uses the database ({count} connections in pg_stat_activity). Stop all its processes, on "
        "every host, and try again; nothing was changed."
    )
