"""What a post is on Slack: a message, a file, or files to be removed. Plain JSON, since it waits in the outbox."""

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from typing import Any


def message(text: str, blocks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A message: blocks, and the text that notifications and screen readers have."""
    return {"kind": "message", "text": text, "blocks": list(blocks)}


def file(name: str, title: str, content: bytes) -> dict[str, Any]:
    """A file in the thread. The title is unique in the thread, and what the file is found by after a crash."""
    return {"kind": "file", "name": name, "title": title, "content": b64encode(content).decode()}


def removal(titles: Sequence[str]) -> dict[str, Any]:
    """The bot's own files with these titles, earlier versions of a file that is there by now, are removed."""
    return {"kind": "removal", "titles": list(titles)}


def content(body: Mapping[str, Any]) -> bytes:
    """Of a file."""
    return b64decode(body["content"])
