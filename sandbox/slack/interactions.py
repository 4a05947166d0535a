"""Slash commands, shortcuts, clicks and modals as Slack tells the app of them."""

from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.slack.deliveries import Deliveries, Kind, Sent
from sandbox.slack.response_urls import ResponseUrls
from sandbox.slack.shapes import Shapes
from sandbox.slack.state import Conversation, Message, User
from sandbox.slack.triggers import Triggers
from sandbox.slack.workspace import Workspace

_NAMES = {"im": "directmessage", "group": "privategroup", "mpim": "privategroup"}


class Interactions:
    def __init__(
        self,
        workspace: Workspace,
        shapes: Shapes,
        deliveries: Deliveries,
        triggers: Triggers,
        addresses: ResponseUrls,
    ) -> None:
        self._workspace = workspace
        self._shapes = shapes
        self._deliveries = deliveries
        self._triggers = triggers
        self._addresses = addresses

    def command(self, user: User, conversation: Conversation, command: str, text: str) -> str:
        name = _NAMES.get(conversation.kind, conversation.name)
        payload = {
            "token": "verification-token-of-old",
            "team_id": self._workspace.team,
            "team_domain": self._workspace.domain,
            "channel_id": conversation.id,
            "channel_name": name,
            "user_id": user.id,
            "user_name": user.name,
            "command": command,
            "text": text,
            "api_app_id": self._workspace.app_id,
            "is_enterprise_install": "false",
            "response_url": self._addresses.give(conversation, user.id),
            "trigger_id": self._triggers.give(user.id),
        }
        sent = self._deliveries.ask("slash_commands", payload)
        if sent.acked is None:
            return f'{command} failed with the error "operation_timeout"'
        answer = sent.answer or {}
        blocks = answer.get("blocks") or []
        return str(answer.get("text") or "\n".join(_texts(blocks)))

    def shortcut(self, user: User, conversation: Conversation, message: Message, callback_id: str) -> bool:
        payload = {
            "type": "message_action",
            "action_ts": self._workspace.ts(),
            "callback_id": callback_id,
            "message_ts": message.ts,
            "message": self._shapes.message(conversation, message),
            "response_url": self._addresses.give(conversation, user.id, message.thread),
            **self._where(conversation),
        }
        return self._ask(user, payload).acked is not None

    def click(self, user: User, conversation: Conversation, message: Message, action_id: str) -> bool:
        block, element = _button(message, action_id)
        action = {
            key: value for key, value in element.items() if key in {"type", "text", "value", "style", "action_id"}
        }
        private = message.seen_by is not None
        container = {"type": "message", "message_ts": message.ts, "channel_id": conversation.id}
        thread = {"thread_ts": message.thread} if message.thread else {}
        payload = {
            "type": "block_actions",
            "container": {**container, "is_ephemeral": private, **thread},
            "message": self._shapes.message(conversation, message),
            "state": {"values": {}},
            "response_url": self._addresses.give(conversation, user.id, message.thread),
            "actions": [{**action, "block_id": block, "action_ts": self._workspace.ts()}],
            **self._where(conversation),
        }
        return self._ask(user, payload).acked is not None

    def submit(self, user: User, view: Mapping[str, Any], values: Mapping[str, str]) -> Mapping[str, Any]:
        state = dict(_state(view, values))
        payload = {"type": "view_submission", "view": {**view, "state": {"values": state}}, "response_urls": []}
        sent = self._ask(user, payload)
        if sent.acked is None:
            raise TimeoutError("the submission was not acknowledged")
        return sent.answer or {}

    def _ask(self, user: User, payload: Mapping[str, Any]) -> Sent:
        common = {
            "user": {"id": user.id, "username": user.name, "name": user.name, "team_id": user.team},
            "api_app_id": self._workspace.app_id,
            "token": "verification-token-of-old",
            "team": {"id": self._workspace.team, "domain": self._workspace.domain},
            "enterprise": None,
            "is_enterprise_install": False,
            "trigger_id": self._triggers.give(user.id),
        }
        kind: Kind = "interactive"
        return self._deliveries.ask(kind, {**payload, **common})

    def _where(self, conversation: Conversation) -> dict[str, Any]:
        name = _NAMES.get(conversation.kind, conversation.name)
        return {"channel": {"id": conversation.id, "name": name}}


def _button(message: Message, action_id: str) -> tuple[str, Mapping[str, Any]]:
    """Its block's id and itself. Raises ValueError."""
    for at, block in enumerate(message.blocks):
        for element in [*block.get("elements", ()), block.get("accessory")]:
            if isinstance(element, dict) and element.get("action_id") == action_id:
                return block.get("block_id", f"b{at}"), element
    raise ValueError(f"the message has no button {action_id!r}")


def _state(view: Mapping[str, Any], values: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """What the modal's inputs hold, by block. Raises ValueError: there is no such input."""
    inputs = {b["element"]["action_id"]: b for b in view["blocks"] if b["type"] == "input"}
    unknown = values.keys() - inputs.keys()
    if unknown:
        raise ValueError(f"the view has no input {', '.join(sorted(unknown))}")
    for action_id, block in inputs.items():
        kind, value = block["element"]["type"], values.get(action_id)
        if value is None and not block.get("optional"):
            raise ValueError(f"the input {action_id} must be filled in")
        held: dict[str, Any] = {"type": kind}
        if kind == "plain_text_input":
            held["value"] = value
        else:
            options = block["element"].get("options", ())
            held["selected_option"] = next((o for o in options if o["value"] == value), None)
        yield block["block_id"], {action_id: held}


def _texts(value: Any) -> Iterator[str]:
    """What blocks say, in order."""
    if isinstance(value, dict):
        if isinstance(value.get("text"), str):
            yield value["text"]
        value = list(value.values())
    for inner in value if isinstance(value, list) else ():
        yield from _texts(inner)
