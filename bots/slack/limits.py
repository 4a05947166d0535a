"""What Slack takes: every payload is held against its published limits before it is sent, since Slack refuses a whole
message for one cell that is empty or one character too many. No I/O.

A limit without a page is one that Slack enforces but does not publish; where it was measured stands beside it.
Lengths are UTF-16 units, the longest of the ways in which Slack may count.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from bots.slack.blocks import CELLS, check_blocks, length, text_of

Payload: TypeAlias = Mapping[str, Any]

MESSAGE_BLOCKS = 50
"""docs.slack.dev/reference/block-kit/blocks"""
VIEW_BLOCKS = 100
"""docs.slack.dev/reference/block-kit/blocks"""
MESSAGE_WEIGHT = 13_000
"""Slack answers `msg_blocks_too_long` between 13,170 and 13,300 characters, each block counting for 100 to 134 beside
its text (slackapi/bolt-js issues 2509 and 2867); see `weight`."""
BLOCK_WEIGHT = 135
TABLES = 1
"""A second table is refused as `only_one_table_allowed`."""
TEXT = 40_000
"""docs.slack.dev/reference/methods/chat.postMessage; beyond it the text is cut off."""
UPDATE_TEXT_BYTES = 4_000
"""docs.slack.dev/reference/methods/chat.update says characters; UTF-8 bytes are what is counted."""
METADATA_BYTES = 4_000
"""The error `metadata_too_large` has no published number; this is far more than a delivery key needs."""
EVENT_TYPE = re.compile(r"[A-Za-z0-9_]{1,255}")
"""docs.slack.dev/messaging/message-metadata"""
VIEW_BYTES = 250_000
"""`view_too_large`, docs.slack.dev/reference/methods/views.publish"""
VIEW_WORDS = 24
"""A modal's title and the words of its buttons, docs.slack.dev/reference/views/modal-views"""
PRIVATE_METADATA = 3_000
"""docs.slack.dev/reference/views/modal-views"""
CALLBACK_ID = 255
"""docs.slack.dev/reference/views/modal-views"""
PROMPTS = 4
"""docs.slack.dev/reference/methods/assistant.threads.setSuggestedPrompts"""
PANEL_TEXT = 250
"""A status, a thread's title, a prompt's title: no number is published, and more would not be readable."""
FILE_BYTES = 1_000_000_000
"""docs.slack.dev/messaging/working-with-files"""
FILE_NAME = 255
"""A file's name or title: no number is published, and more is no name."""
RESPONSE_TYPES = frozenset({"ephemeral", "in_channel"})
"""docs.slack.dev/interactivity/handling-user-interaction"""

_BROADCAST = re.compile(r"<!|<@|<#")


def check(method: str, payload: Payload) -> list[str]:
    """What Slack would refuse, or show otherwise than meant, in the arguments of a method; nothing when all is well.

    `method` is a Web API method, or `response_url` for what is posted to one. A method not known here is a fault too.
    """
    judge = _METHODS.get(method)
    if judge is None:
        return [f"{method}: its limits are not known"]
    return [f"{method}: {fault}" for fault in judge(payload)]


def weight(blocks: Iterable[Payload]) -> int:
    """How much of `MESSAGE_WEIGHT` blocks use, estimated from above: their JSON, with the signs that Slack stores as
    entities in full, and `BLOCK_WEIGHT` each. A table counts for the text of its cells alone.
    """
    return sum(BLOCK_WEIGHT + (table_text(one) if one.get("type") == "table" else weigh(one)) for one in blocks)


def weigh(node: Any) -> int:
    """Of a part of a block, or of a text."""
    told = json.dumps(node, ensure_ascii=False, separators=(",", ":"))
    return length(told) + 4 * told.count("&") + 3 * told.count("<") + 3 * told.count(">")


def table_text(table: Payload) -> int:
    """Characters in all cells of a table."""
    return sum(length(text_of(cell)) for row in table["rows"] for cell in row)


def _message(payload: Payload) -> list[str]:
    text, blocks = payload.get("text", ""), payload.get("blocks", ())
    faults = _written(text, TEXT) + check_blocks(blocks)
    if len(blocks) > MESSAGE_BLOCKS:
        faults.append(f"{len(blocks)} blocks, {MESSAGE_BLOCKS} are allowed")
    tables = [one for one in blocks if one.get("type") == "table"]
    if len(tables) > TABLES:
        faults.append(f"{len(tables)} tables, {TABLES} is allowed")
    if sum(map(table_text, tables)) > CELLS:
        faults.append(f"more than {CELLS} characters in the cells of tables")
    if (heavy := weight(blocks)) > MESSAGE_WEIGHT:
        faults.append(f"blocks of about {heavy} characters, {MESSAGE_WEIGHT} are allowed")
    if any(one.get("type") == "input" for one in blocks):
        faults.append("an input block in a message")
    return faults + _metadata(payload.get("metadata"))


def _written(text: str, limit: int) -> list[str]:
    """The text beside blocks is parsed as Slack's markup: what calls people must have been escaped."""
    faults = []
    if not text.strip():
        faults.append("no text for notifications and screen readers")
    if length(text) > limit:
        faults.append(f"text of {length(text)} characters, {limit} are allowed")
    if _BROADCAST.search(text):
        faults.append("text that calls people or names a channel")
    return faults


def _posted(payload: Payload) -> list[str]:
    faults = _message(payload)
    if payload.get("parse", "none") != "none" or payload.get("link_names"):
        faults.append("Slack is asked to make links of names in the text")
    return faults


def _updated(payload: Payload) -> list[str]:
    faults = _posted(payload)
    if (size := len(payload.get("text", "").encode())) > UPDATE_TEXT_BYTES:
        faults.append(f"text of {size} bytes, {UPDATE_TEXT_BYTES} are allowed")
    return faults


def _ephemeral(payload: Payload) -> list[str]:
    return _posted(payload) + (["metadata, which is not kept"] if payload.get("metadata") else [])


def _response(payload: Payload) -> list[str]:
    faults = _message(payload)
    if payload.get("response_type", "ephemeral") not in RESPONSE_TYPES:
        faults.append("an unknown response_type")
    return faults


def _metadata(metadata: Payload | None) -> list[str]:
    if metadata is None:
        return []
    faults = []
    if not EVENT_TYPE.fullmatch(str(metadata.get("event_type", ""))):
        faults.append("metadata without an alphanumeric event_type")
    if not isinstance(metadata.get("event_payload"), Mapping):
        faults.append("metadata without an event_payload")
    if len(json.dumps(metadata).encode()) > METADATA_BYTES:
        faults.append(f"metadata of more than {METADATA_BYTES} bytes")
    return faults


def _home(payload: Payload) -> list[str]:
    return _view(payload, "home")


def _modal(payload: Payload) -> list[str]:
    view = payload.get("view", {})
    faults = _view(payload, "modal")
    for part in ("title", "submit", "close"):
        words = text_of(view.get(part, {}))
        if length(words) > VIEW_WORDS:
            faults.append(f"{part} of {length(words)} characters, {VIEW_WORDS} are allowed")
    if not text_of(view.get("title", {})):
        faults.append("a modal without a title")
    if any(one.get("type") == "input" for one in view.get("blocks", ())) and "submit" not in view:
        faults.append("an input block without a submit button")
    return faults


def _view(payload: Payload, kind: str) -> list[str]:
    view = payload.get("view", {})
    blocks = view.get("blocks", ())
    faults = check_blocks(blocks)
    if view.get("type") != kind:
        faults.append(f"a view that is no {kind}")
    if not 0 < len(blocks) <= VIEW_BLOCKS:
        faults.append(f"{len(blocks)} blocks, 1 to {VIEW_BLOCKS} are allowed")
    if any(one.get("type") == "table" for one in blocks):
        faults.append("a table outside a message")
    if len(json.dumps(view).encode()) > VIEW_BYTES:
        faults.append(f"a view of more than {VIEW_BYTES} bytes")
    faults += _within(view.get("private_metadata", ""), PRIVATE_METADATA, "private_metadata")
    return faults + _within(view.get("callback_id", ""), CALLBACK_ID, "callback_id")


def _upload(payload: Payload) -> list[str]:
    faults = _named(payload.get("filename", ""), "filename")
    if not 0 < int(payload.get("length", 0)) <= FILE_BYTES:
        faults.append(f"a file of {payload.get('length')} bytes, 1 to {FILE_BYTES} are allowed")
    return faults


def _uploaded(payload: Payload) -> list[str]:
    files: Sequence[Payload] = payload.get("files", ())
    faults = [] if files else ["no files"]
    for one in files:
        if not one.get("id"):
            faults.append("a file without an id")
        if "title" in one:
            faults += _named(one["title"], "title")
    if payload.get("thread_ts") and not payload.get("channel_id"):
        faults.append("a thread without its channel")
    if "initial_comment" in payload:
        faults += _written(payload["initial_comment"], TEXT)
    return faults


def _status(payload: Payload) -> list[str]:
    return _within(payload.get("status", ""), PANEL_TEXT, "status")  # an empty one clears it


def _title(payload: Payload) -> list[str]:
    return _panel(payload.get("title", ""), "title")


def _prompts(payload: Payload) -> list[str]:
    prompts: Sequence[Payload] = payload.get("prompts", ())
    faults = [] if 0 < len(prompts) <= PROMPTS else [f"{len(prompts)} prompts, 1 to {PROMPTS} are allowed"]
    for one in prompts:
        faults += _panel(one.get("title", ""), "a prompt's title") + _panel(
            one.get("message", ""), "a prompt's message"
        )
    return faults


def _within(text: str, limit: int, name: str) -> list[str]:
    return [f"{name} of {length(text)} characters, {limit} are allowed"] if length(text) > limit else []


def _panel(text: str, name: str) -> list[str]:
    return _within(text, PANEL_TEXT, name) if text.strip() else [f"{name} is empty"]


def _named(text: str, name: str) -> list[str]:
    return _within(text, FILE_NAME, name) if text.strip() else [f"{name} is empty"]


def _nothing(_: Payload) -> list[str]:
    """Ids only."""
    return []


_METHODS: Mapping[str, Callable[[Payload], list[str]]] = {
    "chat.postMessage": _posted,
    "chat.update": _updated,
    "chat.postEphemeral": _ephemeral,
    "chat.delete": _nothing,
    "response_url": _response,
    "views.open": _modal,
    "views.publish": _home,
    "files.getUploadURLExternal": _upload,
    "files.completeUploadExternal": _uploaded,
    "files.delete": _nothing,
    "assistant.threads.setStatus": _status,
    "assistant.threads.setTitle": _title,
    "assistant.threads.setSuggestedPrompts": _prompts,
}
