"""What can go wrong while finding evidence.

CoreError
├── SourceError            a source could not be read
│   ├── SourceGone         what was asked for does not exist (any more)          tell the person
│   ├── SourceForbidden    the read token may not see it                         wake an administrator
│   ├── SourceUnavailable  network, 5xx, 429; may carry `retry_after` seconds    try again
│   └── SourceIncomplete   a listing ended early; nothing may be deleted on it   try again
├── IndexUnusable          the index could not be used
│   ├── IndexUnreachable   its server does not answer; may carry `retry_after`   try again
│   ├── IndexLocked        another process holds the folder; says which          wake an administrator
│   ├── IndexMismatch      made by another embedder, or short of points          wake an administrator
│   └── DiskFull           too little space to write safely                      wake an administrator
├── EmbedderUnavailable    no usable vectors came from the embedder              try again
│   └── EmbedderUnusable   its files, its settings or its key are wrong          wake an administrator
├── RerankerUnavailable    no usable scores came from the reranker               try again
│   └── RerankerUnusable   its files or its settings are wrong                   wake an administrator
├── Busy                   the graphics card was not free in time                try again
│   └── LockUnusable       the file of its lock cannot be made or locked         wake an administrator
├── DescriberUnavailable   the model for pictures does not answer just now       try again (a later sync)
├── PictureNotRead         the model gave nothing usable for this one picture    tell the person
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

    advice: ClassVar[Advice] = "wake"


class IndexUnreachable(IndexUnusable):
    """The index's server does not answer just now, or asks for patience."""

    advice = "retry"


class IndexLocked(IndexUnusable):
    """Another process holds the index folder."""


class IndexMismatch(IndexUnusable):
    """Made by another embedder, or short of points."""


class DiskFull(IndexUnusable):
    """Too little space to write safely."""


class EmbedderUnavailable(CoreError):
    """No usable vectors came from the embedder."""


class EmbedderUnusable(EmbedderUnavailable):
    """The embedder's files, settings or key are wrong; to try again is no use."""

    advice = "wake"


class RerankerUnavailable(CoreError):
    """No usable scores came from the reranker."""


class RerankerUnusable(RerankerUnavailable):
    """The reranker's files or settings are wrong; to try again is no use."""

    advice = "wake"


class Busy(CoreError):
    """The graphics card was not free in time."""


class LockUnusable(Busy):
    """The file of the graphics card's lock cannot be made or locked."""

    advice = "wake"


class DescriberUnavailable(CoreError):
    """The model for pictures does not answer just now; may carry `retry_after` seconds."""


class PictureNotRead(CoreError):
    """The model gave nothing usable for this one picture, and would not if it were asked again."""

    advice = "tell"

    def __init__(self, message: str, *, tokens: int = 0) -> None:
        super().__init__(message)
        self.tokens = tokens
        """What the attempt cost."""


class BadQuery(CoreError):
    """Nothing that can be searched for."""

    advice = "tell"
