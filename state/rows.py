"""Rows that several processes may be the first to store: the database decides, not a look before."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Table as SQLTable
from sqlalchemy import inspect
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session

from state.tables import Table

Insert = sqlite.Insert | postgresql.Insert

FOR_CHANGE = {"key_share": True}
"""How rows are locked to be changed, in `Session.get` and in `select` alike: FOR NO KEY UPDATE, beside which rows that
point to them can still be stored, so that a line of a job's story waits for nobody. Jobs are locked before their posts,
and these in order. SQLite, with its one writer, ignores it."""


def insert(session: Session, table: type[Table]) -> Insert:
    """An INSERT that can say what is to happen ON CONFLICT."""
    engine = session.get_bind().dialect.name
    return sqlite.insert(table) if engine == "sqlite" else postgresql.insert(table)


def put_first(session: Session, row: Table) -> bool:
    """Store the row unless one is there of which it would be a second; whether it was stored.

    One that is being stored meanwhile is waited for.
    """
    table = _table(type(row))
    new = insert(session, type(row)).values({column.name: getattr(row, column.name) for column in table.columns})
    stored = session.connection().execute(new.on_conflict_do_nothing().returning(*table.primary_key))
    return stored.first() is not None


def put(session: Session, row: Table) -> None:
    """Store the row, in place of the one that has its key."""
    table = _table(type(row))
    put_all(session, type(row), [{column.name: getattr(row, column.name) for column in table.columns}])


def put_all(session: Session, table: type[Table], rows: list[Mapping[str, Any]]) -> None:
    """Store rows of the same columns, each in place of the one that has its key. One that was there keeps its others.

    They are stored in the order of their keys, so that two who store the same ones wait for each other in one order.
    """
    key = [column.name for column in _table(table).primary_key]
    statement = insert(session, table)
    values = {name: statement.excluded[name] for name in rows[0] if name not in key}
    in_order = sorted(rows, key=lambda row: [row[name] for name in key])
    session.connection().execute(statement.on_conflict_do_update(index_elements=key, set_=values), in_order)


def _table(table: type[Table]) -> SQLTable:
    found = inspect(table, raiseerr=True).local_table
    if not isinstance(found, SQLTable):
        raise TypeError(f"{table.__name__} is no table of its own")
    return found
