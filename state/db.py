"""The database: opening it, and the two ways into it. Foreign errors become ours here and nowhere else."""

import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import NoReturn

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, IntegrityError, StatementError
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel import Session

from state import schema
from state.errors import Conflict, DatabaseLocked, DatabaseUnusable, NotStorable, StorageFull

BUSY_TIMEOUT = timedelta(seconds=10)
"""How long a writer waits for another. Ours write for a millisecond; a backup or a person's shell takes longer."""

_WRITES = "state_writes"
_SECOND_ROW = {sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY}


class Database:
    """An open SQLite file, for many threads.

    The threads of one process write in turns. SQLite alone lets a waiting writer sleep and look again, up to a tenth of
    a second apart, so that a webhook would starve beside busy workers; between processes it is still so.
    """

    def __init__(self, path: Path, busy_timeout: timedelta = BUSY_TIMEOUT, *, foreign_keys: bool = True) -> None:
        self._path = path
        self._engine = _engine(path, busy_timeout, foreign_keys)
        self._write_engine = self._engine.execution_options(**{_WRITES: True})
        self._turn = threading.Lock()
        self._busy_timeout = busy_timeout

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A transaction that is the only one to write from its first statement on, so what it reads stays true.

        Committed at the end; rolled back by any exception. Rows stay usable afterwards.

        Raises:
            StateError: see `state.errors`; nothing of the transaction is kept.

        """
        own_session = Session(self._write_engine, expire_on_commit=False)
        with self._own_turn(), _own_errors(self._path), own_session as session, session.begin():
            yield session

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A transaction that sees one moment of the database and stops nobody from writing."""
        with _own_errors(self._path), Session(self._engine, expire_on_commit=False) as session:
            yield session

    def dispose(self) -> None:
        """Close the connections."""
        self._engine.dispose()

    @contextmanager
    def _own_turn(self) -> Iterator[None]:
        if not self._turn.acquire(timeout=self._busy_timeout.total_seconds()):
            raise DatabaseLocked(f"The other threads did not finish writing to {self._path} in time.")
        try:
            yield
        finally:
            self._turn.release()


def open_database(path: Path | str, *, busy_timeout: timedelta = BUSY_TIMEOUT) -> Database:
    """Open the SQLite file, made with its folders when missing, its schema brought up to date.

    Raises:
        DatabaseUnusable: no database of ours, damaged, not allowed, or on a file system without shared memory;
            `NewerSchema` when a newer version of the program has written it.
        DatabaseLocked: somebody else holds it.
        StorageFull: no room for it.

    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise DatabaseUnusable(f"The folder {path.parent} cannot be made: {e.strerror}.") from e
    database = Database(path, busy_timeout)
    with database.reading() as session:
        mode = session.connection().exec_driver_sql("PRAGMA journal_mode").scalar_one()
        current = schema.is_newest(session.connection(), str(path))
    if mode != "wal":
        raise DatabaseUnusable(f"The file system of {path} cannot share memory; put the database on a local disk.")
    if not current:
        _migrate(path, busy_timeout)
    return database


def _migrate(path: Path, busy_timeout: timedelta) -> None:
    """Upgrade in one write transaction: whoever opens the database at the same time waits, then finds it done.

    Foreign keys are off, since a step that rebuilds a table drops the old one; they are checked before the commit.
    """
    database = Database(path, busy_timeout, foreign_keys=False)
    try:
        with database.writing() as session:
            schema.upgrade(session.connection())
            orphan = session.connection().exec_driver_sql("PRAGMA foreign_key_check").first()
            if orphan is not None:
                raise DatabaseUnusable(f"Upgrading {path} would leave rows of {orphan[0]} without their parent.")
    finally:
        database.dispose()


def _engine(path: Path, busy_timeout: timedelta, foreign_keys: bool) -> Engine:
    """Connections that are ready to use.

    `synchronous=FULL`: a webhook is acknowledged once its row is committed, and nobody sends it again after that, so
    the commit must survive a power loss. In WAL mode NORMAL would leave the last commits to the system's cache; FULL
    costs one fsync of the log a commit.
    """

    def connected(connection: sqlite3.Connection, _: ConnectionPoolEntry) -> None:
        connection.isolation_level = None  # the driver begins nothing by itself; `begun` does
        for pragma in ("journal_mode=WAL", "synchronous=FULL", f"foreign_keys={foreign_keys:d}"):
            connection.execute(f"PRAGMA {pragma}")

    def begun(connection: Connection) -> None:
        writes = connection.get_execution_options().get(_WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        connect_args={"timeout": busy_timeout.total_seconds()},
        max_overflow=-1,  # threads are bounded where they are made; none should wait for a connection
        json_serializer=partial(json.dumps, allow_nan=False, separators=(",", ":")),
    )
    event.listen(engine, "connect", connected)
    event.listen(engine, "begin", begun)
    return engine


@contextmanager
def _own_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except IntegrityError as e:
        if getattr(e.orig, "sqlite_errorcode", 0) in _SECOND_ROW:
            raise Conflict(f"The database refused a row that would have been a second one: {e.orig}.") from e
        raise NotStorable(f"The database refused a row that does not fit: {e.orig}.") from e
    except DBAPIError as e:
        _raise_own(e, path)
    except (StatementError, UnicodeEncodeError, OverflowError) as e:
        cause = e.orig if isinstance(e, StatementError) else e
        raise NotStorable(f"A value cannot be stored ({type(cause).__name__}).") from e


def _raise_own(error: DBAPIError, path: Path) -> NoReturn:
    code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF  # the extended code without its extension
    match code:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            raise DatabaseLocked(
                f"Another program is writing to {path} and did not finish in time. Nothing was changed; it is tried "
                "again. If it stays like this, look for a backup or an open database shell."
            ) from error
        case sqlite3.SQLITE_FULL:
            raise StorageFull(f"There is no room left for {path}. Nothing was changed; free disk space.") from error
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            raise DatabaseUnusable(f"{path} is damaged or no SQLite database. Restore it from a backup.") from error
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            raise DatabaseUnusable(
                f"{path} cannot be opened for writing. Check the permissions of the file and its folder."
            ) from error
        case _:
            raise DatabaseUnusable(f"{path} cannot be used: {error.orig}.") from error
