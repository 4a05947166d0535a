"""Pieces of Slack's rich text. Text in it is literal: Slack parses no markup, mention, address or emoji code in it
(docs.slack.dev/reference/block-kit/blocks/rich-text-block). A link is made from a locator's address alone.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from bots.outline import Link, Span
from bots.shown import SHORTENED, shown
from bots.slack.limits import weigh
from bots.web_address import web_address

Node: TypeAlias = dict[str, Any]

_WORD = 100
"""A cut falls between words, if one ends within so many characters before it; so a ticket's key stays whole."""
_WORD_END = re.compile(r"\s\S*\Z")


def plain_text(text: str) -> Node:
    """A text object without markup. It must not be empty."""
    return {"type": "plain_text", "text": text, "emoji": False}


def literal(text: str, **style: bool) -> Node:
    """An element of text. It must not be empty."""
    return {"type": "text", "text": text, **({"style": style} if style else {})}


def link(text: str, address: str) -> Node:
    """The address must come from `web_address`."""
    return {"type": "link", "url": address, "text": text}


def section(elements: Iterable[Node]) -> Node:
    return {"type": "rich_text_section", "elements": list(elements)}


def preformatted(text: str) -> Node:
    return {"type": "rich_text_preformatted", "elements": [literal(text)]}


def listed(sections: Iterable[Node], number: int | None = None) -> Node:
    """A list; with a number it is ordered and counts from there."""
    style = "bullet" if number is None else "ordered"
    offset = {"offset": number - 1} if number is not None and number > 1 else {}
    return {"type": "rich_text_list", "style": style, **offset, "elements": list(sections)}


def rich_text(elements: Iterable[Node]) -> Node:
    return {"type": "rich_text", "elements": list(elements)}


def table_cell(elements: list[Node]) -> Node:
    """Raw text where nothing is a link or styled, which is much smaller; never empty, which Slack would refuse."""
    if all(element.keys() == {"type", "text"} for element in elements):
        return {"type": "raw_text", "text": "".join(element["text"] for element in elements) or " "}
    return rich_text([section(elements)])


def inline(spans: Iterable[Span]) -> list[Node]:
    """Elements of text and links, none of them empty."""
    return [element for span in spans for element in _element(span)]


def cut(elements: list[Node], room: int) -> list[Node]:
    """The elements if they weigh no more than `room`; otherwise as much from the start as does, and a visible mark."""
    if sum(map(_cost, elements)) <= room:
        return elements
    left = room - _cost(literal(SHORTENED))
    kept: list[Node] = []
    for element in elements:
        if (cost := _cost(element)) > left:
            start = prefix(element["text"], left - _cost({**element, "text": ""}))
            if start:
                kept.append({**element, "text": start})
            break
        kept.append(element)
        left -= cost
    return [*kept, literal(SHORTENED)]


def prefix(text: str, room: int) -> str:
    """As much of a text, from the start, as weighs no more than `room`, in whole words where possible."""
    fits, too_many = 0, min(len(text), max(room, 0)) + 1  # every character weighs one at least
    while too_many - fits > 1:
        middle = (fits + too_many) // 2
        if text_weight(text[:middle]) <= room:
            fits = middle
        else:
            too_many = middle
    start = text[:fits]
    if fits == len(text) or text[fits].isspace():
        return start
    end = _WORD_END.search(start, max(0, fits - _WORD))
    return start[: end.start()] if end else start


def text_weight(text: str) -> int:
    """Of the characters of a text within a block."""
    return weigh(text) - 2 if text else 0


def _cost(element: Node) -> int:
    return weigh(element) + 1


def _element(span: Span) -> Iterator[Node]:
    text = shown(span)
    if not text:
        return
    if isinstance(span, Link):
        address = web_address(span.locator.url)
        yield link(text, address) if address else literal(text)
    else:
        yield literal(text, **{name: True for name, on in (("bold", span.strong), ("code", span.code)) if on})
