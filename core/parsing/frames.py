"""What the process that reads files and its parent say to each other over two pipes.

A message is the length of its head (four bytes, big-endian), the head (JSON), and the bytes that the head counts. The
child is never believed: what it says is checked for shape and size, and nothing of it is executed or unpickled.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any

from core.parsing.parsed import Parsed, Picture
from core.types import Place


class BadFrame(Exception):
    """The other side ended, or said what makes no sense."""


@dataclass(frozen=True, slots=True)
class Request:
    """A file to read."""

    format: str
    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Reply:
    """What was read, and whether the child ends after it."""

    parsed: Parsed
    last: bool


def send_request(stream: IO[bytes], request: Request) -> None:
    _send(stream, {"format": request.format, "name": request.name, "size": len(request.data)}, request.data)


def receive_request(stream: IO[bytes]) -> Request:
    """Raises BadFrame when the parent has gone."""
    head = _head(stream, 1_000_000)
    return Request(_text(head, "format"), _text(head, "name"), _exactly(stream, _size(head)))


def send_reply(stream: IO[bytes], reply: Reply) -> None:
    parsed = reply.parsed
    pictures = [
        {"name": found.name, "media_type": found.media_type, "mark": found.mark, "size": len(found.data)}
        for found in parsed.pictures
    ]
    head = {
        "text": parsed.text,
        "places": [[place.start, place.label, place.fragment] for place in parsed.places],
        "unread": list(parsed.unread),
        "pictures": pictures,
        "last": reply.last,
    }
    _send(stream, head, *(found.data for found in parsed.pictures))


def receive_reply(stream: IO[bytes], limit: int) -> Reply:
    """Raises BadFrame for the end of the stream, for more than `limit` bytes and for anything that is no reply."""
    head = _head(stream, limit)
    entries = _list(head, "pictures")
    if sum(_size(entry) for entry in entries) > limit:
        raise BadFrame("its pictures are larger than they may be")
    parsed = Parsed(
        text=_text(head, "text"),
        places=tuple(_place(entry) for entry in _list(head, "places")),
        unread=tuple(str(reason) for reason in _list(head, "unread")),
        pictures=tuple(
            Picture(
                _text(entry, "name"), _text(entry, "media_type"), _exactly(stream, _size(entry)), _text(entry, "mark")
            )
            for entry in entries
        ),
    )
    return Reply(parsed, head.get("last") is True)


def _send(stream: IO[bytes], head: Mapping[str, object], *parts: bytes) -> None:
    encoded = json.dumps(head).encode()
    stream.write(len(encoded).to_bytes(4, "big"))
    stream.write(encoded)
    for part in parts:
        stream.write(part)
    stream.flush()


def _head(stream: IO[bytes], limit: int) -> dict[str, Any]:
    length = int.from_bytes(_exactly(stream, 4), "big")
    if length > limit:
        raise BadFrame(f"a head of {length} bytes")
    try:
        head = json.loads(_exactly(stream, length))
    except (ValueError, RecursionError) as error:
        raise BadFrame("its head is not JSON") from error
    if not isinstance(head, dict):
        raise BadFrame("its head is not an object")
    return head


def _exactly(stream: IO[bytes], length: int) -> bytes:
    data = stream.read(length)
    if len(data) < length:
        raise BadFrame("it ended early")
    return data


def _text(head: object, name: str) -> str:
    value = head.get(name) if isinstance(head, dict) else None
    if not isinstance(value, str):
        raise BadFrame(f"{name} is not a text")
    return value


def _list(head: Mapping[str, object], name: str) -> list[Any]:
    value = head.get(name)
    if not isinstance(value, list):
        raise BadFrame(f"{name} is not a list")
    return value


def _size(head: object) -> int:
    value = head.get("size") if isinstance(head, dict) else None
    if not isinstance(value, int) or value < 0:
        raise BadFrame("a size is not a number of bytes")
    return value


def _place(entry: object) -> Place:
    match entry:
        case [int(start), str(label), str(fragment)]:
            return Place(start, label, fragment)
    raise BadFrame("a place is not one")
