"""What Slack's Web API methods share: arguments from forms or JSON, tokens and scopes, and the answers' form."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from sandbox.slack.state import Conversation, Message
from sandbox.slack.workspace import Workspace

READ = {"channel": "channels:read", "group": "groups:read", "im": "im:read", "mpim": "mpim:read"}
HISTORY = {"channel": "channels:history", "group": "groups:history", "im": "im:history", "mpim": "mpim:history"}
"""The scope by kind of conversation."""

FORM = "application/x-www-form-urlencoded"


class ApiError(Exception):
    """Answered with 200, `ok: false` and this error."""

    def __init__(self, error: str, **more: Any) -> None:
        super().__init__(error)
        self.payload: dict[str, Any] = {"ok": False, "error": error, **more}


class TooMany(Exception):
    """Answered with 429."""

    def __init__(self, seconds: int) -> None:
        super().__init__(seconds)
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class Asked:
    """One call of a method by the app's bot."""

    arguments: Mapping[str, Any]
    scopes: frozenset[str]
    base: str

    def text(self, name: str, default: str = "") -> str:
        value = self.arguments.get(name)
        if isinstance(value, bool):
            return "true" if value else "false"
        return default if value is None else str(value)

    def needed(self, name: str, error: str = "invalid_arguments") -> str:
        """Raises ApiError when it is missing."""
        value = self.text(name)
        if not value:
            messages = [f"[ERROR] missing required field: {name}"]
            more = {"response_metadata": {"messages": messages}} if error == "invalid_arguments" else {}
            raise ApiError(error, **more)
        return value

    def flag(self, name: str) -> bool:
        return self.text(name).lower() in {"1", "true"}

    def number(self, name: str, default: int, most: int) -> int:
        text = self.text(name)
        if not text:
            return default
        if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= most:
            raise ApiError("invalid_limit")
        return int(text)

    def json(self, name: str, error: str) -> Any:
        """An argument that is JSON, also within a form; None when it was not given."""
        value = self.arguments.get(name)
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value) if value else None
        except ValueError:
            raise ApiError(error) from None

    def allow(self, scope: str) -> None:
        """Raises ApiError: the token lacks the scope."""
        if scope not in self.scopes:
            raise ApiError("missing_scope", needed=scope, provided=",".join(sorted(self.scopes)))


@dataclass(frozen=True, slots=True)
class Method:
    call: Callable[[Asked], dict[str, Any]]
    scope: str | None = None
    """None: whatever is asked for decides, or none is needed."""


def arguments(kind: str, query: str, body: bytes) -> dict[str, Any]:
    """Of the query, then of the body. Raises ApiError."""
    found: dict[str, Any] = dict(parse_qsl(query, keep_blank_values=True))
    if kind == FORM:
        found |= dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
    elif kind == "application/json" and body:
        try:
            said = json.loads(body)
        except ValueError:
            raise ApiError("invalid_json") from None
        if not isinstance(said, dict):
            raise ApiError("json_not_object")
        found |= said
    return found


def seen(workspace: Workspace, asked: Asked, scopes: Mapping[str, str], name: str = "channel") -> Conversation:
    """The conversation that is named by id, if the bot may know of it. Raises ApiError."""
    conversation = workspace.conversations.get(asked.needed(name, "channel_not_found"))
    if conversation is None:
        raise ApiError("channel_not_found")
    if conversation.kind != "channel" and workspace.bot.id not in conversation.members:
        raise ApiError("channel_not_found")
    asked.allow(scopes[conversation.kind])
    return conversation


def own_message(conversation: Conversation, ts: str, bot_id: str | None, error: str) -> Message:
    """The bot's own message. Raises ApiError: there is none, or (`error`) it is somebody else's."""
    message = conversation.messages.get(ts)
    if message is None or message.subtype == "tombstone":
        raise ApiError("message_not_found")
    if message.posts != bot_id:
        raise ApiError(error)
    return message


def page(asked: Asked, items: Sequence[Any], default: int, most: int) -> tuple[Sequence[Any], dict[str, Any]]:
    """The items from the cursor on, and what leads to the rest. Raises ApiError."""
    cursor = asked.text("cursor")
    kind, _, start = cursor.partition(":")
    if cursor and not (kind == "at" and start.isdecimal()):
        raise ApiError("invalid_cursor")
    size, at = asked.number("limit", default, most), int(start or 0)
    following = f"at:{at + size}" if at + size < len(items) else ""
    return items[at : at + size], {"response_metadata": {"next_cursor": following}}
