"""`conversations.*` of the Web API: what there is, who is in it, and what was said."""

from collections.abc import Sequence
from typing import Any

from sandbox.slack.calls import HISTORY, READ, ApiError, Asked, Method, page, seen
from sandbox.slack.shapes import Shapes
from sandbox.slack.state import Conversation, Message
from sandbox.slack.workspace import Workspace

TYPES = {"public_channel": "channel", "private_channel": "group", "im": "im", "mpim": "mpim"}
MOST_USERS = 8
"""That `conversations.open` takes."""
NEVER = "9999999999.999999"


class ConversationsApi:
    def __init__(self, workspace: Workspace, shapes: Shapes) -> None:
        self._workspace = workspace
        self._shapes = shapes

    def methods(self) -> dict[str, Method]:
        return {
            "conversations.info": Method(self.info),
            "conversations.members": Method(self.members),
            "conversations.list": Method(self.all),
            "conversations.history": Method(self.history),
            "conversations.replies": Method(self.replies),
            "conversations.open": Method(self.open, "im:write"),
            "users.conversations": Method(self.own),
        }

    def info(self, asked: Asked) -> dict[str, Any]:
        conversation = seen(self._workspace, asked, READ)
        shown = self._shapes.conversation(conversation, self._workspace.bot)
        if asked.flag("include_num_members"):
            shown["num_members"] = len(conversation.members)
        return {"channel": shown}

    def members(self, asked: Asked) -> dict[str, Any]:
        found, more = page(asked, seen(self._workspace, asked, READ).members, 100, 1000)
        return {"members": list(found)} | more

    def all(self, asked: Asked) -> dict[str, Any]:
        """Public channels, and of the rest those that the bot is in."""
        bot = self._workspace.bot.id
        known = [c for c in self._workspace.conversations.values() if c.kind == "channel" or bot in c.members]
        return self._listed(asked, known)

    def own(self, asked: Asked) -> dict[str, Any]:
        user = self._workspace.users.get(asked.text("user") or self._workspace.bot.id)
        if user is None:
            raise ApiError("user_not_found")
        return self._listed(asked, self._workspace.of(user))

    def history(self, asked: Asked) -> dict[str, Any]:
        """What is not a reply (or was sent to the channel too), the newest first."""
        conversation = self._readable(asked)
        shown = [m for m in conversation.messages.values() if m.thread is None or m.broadcast]
        found = list(reversed(self._within(asked, shown)))
        messages, more = page(asked, found, 100, 999)
        following = bool(more["response_metadata"]["next_cursor"])
        answer = {"messages": self._shown(asked, conversation, messages), "has_more": following, "pin_count": 0}
        answer |= {"channel_actions_ts": None, "channel_actions_count": 0}
        return answer | (more if following else {})

    def replies(self, asked: Asked) -> dict[str, Any]:
        """The thread of a message that begins one: on every page that message, and beside it what is asked for. Of a
        reply that alone.
        """
        conversation, ts = self._readable(asked), asked.needed("ts", "thread_not_found")
        message = conversation.messages.get(ts)
        if message is None:
            raise ApiError("thread_not_found")
        if message.thread is not None:
            return {"messages": self._shown(asked, conversation, [message]), "has_more": False}
        found, more = page(asked, self._within(asked, conversation.replies(ts)), 1000, 1000)
        following = bool(more["response_metadata"]["next_cursor"])
        answer = {"messages": self._shown(asked, conversation, [message, *found]), "has_more": following}
        return answer | (more if following else {})

    def open(self, asked: Asked) -> dict[str, Any]:
        """By users or by the id of one that is there; the bot is in it."""
        if asked.text("channel"):
            conversation = seen(self._workspace, asked, READ)
            return {"no_op": True, "already_open": True, "channel": {"id": conversation.id}}
        names = [name for name in asked.needed("users", "users_list_not_supplied").split(",") if name]
        if len(names) > MOST_USERS:
            raise ApiError("too_many_users")
        users = [self._workspace.users.get(name) for name in names]
        known = [user for user in users if user is not None and not user.deleted]
        if len(known) != len(names):
            raise ApiError("user_not_found")
        if len(known) > 1:
            asked.allow("mpim:write")
        before = set(self._workspace.conversations)
        made = self._workspace.direct([self._workspace.bot, *known])
        there = made.id in before
        shown = self._shapes.conversation(made, self._workspace.bot) if asked.flag("return_im") else {"id": made.id}
        return {"no_op": there, "already_open": there, "channel": shown} if there else {"channel": shown}

    def _readable(self, asked: Asked) -> Conversation:
        conversation = seen(self._workspace, asked, HISTORY)
        if self._workspace.bot.id not in conversation.members:
            raise ApiError("not_in_channel")
        return conversation

    def _within(self, asked: Asked, messages: Sequence[Message]) -> list[Message]:
        """Between `oldest` and `latest`, which are left out unless `inclusive`."""
        oldest, latest = _moment(asked, "oldest", "0"), _moment(asked, "latest", NEVER)
        inclusive = asked.flag("inclusive")
        return [
            m for m in messages if oldest < _micros(m.ts) < latest or (inclusive and _micros(m.ts) in {oldest, latest})
        ]

    def _shown(self, asked: Asked, conversation: Conversation, messages: Sequence[Message]) -> list[dict[str, Any]]:
        metadata = asked.flag("include_all_metadata")
        return [self._shapes.message(conversation, message, metadata=metadata) for message in messages]

    def _listed(self, asked: Asked, known: Sequence[Conversation]) -> dict[str, Any]:
        names = [name.strip() for name in asked.text("types", "public_channel").split(",")]
        if any(name not in TYPES for name in names):
            raise ApiError("invalid_types")
        kinds = [TYPES[name] for name in names]
        missing = [READ[kind] for kind in kinds if READ[kind] not in asked.scopes]
        if missing:
            raise ApiError("missing_scope", needed=",".join(missing), provided=",".join(sorted(asked.scopes)))
        archived = not asked.flag("exclude_archived")
        fitting = [c for c in known if c.kind in kinds and (archived or not c.archived)]
        found, more = page(asked, fitting, 100, 1000)
        bot = self._workspace.bot
        shown = [self._shapes.conversation(c, bot) | {"num_members": len(c.members)} for c in found]
        return {"channels": shown} | more


def _moment(asked: Asked, name: str, default: str) -> int:
    text = asked.text(name) or default
    if not text.replace(".", "", 1).isdecimal():
        raise ApiError(f"invalid_ts_{name}")
    return _micros(text)


def _micros(ts: str) -> int:
    seconds, _, rest = ts.partition(".")
    return int(seconds or 0) * 1_000_000 + int(rest.ljust(6, "0")[:6] or 0)
