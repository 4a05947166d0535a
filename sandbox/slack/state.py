"""What a Slack workspace is made of: its users, conversations, messages and files."""

import hashlib
from base64 import b32encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["channel", "group", "im", "mpim"]
"""A public channel, a private one, a direct message, a direct message of several. Slack's own words."""

Json = Mapping[str, Any]


def identifier(prefix: str, *seed: str) -> str:
    """An id as Slack forms them, the same for the same seed."""
    digest = hashlib.sha256("\0".join(seed).encode()).digest()
    return prefix + b32encode(digest).decode()[:10].replace("=", "")


@dataclass(slots=True)
class User:
    id: str
    name: str
    """The handle."""
    real_name: str
    email: str
    team: str
    """Another workspace's for somebody who is seen through a shared channel."""
    person: str | None = None
    """Account id in the company's records."""
    bot_id: str | None = None
    guest: bool = False
    deleted: bool = False
    time: int = 1_700_000_000

    @property
    def bot(self) -> bool:
        return self.bot_id is not None

    @property
    def app_id(self) -> str:
        """Of a bot's app."""
        return identifier("A", "app", self.id)


@dataclass(frozen=True, slots=True)
class Edited:
    user: str
    ts: str


@dataclass(slots=True)
class Message:
    ts: str
    user: str
    text: str
    """As Slack keeps it: `&`, `<` and `>` of people's own words are escaped, mentions are `<@U...>`."""
    thread: str | None = None
    """The message that it replies to; None for one that is not in a thread, or begins one."""
    blocks: Sequence[Json] = ()
    metadata: Json | None = None
    files: Sequence[str] = ()
    edited: Edited | None = None
    subtype: str | None = None
    seen_by: str | None = None
    """The only user who sees it; None: everybody in the conversation."""
    posts: str | None = None
    """The bot id when an app has posted it."""
    broadcast: bool = False


@dataclass(slots=True)
class Conversation:
    id: str
    kind: Kind
    name: str
    """Without `#`; of a direct message the other user's id."""
    creator: str
    created: int
    members: list[str] = field(default_factory=list)
    purpose: str = ""
    general: bool = False
    archived: bool = False
    shared_with: list[str] = field(default_factory=list)
    """Other companies' team ids (Slack Connect)."""
    pending: list[str] = field(default_factory=list)
    """Team ids of companies that were invited and have not answered."""
    messages: dict[str, Message] = field(default_factory=dict)
    """By ts, in order."""
    ephemeral: list[Message] = field(default_factory=list)

    def thread(self, root: str) -> list[Message]:
        """The message and its replies, in order; whatever of it is there."""
        return [m for m in self.messages.values() if root in {m.ts, m.thread}]

    def replies(self, root: str) -> list[Message]:
        return [m for m in self.messages.values() if m.thread == root]


@dataclass(slots=True)
class File:
    id: str
    name: str
    title: str
    user: str
    created: int
    content: bytes = field(default=b"", repr=False)
    uploaded: bool = False
    """Its bytes are there."""
    shares: dict[str, list[str]] = field(default_factory=dict)
    """Conversation -> ts of the messages that show it."""
    deleted: bool = False
    length: int = 0
    """As announced before the upload."""
