"""How far each poller and source has got."""

from state.db import Database
from state.tables import Cursor


class Cursors:
    """Named positions. What a value means is its owner's business."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, name: str) -> str | None:
        """The position, None before the first."""
        with self._database.reading() as session:
            row = session.get(Cursor, name)
            return None if row is None else row.value

    def set(self, name: str, value: str) -> None:
        """Remember the position."""
        with self._database.writing() as session:
            session.merge(Cursor(name=name, value=value))
