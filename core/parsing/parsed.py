"""What every parser gives: a file's text, its places, and what of it could not be read."""

from dataclasses import dataclass
from typing import Protocol

from core.types import Place


@dataclass(frozen=True, slots=True)
class Picture:
    """A bitmap within a file, for who can describe it."""

    name: str
    """As people know it: `image2.png on slide 3`."""
    media_type: str
    """`image/png` and the like."""
    data: bytes
    mark: str
    """Stands for the picture in the text, once."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file as it was read. `text` is never empty: a file that gave nothing says so there and in `unread`."""

    text: str
    """Markdown."""
    places: tuple[Place, ...] = ()
    unread: tuple[str, ...] = ()
    """As `Document.unread`."""
    pictures: tuple[Picture, ...] = ()


class ReadFile(Protocol):
    """Reads a file by its name and content."""

    def __call__(self, name: str, data: bytes) -> Parsed:
        """Whatever the file is: one that cannot be read gives a text and an `unread` that say why. Raises nothing."""


def unreadable(reason: str) -> Parsed:
    """A file of which nothing was read: `unreadable("it is encrypted")`."""
    return Parsed(f"[could not be read: {reason}]", unread=(f"could not be read: {reason}",))
