"""The types at the surfaces' borders: where somebody asked, who may see it, what is posted."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Visibility:
    """Who may see a comment, beyond whoever may see its place.

    `restriction` is the platform's own object, copied verbatim; None means no restriction of its own.
    `internal` is the service desk's other axis: hidden from customers. The two are independent.
    """

    restriction: Mapping[str, Any] | None = None
    internal: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where a conversation is held: a ticket, a page, a thread."""

    surface: str
    """jira, slack or confluence."""
    site: str
    """Base URL without a trailing slash; tells two installations apart."""
    id: str
    """The platform's stable id of the ticket, page or channel."""
    key: str
    """What people call it: PAY-12."""
    url: str
    container: str
    """The project, space or workspace it belongs to."""
    security: str | None = None
    """The ticket's security level id, when it has one."""
    customers: bool = False
    """People from outside can see what is not marked internal here: the customers of a service project, guests or
    another company in a channel."""
    closed: bool = False
    """Only its members can read it: a private channel, a direct message."""
    partner: str = ""
    """The id of the one person who is written with directly."""
    thread: str = ""
    """The id of the message under which is spoken, where a surface has threads."""
    inline: bool = False
    """The thread hangs at a marked text of a page, and a reply has to hang there as well."""
    ended: str = ""
    """Why nothing is to be said there any more: a resolved thread, an archived page. Empty while people talk."""
    roles: tuple[str, ...] = ()
    """Ids of roles in the project of which it takes one to see the ticket; empty when it takes none."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """A comment that addresses the bot, as read from the platform just now."""

    place: Place
    comment_id: str
    author: str
    """Display name."""
    author_id: str
    created: datetime
    command: str | None
    """The command found in the text, without `#`; None when the text holds none (any more)."""
    visibility: Visibility
    by_bot: bool
    url: str
    argument: str = ""
    """What follows the command on its line: `dismiss 2: agreed with sales`."""
    text: str = ""
    """What was written to the bot, as plain text: after the command, or without its mention where it is addressed in
    free words.
    """
    marked: str = ""
    """The text of the page that an inline comment is about."""
    with_files: bool = False
    """Files were sent with it."""


@dataclass(frozen=True, slots=True)
class Post:
    """One comment to be written, ready for its platform."""

    place: Place
    visibility: Visibility
    body: Mapping[str, Any]
    """As the surface's client renders it: for Jira Cloud the ADF document, for Data Center wiki markup, for Confluence
    storage format; for Slack a message, a file or files to be removed.
    """
    delivery_key: str
    """Unique for this part of this reply; written to the platform beside the body and looked for before any send."""
    trigger_id: str
    """The comment that is answered."""
    since: datetime
    """Nothing of ours with this key can be older than this (when the trigger was written)."""
    becomes: str | None = None
    """The id of the bot's own message that said it was at work, and now becomes this."""


@dataclass(frozen=True, slots=True)
class Posted:
    """What the platform says it has written."""

    remote_id: str
    url: str
    visibility: Visibility
    same_text: bool = True
    """Whether it was written with the body of the post that is looked for, and not with one made earlier."""
