"""What can go wrong while remembering.

StateError
├── DatabaseLocked      somebody else is writing for longer than we wait             try again
├── DatabaseAway        the server cannot be reached, or broke off                   try again
├── StorageFull         the disk, or the size the database may have, is used up      wake an administrator
├── DatabaseUnusable    unreadable, damaged, or of a newer version                   wake an administrator
│   └── NewerSchema
├── Conflict            the database refused a row that would have been a second one wake an administrator
├── Overtaken           somebody else has gone on with the same thing first          try again
├── NotStorable         a value that no database can hold, or no JSON                tell the person
├── LeaseLost           the claim is not ours any more; leave the row alone          tell (the log)
├── NotFound            no such job                                                  tell the person
└── NotRetryable        there is nothing to retry; the message says why              tell the person

Nothing is kept of a transaction that ended in one of these. The one exception: the connection broke (`DatabaseAway`)
while a commit was under way, which may have been carried out. Every change of ours may be tried again after that: who
accepts finds the key accepted, who ends or sends finds the lease given up (`LeaseLost`), what was begun is found begun.
"""

from typing import ClassVar, Literal

Advice = Literal["retry", "tell", "wake"]


class StateError(Exception):
    """Root. `advice` tells the worker what to do; the message is for people and holds no stored text."""

    advice: ClassVar[Advice] = "retry"

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class DatabaseLocked(StateError):
    """Somebody else is writing for longer than we wait."""


class DatabaseAway(StateError):
    """The database's server cannot be reached, or broke off."""


class StorageFull(StateError):
    """The disk, or the size the database may have, is used up."""

    advice = "wake"


class DatabaseUnusable(StateError):
    """The database cannot be read or written at all."""

    advice = "wake"


class NewerSchema(DatabaseUnusable):
    """Written by a newer version of the program."""


class Conflict(StateError):
    """The database refused a row that would have been a second one."""

    advice = "wake"


class Overtaken(StateError):
    """Somebody else has gone on with the same thing first: what is there now is to be gone on with."""


class NotStorable(StateError):
    """A value that no database can hold, or that is no JSON."""

    advice = "tell"


class LeaseLost(StateError):
    """The claim is not ours any more: somebody else may hold the row, so leave it alone."""

    advice = "tell"


class NotFound(StateError):
    """No such job."""

    advice = "tell"


class NotRetryable(StateError):
    """There is nothing to retry; the message says why."""

    advice = "tell"
