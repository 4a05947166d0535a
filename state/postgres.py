"""PostgreSQL: one database for several processes and hosts."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from typing import Any

from sqlalchemy import URL, Engine, create_engine, event, func, make_url, select
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel import Session

from state import schema
from state.errors import DatabaseUnusable
from state.postgres_errors import own_errors
from state.stored_json import as_text

_POOL, _MORE = 5, 15
"""Connections that a process keeps, and how many more it may have at a time: a server has 100 for all by default."""
_LONGEST = timedelta(minutes=2)
"""Of a statement, and of a pause within a transaction. Copying a million documents takes seconds."""
_MIGRATION = timedelta(minutes=15)
"""How long an upgrade waits for another process's, or for a table that is in use."""
_UPGRADE = "schema"


class PostgreSQL:
    """A `Database` on a server. A connection that was lost, as by a restart, is replaced at the next transaction."""

    def __init__(self, engine: Engine, name: str) -> None:
        self._name = name
        self._engine = engine
        self._disposed = False
        event.listen(engine, "checkin", self._given_back)
        self._read_engine = engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)

    @contextmanager
    def writing(self, *, in_turn: str = "") -> Iterator[Session]:
        """A READ COMMITTED transaction."""
        own_session = Session(self._engine, expire_on_commit=False)
        with own_errors(self._name), own_session as session, session.begin():
            if in_turn:
                session.connection().execute(select(func.pg_advisory_xact_lock(func.hashtextextended(in_turn, 0))))
            yield session

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A read-only REPEATABLE READ transaction: it sees one moment."""
        with own_errors(self._name), Session(self._read_engine, expire_on_commit=False) as session:
            yield session

    def dispose(self) -> None:
        """Close the connections; those in use as soon as they are given back."""
        self._disposed = True
        self._engine.dispose()

    def _given_back(self, connection: Any, _: ConnectionPoolEntry) -> None:
        if self._disposed and connection is not None:
            connection.close()


def open_postgres(where: str, password: str, busy_timeout: timedelta) -> PostgreSQL:
    """Connect, and bring the schema up to date. Raises `StateError`."""
    address = _address(where, password)
    name = _name(address)
    database = PostgreSQL(_engine(address, waits=busy_timeout, runs=_LONGEST), name)
    with ExitStack() as unless_opened:
        unless_opened.callback(database.dispose)
        with database.reading() as session:
            current = schema.is_newest(session.connection(), name)
        if not current:
            _migrate(address, name)
        unless_opened.pop_all()
    return database


def _migrate(address: URL, name: str) -> None:
    """Upgrade in one transaction: whoever opens the database at the same time waits, then finds it done."""
    database = PostgreSQL(_engine(address, waits=_MIGRATION, runs=timedelta(0)), name)
    try:
        with database.writing(in_turn=_UPGRADE) as session:
            if not schema.is_newest(session.connection(), name):
                schema.upgrade(session.connection())
    finally:
        database.dispose()


def _engine(address: URL, *, waits: timedelta, runs: timedelta) -> Engine:
    """Connections that are ready to use. What the address says itself, as libpq reads it, goes before ours.

    A silent peer is noticed by TCP (`keepalives`, `tcp_user_timeout`), a connection that died while it lay in the pool
    by asking before its use (`pool_pre_ping`).
    """
    settings = {
        "timezone": "UTC",
        "lock_timeout": _milliseconds(waits),
        "statement_timeout": _milliseconds(runs),
        "idle_in_transaction_session_timeout": _milliseconds(runs),
    }
    ours: dict[str, Any] = {
        "application_name": "crosscheck",
        "connect_timeout": 10,
        "keepalives_idle": 30,
        "keepalives_interval": 10,
        "keepalives_count": 3,
        "tcp_user_timeout": 60_000,
    }
    theirs = address.query.get("options", "")
    options = " ".join([*(f"-c {name}={value}" for name, value in settings.items()), *_several(theirs)])
    return create_engine(
        address,
        connect_args={name: value for name, value in ours.items() if name not in address.query} | {"options": options},
        pool_size=_POOL,
        max_overflow=_MORE,
        pool_timeout=max(1.0, waits.total_seconds()),
        pool_pre_ping=True,
        pool_use_lifo=True,
        json_serializer=as_text,
    )


def _address(where: str, password: str) -> URL:
    try:
        address = make_url(where)
    except (ArgumentError, ValueError):  # not kept as a cause: it may quote a password that was put there
        raise DatabaseUnusable(
            "The database's address cannot be read; it must be like postgresql://USER@HOST:5432/DATABASE."
        ) from None
    return address.set(drivername="postgresql+psycopg", password=password or address.password)


def _name(address: URL) -> str:
    """For messages: without password and query."""
    host = address.host or " ".join(_several(address.query.get("host", ""))) or "this host"
    port = f":{address.port}" if address.port else ""
    return f"The database {address.database or address.username or ''} on {host}{port}"


def _several(value: str | tuple[str, ...]) -> list[str]:
    return [one for one in ([value] if isinstance(value, str) else value) if one]


def _milliseconds(time: timedelta) -> int:
    return round(time.total_seconds() * 1000)
