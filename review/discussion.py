"""What people said to each other around a question: a thread, or a ticket or page with its comments, read live."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from core.tickets import Comment, Ticket
from core.types import Audience, Locator

THREADS = "slack"
"""The source of a thread that is read from its source."""

Say = Callable[[str], None]
"""Told what is being done, in a few plain words, while somebody waits."""


def silent(_what: str) -> None:
    """Nobody waits."""


@dataclass(frozen=True, slots=True)
class Remark:
    """One message of a thread, one comment, or the text that comments are on."""

    author: str
    """Display name."""
    text: str
    """Plain text."""
    at: datetime
    """When it was said, or last changed."""
    locator: Locator
    """Opens at the message."""
    by_bot: bool = False
    labels: frozenset[str] | None = None
    """Who may read it, if it is a document of its own, which its locator names. None: it is a part of the thread's."""
    kind: str = "thread"
    """As the index calls it: thread, ticket, page or comment."""


@dataclass(frozen=True, slots=True)
class Discussion:
    """A thread up to the question, oldest first, without the question itself."""

    locator: Locator
    """Of the thread; its document id is `slack:CHANNEL:TS`. Of the ticket or page that is commented on."""
    labels: frozenset[str]
    """Who may read it: one label for its channel; those of the ticket or page."""
    remarks: tuple[Remark, ...]
    source: str = THREADS

    @property
    def by_people(self) -> tuple[Remark, ...]:
        """What the bot did not say itself: its own words prove nothing."""
        return tuple(one for one in self.remarks if not one.by_bot)

    def labels_of(self, remark: Remark) -> frozenset[str]:
        """Who may read one of its remarks."""
        return self.labels if remark.labels is None else remark.labels

    def seen_by(self, audience: Audience) -> "Discussion | None":
        """As this audience may read it: remarks beyond it are not there. None if it is not readable at all."""
        if not audience.may_read(self.labels):
            return None
        return replace(self, remarks=tuple(one for one in self.remarks if audience.may_read(self.labels_of(one))))


def discussion_of(ticket: Ticket, before: datetime | None = None) -> Discussion:
    """A ticket or page as what its reporter says, and what was said up to a moment (`before`) in its comments, each a
    document of its own with its own readers. Platforms' clocks are coarse: what has the same time counts.
    """
    where, kind = ticket.locator, ticket.kind
    author = ticket.reporter.name if ticket.reporter else "Somebody"
    text = "\n\n".join(part for part in (ticket.summary, ticket.description) if part.strip())
    first = Remark(author, text, ticket.updated, where, labels=ticket.labels, kind=kind)
    comments = sorted(ticket.comments, key=lambda one: one.created)
    said = tuple(_remark(one) for one in comments if before is None or one.created <= before)
    return Discussion(where, ticket.labels, (first, *said), "confluence" if kind == "page" else "jira")


def _remark(comment: Comment) -> Remark:
    at = "".join(f"> {line}\n" for line in comment.marked.splitlines())
    text, author = f"{at}\n{comment.text}" if at else comment.text, comment.author.name
    return Remark(author, text, comment.created, comment.locator, comment.by_bot, comment.labels, "comment")
