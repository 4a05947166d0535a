"""Slack's Web API: the only part of this surface that does I/O with it, and the only one that can write."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

from bots.errors import Gone
from bots.slack import bodies, markup
from bots.slack.answers import Bot, Channel, ChannelAnswer, Channels, read
from bots.slack.connection import Connection
from bots.slack.failures import failure
from bots.slack.files import Files
from bots.slack.people import Guests, Names
from bots.slack.speech import Speech, digest
from bots.slack.threads import Message, Threads, since_then
from bots.text import one_line
from bots.types import Place, Post, Posted, Trigger, Visibility
from bots.web_address import web_address

_KINDS = "public_channel,private_channel,mpim,im"
_PAGE = 999
_SKEW = timedelta(minutes=1)  # between the clocks of Slack's servers, and ours for what was asked without a message
_FILE = "F:"
_REMOVED = "removed"


class SlackClient:
    """The bot in one workspace. May be used by several threads.

    Every call raises the errors of `bots.errors`; none is repeated here.
    """

    def __init__(self, token: str, *, site: str = "https://slack.com", timeout: float = 10.0) -> None:
        """`site` has the Web API at `/api/`; `timeout` is the limit of a whole request in seconds."""
        self.site = site.rstrip("/")
        self.send_seconds = 3 * timeout
        """The longest that `post` can take: an edit, a new message instead, and taking it back."""
        self._slack = Connection(token, self.site, timeout=timeout)
        self._names = Names(self._slack)
        self._guests = Guests(self._slack)
        self._threads = Threads(self._slack, self._names)
        self._files = Files(self._slack, self._threads)
        self._speech = Speech(self._slack, self._threads)
        self._bot: Bot | None = None

    def whoami(self) -> Bot:
        """Who the token is, and in which workspace."""
        if self._bot is None:
            self._bot = read(Bot, self._slack.ask("auth.test", {}, what="tell who the bot is"), "the bot")
        return self._bot

    def scopes(self) -> frozenset[str]:
        """What the token may do."""
        _, headers = self._slack.asked("auth.test", {}, what="tell who the bot is")
        named = headers.get("x-oauth-scopes", "").split(",")
        return frozenset(scope.strip() for scope in named if scope.strip())

    # Reading

    def place(self, channel: str, thread: str = "", *, member: bool = True) -> Place:
        """A channel, or a thread in it. Who reads an open channel can be told without being a member.

        Raises Gone when it is not there, archived, or the bot is no `member` (any more), with the reason.
        """
        bot = self.whoami()
        payload = self._slack.ask("conversations.info", {"channel": channel}, what="show the channel")
        found = read(ChannelAnswer, payload, "a channel").channel
        key = f"@{found.user}" if found.is_im else f"#{one_line(found.name, 80)}"
        if found.is_archived:
            raise Gone(f"The channel {key} is archived")
        if member and not found.with_bot:
            raise Gone(f"The bot was removed from the channel {key}")
        return Place(
            surface="slack",
            site=self.site,
            id=found.id,
            key=key,
            url=self._link(found.id, thread),
            container=bot.team_id,
            customers=self._has_outsiders(found, bot),
            closed=found.closed,
            partner=found.user if found.is_im else "",
            thread=thread,
        )

    def trigger(self, channel: str, ts: str) -> Trigger:
        """A message and its place, as they are now. Raises Gone when it was deleted, or cannot be read."""
        bot = self.whoami()
        message = self._threads.one(channel, ts)
        place = self.place(channel, message.root)
        source, by_bot = message.source, message.by_app or message.by(bot)
        addressed = bot.user_id in markup.mentioned(source) or bool(place.partner)
        return Trigger(
            place=place,
            comment_id=message.ts,
            author=self._threads.author(message),
            author_id=message.user,
            created=message.created,
            command="question" if addressed and not by_bot else None,
            visibility=Visibility(),
            by_bot=by_bot,
            url=self._link(place.id, message.ts, message.root),
            text=markup.plain(markup.without(source, bot.user_id)),
            with_files=bool(message.files),
        )

    def thread(self, channel: str, root: str, before: str | None = None, limit: int = 50) -> tuple[Message, ...]:
        """What was said in a thread, oldest first: its first message, and the newest `limit` before the message
        `before`. The bot's words about its own work are left out.
        """
        bot = self.whoami()
        found = self._threads.talk(bot, channel, root, before, limit)
        return tuple(self._threads.shown(message, bot, self._link(channel, message.ts, root)) for message in found)

    def find(self, post: Post) -> list[Posted]:
        """The bot's messages or files in the thread that this post has become, oldest first."""
        bot, place, body = self.whoami(), post.place, post.body
        if body["kind"] == "removal":
            left = self._files.titled(bot, place, body["titles"])
            return [] if left else [Posted(_REMOVED, place.url, Visibility())]
        since = post.since - _SKEW
        if body["kind"] == "file":
            size = len(bodies.content(body))
            files = self._files.titled(bot, place, [body["title"]], since)
            return [Posted(_FILE + file.id, place.url, Visibility(), same_text=file.size == size) for file in files]
        text = digest(body)
        return [
            Posted(m.ts, self._link(place.id, m.ts, place.thread), Visibility(), m.delivery.get("text") == text)
            for m in self._threads.own(bot, place.id, place.thread, since)
            if m.delivery.get("key") == post.delivery_key and not m.is_working
        ]

    def is_outsider(self, user: str) -> bool:
        """Whether a person is a guest, or of another company."""
        return self._guests.among([user], self.whoami().team_id)

    def channels(self) -> Iterator[str]:
        """The ids of the conversations that the bot is in."""
        arguments = {"types": _KINDS, "exclude_archived": True, "limit": _PAGE}
        for page in self._slack.pages("users.conversations", arguments, what="list the bot's channels"):
            yield from (channel.id for channel in read(Channels, page, "channels").channels)

    def history(self, channel: str, since: datetime) -> Iterator[Mapping[str, Any]]:
        """What was said in a channel, but for replies in its threads, newest first, as Slack gives it."""
        return self._threads.history(channel, since)

    def replies_since(self, channel: str, root: str, since: datetime) -> Iterator[Mapping[str, Any]]:
        """The replies in a thread, oldest first, as Slack gives them."""
        replies = self._threads.raw(channel, root, since_then(since))
        return (reply for reply in replies if reply.get("ts") != root)

    # Writing

    def post(self, post: Post, *, until: float | None = None) -> Posted:
        """Write a message, share a file, or remove files; once. Outside text in it is to be inert already.

        After `until`, a moment of the monotonic clock, not a byte is sent.

        Raises NotAllowed or Rejected when Slack refuses it; Gone when the thread or the bot's place in it is;
        Unavailable when surely nothing was written; Uncertain when it may have been; CameOutWider when it came out
        elsewhere, with the message deleted again.
        """
        kind = post.body["kind"]
        if kind == "message":
            return self._speech.write(self.whoami(), post, self._link, until)
        if kind == "file":
            file, url = self._files.share(post.place, post.body, until)
            return Posted(_FILE + file, url, Visibility())
        if kind != "removal":
            raise ValueError(f"a post of an unknown kind: {kind}")
        for left in self._files.titled(self.whoami(), post.place, post.body["titles"]):
            self._files.delete(left.id, until)
        return Posted(_REMOVED, post.place.url, Visibility())

    def withdraw(self, place: Place, remote_id: str) -> None:
        """Delete one of the bot's own messages or files; one that is not there any more is fine."""
        if remote_id.startswith(_FILE):
            self._files.delete(remote_id.removeprefix(_FILE))
        elif remote_id != _REMOVED:
            self._speech.delete(place.id, remote_id)

    def working(self, place: Place, text: str, key: str, since: datetime | None) -> str:
        """The ts of the thread's message that says, for this delivery key, that the bot is at work; written if there
        is none since then. None: there can be none yet. `text` is shown as it is, without any markup.
        """
        return self._speech.working(self.whoami(), place, text, key, since and since - _SKEW)

    def say(self, place: Place, ts: str, text: str, key: str) -> None:
        """Let a message of `working` say something else, unless it was edited less than three seconds ago, Slack asks
        to wait, or it is an answer by now. Raises nothing: the work goes on either way.
        """
        self._speech.say(place, ts, text, key)

    def end(self, channel: str, ts: str, text: str, key: str) -> None:
        """Let a message of `working` say a last word, since it becomes no answer; without a text it is deleted."""
        self._speech.end(channel, ts, text, key)

    def status(self, place: Place, text: str) -> None:
        """Show in the assistant's thread what the bot does; an empty text ends it, as an answer does."""
        self._assist("setStatus", place.id, place.thread, {"status": text}, "show what it does")

    def title(self, place: Place, text: str) -> None:
        """Name the assistant's thread."""
        self._assist("setTitle", place.id, place.thread, {"title": text}, "name the thread")

    def prompts(self, channel: str, thread: str, prompts: Sequence[tuple[str, str]]) -> None:
        """Offer questions in the assistant's thread: what the button says, and what it asks."""
        offered = [{"title": title, "message": message} for title, message in prompts]
        self._assist("setSuggestedPrompts", channel, thread, {"prompts": offered}, "offer questions")

    def tell(self, response_url: str, body: Mapping[str, Any], *, until: float) -> None:
        """Answer a command or a click, for the asking person's eyes, once. The address is a secret.

        Raises Gone when it cannot be used any more, Rejected when it is not Slack's.
        """
        what = "answer privately"
        content = json.dumps(body).encode()
        status, headers, answer = self._slack.send(
            response_url, content, "application/json; charset=utf-8", what=what, writes=True, until=until
        )
        payload = _json(answer)
        if status in {404, 410}:
            raise Gone(f"Slack could not {what}: the time for it is over")
        if status != 200 or payload.get("ok") is False:
            raise failure(status, headers, payload, what=what, writes=True)

    def publish_home(self, user: str, view: Mapping[str, Any]) -> None:
        """Show a person's home tab."""
        self._slack.ask("views.publish", {"user_id": user, "view": view}, what="show the home tab", writes=True)

    def open_modal(self, trigger_id: str, view: Mapping[str, Any]) -> None:
        """Raises Gone when the three seconds since the click are over."""
        self._slack.ask("views.open", {"trigger_id": trigger_id, "view": view}, what="open a form", writes=True)

    def close(self) -> None:
        """Close the connections."""
        self._slack.close()

    def _has_outsiders(self, channel: Channel, bot: Bot) -> bool:
        if channel.shared:
            return True
        if channel.is_im:
            return self._guests.among([channel.user], bot.team_id)
        return self._guests.in_channel(channel.id, bot.team_id)

    def _link(self, channel: str, ts: str = "", root: str = "") -> str:
        """The address of a channel, or of a message in it."""
        home = (web_address(self.whoami().url) or self.site).rstrip("/")
        address = f"{home}/archives/{quote(channel, safe='')}"
        if ts:
            address += f"/p{ts.replace('.', '')}"
        return f"{address}?thread_ts={root}&cid={quote(channel, safe='')}" if root and root != ts else address

    def _assist(self, method: str, channel: str, thread: str, more: Mapping[str, Any], what: str) -> None:
        arguments = {"channel_id": channel, "thread_ts": thread, **more}
        self._slack.ask(f"assistant.threads.{method}", arguments, what=what, writes=True)


def _json(content: bytes) -> Mapping[str, Any]:
    """What a response URL answers is JSON or the word `ok`."""
    try:
        payload = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return payload if isinstance(payload, dict) else {}
