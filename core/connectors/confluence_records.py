"""What Confluence holds, in one shape for Cloud and Data Center."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Space:
    """Where pages live, and who may see them at first."""

    id: str
    key: str
    name: str
    archived: bool = False
    """With all its pages, where pages are not archived by themselves."""


@dataclass(frozen=True, slots=True)
class Page:
    """A current or archived page. A listing gives neither labels nor body."""

    id: str
    title: str
    space: str
    """The space's id."""
    archived: bool
    parent: str | None
    above: tuple[str, ...] | None
    """Ids of everything that it stands below, where the answer tells; None where it has to be asked for."""
    version: str
    author: str
    """Who made this version, as in `names`."""
    updated: datetime
    created: datetime
    address: str
    labels: tuple[str, ...] = ()
    body: str = ""
    creator: str = ""
    """Who made the first version."""


@dataclass(frozen=True, slots=True)
class Version:
    """What a page was until its next version."""

    number: int
    title: str
    author: str
    at: datetime
    body: str


@dataclass(frozen=True, slots=True)
class Child:
    """A page right below another."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment at the foot of a page or at a marked text. A listing need not give the body."""

    id: str
    page: str | None
    """None where the answer does not tell: a reply is on its parent's page."""
    parent: str | None
    """The comment that it replies to."""
    inline: bool
    state: str
    """Of an inline comment: open, reopened, resolved or dangling. Empty for others, and where it is not told."""
    marked: str
    """The text that an inline comment is about."""
    version: str
    author: str
    updated: datetime
    address: str
    aliases: frozenset[str] = frozenset()
    """Further ids of the same author."""
    body: str = ""
    created: datetime | None = None
    """None where it is not told."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that belongs to a page."""

    id: str
    page: str
    title: str
    size: int
    """Bytes, as Confluence says."""
    version: str
    author: str
    updated: datetime
    created: datetime
    download: str
    """Path and query below the site."""
