"""Why a call of a tool has no answer.

ToolFailed
├── BadArguments  the arguments are not what the tool takes
├── BadCursor     the cursor is of another call, or what it continues has changed
├── NoLabels      the caller may read nothing at all
├── Busy          too many calls wait already
├── TooMany       the caller has made as many calls as it may in a minute
└── TimedOut      the operation took longer than a call may
"""

from crosscheck.errors import CrosscheckError


class ToolFailed(CrosscheckError):
    """Root. The message is for the client's model: what is wrong and what to do. It holds nothing from a source."""


class BadArguments(ToolFailed):
    """The arguments are not what the tool takes."""


class BadCursor(ToolFailed):
    """The cursor is of another call, or what it continues has changed."""


class NoLabels(ToolFailed):
    """The caller may read nothing at all."""


class Busy(ToolFailed):
    """Too many calls wait already."""


class TooMany(ToolFailed):
    """The caller has made as many calls as it may in a minute."""

    def __init__(self, message: str, *, seconds: int) -> None:
        super().__init__(message)
        self.seconds = seconds
        """After which it may call again."""


class TimedOut(ToolFailed):
    """The operation took longer than a call may."""
