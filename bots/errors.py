"""What can go wrong on a surface.

BotError
├── BadEvent           malformed or wrongly signed delivery; nothing is stored     (answered 4xx)
│   ├── BadSignature
│   └── TooOld         sent again, or by a clock that is wrong; pollers see the comment
├── Gone               the ticket or the trigger is not there any more             tell: the job ends as "gone"
├── NotAllowed         401/403, or the platform refuses the visibility             wake
├── Rejected           the platform says the body is wrong                         wake
├── Unavailable        could not be reached, 429, 5xx to a read: nothing written   retry
├── Uncertain          a write was sent and no clear answer came                   retry (looks for the key first)
├── CameOutWider       the platform made it wider than asked; it was withdrawn     wake
└── Misplaced          the platform put it into another thread; it was withdrawn   wake
"""

from typing import ClassVar, Literal

Advice = Literal["retry", "tell", "wake"]


class BotError(Exception):
    """Root. The message is for people and holds no secret."""

    advice: ClassVar[Advice] = "retry"

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class BadEvent(BotError):
    """Malformed delivery."""

    advice = "tell"


class BadSignature(BadEvent):
    """The delivery's signature is missing or wrong."""


class TooOld(BadEvent):
    """The delivery was signed too long before, or after, now: it is one that somebody kept, or a clock is wrong."""


class Gone(BotError):
    """The ticket or the comment is not there any more."""

    advice = "tell"


class NotAllowed(BotError):
    """The token may not do this; the message names the permission."""

    advice = "wake"


class Rejected(BotError):
    """The platform calls the request wrong."""

    advice = "wake"


class Unavailable(BotError):
    """Not reached, overloaded, or told to wait: nothing was written."""


class Uncertain(BotError):
    """The connection broke, or the server failed, after bytes were sent: it may have been written."""


class CameOutWider(BotError):
    """The platform showed the comment to more people than asked.

    `withdrawn` says whether it could be deleted again; if not, it still stands and the message says where.
    """

    advice = "wake"

    def __init__(self, message: str, *, withdrawn: bool = True) -> None:
        super().__init__(message)
        self.withdrawn = withdrawn


class Misplaced(BotError):
    """The platform put the comment into another thread or place than asked.

    `withdrawn` says whether it could be deleted again; if not, it still stands and the message says where.
    """

    advice = "wake"

    def __init__(self, message: str, *, withdrawn: bool = True) -> None:
        super().__init__(message)
        self.withdrawn = withdrawn
