"""What the Events API tells an app of: the bodies, each about one thing that happened where the bot can see it."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from sandbox.slack.shapes import Shapes
from sandbox.slack.state import Conversation, Message, User, identifier
from sandbox.slack.workspace import Workspace

Tell = Callable[[dict[str, Any]], None]


class Events:
    """Observes a workspace and tells of each event's whole body. It says nothing of conversations that the bot is
    not in, nor of types that the app has not subscribed to.
    """

    def __init__(self, workspace: Workspace, shapes: Shapes, tell: Tell) -> None:
        self._workspace = workspace
        self._shapes = shapes
        self._tell = tell
        self._count = 0
        self.subscribed = {
            "app_mention",
            "message.channels",
            "message.groups",
            "message.im",
            "message.mpim",
            "member_joined_channel",
            "channel_archive",
            "app_home_opened",
            "assistant_thread_started",
        }

    def posted(self, conversation: Conversation, message: Message) -> None:
        event = self._message(conversation, message)
        if message.broadcast and message.thread is not None:
            root = conversation.messages[message.thread]
            event |= {"subtype": "thread_broadcast", "root": self._shapes.message(conversation, root)}
        if message.subtype is None and conversation.kind != "im" and self._mentions(message.text):
            self._mention(conversation, message)
        self._of_message(conversation, event)

    def edited(self, conversation: Conversation, message: Message, before: Message) -> None:
        """An edit that brings the mention in is a mention too."""
        at = message.edited.ts if message.edited else self._workspace.ts()
        if conversation.kind != "im" and self._mentions(message.text) and not self._mentions(before.text):
            self._mention(conversation, message)
        event = {
            "type": "message",
            "subtype": "message_changed",
            "message": self._shapes.message(conversation, message, metadata=True),
            "previous_message": self._shapes.message(conversation, before, metadata=True),
            "hidden": True,
            "ts": at,
            "event_ts": at,
        }
        self._of_message(conversation, event)

    def deleted(self, conversation: Conversation, message: Message, left: Message | None, ts: str) -> None:
        before = {"previous_message": self._shapes.message(conversation, message), "hidden": True}
        event: dict[str, Any] = {"type": "message", "subtype": "message_deleted", "deleted_ts": message.ts, **before}
        if left is not None:
            event |= {"subtype": "message_changed", "message": self._shapes.message(conversation, left)}
            del event["deleted_ts"]
        self._of_message(conversation, event | {"ts": ts, "event_ts": ts})

    def membership(self, conversation: Conversation, user: User, joined: bool, inviter: str | None) -> None:
        letter = "C" if conversation.kind == "channel" else "G"
        event: dict[str, Any] = {
            "type": "member_joined_channel" if joined else "member_left_channel",
            "user": user.id,
            "channel": conversation.id,
            "channel_type": letter,
            "team": user.team,
            "event_ts": self._workspace.ts(),
        }
        if inviter is not None:
            event["inviter"] = inviter
        self.fire(event, conversation)

    def archived(self, conversation: Conversation, user: str) -> None:
        event = {"type": "channel_archive", "channel": conversation.id, "user": user}
        self.fire(event | {"event_ts": self._workspace.ts()}, conversation)

    def fire(self, event: Mapping[str, Any], conversation: Conversation | None = None, kind: str | None = None) -> None:
        """Tell of an event, where the bot is in the conversation. `kind` is what one subscribes to, if not its type."""
        bot = self._workspace.bot
        if (kind or event["type"]) not in self.subscribed:
            return
        if conversation is not None and bot.id not in conversation.members:
            return
        self._count += 1
        team = self._workspace.team
        authorized = {"enterprise_id": None, "team_id": team, "user_id": bot.id, "is_bot": True}
        body = {
            "token": "verification-token-of-old",
            "team_id": team,
            "context_team_id": team,
            "context_enterprise_id": None,
            "api_app_id": self._workspace.app_id,
            "event": dict(event),
            "type": "event_callback",
            "event_id": identifier("Ev", "event", team, str(self._count)),
            "event_time": int(time.time()),
            "authorizations": [authorized | {"is_enterprise_install": False}],
            "is_ext_shared_channel": bool(conversation and conversation.shared_with),
            "event_context": f"4-{identifier('', 'context', team, str(self._count))}",
        }
        self._tell(body)

    def _of_message(self, conversation: Conversation, event: dict[str, Any]) -> None:
        kinds = {"channel": "message.channels", "group": "message.groups", "im": "message.im", "mpim": "message.mpim"}
        event |= {"channel": conversation.id, "channel_type": conversation.kind}
        self.fire(event, conversation, kinds[conversation.kind])

    def _message(self, conversation: Conversation, message: Message) -> dict[str, Any]:
        shown = self._shapes.message(conversation, message, metadata=True)
        return shown | {"event_ts": message.ts}

    def _mention(self, conversation: Conversation, message: Message) -> None:
        shown = self._message(conversation, message)
        kept = {name: value for name, value in shown.items() if name not in {"type", "metadata"}}
        self.fire({"type": "app_mention", **kept, "channel": conversation.id}, conversation)

    def _mentions(self, text: str) -> bool:
        """By id alone, or with the name behind it."""
        bot = self._workspace.bot.id
        return f"<@{bot}>" in text or f"<@{bot}|" in text
