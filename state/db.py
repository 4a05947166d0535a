"""The database: opening it, and the two ways into it, the same on both engines."""

from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path
from typing import Protocol

from sqlmodel import Session

from state.postgres import open_postgres
from state.sqlite import open_sqlite

BUSY_TIMEOUT = timedelta(seconds=10)
"""How long a writer waits for another. Ours write for a millisecond; a backup or a person's shell takes longer."""


class Database(Protocol):
    """An open database, for many threads."""

    def writing(self, *, in_turn: str = "") -> AbstractContextManager[Session]:
        """A transaction that writes. Committed at the end; rolled back by any exception. Rows stay usable afterwards.

        SQLite has one writer at a time. PostgreSQL has many (READ COMMITTED): what is read to be written is locked
        (`for_update`), a second row is refused by the database (`state.rows`), and what looks at more than its own
        rows before it writes is `in_turn`: of transactions with the same name, one at a time.

        Raises:
            StateError: see `state.errors`; nothing of the transaction is kept.

        """

    def reading(self) -> AbstractContextManager[Session]:
        """A transaction that sees one moment of the database and stops nobody from writing. Raises `StateError`."""

    def dispose(self) -> None:
        """Close the connections."""


def open_database(where: Path | str, *, password: str = "", busy_timeout: timedelta = BUSY_TIMEOUT) -> Database:
    """Open the database, its schema brought up to date.

    `where`: `postgresql://USER@HOST:PORT/DATABASE`, with libpq's options as its query (`?sslmode=verify-full`), or a
    SQLite file, made with its folders when missing. The password is PostgreSQL's.

    Raises:
        DatabaseUnusable: no database of ours, damaged, or not allowed; `NewerSchema` when a newer version of the
            program has written it.
        DatabaseLocked: somebody else holds it.
        DatabaseAway: the server cannot be reached.
        StorageFull: no room for it.

    """
    if isinstance(where, str) and where.startswith("postgresql://"):
        return open_postgres(where, password, busy_timeout)
    return open_sqlite(Path(where), busy_timeout)
