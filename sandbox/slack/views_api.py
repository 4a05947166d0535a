"""`views.*` and `assistant.threads.*` of the Web API: what one person is shown besides messages."""

import json
from dataclasses import dataclass, field
from typing import Any

from sandbox.slack.calls import ApiError, Asked, Method
from sandbox.slack.limits import view_problems
from sandbox.slack.state import Conversation, identifier
from sandbox.slack.triggers import Triggers
from sandbox.slack.workspace import Workspace

LONGEST_STATUS = 50
"""Of an entry of `loading_messages`; https://docs.slack.dev/reference/methods/assistant.threads.setStatus."""
MOST_PROMPTS = 4


@dataclass(slots=True)
class View:
    id: str
    user: str
    view: dict[str, Any]
    """As Slack shows it to the app."""


@dataclass(slots=True)
class AssistantThread:
    """`statuses` are all that were set, in order; the last one is shown, and "" is none."""

    statuses: list[str] = field(default_factory=list)
    title: str = ""
    prompts: list[tuple[str, str]] = field(default_factory=list)
    """Title and message of each."""


class ViewsApi:
    def __init__(self, workspace: Workspace, triggers: Triggers) -> None:
        self._workspace = workspace
        self._triggers = triggers
        self.modals: dict[str, View] = {}
        """What is open, by id."""
        self.homes: dict[str, View] = {}
        """By user id."""
        self.assistant: dict[tuple[str, str], AssistantThread] = {}
        """By conversation and thread."""

    def methods(self) -> dict[str, Method]:
        return {
            "views.open": Method(self.open),
            "views.publish": Method(self.publish),
            "assistant.threads.setStatus": Method(self.status, "assistant:write"),
            "assistant.threads.setTitle": Method(self.title, "assistant:write"),
            "assistant.threads.setSuggestedPrompts": Method(self.prompts, "assistant:write"),
        }

    def open(self, asked: Asked) -> dict[str, Any]:
        user = self._triggers.use(asked.needed("trigger_id"))
        view = _view(asked, "modal")
        made = self._made(view, user)
        self.modals[made.id] = made
        return {"view": made.view}

    def publish(self, asked: Asked) -> dict[str, Any]:
        user = self._workspace.users.get(asked.needed("user_id"))
        if user is None or user.bot:
            raise ApiError("invalid_arguments")
        view = _view(asked, "home")
        before = self.homes.get(user.id)
        if asked.text("hash") and before is not None and before.view["hash"] != asked.text("hash"):
            raise ApiError("hash_conflict")
        self.homes[user.id] = self._made(view, user.id)
        return {"view": self.homes[user.id].view}

    def status(self, asked: Asked) -> dict[str, Any]:
        thread = self._thread(asked)
        if "status" not in asked.arguments:
            raise ApiError("invalid_arguments")
        messages = asked.json("loading_messages", "invalid_arguments") or []
        if len(messages) > 10 or any(not 0 < len(str(text)) <= LONGEST_STATUS for text in messages):
            raise ApiError("invalid_arguments")
        thread.statuses.append(asked.text("status"))
        return {}

    def title(self, asked: Asked) -> dict[str, Any]:
        self._thread(asked).title = asked.needed("title")
        return {}

    def prompts(self, asked: Asked) -> dict[str, Any]:
        prompts = asked.json("prompts", "invalid_arguments")
        fitting = isinstance(prompts, list) and 1 <= len(prompts) <= MOST_PROMPTS
        if not fitting or not all(isinstance(p, dict) and p.get("title") and p.get("message") for p in prompts):
            raise ApiError("invalid_arguments")
        self._thread(asked).prompts = [(str(p["title"]), str(p["message"])) for p in prompts]
        return {}

    def answered(self, conversation: Conversation, thread: str) -> None:
        """The app has answered in a thread, and what it was said to be doing goes away."""
        found = self.assistant.get((conversation.id, thread))
        if found is not None and found.statuses and found.statuses[-1]:
            found.statuses.append("")

    def _thread(self, asked: Asked) -> AssistantThread:
        conversation = self._workspace.conversations.get(asked.needed("channel_id", "channel_not_found"))
        if conversation is None or self._workspace.bot.id not in conversation.members:
            raise ApiError("channel_not_found")
        root = conversation.messages.get(asked.needed("thread_ts", "thread_not_found"))
        if root is None or root.thread is not None:
            raise ApiError("thread_not_found")
        return self.assistant.setdefault((conversation.id, root.ts), AssistantThread())

    def _made(self, view: dict[str, Any], user: str) -> View:
        moment = self._workspace.ts()
        made, bot = identifier("V", "view", moment), self._workspace.bot
        shown = {
            "id": made,
            "team_id": self._workspace.team,
            "private_metadata": "",
            "callback_id": "",
            "state": {"values": {}},
            "hash": f"{moment.partition('.')[0]}.{made[-8:]}",
            "clear_on_close": False,
            "notify_on_close": False,
            "previous_view_id": None,
            "root_view_id": made,
            "app_id": self._workspace.app_id,
            "external_id": "",
            "app_installed_team_id": self._workspace.team,
            "bot_id": bot.bot_id,
            "title": {"type": "plain_text", "text": "View Title", "emoji": True},
            "close": None,
            "submit": None,
            **view,
        }
        return View(made, user, shown)


def _view(asked: Asked, kind: str) -> dict[str, Any]:
    view = asked.json("view", "invalid_arguments")
    problems = view_problems(view)
    if not problems and view["type"] != kind:
        problems = [f"[ERROR] must be a {kind} [json-pointer:/view/type]"]
    if problems:
        raise ApiError("invalid_arguments", response_metadata={"messages": problems})
    copied: dict[str, Any] = json.loads(json.dumps(view))
    for at, block in enumerate(copied["blocks"]):
        block.setdefault("block_id", f"b{at}")
        if block["type"] == "input":
            block.setdefault("optional", False)
    return copied
