"""What a round of polling could not read, remembered until a later round can."""

import json
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from datetime import timedelta
from typing import Protocol

import structlog

from bots.errors import BotError
from core.types import Metrics

log = structlog.get_logger(__name__)

LONGEST = timedelta(days=3)
"""How long one is tried again. A weekend, and a day for somebody to see to it."""
MOST = 500
"""Remembered at once."""


class Cursors(Protocol):
    """Named positions that outlive the process."""

    def get(self, name: str) -> str | None: ...
    def set(self, name: str, value: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Waiting:
    """A ticket or comment to be read. Times are milliseconds since 1970."""

    id: str
    key: str
    since: int
    """What was written from this moment on is wanted."""
    first: int
    """When it was first to be read."""


class Unread:
    """Kept in one cursor, the one that was tried longest ago first. Each change is stored at once."""

    def __init__(self, cursors: Cursors, name: str, surface: str, metrics: Metrics) -> None:
        self._surface = surface
        self._cursors = cursors
        self._name = name
        self._metrics = metrics
        self._waiting = {row[0]: Waiting(*row) for row in json.loads(cursors.get(name) or "[]")}

    def __contains__(self, number: str) -> bool:
        return number in self._waiting

    def __iter__(self) -> Iterator[Waiting]:
        return iter(list(self._waiting.values()))

    def keep(self, one: Waiting, now: int, error: BotError) -> None:
        """Remember what could not be read; what could not be for too long is given up with an alarm."""
        known = self._waiting.pop(one.id, one)
        log.warning("could not be read", surface=self._surface, place=one.key, reason=str(error))
        self._metrics.count("crosscheck_poll_unread_total", surface=self._surface)
        if now - known.first > LONGEST // timedelta(milliseconds=1):
            self._give_up(known)
        else:
            self._waiting[one.id] = known
        if len(self._waiting) > MOST:
            self._give_up(self._waiting.pop(next(iter(self._waiting))))
        self._store()

    def done(self, number: str) -> None:
        """Forget what was read, or is gone."""
        if self._waiting.pop(number, None) is not None:
            self._store()

    def _give_up(self, one: Waiting) -> None:
        """Questions there may stay unanswered: an administrator has to know."""
        log.error("given up unread", alarm="unread", surface=self._surface, place=one.key, since=one.since)

    def _store(self) -> None:
        self._cursors.set(self._name, json.dumps([astuple(one) for one in self._waiting.values()]))
