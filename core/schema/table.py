"""A migration tool's own table, read. No other table ever is."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnClause, Connection, String, cast, column, func, select, table
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql import quoted_name

from core.errors import SourceGone, SourceIncomplete
from core.schema.connecting import NoTable, meaning, read_only
from core.schema.database import Database
from core.schema.migration import Row, Table

_MOST = 20_000
"""Rows; more were written by no migration tool."""
_LONGEST = 400
"""Characters of a value."""


def rows_of(database: Database, tables: Sequence[Table], seconds: float) -> list[Row]:
    """All rows of the first of these tables that is there, every value as text, NULL as an empty one.

    Raises SourceGone, SourceForbidden, SourceUnavailable and SourceIncomplete, each with a sentence's end.
    """
    with read_only(database, seconds) as connection:
        for wanted in tables:
            try:
                return _rows(connection, wanted, database.schema)
            except NoTable:
                connection.rollback()
    names = " or ".join(dict.fromkeys(wanted.name.lower() for wanted in tables))
    where = f"schema {database.schema}" if database.schema else "the schema that a connection looks in"
    raise SourceGone(
        f"there is no table {names} in {where}: {database.tool} has not been run there yet, or in another schema"
    )


def _rows(connection: Connection, wanted: Table, schema: str) -> list[Row]:
    place = quoted_name(schema, quote=True) if schema else None
    columns: list[ColumnClause[Any]] = [column(quoted_name(name, quote=True)) for name in wanted.columns]
    source = table(quoted_name(wanted.name, quote=True), *columns, schema=place)
    values = [
        func.substr(cast(source.c[name], String), 1, _LONGEST).label(f"c{at}") for at, name in enumerate(wanted.columns)
    ]
    try:
        found = connection.execute(select(*values).limit(_MOST + 1)).all()
    except DBAPIError as error:
        raise meaning(error.orig) from None
    if len(found) > _MOST:
        raise SourceIncomplete(f"its table has more than {_MOST} rows, as no migration tool writes")
    names = [name.lower() for name in wanted.columns]
    return [dict(zip(names, map(_text, row), strict=True)) for row in found]


def _text(value: object) -> str:
    return "" if value is None else value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
