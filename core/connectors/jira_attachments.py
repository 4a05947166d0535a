"""Files attached to tickets: which are read, when they are downloaded, and what is said of the others."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath

from core.connectors.base import fingerprint, moment
from core.connectors.jira_api import Json
from core.errors import SourceError, SourceForbidden, SourceGone, SourceUnavailable
from core.parsing.markdown import clean, one_line
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
class Attachment:
    """A file at a ticket, without its content, which never changes."""

    id: str
    name: str
    size: int
    """Bytes, as Jira says."""
    created: datetime
    author: str
    labels: frozenset[str]
    """Its own, with its ticket's."""


@dataclass(frozen=True, slots=True)
class Content:
    """What an attachment says, and the version of it. Without `parsed` it is what the index holds already."""

    version: str
    parsed: Parsed | None


def attachment(raw: Json, labels: frozenset[str]) -> Attachment:
    size = raw.get("size")
    author = raw.get("author")
    return Attachment(
        id=str(raw.get("id")),
        name=one_line(clean(str(raw.get("filename") or ""))) or "without a name",
        size=size if isinstance(size, int) and size >= 0 else 0,
        created=moment(raw.get("created")),
        author=clean(str(author.get("displayName") or "")).strip() if isinstance(author, dict) else "",
        labels=labels,
    )


class Attachments:
    """Reads attachments by `read`, and has `describe` put words for their pictures.

    One that the index holds as it is, by `known` (the version of a document that it holds whole), is not downloaded
    again; one of which something was not read is, at each reading of its ticket: that may have passed.
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
        self._read = read
        self._describe = describe
        self._largest = largest
        self._refused = refused
        self._known = known

    def content(self, it: Attachment, document_id: str, about: str, download: Callable[[str], bytes]) -> Content:
        """`about` is what of its document comes from elsewhere and enters its version.

        Raises SourceUnavailable: it could be read another time.
        """
        whole = fingerprint(it.id, str(it.size), it.created.isoformat(), it.name, about)
        if self._known(document_id) == whole:
            return Content(whole, None)
        parsed = self._parsed(it, download)
        return Content(whole if not parsed.unread else fingerprint(whole, parsed.text), parsed)

    def _parsed(self, it: Attachment, download: Callable[[str], bytes]) -> Parsed:
        ending = PurePosixPath(it.name.lower()).suffix.removeprefix(".")
        if ending in self._refused:
            return unreadable(f"files of the type {ending} are not read")
        if it.size > self._largest:
            return unreadable(f"it has {it.size:,} bytes, and the limit is {self._largest:,}")
        try:
            data = download(it.id)
        except SourceUnavailable:
            raise
        except (SourceGone, SourceForbidden):
            return unreadable("Jira does not give it to the account that reads")
        except SourceError:
            return unreadable("Jira gave more than can be taken")
        if len(data) != it.size:  # a page for people, or a part
            return unreadable(f"Jira gave {len(data):,} bytes of its {it.size:,}")
        return self._describe(self._read(it.name, data))
