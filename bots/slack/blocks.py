"""The kinds of blocks that are used, and what Slack refuses in each. Kinds that are not used are refused here.

`mrkdwn` text is refused as well: it is the one kind in which a character of outside text can be markup.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

Block: TypeAlias = Mapping[str, Any]

TEXT = 3_000
"""docs.slack.dev/reference/block-kit/composition-objects/text-object"""
HEADER = 150
"""docs.slack.dev/reference/block-kit/blocks/header-block"""
BLOCK_ID = 255
"""docs.slack.dev/reference/block-kit/blocks"""
ACTIONS = 25
"""docs.slack.dev/reference/block-kit/blocks/actions-block"""
CONTEXT = 10
"""docs.slack.dev/reference/block-kit/blocks/context-block"""
BUTTON_TEXT = 75
ACTION_ID = 255
BUTTON_VALUE = 2_000
"""docs.slack.dev/reference/block-kit/block-elements/button-element"""
LABEL = 2_000
"""docs.slack.dev/reference/block-kit/blocks/input-block"""
INPUT = 3_000
PLACEHOLDER = 150
"""docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element"""
ROWS = 100
COLUMNS = 20
CELLS = 10_000
"""Characters in all cells of a message; docs.slack.dev/reference/block-kit/blocks/table-block"""
URL = 3_000
"""docs.slack.dev/reference/block-kit/block-elements/button-element; none is published for a link in rich text."""


def length(text: str) -> int:
    """In UTF-16 units."""
    return len(text) + sum(char > "\uffff" for char in text)


def text_of(node: Any) -> str:
    """All text in a part of a block, in order."""
    if isinstance(node, Mapping):
        return "".join([node["text"]] if isinstance(node.get("text"), str) else map(text_of, node.values()))
    if isinstance(node, Sequence) and not isinstance(node, str):
        return "".join(map(text_of, node))
    return ""


def check_blocks(blocks: Sequence[Block]) -> list[str]:
    """What Slack would refuse in each of them."""
    faults = [f"block {number}: {fault}" for number, one in enumerate(blocks) for fault in _block(one)]
    ids = [one["block_id"] for one in blocks if "block_id" in one]
    if len(set(ids)) < len(ids):
        faults.append("two blocks with one block_id")
    return faults


def _block(block: Block) -> Iterator[str]:
    kind = str(block.get("type"))
    judge = _KINDS.get(kind)
    if judge is None:
        yield f"{kind} blocks are not used"
        return
    yield from _size(block.get("block_id", "x"), BLOCK_ID, "block_id")
    yield from judge(block)


def _header(block: Block) -> Iterator[str]:
    yield from _plain(block.get("text"), HEADER, "text")


def _context(block: Block) -> Iterator[str]:
    elements = block.get("elements", ())
    yield from _count(elements, CONTEXT, "elements")
    for one in elements:
        yield from _plain(one, TEXT, "text")


def _actions(block: Block) -> Iterator[str]:
    elements = block.get("elements", ())
    yield from _count(elements, ACTIONS, "elements")
    ids = [one.get("action_id") for one in elements]
    if len(set(ids)) < len(ids):
        yield "two actions with one action_id"
    for one in elements:
        if one.get("type") != "button":
            yield f"{one.get('type')} elements are not used in actions"
            continue
        yield from _plain(one.get("text"), BUTTON_TEXT, "a button's text")
        yield from _size(one.get("action_id", ""), ACTION_ID, "action_id")
        yield from _size(one.get("value", ""), BUTTON_VALUE, "a button's value")
        yield from _size(one.get("accessibility_label", ""), BUTTON_TEXT, "accessibility_label")


def _input(block: Block) -> Iterator[str]:
    element = block.get("element", {})
    yield from _plain(block.get("label"), LABEL, "label")
    if element.get("type") != "plain_text_input":
        yield f"{element.get('type')} elements are not used for input"
        return
    yield from _size(element.get("action_id", ""), ACTION_ID, "action_id")
    if not 1 <= element.get("max_length", INPUT) <= INPUT:
        yield f"max_length is not 1 to {INPUT}"
    if "placeholder" in element:
        yield from _plain(element["placeholder"], PLACEHOLDER, "placeholder")


def _table(block: Block) -> Iterator[str]:
    rows = block.get("rows", ())
    yield from _count(rows, ROWS, "rows")
    if len(block.get("column_settings", ())) > COLUMNS:
        yield f"settings for more than {COLUMNS} columns"
    if len({len(row) for row in rows}) > 1:
        yield "rows of different length"
    for row in rows:
        yield from _count(row, COLUMNS, "cells in a row")
        for cell in row:
            if cell.get("type") == "rich_text":
                yield from _rich_text(cell)
            elif cell.get("type") == "raw_text":
                yield from _size(cell.get("text", ""), CELLS, "a cell")
            else:
                yield f"{cell.get('type')} cells are not used"


def _rich_text(block: Block) -> Iterator[str]:
    elements = block.get("elements", ())
    yield from _count(elements, None, "rich text elements")
    for one in elements:
        kind = one.get("type")
        inner = one.get("elements", ())
        if kind == "rich_text_list":
            if one.get("style") not in {"bullet", "ordered"}:
                yield "a list without a style"
            if one.get("offset", 0) < 0:
                yield "a list that counts from below 1"
            yield from _count(inner, None, "items of a list")
            for item in inner:
                yield from _inline(item, "rich_text_section")
        elif kind in {"rich_text_section", "rich_text_preformatted"}:
            yield from _inline(one, kind)
        else:
            yield f"{kind} elements are not used"


def _inline(node: Block, kind: str) -> Iterator[str]:
    elements = node.get("elements", ())
    if node.get("type") != kind:
        yield f"{node.get('type')} where {kind} is expected"
    yield from _count(elements, None, f"elements of a {kind}")
    for one in elements:
        if one.get("type") not in {"text", "link"}:
            yield f"{one.get('type')} elements are not used in rich text"
        elif not one.get("text"):
            yield "an empty text in rich text"
        if one.get("type") == "link":
            yield from _size(one.get("url", ""), URL, "a link's address")
            if not str(one.get("url", "")).startswith(("http://", "https://")):
                yield "a link to no web address"


def _plain(text: Any, limit: int, name: str) -> Iterator[str]:
    if not isinstance(text, Mapping) or text.get("type") != "plain_text":
        yield f"{name} is not plain text"
        return
    yield from _size(text.get("text", ""), limit, name)


def _size(text: str, limit: int, name: str) -> Iterator[str]:
    if not text and name not in {"a button's value", "accessibility_label"}:
        yield f"{name} is empty"
    elif length(text) > limit:
        yield f"{name} of {length(text)} characters, {limit} are allowed"


def _count(things: Sequence[Any], limit: int | None, name: str) -> Iterator[str]:
    if not things:
        yield f"no {name}"
    elif limit is not None and len(things) > limit:
        yield f"{len(things)} {name}, {limit} are allowed"


_KINDS: Mapping[str, Callable[[Block], Iterator[str]]] = {
    "header": _header,
    "context": _context,
    "actions": _actions,
    "input": _input,
    "table": _table,
    "rich_text": _rich_text,
}
