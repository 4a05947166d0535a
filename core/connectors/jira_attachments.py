"""Files at tickets, as Jira lists and gives them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from core.connectors.base import fingerprint, moment
from core.connectors.jira_wire import Json
from core.errors import SourceError, SourceForbidden, SourceGone, SourceUnavailable
from core.parsing.markdown import clean, one_line


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file at a ticket, without its content, which never changes."""

    id: str
    file_name: str
    """As Jira has it."""
    name: str
    """As it is shown."""
    size: int
    """Bytes, as Jira says."""
    created: datetime
    author: str
    labels: frozenset[str]
    """Its own, with its ticket's."""


def attachment(raw: Json, labels: frozenset[str]) -> Attachment:
    size = raw.get("size")
    author, name = raw.get("author"), str(raw.get("filename") or "")
    return Attachment(
        id=str(raw.get("id")),
        file_name=name,
        name=one_line(clean(name)) or "without a name",
        size=size if isinstance(size, int) and size >= 0 else 0,
        created=moment(raw.get("created")),
        author=clean(str(author.get("displayName") or "")).strip() if isinstance(author, dict) else "",
        labels=labels,
    )


def state(it: Attachment, about: str) -> str:
    """Changes with the file, or with `about`: what of its document comes from elsewhere."""
    return fingerprint(it.created.isoformat(), about)


def downloaded(it: Attachment, download: Callable[[str, str], bytes]) -> bytes:
    """The file, asked for by its id and name. Raises SourceUnavailable if it could be had another time, SourceError if
    not.
    """
    try:
        data = download(it.id, it.file_name)
    except (SourceGone, SourceForbidden) as error:
        raise SourceError("Jira does not give it to the account that reads") from error
    except SourceUnavailable:
        raise
    except SourceError as error:
        raise SourceError("Jira gave more than can be taken") from error
    if len(data) != it.size:  # a page for people, or a part
        raise SourceError(f"Jira gave {len(data):,} bytes of its {it.size:,}")
    return data
