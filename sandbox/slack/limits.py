"""What Slack refuses of a message or a view: its published limits, and the fields that each block must have.

https://docs.slack.dev/reference/block-kit/blocks and https://docs.slack.dev/reference/block-kit/block-elements have a
page a kind; of whole messages https://docs.slack.dev/changelog/2018-truncating-really-long-messages and
https://github.com/slackapi/bolt-js/issues/2509.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal

Surface = Literal["message", "modal", "home"]

MOST_BLOCKS: Mapping[Surface, int] = {"message": 50, "modal": 100, "home": 100}
LONGEST_TEXT = 40_000
LONGEST_MARKDOWN = 12_000
"""Of all Markdown blocks of a message together."""
LONGEST_MESSAGE = 13_297
"""Of all the text in blocks, each further block counting for `BLOCK` more; not published, measured in the issue."""
BLOCK = 125
LONGEST_TABLE = 10_000
"""Of all the cells of a message."""
LARGEST_METADATA = 8_000
LARGEST_VIEW = 250_000
LONGEST_PRIVATE_METADATA = 3_000

_TEXTS: Mapping[str, int] = {
    "header": 150,
    "section": 3000,
    "field": 2000,
    "button": 75,
    "label": 2000,
    "hint": 2000,
    "title": 24,
    "submit": 24,
    "close": 24,
    "option": 75,
    "placeholder": 150,
    "context": 3000,
    "image_title": 2000,
}
_FIELDS: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "section": (frozenset(), frozenset({"text", "fields", "accessory", "expand"})),
    "header": (frozenset({"text"}), frozenset({"level"})),
    "divider": (frozenset(), frozenset()),
    "context": (frozenset({"elements"}), frozenset()),
    "actions": (frozenset({"elements"}), frozenset()),
    "context_actions": (frozenset({"elements"}), frozenset()),
    "markdown": (frozenset({"text"}), frozenset()),
    "rich_text": (frozenset({"elements"}), frozenset()),
    "image": (frozenset({"alt_text"}), frozenset({"image_url", "slack_file", "title"})),
    "table": (frozenset({"rows"}), frozenset({"column_settings"})),
    "input": (frozenset({"label", "element"}), frozenset({"dispatch_action", "hint", "optional"})),
}
"""Block type -> fields that it must have, and may have, beside `type` and `block_id`."""
_ELSEWHERE: Mapping[Surface, frozenset[str]] = {
    "message": frozenset({"input"}),
    "modal": frozenset({"markdown", "table", "context_actions"}),
    "home": frozenset({"markdown", "table", "context_actions"}),
}
_ELEMENTS = {"actions": 25, "context": 10, "context_actions": 5}
_INTERACTIVE = frozenset({"button", "static_select", "overflow", "radio_buttons", "checkboxes", "plain_text_input"})
_BUTTON = frozenset({"type", "text", "action_id", "url", "value", "style", "confirm", "accessibility_label"})


def blocks_problems(blocks: Any, surface: Surface = "message") -> list[str]:
    """What is wrong with blocks, a line each, as `response_metadata.messages` has them."""
    if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
        return ["[ERROR] must be an array of objects [json-pointer:/blocks]"]
    out = []
    if len(blocks) > MOST_BLOCKS[surface]:
        out.append(f"[ERROR] no more than {MOST_BLOCKS[surface]} items allowed [json-pointer:/blocks]")
    ids = [block["block_id"] for block in blocks if "block_id" in block]
    if len(ids) != len(set(ids)):
        out.append("[ERROR] `block_id` must be unique [json-pointer:/blocks]")
    if sum(block.get("type") == "table" for block in blocks) > 1:
        out.append("[ERROR] only_one_table_allowed [json-pointer:/blocks]")
    acts = [node["action_id"] for block in blocks for node in _nodes(block) if "action_id" in node]
    if len(acts) != len(set(acts)):
        out.append("[ERROR] `action_id` must be unique [json-pointer:/blocks]")
    for at, block in enumerate(blocks):
        out += [f"[ERROR] {text} [json-pointer:/blocks/{at}]" for text in _block(block, surface)]
    return out


def too_long(blocks: Any) -> bool:
    """Whether the message is more than Slack takes as a whole, though each of its blocks may be in order."""
    texts = [node["text"] for node in _nodes(blocks) if isinstance(node.get("text"), str)]
    marked = [b["text"] for b in blocks if b.get("type") == "markdown" and isinstance(b.get("text"), str)]
    whole = sum(map(len, texts)) + BLOCK * (len(blocks) - 1)
    return whole > LONGEST_MESSAGE or sum(map(len, marked)) > LONGEST_MARKDOWN


def metadata_problem(metadata: Any) -> str | None:
    """The error for a message's metadata, if any."""
    if not isinstance(metadata, dict) or not isinstance(metadata.get("event_type"), str):
        return "invalid_metadata_format"
    if not isinstance(metadata.get("event_payload"), dict) or not metadata["event_type"]:
        return "invalid_metadata_schema"
    if not all(isinstance(value, (str, int, float, bool, list, dict)) for value in metadata["event_payload"].values()):
        return "invalid_metadata_schema"
    return "metadata_too_large" if len(json.dumps(metadata)) > LARGEST_METADATA else None


def view_problems(view: Any) -> list[str]:
    if not isinstance(view, dict) or view.get("type") not in {"modal", "home"}:
        return ["[ERROR] invalid view type [json-pointer:/view/type]"]
    surface: Surface = view["type"]
    out = blocks_problems(view.get("blocks"), surface)
    if surface == "modal":
        has_input = any(block.get("type") == "input" for block in view.get("blocks") or () if isinstance(block, dict))
        needed = ["title", *(["submit"] if has_input else [])]
        out += [f"[ERROR] missing required field: {name}" for name in needed if name not in view]
        for name in ("title", "submit", "close"):
            out += [f"[ERROR] {name}: {text}" for text in _text(view.get(name), name, plain=True) if name in view]
    if len(view.get("private_metadata", "")) > LONGEST_PRIVATE_METADATA:
        out.append(
            f"[ERROR] must be less than {LONGEST_PRIVATE_METADATA + 1} characters [json-pointer:/private_metadata]"
        )
    if len(view.get("callback_id", "")) > 255:
        out.append("[ERROR] must be less than 256 characters [json-pointer:/view/callback_id]")
    if len(json.dumps(view)) > LARGEST_VIEW:
        out.append("[ERROR] view is too large")
    return out


def _block(block: Mapping[str, Any], surface: Surface) -> Iterator[str]:
    kind = block.get("type")
    if not isinstance(kind, str) or kind not in _FIELDS or kind in _ELSEWHERE[surface]:
        yield f"unsupported type: {kind}"
        return
    required, optional = _FIELDS[kind]
    given = block.keys() - {"type", "block_id"}
    yield from (f"missing required field: {name}" for name in sorted(required - given))
    yield from (f"invalid additional property: {name}" for name in sorted(given - required - optional))
    if len(str(block.get("block_id", ""))) > 255:
        yield "block_id must be less than 256 characters"
    match kind:
        case "section":
            yield from _section(block)
        case "header" if "text" in block:
            yield from _text(block["text"], "header", plain=True)
        case "markdown" if not isinstance(block.get("text"), str) or not block["text"]:
            yield "text must be more than 0 characters"
        case "context" | "actions" | "context_actions":
            yield from _elements(block.get("elements"), kind)
        case "table":
            yield from _table(block.get("rows"))
        case "image":
            yield from _image(block)
        case "input" if required <= given:
            yield from _text(block["label"], "label", plain=True)
            yield from _element(block["element"])
        case "rich_text" if not isinstance(block.get("elements"), list):
            yield "elements must be an array"
        case _:
            pass


def _section(block: Mapping[str, Any]) -> Iterator[str]:
    fields = block.get("fields")
    if "text" not in block and not fields:
        yield "missing required field: text or fields"
    if "text" in block:
        yield from _text(block["text"], "section")
    if fields is not None:
        if not isinstance(fields, list) or not 1 <= len(fields) <= 10:
            yield "fields must have 1 to 10 items"
        else:
            yield from (problem for one in fields for problem in _text(one, "field"))
    if "accessory" in block:
        yield from _element(block["accessory"])


def _elements(elements: Any, kind: str) -> Iterator[str]:
    if not isinstance(elements, list) or not 1 <= len(elements) <= _ELEMENTS[kind]:
        yield f"no more than {_ELEMENTS[kind]} items allowed, and at least one"
        return
    for element in elements:
        if kind != "context":
            yield from _element(element)
        elif isinstance(element, dict) and element.get("type") == "image":
            yield from _image(element)
        else:
            yield from _text(element, "context")


def _element(element: Any) -> Iterator[str]:
    """A button or another thing to act on; of the others their kind and id alone are judged."""
    kind = element.get("type") if isinstance(element, dict) else None
    if kind == "image":
        yield from _image(element)
        return
    if kind not in _INTERACTIVE | {"feedback_buttons", "icon_button", "multi_static_select", "users_select"}:
        yield f"unsupported element type: {kind}"
        return
    if len(str(element.get("action_id", ""))) > 255:
        yield "action_id must be less than 256 characters"
    if len(str(element.get("value", ""))) > 2000:
        yield "value must be less than 2001 characters"
    if kind == "button":
        yield from (f"invalid additional property: {name}" for name in sorted(element.keys() - _BUTTON))
        yield from _text(element.get("text"), "button", plain=True)
        if element.get("style", "primary") not in {"primary", "danger"}:
            yield "style must be primary or danger"
        if len(element.get("url", "")) > 3000:
            yield "url must be less than 3001 characters"
    for option in element.get("options", ()):
        yield from _text(option.get("text"), "option")


def _text(value: Any, where: str, *, plain: bool = False) -> Iterator[str]:
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        yield f"{where}: missing required field: text"
        return
    kinds = {"plain_text"} if plain else {"plain_text", "mrkdwn"}
    if value.get("type") not in kinds:
        yield f"{where}: unsupported type: {value.get('type')}"
    yield from (
        f"{where}: invalid additional property: {name}"
        for name in sorted(
            value.keys() - {"type", "text", "emoji" if value.get("type") == "plain_text" else "verbatim"}
        )
    )
    if not value["text"]:
        yield f"{where}: must be more than 0 characters"
    if len(value["text"]) > _TEXTS[where]:
        yield f"{where}: must be less than {_TEXTS[where] + 1} characters"


def _image(block: Mapping[str, Any]) -> Iterator[str]:
    if "image_url" not in block and "slack_file" not in block:
        yield "missing required field: image_url"
    if len(str(block.get("image_url", ""))) > 3000:
        yield "image_url must be less than 3001 characters"
    if not 1 <= len(str(block.get("alt_text", ""))) <= 2000:
        yield "alt_text must be 1 to 2000 characters"
    if "title" in block:
        yield from _text(block["title"], "image_title", plain=True)


def _table(rows: Any) -> Iterator[str]:
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        yield "rows must be an array of arrays"
        return
    if not 1 <= len(rows) <= 100:
        yield "no more than 100 rows allowed"
    if sum(len(node["text"]) for node in _nodes(rows) if isinstance(node.get("text"), str)) > LONGEST_TABLE:
        yield f"no more than {LONGEST_TABLE} characters allowed in all cells"
    for row in rows:
        if not 1 <= len(row) <= 20:
            yield "no more than 20 columns allowed"
        for cell in row:
            kind = cell.get("type") if isinstance(cell, dict) else None
            if kind not in {"raw_text", "rich_text"}:
                yield f"unsupported cell type: {kind}"
            elif kind == "raw_text" and not cell.get("text"):
                yield "cell: must be more than 0 characters"


def _nodes(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    for inner in value if isinstance(value, list) else ():
        yield from _nodes(inner)
