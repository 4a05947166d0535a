"""What Slack delivers -> what somebody asked for, or why it asks for nothing. No I/O.

A message comes as a `message`, and as an `app_mention` too when it names the bot; both end in the same `Heard`. What
a delivery says is a hint: the message is read again, as it is then, before anything is decided.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from bots.errors import BadEvent
from bots.slack import markup
from bots.slack.payloads import BLANK_IS_NONE, ChannelId, Foreign, TeamId, Ts, UserId, parsed
from bots.text import one_line

Verdict = Literal["up", "down"]


@dataclass(frozen=True, slots=True)
class Heard:
    """A message to the bot, or in a thread where it may have spoken."""

    team: str
    """The workspace through which it came."""
    channel: str
    ts: str
    """The message's id in its channel."""
    thread: str
    """The `ts` of the message that begins the thread: its own when it stands alone."""
    user: str
    text: str
    """Plain, without the bot's mention."""
    direct: bool
    """Written to the bot alone."""
    mentioned: bool
    """Whether it addresses the bot; otherwise it follows in a thread, and names nobody else."""
    event_id: str
    """For the log. The same message comes as two events, and again when it was not acknowledged."""


@dataclass(frozen=True, slots=True)
class Ignored:
    """A delivery that asks for nothing."""

    event: str
    reason: str


@dataclass(frozen=True, slots=True)
class Quoted:
    """The message that somebody asked about."""

    ts: str
    thread: str
    """As `Heard.thread`."""
    author: str
    """User id, or the id of a bot; empty where Slack does not say."""
    text: str
    """Plain."""


@dataclass(frozen=True, slots=True)
class Private:
    """Asked by slash command or shortcut, to be answered to the person alone."""

    team: str
    channel: str
    user: str
    text: str
    """Plain; empty for a shortcut."""
    trigger_id: str
    """Unique for each use."""
    response_url: str
    """Where answers may be sent for 30 minutes. Whoever has it can write in the bot's name: it stays out of logs."""
    message: Quoted | None


@dataclass(frozen=True, slots=True)
class Rated:
    """What somebody thinks of an answer."""

    job: int
    user: str
    verdict: Verdict
    reason: str
    """Empty where only a button was pressed."""
    trigger_id: str | None
    """With which a form can be opened in the next three seconds."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The assistant panel, opened at a new thread."""

    channel: str
    thread: str


class _Envelope(Foreign):
    team_id: TeamId
    event_id: Annotated[str | None, BLANK_IS_NONE] = None


class _Message(Foreign):
    channel: ChannelId
    channel_type: str | None = None
    user: UserId
    ts: Ts
    thread_ts: Annotated[Ts | None, BLANK_IS_NONE] = None


class _Panel(Foreign):
    channel_id: ChannelId
    thread_ts: Ts


class _Home(Foreign):
    user: UserId


_WORDS = frozenset({"file_share", "thread_broadcast", "me_message"})
"""Kinds of messages that are a person's words."""

_NO_WORDS: Mapping[str, str] = {
    "bot_message": "by a bot",
    "message_deleted": "deleted",
    "message_replied": "about a thread",
}


def heard(body: Mapping[str, Any], bot_user: str) -> Heard | Ignored:
    """What a delivery of the Events API asks for.

    Raises BadEvent when an event that counts lacks what Slack says it has.
    """
    if body.get("type") != "event_callback":
        return Ignored(_name(body.get("type")), "not an event")
    event = body.get("event")
    if not isinstance(event, Mapping) or not isinstance(event.get("type"), str):
        raise BadEvent("The delivery has no event.")
    name = one_line(event["type"], 100)
    if name not in {"app_mention", "message"}:
        return Ignored(name, "not a message")
    subtype = str(event.get("subtype") or "")
    if subtype == "message_changed":
        return _edited(body, event, bot_user)
    if subtype and subtype not in _WORDS:
        return Ignored(f"{name} {one_line(subtype, 100)}", _NO_WORDS.get(subtype, "not a person's words"))
    return _message(body, event, bot_user)


def _edited(body: Mapping[str, Any], event: Mapping[str, Any], bot_user: str) -> Heard | Ignored:
    """An edit counts once it addresses the bot for the first time: there was nothing to answer before.

    Whatever else is edited has had its answer, and gets no second one.
    """
    now, before = event.get("message"), event.get("previous_message")
    name = "message message_changed"
    if not isinstance(now, Mapping):
        raise BadEvent("The delivery's edit has no message.")
    if not isinstance(before, Mapping):
        return Ignored(name, "edited, and Slack does not say what it was")
    if bot_user in markup.mentioned(markup.source(before)) or _is_direct(event):
        return Ignored(name, "edited, and it addressed the bot before")
    if bot_user not in markup.mentioned(markup.source(now)):
        return Ignored(name, "edited, and it does not address the bot")
    around = {"channel": event.get("channel"), "channel_type": event.get("channel_type"), "ts": before.get("ts")}
    return _message(body, {**around, **now, "type": "message"}, bot_user)


def _message(body: Mapping[str, Any], event: Mapping[str, Any], bot_user: str) -> Heard | Ignored:
    name = one_line(str(event["type"]), 100)
    if event.get("bot_id") or event.get("user") in (bot_user, "USLACKBOT"):
        return Ignored(name, "by a bot")
    if event.get("user") is None and isinstance(event.get("message"), Mapping):
        return Ignored(name, "about a thread")
    envelope, message = parsed(_Envelope, body, "envelope"), parsed(_Message, event, "message")
    text = markup.source(event)
    mentioned, direct = markup.mentioned(text), _is_direct(event)
    thread = message.thread_ts or message.ts
    addressed = direct or bot_user in mentioned
    if not addressed and (reason := _why_not(mentioned, text, follows=thread != message.ts)):
        return Ignored(name, reason)
    said = markup.plain(markup.without(text, bot_user))
    event_id = one_line(envelope.event_id or "", 100)
    return Heard(envelope.team_id, message.channel, message.ts, thread, message.user, said, direct, addressed, event_id)


def _why_not(mentioned: frozenset[str], text: str, *, follows: bool) -> str | None:
    """Why a message that does not address the bot is no follow-up either."""
    if mentioned:
        return "addressed to somebody else"
    if not follows:
        return "not addressed to the bot"
    return None if text.strip() else "no words"


def _is_direct(event: Mapping[str, Any]) -> bool:
    return event.get("channel_type") == "im" or str(event.get("channel", "")).startswith("D")


def opened(body: Mapping[str, Any]) -> Opened:
    """The assistant panel. Raises BadEvent."""
    panel = parsed(_Panel, _event(body).get("assistant_thread"), "panel")
    return Opened(panel.channel_id, panel.thread_ts)


def at_home(body: Mapping[str, Any]) -> str | None:
    """Who opened the bot's home tab; None for another tab. Raises BadEvent."""
    event = _event(body)
    return parsed(_Home, event, "home").user if event.get("tab") == "home" else None


def _event(body: Mapping[str, Any]) -> Mapping[str, Any]:
    event = body.get("event")
    return event if isinstance(event, Mapping) else {}


def _name(found: Any) -> str:
    return one_line(found, 100) if isinstance(found, str) and found else "unknown"
