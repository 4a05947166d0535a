"""What an environment says it runs. All are frozen; none does I/O."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Running:
    """What some instances of a service say they run, each sentence and name bounded and on one line."""

    version: str
    """As it was told: `v2.14.1`, `4f2a91c`, `release-7`; empty: nothing was told."""
    commit: str = ""
    """A commit id, whole or abbreviated, where one was told or the version is one; empty: none."""
    instances: int = 1
    """0: how many is not told."""
    since: datetime | None = None
    """Since when, where the environment says so."""
    dirty: bool = False
    """Built from more than a commit holds."""
    where: str = ""
    """`deployment booking-api, container api`; empty where there is only one."""
    notes: tuple[str, ...] = ()
    """What else has to be known, a sentence each: `1 of 3 instances is not ready.`"""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one probe read at one moment."""

    probe: str
    """Its name in the settings."""
    environment: str
    repo: str
    at: datetime
    running: tuple[Running, ...] = ()
    unread: str = ""
    """Why it could not be read, as a sentence's end (`no answer within 5 s`); then `running` is empty. Holds no
    secret and nothing that the other side wrote."""


class Probe(Protocol):
    """Reads, with a credential that may only read, which version of a repository's software an environment runs."""

    @property
    def name(self) -> str: ...
    @property
    def environment(self) -> str: ...
    @property
    def repo(self) -> str: ...
    @property
    def labels(self) -> frozenset[str]:
        """Who may know what it reads. Never empty."""

    @property
    def url(self) -> str:
        """A page where people see it; empty: none."""

    def read(self, seconds: float) -> Reading:
        """Within so many seconds. Never raises for what the environment does: that is `unread`."""


class Seen(Protocol):
    """A version that a probe read earlier, from when to when, without a reading between that told another."""

    @property
    def version(self) -> str: ...
    @property
    def commit(self) -> str: ...
    @property
    def first(self) -> datetime: ...
    @property
    def last(self) -> datetime: ...


class Memory(Protocol):
    """What was read before, for rollbacks and for `since when`."""

    def keep(self, reading: Reading) -> None:
        """Remember what was read. What could not be read changes nothing."""

    def earlier(self, probe: str) -> Sequence[Seen]:
        """Newest first, a bounded number."""
