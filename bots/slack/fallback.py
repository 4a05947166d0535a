"""The text beside a message's blocks, for notifications and screen readers: plain, escaped, short."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bots.slack.blocks import text_of
from bots.slack.mrkdwn import escape

BYTES = 3_000
"""`chat.update` takes 4,000."""
_MORE = " …"


def fallback(blocks: Iterable[Mapping[str, Any]]) -> str:
    """What the blocks say, from the start, in at most `BYTES` of UTF-8."""
    lines = (" ".join(line.split()) for block in blocks for text in _lines(block) for line in text.split("\n"))
    told = "\n".join(line for line in lines if line)
    kept = min(len(told), BYTES)
    while (size := len(escape(told[:kept]).encode())) > BYTES - len(_MORE.encode()):
        kept = kept * (BYTES - len(_MORE.encode())) // size
    return escape(told[:kept]) + (_MORE if kept < len(told) else "")


def _lines(block: Mapping[str, Any]) -> Iterator[str]:
    if block["type"] == "table":
        for row in block["rows"]:
            yield " | ".join(map(text_of, row))
    elif block["type"] == "rich_text":
        for element in block["elements"]:
            yield from _rich_lines(element)
    else:
        yield text_of(block)


def _rich_lines(element: Mapping[str, Any]) -> Iterator[str]:
    if element["type"] != "rich_text_list":
        yield text_of(element)
        return
    for number, item in enumerate(element["elements"], start=element.get("offset", 0) + 1):
        yield (f"{number}. " if element["style"] == "ordered" else "- ") + text_of(item)
