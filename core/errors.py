"""What can go wrong while finding evidence.

CoreError
├── SourceError            a source could not be read
│   ├── SourceGone         what was asked for does not exist (any more)          tell the person
│   ├── SourceForbidden    the read token may not see it                         wake an administrator
│   ├── SourceUnavailable  network, 5xx, 429; may carry `retry_after` seconds    try again
│   └── SourceIncomplete   a listing ended early; nothing may be deleted on it   try again
├── IndexUnusable          the index could not be used
│   ├── IndexLocked        another process holds the folder; says which          wake an administrator
│   ├── IndexMismatch      made by another embedder, or short of points          wake an administrator
│   └── DiskFull           too little space to write safely                      wake an administrator
├── EmbedderUnavailable    no usable vectors came from the embedder              try again
└── BadQuery               nothing that can be searched for                      tell the person
"""

from typing import ClassVar, Literal

Advice = Literal["retry", "tell", "wake"]


class CoreError(Exception):
    """Root. `advice` tells the worker what to do; the message is for people and holds no secret."""

    advice: ClassVar[Advice] = "retry"

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class SourceError(CoreError):
    """A source could not be read."""


class SourceGone(SourceError):
    """What was asked for does not exist, or not any more."""

    advice = "tell"


class SourceForbidden(SourceError):
    """The read token may not see it."""

    advice = "wake"


class SourceUnavailable(SourceError):
    """Network, server error or rate limit."""


class SourceIncomplete(SourceError):
    """A listing ended before its end."""


class IndexUnusable(CoreError):
    """The index could not be used."""

    advice = "wake"


class IndexLocked(IndexUnusable):
    """Another process holds the index folder."""


class IndexMismatch(IndexUnusable):
    """Made by another embedder, or short of points."""


class DiskFull(IndexUnusable):
    """Too little space to write safely."""


class EmbedderUnavailable(CoreError):
    """No usable vectors came from the embedder."""


class BadQuery(CoreError):
    """Nothing that can be searched for."""

    advice = "tell"
