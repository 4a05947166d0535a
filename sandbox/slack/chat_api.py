"""`chat.*` of the Web API: messages posted, changed, removed, and shown to one person only."""

from collections.abc import Callable, Mapping
from typing import Any

from sandbox.slack.calls import HISTORY, ApiError, Asked, Method, TooMany, own_message, seen
from sandbox.slack.limits import LONGEST_TEXT, blocks_problems, metadata_problem, too_long
from sandbox.slack.pings import Ping, pinging
from sandbox.slack.shapes import Shapes
from sandbox.slack.state import Conversation, Json, Message
from sandbox.slack.workspace import Workspace

LONGEST_UPDATE = 4000
"""Bytes of the text of `chat.update`; https://docs.slack.dev/reference/methods/chat.update, `msg_too_long`."""
_ANYBODY = dict.fromkeys(HISTORY, "chat:write")


class ChatApi:
    """`pings` gets whatever would ping somebody; `answered` is told of each message in a thread."""

    def __init__(
        self,
        workspace: Workspace,
        shapes: Shapes,
        pings: list[Ping],
        answered: Callable[[Conversation, str], None],
    ) -> None:
        self._workspace = workspace
        self._shapes = shapes
        self._pings = pings
        self._answered = answered
        self._posted: dict[str, float] = {}
        self.paced = False
        """Whether a conversation takes but one message a second."""

    def methods(self) -> dict[str, Method]:
        calls: Mapping[str, Callable[[Asked], dict[str, Any]]] = {
            "chat.postMessage": self.post,
            "chat.update": self.update,
            "chat.delete": self.delete,
            "chat.postEphemeral": self.whisper,
        }
        writing = {name: Method(call, "chat:write") for name, call in calls.items()}
        return writing | {"chat.getPermalink": Method(self.permalink)}

    def post(self, asked: Asked) -> dict[str, Any]:
        conversation = self._target(asked)
        text, blocks = _content(asked)
        thread = self._thread(asked, conversation)
        metadata = _metadata(asked)
        self._pace(conversation)
        broadcast = thread is not None and asked.flag("reply_broadcast")
        message = self.put(
            conversation, text, blocks, thread, metadata=metadata, broadcast=broadcast, named=_named(asked)
        )
        shown = self._shapes.message(conversation, message, metadata=True)
        return {"channel": conversation.id, "ts": message.ts, "message": shown}

    def update(self, asked: Asked) -> dict[str, Any]:
        """Without blocks, a new text takes the old ones away; without a text they stay."""
        conversation = self._there(asked)
        bot = self._workspace.bot
        message = own_message(conversation, asked.text("ts"), bot.bot_id, "cant_update_message")
        text, blocks = _content(asked)
        if len(text.encode("utf-8", "replace")) > LONGEST_UPDATE:
            raise ApiError("msg_too_long")
        kept = message.blocks if "blocks" not in asked.arguments and "text" not in asked.arguments else blocks
        self._workspace.edit(conversation, message, text, blocks=kept, metadata=_metadata(asked))
        self._ping(conversation, message, named=_named(asked))
        shown = self._shapes.message(conversation, message, metadata=True)
        return {"channel": conversation.id, "ts": message.ts, "text": text, "message": shown}

    def delete(self, asked: Asked) -> dict[str, Any]:
        conversation = self._there(asked)
        bot = self._workspace.bot
        message = own_message(conversation, asked.text("ts"), bot.bot_id, "cant_delete_message")
        self._workspace.delete(conversation, message)
        return {"channel": conversation.id, "ts": message.ts}

    def whisper(self, asked: Asked) -> dict[str, Any]:
        conversation = self._target(asked)
        user = self._workspace.users.get(asked.needed("user", "user_not_in_channel"))
        if user is None or user.id not in conversation.members:
            raise ApiError("user_not_in_channel")
        text, blocks = _content(asked)
        thread = self._thread(asked, conversation)
        message = self.put(conversation, text, blocks, thread, seen_by=user.id, named=_named(asked))
        return {"message_ts": message.ts}

    def permalink(self, asked: Asked) -> dict[str, Any]:
        conversation = self._workspace.conversations.get(asked.needed("channel", "channel_not_found"))
        if conversation is None:
            raise ApiError("channel_not_found")
        message = conversation.messages.get(asked.text("message_ts"))
        if message is None:
            raise ApiError("message_not_found")
        return {"channel": conversation.id, "permalink": self._shapes.permalink(conversation, message)}

    def put(
        self,
        conversation: Conversation,
        text: str,
        blocks: list[Json],
        thread: str | None,
        *,
        metadata: Json | None = None,
        seen_by: str | None = None,
        broadcast: bool = False,
        named: bool = False,
    ) -> Message:
        """A message of the bot."""
        bot = self._workspace.bot
        message = Message("", bot.id, text, thread, blocks, metadata, seen_by=seen_by, broadcast=broadcast)
        message.posts = bot.bot_id
        self._workspace.post(conversation, message)
        self._ping(conversation, message, named=named)
        if thread is not None:
            self._answered(conversation, thread)
        return message

    def _there(self, asked: Asked) -> Conversation:
        """Where the bot may change what it has posted."""
        conversation = seen(self._workspace, asked, _ANYBODY)
        if self._workspace.bot.id not in conversation.members:
            raise ApiError("message_not_found" if conversation.kind == "channel" else "channel_not_found")
        if conversation.archived:
            raise ApiError("is_archived")
        return conversation

    def _target(self, asked: Asked) -> Conversation:
        """Where the bot may post: a conversation by id, a channel by name, or a user's direct messages."""
        name = asked.needed("channel", "channel_not_found")
        if name in self._workspace.users:
            return self._workspace.direct([self._workspace.bot, self._workspace.users[name]])
        if name.startswith("#"):
            found = [c.id for c in self._workspace.conversations.values() if c.name == name[1:]]
            name = found[0] if found else name
        conversation = self._workspace.conversations.get(name)
        bot = self._workspace.bot.id
        if conversation is None or (conversation.kind != "channel" and bot not in conversation.members):
            raise ApiError("channel_not_found")
        if bot not in conversation.members:
            raise ApiError("not_in_channel")
        if conversation.archived:
            raise ApiError("is_archived")
        return conversation

    def _thread(self, asked: Asked, conversation: Conversation) -> str | None:
        """The message to reply to. One that is itself a reply begins no thread."""
        ts = asked.text("thread_ts")
        if not ts:
            return None
        root = conversation.messages.get(ts)
        if root is None or root.thread is not None:
            raise ApiError("thread_not_found")
        return ts

    def _pace(self, conversation: Conversation) -> None:
        now = self._workspace.now()
        if self.paced and now < self._posted.get(conversation.id, 0.0) + 1:
            raise TooMany(1)
        self._posted[conversation.id] = now

    def _ping(self, conversation: Conversation, message: Message, *, named: bool) -> None:
        found = pinging(message.text, list(message.blocks), named=named)
        self._pings += [Ping(conversation.id, message.ts, what) for what in found]


def _named(asked: Asked) -> bool:
    """Whether names in plain words become mentions."""
    return asked.flag("link_names") or asked.text("parse") == "full"


def _content(asked: Asked) -> tuple[str, list[Json]]:
    blocks = asked.json("blocks", "invalid_blocks_format")
    return checked(asked.text("text"), blocks if blocks is not None else [], asked.text("markdown_text"))


def checked(text: str, blocks: Any, markdown: str = "") -> tuple[str, list[Json]]:
    """A message's text and blocks, if Slack takes them. Raises ApiError."""
    if markdown and (text or blocks):
        raise ApiError("markdown_text_conflict")
    if len(markdown) > 12_000 or len(text) > LONGEST_TEXT:
        raise ApiError("msg_too_long")
    if not isinstance(blocks, list):
        raise ApiError("invalid_blocks_format")
    problems = blocks_problems(blocks)
    if problems:
        raise ApiError("invalid_blocks", errors=[], response_metadata={"messages": problems})
    if too_long(blocks):
        raise ApiError("msg_blocks_too_long")
    if not (text or blocks or markdown):
        raise ApiError("no_text")
    return (text, blocks) if not markdown else (markdown, [{"type": "markdown", "text": markdown}])


def _metadata(asked: Asked) -> Json | None:
    metadata = asked.json("metadata", "invalid_metadata_format")
    problem = metadata_problem(metadata) if metadata is not None else None
    if problem is not None:
        raise ApiError(problem)
    return metadata if isinstance(metadata, dict) else None
