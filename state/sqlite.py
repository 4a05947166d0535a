"""SQLite: one file, one writer at a time. Its errors become ours here and nowhere else."""

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, NoReturn

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, IntegrityError, StatementError
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel import Session

from state import schema
from state.errors import Conflict, DatabaseLocked, DatabaseUnusable, NotStorable, StateError, StorageFull
from state.stored_json import as_text

_WRITES = "state_writes"
_SECOND_ROW = {sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY}


class SQLite:
    """A `Database` that is a file.

    The threads of one process write in turns. SQLite alone lets a waiting writer sleep and look again, up to a tenth of
    a second apart, so that a webhook would starve beside busy workers; between processes it is still so.
    """

    def __init__(self, path: Path, busy_timeout: timedelta, *, foreign_keys: bool = True) -> None:
        self._path = path
        self._engine = _engine(path, busy_timeout, foreign_keys)
        self._write_engine = self._engine.execution_options(**{_WRITES: True})
        self._turn = threading.Lock()
        self._busy_timeout = busy_timeout

    @contextmanager
    def writing(self, *, in_turn: str = "") -> Iterator[Session]:
        """The only one to write from its first statement on, so what it reads stays true."""
        del in_turn  # everybody is
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


def open_sqlite(path: Path, busy_timeout: timedelta) -> SQLite:
    """Open the file, made with its folders when missing, its schema brought up to date. Raises `StateError`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise DatabaseUnusable(f"The folder {path.parent} cannot be made: {e.strerror}.") from e
    database = SQLite(path, busy_timeout)
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
    database = SQLite(path, busy_timeout, foreign_keys=False)
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
        # Not every build of SQLite writes over what is deleted by itself.
        pragmas = ("journal_mode=WAL", "synchronous=FULL", f"foreign_keys={foreign_keys:d}", "secure_delete=ON")
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")

    def begun(connection: Connection) -> None:
        writes = connection.get_execution_options().get(_WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        connect_args={"timeout": busy_timeout.total_seconds()},
        max_overflow=-1,  # threads are bounded where they are made; none should wait for a connection
        json_serializer=as_text,
    )
    event.listen(engine, "connect", connected)
    event.listen(engine, "begin", begun)
    event.listen(engine, "before_cursor_execute", _refuse_nul)
    return engine


def _refuse_nul(
    _connection: Connection, _cursor: object, _statement: str, parameters: Sequence[Any], _context: object, _many: bool
) -> None:
    """SQLite would take it, and PostgreSQL does not: what is stored can be taken from the one to the other."""
    for values in parameters if parameters and isinstance(parameters[0], tuple) else (parameters,):
        if any(isinstance(value, str) and "\0" in value for value in values):
            raise NotStorable("A value cannot be stored (it holds a NUL character).")


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
        if isinstance(cause, StateError):
            raise cause from e
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
