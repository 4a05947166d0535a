"""Tokens that are not taken any more."""

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import col, select

from state.db import Database
from state.leases import Clock, utc_now
from state.rows import put_first
from state.tables import Revocation


@dataclass(frozen=True, slots=True)
class RevokedToken:
    """One that is refused."""

    sha256: str
    name: str
    by: str
    at: datetime


class Revocations:
    """The revoked tokens, by their hashes. Every method is one transaction and raises `StateError`."""

    def __init__(self, database: Database, clock: Clock = utc_now) -> None:
        self._database = database
        self._clock = clock

    def revoke(self, sha256: str, name: str, by: str) -> bool:
        """From now on the token is refused; False if it was already."""
        with self._database.writing() as session:
            return put_first(session, Revocation(sha256=sha256, name=name, by=by, at=self._clock()))

    def all(self) -> tuple[RevokedToken, ...]:
        """Every one, the first revoked first."""
        with self._database.reading() as session:
            rows = session.exec(select(Revocation).order_by(col(Revocation.at), col(Revocation.sha256)))
            return tuple(RevokedToken(row.sha256, row.name, row.by, row.at) for row in rows)

    def every(self) -> frozenset[str]:
        """The hashes."""
        with self._database.reading() as session:
            return frozenset(session.exec(select(Revocation.sha256)).all())
