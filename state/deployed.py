"""Which versions environments were seen to run."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import structlog
from sqlalchemy import delete
from sqlmodel import Session, col, func, select

from state.db import Database
from state.errors import StateError
from state.tables import Deployed as Row

_KEPT = 50  # spans of a probe; whoever looks back looks at the last few

log = structlog.get_logger(__name__)


class Told(Protocol):
    """A version that an environment says it runs."""

    @property
    def version(self) -> str: ...
    @property
    def commit(self) -> str: ...


class Reading(Protocol):
    """What an environment said at one moment; nothing where it could not be read."""

    @property
    def probe(self) -> str: ...
    @property
    def at(self) -> datetime: ...
    @property
    def running(self) -> Sequence[Told]: ...


@dataclass(frozen=True, slots=True)
class SeenVersion:
    """A version that a probe read, from when to when, without a reading between that told another."""

    version: str
    commit: str
    first: datetime
    last: datetime


class Deployed:
    """What probes read, as spans: one goes on as long as each reading tells its version. A version that comes back
    begins another. For any number of threads and processes.

    Remembering is beside the point of a reading, so it raises nothing: what cannot be written or read is logged.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, reading: Reading) -> None:
        told = {(one.version, one.commit) for one in reading.running if one.version or one.commit}
        if not told:
            return
        try:
            with self._database.writing(in_turn=f"deployed {reading.probe}") as session:
                _keep(session, reading.probe, sorted(told), reading.at)
        except StateError as error:
            log.warning("version not remembered", probe=reading.probe, reason=str(error))

    def earlier(self, probe: str) -> Sequence[SeenVersion]:
        """Newest first."""
        newest = (col(Row.last).desc(), col(Row.first).desc(), col(Row.id).desc())
        try:
            with self._database.reading() as session:
                rows = session.exec(select(Row).where(col(Row.probe) == probe).order_by(*newest).limit(_KEPT)).all()
        except StateError as error:
            log.warning("earlier versions not read", probe=probe, reason=str(error))
            return ()
        return [SeenVersion(row.version, row.commit, row.first, row.last) for row in rows]


def _keep(session: Session, probe: str, told: Sequence[tuple[str, str]], at: datetime) -> None:
    """A reading that comes after a younger one changes nothing."""
    mine = col(Row.probe) == probe
    latest = session.exec(select(func.max(Row.last)).where(mine)).one()
    if latest is not None and latest >= at:
        return
    going_on = session.exec(select(Row).where(mine, col(Row.last) == latest)).all() if latest else ()
    known = {(row.version, row.commit): row for row in going_on}
    for version, commit in told:
        row = known.get((version, commit)) or Row(probe=probe, version=version, commit=commit, first=at, last=at)
        row.last = at
        session.add(row)
    session.flush()
    kept = select(Row.id).where(mine).order_by(col(Row.last).desc(), col(Row.id).desc()).limit(_KEPT)
    session.connection().execute(delete(Row).where(mine, col(Row.id).not_in(kept)))
