"""What the pages of Slack show of conversations, for their templates."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from sandbox.slack.slack import Slack
from sandbox.slack.state import Conversation, File, Message, User
from sandbox.slack.views_api import View
from sandbox.slack_html import Blocks


def mark_of(ts: str) -> str:
    """A message's ts as its permalink has it, after the `p`."""
    return ts.replace(".", "")


def moment_of(mark: str) -> str:
    """The ts, if it is one."""
    return f"{mark[:-6]}.{mark[-6:]}"


class Screen:
    def __init__(self, slack: Slack) -> None:
        self._slack = slack
        self._workspace = slack.workspace
        self._pressed: dict[tuple[str, str], dict[str, str]] = {}
        """By conversation and message: who (user id) pressed which button last."""

    def name(self, of: str) -> str:
        """Of a user or a channel, by id."""
        user = self._workspace.users.get(of)
        if user is not None:
            return user.real_name
        conversation = self._workspace.conversations.get(of)
        return conversation.name if conversation else "Slackbot" if of == "USLACKBOT" else of

    def title(self, conversation: Conversation) -> str:
        if conversation.kind == "im":
            others = [self.name(member) for member in conversation.members if member != self._slack.bot.id]
            return f"{', '.join(others)} and {self._slack.bot.real_name}"
        return conversation.name if conversation.kind == "mpim" else f"#{conversation.name}"

    def kinds(self, conversation: Conversation) -> list[str]:
        """What sets a conversation apart."""
        names = {"channel": "public", "group": "private", "im": "direct messages", "mpim": "direct messages of several"}
        kinds = [names[conversation.kind]]
        kinds += [f"shared with {self._workspace.teams[team]}" for team in conversation.shared_with]
        if any(self._workspace.users[member].guest for member in conversation.members):
            kinds.append("with guests")
        if conversation.archived:
            kinds.append("archived")
        if self._slack.bot.id not in conversation.members:
            kinds.append(f"without {self._slack.bot.real_name}")
        return kinds

    def talks(self, conversation: Conversation, thread: str | None) -> list[dict[str, Any]]:
        """Messages with their replies, in order; with `thread` that one alone."""
        every = sorted([*conversation.messages.values(), *conversation.ephemeral], key=lambda message: message.ts)
        roots = [m for m in every if (m.ts == thread if thread else m.thread is None)]
        return [
            {
                "first": self._message(conversation, root),
                "replies": [self._message(conversation, m) for m in every if m.thread == root.ts],
                "status": next(reversed(self._slack.assistant(conversation.id, root.ts).statuses), ""),
                "open": root.seen_by is None,
            }
            for root in roots
        ]

    def _message(self, conversation: Conversation, message: Message) -> dict[str, Any]:
        at = datetime.fromtimestamp(float(message.ts), UTC)
        mark = mark_of(message.ts)
        path = f"/archives/{conversation.id}/p{mark}"
        blocks = Blocks(self.name, f"{path}/press")
        html = blocks.html(message.blocks) if message.blocks else blocks.text_html(message.text)
        return {
            "mark": mark,
            "path": path,
            "author": self.name(message.user),
            "bot": message.posts is not None,
            "only": message.seen_by and self.name(message.seen_by),
            "iso": at.isoformat(),
            "at": f"{at:%Y-%m-%d %H:%M:%S}",
            "edited": message.edited is not None,
            "html": Markup(html if message.blocks or message.text else ""),  # noqa: S704 - escaped by Blocks
            "files": [_file(self._workspace.files[file]) for file in message.files],
            "pressed": list(self._presses(conversation, message)),
        }

    def _presses(self, conversation: Conversation, message: Message) -> Iterator[str]:
        for user, label in self._pressed.get((conversation.id, message.ts), {}).items():
            yield f"{self.name(user)}: {label}"

    def pressed(self, conversation: Conversation, ts: str, user: User, action: str) -> None:
        """Remember who pressed what."""
        with self._workspace.lock:
            messages = [m for m in [*conversation.messages.values(), *conversation.ephemeral] if m.ts == ts]
            buttons = [one for message in messages for block in message.blocks for one in block.get("elements", ())]
            labels = [str(one["text"]["text"]) for one in buttons if one.get("action_id") == action]
            self._pressed.setdefault((conversation.id, ts), {})[user.id] = next(iter(labels), action)

    def whisper(self, conversation: Conversation, user: User, text: str) -> None:
        """Show one person what an acknowledgement said."""
        if text:
            bot = self._slack.bot
            self._workspace.post(conversation, Message("", bot.id, text, seen_by=user.id, posts=bot.bot_id))

    def windows(self) -> list[dict[str, Any]]:
        """What is open before anybody, the oldest first."""
        return [{"before": self.name(view.user), **_window(view)} for view in self._open()]

    def window(self, view_id: str) -> View | None:
        return next((view for view in self._open() if view.id == view_id), None)

    def _open(self) -> Iterator[View]:
        for user in self._workspace.users:
            yield from self._slack.modals(user)


def _file(file: File) -> dict[str, str]:
    url = f"/files/{file.user}/{file.id}/{quote(file.name, safe='', errors='replace')}"
    return {"url": url, "title": file.title, "name": file.name, "size": f"{len(file.content):,} bytes"}


def _window(view: View) -> dict[str, Any]:
    inputs = [block for block in view.view["blocks"] if block["type"] == "input"]
    return {
        "id": view.id,
        **{name: (view.view[name] or {}).get("text", "") for name in ("title", "submit", "close")},
        "fields": [
            {
                "name": block["element"]["action_id"],
                "label": block["label"]["text"],
                "hint": block["element"].get("placeholder", {}).get("text", ""),
            }
            for block in inputs
        ],
    }
