"""Writing messages: the bot's words about its work, and the answers that they become."""

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from bots.errors import BotError, CameOutWider, Gone, Unavailable, Uncertain
from bots.slack.answers import DELIVERY, WORKING, Bot, Sent, read
from bots.slack.connection import Connection
from bots.slack.mrkdwn import escape
from bots.slack.paces import Edits
from bots.slack.threads import Threads
from bots.types import Place, Post, Posted, Visibility

_STALE = 60.0  # seconds without an edit of ours, after which somebody else may have made the message an answer
_SAYING = 3.0  # seconds that telling what is being done may take of the work itself
_NOT_EDITABLE = frozenset({"message_not_found", "cant_update_message", "edit_window_closed"})
_INERT = {"parse": "none"}  # Slack makes links of nothing by itself; of an edit it would
_NEW = {"link_names": False, "unfurl_links": False, "unfurl_media": False}

Link = Callable[[str, str, str], str]
"""Channel, ts and thread of a message -> its address."""


class Speech:
    """Every call raises the errors of `bots.errors`."""

    def __init__(self, slack: Connection, threads: Threads) -> None:
        self._slack = slack
        self._threads = threads
        self._edits = Edits()

    def write(self, bot: Bot, post: Post, link: Link, until: float | None) -> Posted:
        """Make the message that said that the bot is at work an answer, or write a new one where there is none that
        can be edited.
        """
        place, what = post.place, f"write in {post.place.key}"
        written = {
            "channel": place.id,
            "text": post.body["text"],
            "blocks": post.body["blocks"],
            "metadata": _metadata(post.delivery_key, digest(post.body)),
            **_INERT,
        }
        if post.becomes and self._edits.finish((place.id, post.becomes)):
            edit = {**written, "ts": post.becomes}
            answer = self._slack.ask("chat.update", edit, what=what, writes=True, until=until, excused=_NOT_EDITABLE)
            if answer.get("ok"):
                sent = read(Sent, answer, "the message just edited", Uncertain)
                if (sent.channel, sent.ts) != (place.id, post.becomes):
                    raise Uncertain(f"Slack was to {what}, but says that it edited another message")
                return Posted(sent.ts, link(place.id, sent.ts, place.thread), Visibility())
        new = {**written, "thread_ts": place.thread, **_NEW}
        answer = self._slack.ask("chat.postMessage", new, what=what, writes=True, until=until)
        sent = read(Sent, answer, "the message just written", Uncertain)
        if (sent.channel, sent.message.thread_ts) != (place.id, place.thread) or not sent.by(bot):
            raise self._took_back(sent, place)
        if post.becomes:
            with suppress(BotError):  # it could not be edited, or is gone: it is not to stand above the answer
                self.delete(place.id, post.becomes)
        return Posted(sent.ts, link(place.id, sent.ts, place.thread), Visibility())

    def working(self, bot: Bot, place: Place, text: str, key: str, since: datetime | None) -> str:
        """As `SlackClient.working`. Of several such messages, as two workers may have written, the oldest counts."""
        own = [] if since is None else self._threads.own(bot, place.id, place.thread, since)
        found = [message.ts for message in own if message.is_working and message.delivery.get("key") == key]
        for extra in found[1:]:
            self.delete(place.id, extra)
        if found:
            return found[0]
        written = {**_working(place, text, key), "thread_ts": place.thread, **_NEW}
        payload = self._slack.ask("chat.postMessage", written, what="say that it is at work", writes=True)
        ts = read(Sent, payload, "the message just written", Uncertain).ts
        self._edits.done((place.id, ts))
        return ts

    def say(self, place: Place, ts: str, text: str, key: str) -> None:
        """As `SlackClient.say`. A worker that was held up must not write over the answer of the one that followed it,
        so it looks first.
        """
        since = self._edits.due((place.id, ts))
        if since is None:
            return
        try:
            if since > _STALE and not self._threads.one(place.id, ts).is_working:
                self._edits.finish((place.id, ts))
                return
            edit = {**_working(place, text, key), "ts": ts}
            until = time.monotonic() + _SAYING
            self._slack.ask("chat.update", edit, what="say what it does", writes=True, until=until)
        except Uncertain:
            self._edits.lost((place.id, ts))
        except BotError:
            return

    def end(self, channel: str, ts: str, text: str, key: str) -> None:
        """As `SlackClient.end`."""
        self._edits.finish((channel, ts))
        if not text:
            self.delete(channel, ts)
            return
        edit = {"channel": channel, "ts": ts, "text": escape(text), "metadata": _metadata(key, WORKING), **_INERT}
        with suppress(Gone):
            self._slack.ask("chat.update", edit, what="say that no answer comes", writes=True)

    def delete(self, channel: str, ts: str, until: float | None = None) -> None:
        """One that is not there any more is fine."""
        with suppress(Gone):
            arguments = {"channel": channel, "ts": ts}
            self._slack.ask("chat.delete", arguments, what="delete a message", writes=True, until=until)

    def _took_back(self, sent: Sent, place: Place) -> CameOutWider:
        """A message came out elsewhere than asked: it is deleted at once, whatever else."""
        message = f"Slack wrote a message elsewhere than in the thread in {place.key} that it was for."
        until = time.monotonic() + self._slack.limit
        try:
            try:
                self.delete(sent.channel, sent.ts, until)
            except (Unavailable, Uncertain):
                self.delete(sent.channel, sent.ts, until)
        except BotError as e:
            where = f"message {sent.ts} in channel {sent.channel}"
            return CameOutWider(f"{message} It could not be deleted and still stands, as {where}: {e}", withdrawn=False)
        return CameOutWider(f"{message} It was deleted.")


def digest(body: Mapping[str, Any]) -> str:
    """Tells one body from another; what Slack gives back of a body need not equal what was sent."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:16]


def _working(place: Place, text: str, key: str) -> dict[str, Any]:
    return {"channel": place.id, "text": escape(text), "metadata": _metadata(key, WORKING), **_INERT}


def _metadata(key: str, text: str) -> dict[str, Any]:
    return {"event_type": DELIVERY, "event_payload": {"key": key, "text": text}}
