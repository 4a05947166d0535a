"""Tokens that are not taken any more."""

from sqlmodel import select

from state.db import Database
from state.leases import Clock, utc_now
from state.tables import Revocation


class Revocations:
    """The revoked tokens, by their hashes. Every method is one transaction and raises `StateError`."""

    def __init__(self, database: Database, clock: Clock = utc_now) -> None:
        self._database = database
        self._clock = clock

    def revoke(self, sha256: str, name: str, by: str) -> bool:
        """From now on the token is refused; False if it was already."""
        with self._database.writing() as session:
            if session.get(Revocation, sha256) is not None:
                return False
            session.add(Revocation(sha256=sha256, name=name, by=by, at=self._clock()))
            return True

    def every(self) -> frozenset[str]:
        """The hashes."""
        with self._database.reading() as session:
            return frozenset(session.exec(select(Revocation.sha256)).all())
