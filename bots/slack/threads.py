"""Reading what was said in a channel and its threads."""

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bots.errors import Gone, Unavailable
from bots.slack import markup
from bots.slack.answers import Bot, Spoken, read, stamp
from bots.slack.connection import Connection
from bots.slack.people import Names
from bots.text import one_line

_PAGE = 200  # messages; as many as Slack recommends
_MOST = 10_000  # messages of one thread
_WITH_METADATA = {"include_all_metadata": True}


@dataclass(frozen=True, slots=True)
class Message:
    """Something said in a thread."""

    ts: str
    author_id: str
    author: str
    """Full name."""
    text: str
    """Plain text."""
    by_bot: bool
    """By an app, this one or another."""
    own: bool
    created: datetime
    url: str
    answers: str | None
    """The delivery key of the bot's own answer."""


class Threads:
    """Every call raises the errors of `bots.errors`."""

    def __init__(self, slack: Connection, names: Names) -> None:
        self._slack = slack
        self._names = names

    def one(self, channel: str, ts: str) -> Spoken:
        """A message as it is now, wherever in the channel. Raises Gone."""
        # Asked for a reply, Slack gives it alone; for the beginning of a thread, that first of all.
        arguments = {"channel": channel, "ts": ts, "latest": ts, "inclusive": True, "limit": 2, **_WITH_METADATA}
        for raw in _messages(self._slack.ask("conversations.replies", arguments, what="show the message")):
            if raw.get("ts") == ts:
                found = read(Spoken, raw, "a message")
                if found.is_speech:
                    return found
        raise Gone("The message was deleted")

    def own(self, bot: Bot, channel: str, root: str, since: datetime | None = None) -> list[Spoken]:
        """The bot's messages in a thread, oldest first, all or those since a moment."""
        said = self.said(channel, root, since_then(since) if since else {})
        return [m for m in said if m.by(bot) and (since is None or m.created >= since)]

    def said(self, channel: str, root: str, limits: Mapping[str, Any]) -> Iterator[Spoken]:
        """A thread, oldest first, as far as `limits` (`oldest`, `latest`, `inclusive`) let it; the first message is
        there even so, if it was not deleted.
        """
        for raw in self.raw(channel, root, limits):
            message = read(Spoken, raw, "a message")
            if message.is_speech:
                yield message

    def raw(self, channel: str, root: str, limits: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """The same as Slack gives it. Raises Unavailable for a thread too long to be read whole."""
        arguments = {"channel": channel, "ts": root, "limit": _PAGE, **_WITH_METADATA, **limits}
        seen: set[Any] = set()
        for page in self._slack.pages("conversations.replies", arguments, what="read the thread"):
            for raw in _messages(page):
                if raw.get("ts") not in seen:
                    seen.add(raw.get("ts"))
                    yield raw
            if len(seen) > _MOST:
                raise Unavailable(f"Slack could not read the thread: it has more than {_MOST:,} messages")

    def history(self, channel: str, since: datetime) -> Iterator[Mapping[str, Any]]:
        """What was said in a channel and not in its threads, newest first, as Slack gives it."""
        arguments = {"channel": channel, "limit": _PAGE, **since_then(since)}
        for page in self._slack.pages("conversations.history", arguments, what="read the channel"):
            yield from _messages(page)

    def talk(self, bot: Bot, channel: str, root: str, before: str | None, limit: int) -> list[Spoken]:
        """What people and apps said in a thread: the first message and the newest `limit`, oldest first. The bot's
        words about its own work are none of it.
        """
        newest: deque[Spoken] = deque(maxlen=limit)
        first: list[Spoken] = []
        for message in self.said(channel, root, {"latest": before} if before else {}):
            if message.ts == before or (message.is_working and message.by(bot)):
                continue
            if message.ts == root:
                first = [message]
            else:
                newest.append(message)
        return [*first, *newest]

    def shown(self, message: Spoken, bot: Bot, url: str) -> Message:
        own = message.by(bot)
        key = message.delivery.get("key") if own else None
        return Message(
            ts=message.ts,
            author_id=message.user,
            author=self.author(message),
            text=markup.plain(message.source),
            by_bot=message.by_app or own,
            own=own,
            created=message.created,
            url=url,
            answers=key if isinstance(key, str) else None,
        )

    def author(self, message: Spoken) -> str:
        """Full name; empty when nobody is named."""
        return self._names.of(message.user) if message.user else one_line(message.username, 80)


def since_then(at: datetime) -> dict[str, Any]:
    """The limits that leave out what is older."""
    return {"oldest": stamp(at), "inclusive": True}


def _messages(page: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    messages = page.get("messages")
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise Unavailable("Slack's answer about messages is not as it is described: messages")
    return messages
