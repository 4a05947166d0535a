"""The schema's history: is a database up to date, and bringing it there. Alembic works from the installed package."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from state.errors import NewerSchema

_MIGRATIONS = Path(__file__).parent / "migrations"


def is_newest(connection: Connection, name: str) -> bool:
    """Whether the schema is the newest one.

    Raises:
        NewerSchema: the database has a revision that this program does not know.

    """
    script = ScriptDirectory.from_config(config())
    have = set(MigrationContext.configure(connection).get_current_heads())
    if have - {revision.revision for revision in script.walk_revisions()}:
        raise NewerSchema(
            f"{name} was written by a newer version of Crosscheck (schema {', '.join(sorted(have))}). "
            "Install that version again, and run `crosscheck downgrade` with it to go back; or restore a backup from "
            "before the update."
        )
    return have == set(script.get_heads())


def upgrade(connection: Connection) -> None:
    """Bring the schema to the newest revision, inside the connection's transaction."""
    command.upgrade(config(connection), "head")


def config(connection: Connection | None = None) -> Config:
    """Alembic's configuration, for our scripts and this connection. No logging is set up."""
    settings = Config(attributes={"connection": connection})
    settings.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    settings.set_main_option("path_separator", "os")
    return settings
