"""What people said to each other around a question: a thread, read live, for one place's readers."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from core.types import Locator

Say = Callable[[str], None]
"""Told what is being done, in a few plain words, while somebody waits."""


def silent(_what: str) -> None:
    """Nobody waits."""


@dataclass(frozen=True, slots=True)
class Remark:
    """One message of a thread."""

    author: str
    """Display name."""
    text: str
    """Plain text."""
    at: datetime
    locator: Locator
    """Opens at the message; all messages of a thread share its document id."""
    by_bot: bool = False


@dataclass(frozen=True, slots=True)
class Discussion:
    """A thread up to the question, oldest first, without the question itself."""

    locator: Locator
    """Of the thread; its document id is `slack:CHANNEL:TS`."""
    labels: frozenset[str]
    """Who may read it: one label for its channel."""
    remarks: tuple[Remark, ...]

    @property
    def by_people(self) -> tuple[Remark, ...]:
        """What the bot did not say itself: its own words prove nothing."""
        return tuple(one for one in self.remarks if not one.by_bot)
