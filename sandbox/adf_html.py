"""ADF as safe HTML: every text escaped, links to http(s) only, an unknown node shown by what it holds."""

from collections.abc import Callable, Mapping
from html import escape
from typing import Any
from urllib.parse import urlsplit

from sandbox.adf import Node

_TAGS: Mapping[str, str] = {
    "paragraph": "p",
    "blockquote": "blockquote",
    "bulletList": "ul",
    "orderedList": "ol",
    "listItem": "li",
    "taskList": "ul",
    "decisionList": "ul",
    "decisionItem": "li",
    "table": "table",
    "tableRow": "tr",
    "tableHeader": "th",
    "tableCell": "td",
    "panel": "aside",
}
_MARKS: Mapping[str, str] = {"strong": "strong", "em": "em", "strike": "s", "code": "code", "underline": "u"}


def safe_url(url: str) -> str | None:
    """The URL if a page may link to it."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return None
    return url.strip() if parts.scheme in {"http", "https"} and parts.netloc else None


def to_html(node: Node | None) -> str:
    return _html(node) if isinstance(node, dict) else ""


def _html(node: Node) -> str:
    kind = str(node.get("type"))
    special = _SPECIAL.get(kind)
    if special is not None:
        return special(node)
    inside = _inside(node)
    tag = _TAGS.get(kind)
    return f"<{tag}>{inside}</{tag}>" if tag else inside


def _inside(node: Node) -> str:
    return "".join(_html(child) for child in node.get("content") or [] if isinstance(child, dict))


def _attrs(node: Node) -> dict[str, Any]:
    attrs = node.get("attrs")
    return attrs if isinstance(attrs, dict) else {}


def _text(node: Node) -> str:
    out = escape(str(node.get("text", "")))
    for mark in node.get("marks") or []:
        kind = mark.get("type")
        if kind == "link":
            url = safe_url(str(_attrs(mark).get("href", "")))
            out = f'<a href="{escape(url)}" rel="noreferrer">{out}</a>' if url else out
        elif kind == "annotation":
            out = f'<mark><a href="#comment-{escape(str(_attrs(mark).get("id", "")))}">{out}</a></mark>'
        elif kind in _MARKS:
            out = f"<{_MARKS[kind]}>{out}</{_MARKS[kind]}>"
    return out


def _heading(node: Node) -> str:
    """Below the page's own headings."""
    level = _attrs(node).get("level")
    tag = f"h{min(6, level + 2) if isinstance(level, int) and level > 0 else 3}"
    return f"<{tag}>{_inside(node)}</{tag}>"


def _card(node: Node) -> str:
    url = str(_attrs(node).get("url", ""))
    return f'<a href="{escape(safe_url(url) or "#")}" rel="noreferrer">{escape(url)}</a>'


def _task(node: Node) -> str:
    box = "&#9745;" if _attrs(node).get("state") == "DONE" else "&#9744;"
    return f"<li>{box} {_inside(node)}</li>"


def _expand(node: Node) -> str:
    return f"<details><summary>{escape(str(_attrs(node).get('title', '')))}</summary>{_inside(node)}</details>"


_SPECIAL: Mapping[str, Callable[[Node], str]] = {
    "text": _text,
    "heading": _heading,
    "hardBreak": lambda _: "<br>",
    "rule": lambda _: "<hr>",
    "codeBlock": lambda node: f"<pre><code>{_inside(node)}</code></pre>",
    "mention": lambda node: f"<b>{escape(str(_attrs(node).get('text') or _attrs(node).get('id', '')))}</b>",
    "status": lambda node: f"<b>{escape(str(_attrs(node).get('text', '')))}</b>",
    "emoji": lambda node: escape(str(_attrs(node).get("text") or _attrs(node).get("shortName", ""))),
    "inlineCard": _card,
    "blockCard": _card,
    "taskItem": _task,
    "expand": _expand,
    "nestedExpand": _expand,
}
