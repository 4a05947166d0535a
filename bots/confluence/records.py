"""What the bot knows of Confluence's content, whichever flavour it was read from."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

RESOLVED = "the thread is resolved"
DANGLING = "the text that the thread is about is not on the page any more"
ARCHIVED = "the page is archived"
ARCHIVED_SPACE = "the space is archived"
VIEW_SPACE, ADD_COMMENTS = "View the space", "Add comments"
"""What the bot needs in a space."""


@dataclass(frozen=True, slots=True)
class Account:
    """The bot's own."""

    id: str
    names: frozenset[str]
    """All that it may stand as where an author is named, the id among them."""
    name: str
    """Display name."""


@dataclass(frozen=True, slots=True)
class Comment:
    id: str
    page_id: str
    """Empty for a comment that is not on a page: on a blog post, or a file."""
    page_title: str
    inline: bool
    above: str
    """The id of a comment above it in its thread; empty for a thread's first."""
    author_id: str
    """Empty for nobody who is known."""
    author: str
    """Display name, where it comes with the comment."""
    created: datetime
    settled: str
    """Why the thread has ended, as far as this comment tells; empty while it is open."""
    marked: str
    """The text of the page that it is about, as far as this comment tells."""
    storage: str
    url: str
    """Opens the page at the comment."""


@dataclass(frozen=True, slots=True)
class Page:
    id: str
    title: str
    space: str
    """Its key."""
    ended: str
    """Why nothing is said there any more; empty while people can."""
    url: str


@dataclass(frozen=True, slots=True)
class Found:
    """A comment in a search's result."""

    id: str
    stamp: str
    """Another one after each change."""


class Flavour(Protocol):
    """One account's requests in one of the two languages that Confluence speaks. Raises BotError."""

    def account(self) -> Account: ...

    def comment(self, comment_id: str, *, inline: bool | None = None) -> Comment:
        """As it is now, with who wrote it first and when. `inline` is the kind, when it is known. Raises Gone."""
        ...

    def replies(self, comment_id: str, *, inline: bool) -> Iterator[Comment]:
        """The answers to a comment, those to answers not among them; who changed one last may stand as its author."""
        ...

    def author_of(self, comment: Comment) -> str:
        """Display name; empty for nobody who is known."""
        ...

    def page(self, page_id: str) -> Page:
        """Raises Gone for one that is deleted, in the trash, or hidden from the bot."""
        ...

    def write(
        self, page_id: str, thread: str, storage: str, *, inline: bool, what: str, until: float | None
    ) -> Comment:
        """Answer a thread's first comment, once; the comment as Confluence says it has written it."""
        ...

    def delete(self, comment_id: str, *, inline: bool, what: str, until: float | None) -> None: ...

    def search(self, cql: str) -> Iterator[Found]:
        """The comments that a query finds. The index may be minutes behind."""
        ...

    def groups(self, person_id: str) -> frozenset[str]:
        """Names and ids of a person's groups."""
        ...

    def has_group(self, name: str) -> bool:
        """Whether there is a group of this name, or id. Raises NotAllowed when the bot may not look."""
        ...

    def missing_permissions(self, space: str) -> list[str] | None:
        """What the bot needs in a space and does not have; None when Confluence tells no more than that it is seen."""
        ...

    def close(self) -> None: ...
