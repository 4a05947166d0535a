"""A ticket as people read it: fields, comments, complete history, links. Sources fill it, the review reads it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from core.types import Audience, Locator

KEY = re.compile(r"\b[A-Z][A-Z0-9_]+-[0-9]+\b")
"""A ticket's key in a text."""
_PAGE = re.compile(r"confluence:[0-9]+")

Kind = Literal["ticket", "page", "thread"]


def is_page(key: str) -> bool:
    """Whether a key is a page's, which is its document id, and so nothing that people call it by."""
    return _PAGE.fullmatch(key) is not None


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in the ticket system; `id` is the account id, which is never shown."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Field:
    """A field that people fill, by the name they see."""

    id: str
    name: str
    text: str
    """Markdown; lists are joined by commas."""


@dataclass(frozen=True, slots=True)
class Comment:
    id: str
    author: Person
    created: datetime
    updated: datetime
    text: str
    """Markdown. Mentions read `@Name`, quotes start with `>`."""
    mentions: tuple[str, ...]
    """Account ids."""
    labels: frozenset[str]
    """Its own, with its ticket's."""
    locator: Locator
    by_bot: bool = False
    marked: str = ""
    """The text of a page that it hangs at; empty at the foot of a page and at a ticket."""


@dataclass(frozen=True, slots=True)
class Change:
    """One field changed once."""

    at: datetime
    author: Person
    field: str
    """The field's name as people see it, e.g. `description`, `status`, `Acceptance criteria`."""
    before: str
    after: str
    to_tickets: bool = False
    """The field points to other tickets, as a link or a parent does: its values name them by their keys."""


@dataclass(frozen=True, slots=True)
class TicketLink:
    """A link to another ticket, with what is known of that ticket."""

    relation: str
    """As read from this ticket: `is blocked by`, `blocks`, `duplicates`, `parent`, `sub-task`, `relates to`."""
    key: str
    summary: str
    type: str
    status: str
    done: bool
    """The status belongs to the category `done`."""
    resolution: str | None
    labels: frozenset[str]
    locator: Locator


CHILD = "child page"
"""The relation of a page to a page right below it."""


@dataclass(frozen=True, slots=True)
class RemoteLink:
    title: str
    url: str
    relation: str | None = None


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """A file at a ticket. What is in it, the index knows."""

    document_id: str
    name: str
    labels: frozenset[str]


@dataclass(frozen=True, slots=True)
class Ticket:
    """A ticket, or what is reviewed as one is, read live. `unread` says in plain words what of it could not be read."""

    id: str
    key: str
    project: str
    summary: str
    description: str
    type: str
    status: str
    done: bool
    resolution: str | None
    reporter: Person | None
    assignee: Person | None
    created: datetime
    updated: datetime
    labels: frozenset[str]
    """Access labels of the ticket's open part."""
    locator: Locator
    service_desk: bool = False
    fields: tuple[Field, ...] = ()
    """Other fields that hold text, number, choice or person; not summary and description."""
    comments: tuple[Comment, ...] = ()
    history: tuple[Change, ...] = ()
    """Oldest first, complete, or its gap is in `unread`."""
    links: tuple[TicketLink, ...] = ()
    remote_links: tuple[RemoteLink, ...] = ()
    pull_addresses: tuple[str, ...] = ()
    """Addresses of the pull requests in its development panel; none where there is no panel. Not for showing: nobody
    says who may see them.
    """
    files: tuple[AttachedFile, ...] = ()
    unread: tuple[str, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    kind: Kind = "ticket"
    """Also the word for it in a sentence. A page has its space as project and its document id as key."""
    version: str = ""
    """Of a page, as its readers see it: `7`."""

    @property
    def called(self) -> str:
        """What people call it."""
        if self.kind != "page":
            return self.key
        title = f"“{' '.join(self.summary.split())}”"
        return f"{title}, version {self.version}" if self.version else title

    @property
    def document_id(self) -> str:
        return self.locator.document_id

    def seen_by(self, audience: Audience) -> "Ticket | None":
        """The ticket as this audience may read it: comments, links and files beyond it are not there, nor changes that
        name a ticket beyond it. None if it is not readable at all.
        """
        if not audience.may_read(self.labels):
            return None
        links = tuple(link for link in self.links if audience.may_read(link.labels))
        return replace(
            self,
            comments=tuple(c for c in self.comments if audience.may_read(c.labels)),
            history=self.history_with(links),
            links=links,
            files=tuple(file for file in self.files if audience.may_read(file.labels)),
        )

    def history_with(self, links: Iterable[TicketLink]) -> tuple[Change, ...]:
        """The changes that whoever may know of these linked tickets, and of no others, may be told. What a field that
        points to tickets once held is not told when it says no key, or one that is not linked any more: who may know
        of that ticket cannot be asked.
        """
        known = {self.key, *(link.key for link in links)}
        return tuple(change for change in self.history if not change.to_tickets or _within(change, known))


def _within(change: Change, known: set[str]) -> bool:
    named = [set(KEY.findall(side)) for side in (change.before, change.after) if side.strip()]
    return all(keys and keys <= known for keys in named)
