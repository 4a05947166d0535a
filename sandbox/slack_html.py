"""Slack's blocks as safe HTML, roughly as its clients show them: every text escaped, links to http(s) only, an unknown
block shown by its name.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from html import escape
from typing import Any

from sandbox.adf_html import safe_url
from sandbox.slack.shapes import rich_text
from sandbox.slack.state import Json

_STYLES = {"bold": "b", "italic": "i", "strike": "s", "code": "code"}
_DEEPEST = 8
"""Indentation of a list; https://docs.slack.dev/reference/block-kit/blocks/rich-text-block."""


def links(value: Any) -> Iterator[str]:
    """Where the links of blocks lead, in order."""
    if isinstance(value, Mapping):
        if value.get("type") == "link":
            yield str(value.get("url", ""))
        value = list(value.values())
    for inner in value if isinstance(value, list | tuple) else ():
        yield from links(inner)


class Blocks:
    """The blocks of one message."""

    def __init__(self, name: Callable[[str], str], press: str) -> None:
        """`name` tells what a user or channel is called, by id. A button submits the form `write` to `press`, with the
        button's action as `action`.
        """
        self._name = name
        self._press = press

    def html(self, blocks: Iterable[Json]) -> str:
        return "".join(map(self._block, blocks))

    def text_html(self, text: str) -> str:
        """A message's text, as Slack keeps it."""
        return self._block(rich_text(text))

    def _block(self, block: Json) -> str:
        match block.get("type"):
            case "rich_text":
                return "".join(map(self._rich, _listed(block, "elements")))
            case "header":
                return f"<h3>{self._object(block.get('text'))}</h3>"
            case "section":
                texts = [block.get("text"), *_listed(block, "fields")]
                parts = [f"<p>{self._object(text)}</p>" for text in texts if text]
                return "".join(parts) + self._element(block.get("accessory") or {})
            case "context" | "actions":
                inside = " ".join(map(self._element, _listed(block, "elements")))
                return f'<div class="{block["type"]}">{inside}</div>'
            case "table":
                return f"<table>{''.join(map(self._row, block.get('rows') or []))}</table>"
            case "divider":
                return "<hr>"
            case "markdown":
                return f"<p>{_text(block)}</p>"
            case other:
                return f"<p class=soft>[{escape(str(other))}]</p>"

    def _rich(self, element: Json) -> str:
        """A part of a rich text block."""
        inside = "".join(map(self._inline, _listed(element, "elements")))
        match element.get("type"):
            case "rich_text_list":
                items = "".join(f"<li>{self._items(item)}</li>" for item in _listed(element, "elements"))
                indent = f"margin-left:{min(_whole(element, 'indent'), _DEEPEST) * 1.5}rem"
                if element.get("style") == "ordered":
                    return f'<ol start="{_whole(element, "offset") + 1}" style="{indent}">{items}</ol>'
                return f'<ul style="{indent}">{items}</ul>'
            case "rich_text_preformatted":
                return f"<pre>{inside}</pre>"
            case "rich_text_quote":
                return f"<blockquote>{inside}</blockquote>"
            case _:
                return f"<p>{inside}</p>"

    def _items(self, section: Json) -> str:
        return "".join(map(self._inline, _listed(section, "elements")))

    def _inline(self, element: Json) -> str:
        match element.get("type"):
            case "link":
                out = _anchor(str(element.get("url", "")), str(element.get("text") or element.get("url", "")))
            case "user" | "channel" | "usergroup" | "broadcast" as kind:
                named = str(element.get("range") or self._name(str(element.get(f"{kind}_id", ""))))
                out = f'<b class="mention">{"#" if kind == "channel" else "@"}{escape(named)}</b>'
            case "emoji":
                out = escape(f":{element.get('name', '')}:")
            case "date":
                out = escape(str(element.get("fallback", "")))
            case _:
                out = _text(element)
        style = element.get("style")
        chosen = style if isinstance(style, Mapping) else {}
        for tag in (tag for name, tag in _STYLES.items() if chosen.get(name)):
            out = f"<{tag}>{out}</{tag}>"
        return out

    def _element(self, element: Json) -> str:
        """Of a context or an actions block, or beside a section."""
        match element.get("type"):
            case "button":
                return self._button(element)
            case "plain_text" | "mrkdwn":
                return f"<span>{self._object(element)}</span>"
            case "image":
                return f"<span>[{escape(str(element.get('alt_text', '')))}]</span>"
            case _:
                return ""

    def _button(self, button: Json) -> str:
        label = self._object(button.get("text"))
        url = safe_url(str(button.get("url", "")))
        if url:
            return f'<a href="{escape(url)}" rel="noreferrer">{label}</a>'
        action, hint = (escape(str(button.get(name, ""))) for name in ("action_id", "accessibility_label"))
        return (
            f'<button class="press" form="write" formnovalidate formaction="{escape(self._press)}" '
            f'name="action" value="{action}" title="{hint}">{label}</button>'
        )

    def _object(self, text: Any) -> str:
        """A text object: `mrkdwn` has mentions and links, `plain_text` nothing."""
        if not isinstance(text, Mapping):
            return ""
        if text.get("type") == "mrkdwn":
            return "".join(self._items(part) for part in rich_text(str(text.get("text", "")))["elements"])
        return _text(text)

    def _row(self, cells: Iterable[Json]) -> str:
        return f"<tr>{''.join(f'<td>{self._cell(cell)}</td>' for cell in cells)}</tr>"

    def _cell(self, cell: Json) -> str:
        return self._block(cell) if cell.get("type") == "rich_text" else _text(cell)


def _text(node: Json) -> str:
    return escape(str(node.get("text", ""))).replace("\n", "<br>")


def _anchor(url: str, text: str) -> str:
    safe = safe_url(url)
    shown = escape(text).replace("\n", "<br>")
    return f'<a href="{escape(safe)}" rel="noreferrer">{shown}</a>' if safe else shown


def _listed(node: Json, name: str) -> list[Json]:
    value = node.get(name)
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list | tuple) else []


def _whole(node: Json, name: str) -> int:
    value = node.get(name)
    return value if isinstance(value, int) and value > 0 else 0
