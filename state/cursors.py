"""How far each poller and source has got."""

from state.db import Database
from state.rows import put
from state.tables import Cursor


class Cursors:
    """Named positions. What a value means is its owner's business. Those of a generation begin with its name."""

    def __init__(self, database: Database, *, generation: str = "") -> None:
        self._database = database
        self._prefix = prefix(generation) if generation else ""

    def get(self, name: str) -> str | None:
        """The position, None before the first."""
        with self._database.reading() as session:
            row = session.get(Cursor, self._prefix + name)
            return None if row is None else row.value

    def set(self, name: str, value: str) -> None:
        """Remember the position."""
        with self._database.writing() as session:
            put(session, Cursor(name=self._prefix + name, value=value))


def prefix(generation: str) -> str:
    """What the names of a generation's cursors begin with."""
    return f"index:{generation}:"
