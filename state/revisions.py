"""Going back to an older schema, for an older version of the program."""

from datetime import timedelta
from pathlib import Path

from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import inspect
from sqlmodel import Session

from state import schema
from state.db import BUSY_TIMEOUT, Database, open_database
from state.errors import DatabaseUnusable
from state.sole import refuse_others
from state.sqlite import SQLite


def all_revisions() -> tuple[str, ...]:
    """Every schema that this program knows, the newest first."""
    return tuple(one.revision for one in ScriptDirectory.from_config(schema.config()).walk_revisions())


def what_made(revision: str) -> str:
    """What a revision brought, in a sentence."""
    script = ScriptDirectory.from_config(schema.config()).get_revision(revision)
    return script.doc.splitlines()[0].strip() if script else ""


def downgrade(where: Path | str, revision: str, *, password: str = "", wait: timedelta = BUSY_TIMEOUT) -> list[str]:
    """Bring the schema back to a revision, in one transaction; what is lost with it, as `table` or `table.column`.

    Raises `StateError`: DatabaseLocked while anybody uses the database, DatabaseUnusable when it would not be sound
    afterwards.
    """
    database: Database
    if isinstance(where, str):
        database = open_database(where, password=password)
    else:
        open_database(where, busy_timeout=wait).dispose()  # refuses what is none of ours, or newer
        database = SQLite(where, wait, foreign_keys=False)  # a step that rebuilds a table drops the old one
    try:
        with database.writing() as session:
            refuse_others(session)
            before = _columns(session)
            command.downgrade(schema.config(session.connection()), revision)
            _sound(session)
            return sorted(_lost(before, _columns(session)))
    finally:
        database.dispose()


def _sound(session: Session) -> None:
    connection = session.connection()
    if connection.dialect.name != "sqlite":
        return
    orphan = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    if orphan is not None:
        raise DatabaseUnusable(f"The older schema would leave rows of {orphan[0]} without their parent.")


def _columns(session: Session) -> dict[str, set[str]]:
    found = inspect(session.connection())
    return {table: {column["name"] for column in found.get_columns(table)} for table in found.get_table_names()}


def _lost(before: dict[str, set[str]], after: dict[str, set[str]]) -> list[str]:
    tables = [table for table in before if table not in after]
    columns = [f"{table}.{name}" for table in after for name in before.get(table, set()) - after[table]]
    return tables + columns
