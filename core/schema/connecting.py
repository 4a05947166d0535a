"""A connection that cannot write, and what goes wrong with one, said plainly.

Nothing that a server wrote is passed on, nor kept as a cause: it may repeat what it was sent.
"""

import os
import re
import socket
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from core.errors import SourceError, SourceForbidden, SourceGone, SourceUnavailable
from core.schema.database import Database

_STEPS = 10_000
"""Instructions of SQLite between two looks at the clock."""
_REFUSED = SourceForbidden, "it refuses the user or the password"
_UNREADABLE = SourceForbidden, "the user may not read the migration tool's table"
_LATE = SourceUnavailable, "it did not answer in time"
_BY_CODE: dict[str | int, tuple[type[SourceError], str]] = {
    # PostgreSQL, appendix A of its manual
    "28P01": _REFUSED,
    "28000": _REFUSED,
    "42501": _UNREADABLE,
    "3D000": (SourceGone, "the server has no database of that name"),
    "57014": _LATE,
    "55P03": (SourceUnavailable, "the migration tool's table is locked"),
    "42703": (SourceGone, "the table of that name is not the migration tool's: columns are missing"),
    # MySQL and MariaDB
    1045: _REFUSED,
    1698: _REFUSED,
    1044: _UNREADABLE,
    1142: _UNREADABLE,
    1143: _UNREADABLE,
    1049: (SourceGone, "the server has no database of that name"),
    1054: (SourceGone, "the table of that name is not the migration tool's: columns are missing"),
    1205: (SourceUnavailable, "the migration tool's table is locked"),
    1969: _LATE,
    3024: _LATE,
    2013: _LATE,
}
_NO_TABLE: frozenset[str | int] = frozenset({"42P01", "3F000", 1146})
_BY_TEXT: tuple[tuple[re.Pattern[str], tuple[type[SourceError], str]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), meant)
    for pattern, meant in (
        (r"no such column", _BY_CODE[1054]),
        (r"password authentication failed|no password supplied|no pg_hba\.conf entry", _REFUSED),
        (r'role ".*" does not exist', _REFUSED),
        (r'database ".*" does not exist', _BY_CODE["3D000"]),
        (r"connection refused", (SourceUnavailable, "no server answers at its address")),
        (
            r"not known|could not translate|resolve|getaddrinfo|gaierror|no address",
            (SourceUnavailable, "its host is not known"),
        ),
        (
            r"unsupported startup parameter",
            (SourceUnavailable, "a pooler is in between, which takes no settings; give its own address"),
        ),
        (r"locked", _BY_CODE["55P03"]),
        (r"timed? ?out|interrupted|canceling", _LATE),
        (r"not a database|malformed", (SourceUnavailable, "the file is damaged or no SQLite database")),
        (
            r"readonly database",
            (SourceUnavailable, "the file was left in the middle of a write"),
        ),
        (r"unable to open", (SourceForbidden, "the file cannot be opened")),
    )
)


class NoTable(SourceGone):
    """The database is there, and the table is not."""


@contextmanager
def read_only(database: Database, seconds: float) -> Iterator[Connection]:
    """A connection on which the database itself refuses every write, and ends what takes longer than `seconds`.

    Raises SourceGone (NoTable for a table that is not there), SourceForbidden and SourceUnavailable, each with a
    sentence's end that says why.
    """
    engine = _ENGINES[database.address.get_backend_name()](database, max(1.0, seconds))
    try:
        with engine.connect() as connection, _hung_up_after(connection, seconds + 1):
            if connection.dialect.name in {"mysql", "mariadb"}:
                _limit_mysql(connection, max(1, round(seconds)))
            yield connection
    except DBAPIError as error:
        raise meaning(error.orig) from None
    except (
        SQLAlchemyError,
        OSError,
        ValueError,
        RuntimeError,
    ):  # RuntimeError: PyMySQL without a way to send a password
        raise SourceUnavailable("no connection could be made with these settings") from None


def meaning(error: BaseException | None) -> SourceError:
    """What a driver's error says, in our words."""
    number = error.args[0] if error is not None and error.args else None
    codes = (number, getattr(error, "sqlstate", None))  # PyMySQL's state says less than its number
    said = str(error)
    if any(code in _NO_TABLE for code in codes) or "no such table" in said or "unknown database " in said:
        return NoTable("the table is not there")
    for code in codes:
        if code in _BY_CODE:
            kind, sentence = _BY_CODE[code]
            return kind(sentence)
    for pattern, (kind, sentence) in _BY_TEXT:
        if pattern.search(said):
            return kind(sentence)
    return SourceUnavailable("the connection failed")


def _postgresql(database: Database, seconds: float) -> Engine:
    """Every session begins read-only, by a setting that it starts with, and every transaction says so again. (`SET
    SESSION CHARACTERISTICS` would do the first again, and through a pooler would stay on for others.)
    """
    most = round(seconds * 1000)
    settings = {
        "default_transaction_read_only": "on",
        "statement_timeout": most,
        "lock_timeout": most,
        "idle_in_transaction_session_timeout": most * 2,
        "TimeZone": "UTC",
        "DateStyle": "ISO",
    }
    arguments = {
        "connect_timeout": max(2, round(seconds)),
        "options": " ".join(f"-c {name}={value}" for name, value in settings.items()),
        "application_name": "crosscheck",
    }
    return _engine(_with_password(database), arguments, postgresql_readonly=True)


def _mysql(database: Database, seconds: float) -> Engine:
    wait = max(1, round(seconds))
    arguments = {
        "connect_timeout": wait,
        "read_timeout": wait + 1,
        "write_timeout": wait,
        "init_command": "SET SESSION TRANSACTION READ ONLY",
        "local_infile": False,
    }
    return _engine(_with_password(database), arguments)


def _limit_mysql(connection: Connection, seconds: int) -> None:
    """MariaDB limits all statements, by seconds; MySQL those that read, by milliseconds."""
    is_mariadb = bool(getattr(connection.dialect, "is_mariadb", False))
    most = f"max_statement_time = {seconds}" if is_mariadb else f"max_execution_time = {seconds * 1000}"
    waits = f"lock_wait_timeout = {seconds}, SESSION innodb_lock_wait_timeout = {seconds}"
    connection.exec_driver_sql(f"SET SESSION {most}, SESSION {waits}, SESSION time_zone = '+00:00'")
    connection.rollback()


def _sqlite(database: Database, seconds: float) -> Engine:
    """The file is opened for reading, never made, and what its schema says is not trusted to call functions."""
    file = Path(database.address.database or "").absolute()
    if not file.is_file():
        raise SourceGone("there is no such file")
    end = time.monotonic() + seconds

    def opened() -> sqlite3.Connection:
        connection = sqlite3.connect(f"file:{quote(str(file))}?mode=ro", uri=True, timeout=seconds)
        connection.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        return connection

    return create_engine("sqlite://", creator=opened, poolclass=NullPool, hide_parameters=True)


_ENGINES = {"postgresql": _postgresql, "mysql": _mysql, "mariadb": _mysql, "sqlite": _sqlite}


def _engine(url: URL, arguments: dict[str, Any], **options: bool) -> Engine:
    return create_engine(
        url, connect_args=arguments, poolclass=NullPool, hide_parameters=True, execution_options=options
    )


def _with_password(database: Database) -> URL:
    return database.address.set(password=database.password or None)


@contextmanager
def _hung_up_after(connection: Connection, seconds: float) -> Iterator[None]:
    """Ends the wait for a server that went silent, which PostgreSQL's driver itself does not."""
    number = getattr(connection.connection.driver_connection, "fileno", None)
    if number is None:
        yield
        return
    with closing(socket.socket(fileno=os.dup(number()))) as wire:
        timer = threading.Timer(seconds, _hang_up, (wire,))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


def _hang_up(wire: socket.socket) -> None:
    with suppress(OSError):
        wire.shutdown(socket.SHUT_RDWR)
