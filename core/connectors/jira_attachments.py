"""Files at tickets, as Jira lists and gives them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from core.connectors.base import fingerprint, moment
from core.connectors.jira_api import Json
from core.errors import SourceError, SourceForbidden, SourceGone, SourceUnavailable
from core.parsing.markdown import clean, one_line


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


def state(it: Attachment, about: str) -> str:
    """Changes with the file, or with `about`: what of its document comes from elsewhere."""
    return fingerprint(it.created.isoformat(), about)


def downloaded(it: Attachment, download: Callable[[str], bytes]) -> bytes:
    """The file. Raises SourceUnavailable if it could be had another time, SourceError if not."""
    try:
        data = download(it.id)
    except (SourceGone, SourceForbidden) as error:
        raise SourceError("Jira does not give it to the account that reads") from error
    except SourceUnavailable:
        raise
    except SourceError as error:
        raise SourceError("Jira gave more than can be taken") from error
    if len(data) != it.size:  # a page for people, or a part
        raise SourceError(f"Jira gave {len(data):,} bytes of its {it.size:,}")
    return data
