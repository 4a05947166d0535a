"""Which indexes there are, and which of them is searched."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import delete, insert, inspect, literal, update
from sqlmodel import col, select

from state.cursors import prefix
from state.db import Database
from state.leases import Clock, utc_now
from state.rows import put
from state.tables import Cursor, Document, Generation, Source
from state.types import GenerationView

_AT_ONCE = 5_000  # documents a transaction
_TURN = "generations"  # at most one is searched, whoever is the first


class Generations:
    """The generations of the index, by name. A new one is filled beside the one that is searched until then."""

    def __init__(self, database: Database, clock: Clock = utc_now) -> None:
        self._database = database
        self._clock = clock

    def all(self) -> tuple[GenerationView, ...]:
        """Every one that is remembered, the oldest first."""
        with self._database.reading() as session:
            return tuple(
                GenerationView(row.name, row.settings, row.searched, row.complete)
                for row in session.exec(select(Generation).order_by(col(Generation.created_at), col(Generation.name)))
            )

    def searched(self) -> str | None:
        """The name of the one that is searched; None before the first."""
        return next((view.name for view in self.all() if view.searched), None)

    def remember(self, name: str, settings: Mapping[str, Any]) -> None:
        """Make it known, to be filled, or give it other settings. The first of all is searched at once."""
        with self._database.writing(in_turn=_TURN) as session:
            row = session.get(Generation, name)
            if row is None:
                first = session.exec(select(Generation).where(col(Generation.searched))).first() is None
                row = Generation(name=name, settings={}, searched=first, complete=False, created_at=self._clock())
            row.settings = dict(settings)
            session.add(row)

    def completed(self, name: str) -> None:
        """Every source was read in full into it: it is the one that is searched from now on."""
        self._search(name, complete=True)

    def search(self, name: str) -> None:
        """Have it searched before it is complete, since no other can be."""
        self._search(name, complete=False)

    def copied(self, old: str, new: str) -> None:
        """All that is known of one holds for the other too, whose points are the same. Again is no harm."""
        self._forget_rows(new)
        with self._database.writing(in_turn=_TURN) as session:
            connection = session.connection()
            for table in (Document, Source):
                others = [column for column in inspect(table).columns if column.name != "generation"]
                rows = select(literal(new), *others).where(col(table.generation) == old)
                connection.execute(insert(table).from_select(["generation", *(one.name for one in others)], rows))
            begin = prefix(old)
            for cursor in session.exec(select(Cursor).where(col(Cursor.name).startswith(begin, autoescape=True))).all():
                put(session, Cursor(name=prefix(new) + cursor.name.removeprefix(begin), value=cursor.value))

    def forget(self, name: str) -> None:
        """Forget it with its documents, sources and cursors; an unknown one is no error. Again is no harm."""
        self._forget_rows(name)
        with self._database.writing(in_turn=_TURN) as session:
            session.connection().execute(delete(Generation).where(col(Generation.name) == name))

    def _forget_rows(self, name: str) -> None:
        mine = col(Document.generation) == name
        some = select(Document.id).where(mine).limit(_AT_ONCE)
        deleted = _AT_ONCE
        while deleted == _AT_ONCE:
            with self._database.writing(in_turn=_TURN) as session:
                rows = session.connection().execute(delete(Document).where(mine, col(Document.id).in_(some)))
                deleted = rows.rowcount
        with self._database.writing(in_turn=_TURN) as session:
            connection = session.connection()
            connection.execute(delete(Source).where(col(Source.generation) == name))
            connection.execute(delete(Cursor).where(col(Cursor.name).startswith(prefix(name), autoescape=True)))

    def _search(self, name: str, *, complete: bool) -> None:
        with self._database.writing(in_turn=_TURN) as session:
            connection = session.connection()
            connection.execute(update(Generation).where(col(Generation.name) != name).values(searched=False))
            mine = update(Generation).where(col(Generation.name) == name)
            connection.execute(mine.values(searched=True, complete=complete))
