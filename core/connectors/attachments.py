"""Files attached to tickets and pages: which are read, when they are downloaded, and what is said of the others."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import PurePosixPath

from core.connectors.base import fingerprint
from core.errors import SourceError, SourceGone, SourceUnavailable
from core.parsing.parsed import Parsed, ReadFile, unreadable

LARGEST = 20_000_000
"""Bytes of an attachment that is downloaded."""
REFUSED = frozenset(
    {"zip", "7z", "gz", "tgz", "bz2", "xz", "tar", "rar", "jar", "war", "iso", "dmg", "exe", "dll", "msi", "apk", "ipa"}
    | {"mp4", "mov", "avi", "mkv", "webm", "wmv", "mp3", "wav", "m4a", "ogg", "flac"}
    | {"psd", "ai", "sketch", "fig", "ttf", "otf", "woff", "woff2", "hprof", "dmp", "pcap", "har", "pst", "msg"}
)
"""Endings of names of which nothing would be read."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a file says, and the version of it. Without `parsed` it is what the index holds already."""

    version: str
    parsed: Parsed | None


class Attachments:
    """Reads files by `read`, and has `describe` put words for their pictures.

    One that the index holds as it is, by `known` (the version of a document that it holds whole), is not downloaded
    again; one of which something was not read is, whenever it is looked at: that may have passed.
    """

    def __init__(
        self,
        read: ReadFile,
        describe: Callable[[Parsed], Parsed],
        *,
        largest: int = LARGEST,
        refused: Collection[str] = REFUSED,
        known: Callable[[str], str | None] = lambda _: None,
    ) -> None:
        """`largest` is in bytes, `refused` are endings of names."""
        self.largest = largest
        self._read = read
        self._describe = describe
        self._refused = refused
        self._known = known

    def content(self, document_id: str, name: str, size: int, state: str, download: Callable[[], bytes]) -> Content:
        """`size` (bytes) is what the source says; `state` changes with the file, or with what else its document is
        made of.

        Raises SourceGone when it is there no more, SourceUnavailable when it could be read another time.
        """
        whole = fingerprint(document_id, name, str(size), state)
        if self._known(document_id) == whole:
            return Content(whole, None)
        parsed = self._parsed(name, size, download)
        return Content(fingerprint(whole, parsed.text) if parsed.unread else whole, parsed)

    def _parsed(self, name: str, size: int, download: Callable[[], bytes]) -> Parsed:
        ending = PurePosixPath(name.lower()).suffix.removeprefix(".")
        if ending in self._refused:
            return unreadable(f"files of the type {ending} are not read")
        if size > self.largest:
            return unreadable(f"it has {size:,} bytes, and the limit is {self.largest:,}")
        try:
            data = download()
        except (SourceGone, SourceUnavailable):
            raise
        except SourceError as error:
            return unreadable(f"{error}")
        return self._describe(self._read(name, data))
