"""What models said of pictures, and what that cost."""

from datetime import datetime

from sqlmodel import col, func, select

from state.db import Database
from state.errors import NotFound
from state.rows import FOR_CHANGE, insert
from state.tables import Picture
from state.types import PictureView


class Pictures:
    """Attempts at pictures, by their content and the describer's name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, content: str, describer: str) -> PictureView | None:
        """What is known; None if it was never shown to this describer."""
        with self._database.reading() as session:
            row = session.get(Picture, (content, describer))
            return None if row is None else PictureView(row.description, row.refusal, row.attempts, row.at)

    def begin(self, content: str, describer: str, at: datetime) -> None:
        """Count an attempt before it is made, so that a process that dies of it cannot make it without end."""
        with self._database.writing() as session:
            first = insert(session, Picture).values(content=content, describer=describer, tokens=0, attempts=1, at=at)
            again = {"attempts": col(Picture.attempts) + 1, "at": at}
            session.connection().execute(
                first.on_conflict_do_update(index_elements=["content", "describer"], set_=again)
            )

    def finish(
        self, content: str, describer: str, *, description: str | None, refusal: str | None, tokens: int
    ) -> None:
        """Keep what an attempt came to. Raises NotFound if none began."""
        with self._database.writing() as session:
            row = session.get(Picture, (content, describer), with_for_update=FOR_CHANGE)
            if row is None:
                raise NotFound("No attempt at this picture began.")
            row.description, row.refusal = description, refusal
            row.tokens += tokens
            session.add(row)

    def spent(self, since: datetime) -> tuple[int, int]:
        """Pictures attempted since then, and the tokens they cost."""
        sums = select(func.count(), func.coalesce(func.sum(Picture.tokens), 0)).where(col(Picture.at) >= since)
        with self._database.reading() as session:
            pictures, tokens = session.exec(sums).one()
            return pictures, int(tokens)  # a sum of large numbers is a Decimal
