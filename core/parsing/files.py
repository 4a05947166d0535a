"""Any file as text, places and pictures: the one way in for folders and attachments."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from core.parsing import delimited, text
from core.parsing.child import ChildLimits, Children
from core.parsing.formats import Unread, format_of
from core.parsing.frames import Request
from core.parsing.markdown import clean, one_line
from core.parsing.parsed import Parsed, Picture, unreadable

_HERE: dict[str, Callable[[str, bytes], Parsed]] = {
    "text": text.parse,
    "csv": delimited.parse,
}
"""Formats that are read in this process: what they take grows with the file and no faster."""


@dataclass(frozen=True, slots=True)
class FileLimits:
    """What one file may take. What is beyond a limit is said as unread."""

    largest: int = 50_000_000
    """Bytes of a file."""
    characters: int = 5_000_000
    """Of text."""
    child: ChildLimits = field(default_factory=ChildLimits)


class FileReader:
    """Reads files of every format; see docs/sources.md for what is read of each. Several threads may share one."""

    def __init__(self, limits: FileLimits | None = None, *, processes: int = 2) -> None:
        """`processes` is how many binary files are read at once."""
        self._limits = limits or FileLimits()
        self._children = Children(self._limits.child, processes)

    def __call__(self, name: str, data: bytes) -> Parsed:
        if len(data) > self._limits.largest:
            return too_large(self._limits.largest)
        try:
            form = format_of(name, data)
        except Unread as reason:
            return unreadable(str(reason))
        if form.startswith("image/"):
            return _picture(name, form, data)
        if form in _HERE:
            parsed = _HERE[form](name, data)
        else:
            parsed = self._children.read(Request(form, PurePosixPath(name).name, data))
        return _bounded(parsed, self._limits.characters)

    def close(self) -> None:
        """End the processes that read for it."""
        self._children.close()


def too_large(limit: int) -> Parsed:
    """A file that nobody opens. `limit` in bytes."""
    return unreadable(f"it is larger than {limit / 1_000_000:,.10g} MB")


def _picture(name: str, media_type: str, data: bytes) -> Parsed:
    shown = one_line(clean(PurePosixPath(name).name))
    mark = f"[picture not read: {shown}]"
    return Parsed(mark, pictures=(Picture(shown, media_type, data, mark),))


def _bounded(parsed: Parsed, most: int) -> Parsed:
    """No more text than may be, and never none."""
    if not parsed.text.strip():
        return replace(unreadable("it holds no text"), unread=("could not be read: it holds no text", *parsed.unread))
    if len(parsed.text) <= most:
        return parsed
    reason = f"the text after the first {most:,} characters not read"
    kept = parsed.text[:most]
    return Parsed(
        f"{kept}\n\n[{reason}]",
        tuple(place for place in parsed.places if place.start < most),
        (*parsed.unread, reason),
        tuple(picture for picture in parsed.pictures if picture.mark in kept),
    )
