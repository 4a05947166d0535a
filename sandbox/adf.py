"""Atlassian Document Format: which node may hold which, as Jira checks it, and its plain text."""

import re
from collections.abc import Callable, Mapping
from typing import Any

Node = dict[str, Any]

INLINE = frozenset({"text", "hardBreak", "mention", "emoji", "date", "status", "inlineCard", "mediaInline"})
LISTS = frozenset({"bulletList", "orderedList", "taskList", "decisionList"})
_FLOW = LISTS | {"paragraph", "codeBlock", "heading", "panel", "blockquote", "rule", "mediaSingle", "mediaGroup"}
_IN_LIST = frozenset({"paragraph", "codeBlock", "mediaSingle", "bulletList", "orderedList", "taskList"})

CHILDREN: Mapping[str, frozenset[str]] = {
    "doc": _FLOW | {"table", "expand", "blockCard"},
    "paragraph": INLINE,
    "heading": INLINE,
    "codeBlock": frozenset({"text"}),
    "blockquote": frozenset({"paragraph", "bulletList", "orderedList", "codeBlock", "mediaSingle", "mediaGroup"}),
    "bulletList": frozenset({"listItem"}),
    "orderedList": frozenset({"listItem"}),
    "listItem": _IN_LIST,
    "taskList": frozenset({"taskItem", "taskList"}),
    "taskItem": INLINE,
    "decisionList": frozenset({"decisionItem"}),
    "decisionItem": INLINE,
    "panel": LISTS | {"paragraph", "heading", "codeBlock", "rule", "mediaSingle", "mediaGroup", "blockCard"},
    "expand": (_FLOW - {"rule"}) | {"rule", "table", "nestedExpand", "blockCard"},
    "nestedExpand": _FLOW,
    "table": frozenset({"tableRow"}),
    "tableRow": frozenset({"tableHeader", "tableCell"}),
    "tableHeader": _FLOW | {"nestedExpand", "blockCard"},
    "tableCell": _FLOW | {"nestedExpand", "blockCard"},
    "mediaSingle": frozenset({"media", "caption"}),
    "mediaGroup": frozenset({"media"}),
    "caption": INLINE,
}
"""What a Jira comment accepts; the editor's layouts, extensions and embeds are not among it."""

MAY_BE_EMPTY = frozenset({"paragraph", "heading", "codeBlock", "taskItem", "decisionItem", "caption"})
MARKS = frozenset(
    {"strong", "em", "code", "strike", "underline", "link", "subsup", "textColor", "backgroundColor", "alignment"}
    | {"indentation", "breakout", "border", "annotation", "dataConsumer", "fontSize"}
)
DEEPEST = 60


def paragraphs(text: str) -> Node:
    """A document of text as it is: a paragraph for each line that has any."""
    lines = [line for line in text.splitlines() if line.strip()]
    content = [{"type": "paragraph", "content": [{"type": "text", "text": line}]} for line in lines]
    return {"type": "doc", "version": 1, "content": content}


def problem(document: Any) -> str | None:
    """Why this is no document that Jira accepts as a comment's body, or None."""
    if not isinstance(document, dict) or document.get("type") != "doc" or document.get("version") != 1:
        return "not a document of version 1"
    if set(document) - {"type", "version", "content"}:
        return "unknown keys in the document"
    return _problem(document, 0)


def _problem(node: Node, depth: int) -> str | None:
    kind = node["type"]
    if depth > DEEPEST:
        return "nested too deeply"
    if kind == "text":
        return _text_problem(node)
    if kind not in CHILDREN:
        return None if isinstance(node.get("attrs", {}), dict) else f"attributes of {kind}"
    content = node.get("content", [] if kind in MAY_BE_EMPTY else None)
    if not isinstance(content, list) or (not content and kind not in MAY_BE_EMPTY and kind != "doc"):
        return f"{kind} without content"
    for child in content:
        if not isinstance(child, dict) or child.get("type") not in CHILDREN[kind]:
            return f"{kind} may not hold this node"
        found = _problem(child, depth + 1)
        if found:
            return found
    return None


def _text_problem(node: Node) -> str | None:
    if not isinstance(node.get("text"), str) or not node["text"] or set(node) - {"type", "text", "marks"}:
        return "a text node without text"
    marks = node.get("marks", [])
    if not isinstance(marks, list):
        return "marks are no list"
    for mark in marks:
        if not isinstance(mark, dict) or mark.get("type") not in MARKS:
            return "unknown mark"
        if mark["type"] == "link" and not isinstance((mark.get("attrs") or {}).get("href"), str):
            return "a link without a target"
    names = {mark["type"] for mark in marks}
    if "code" in names and names - {"code", "link", "annotation"}:
        return "code does not go with other marks"
    return None


def _mention_name(node: Node) -> str:
    return str(node.get("attrs", {}).get("text") or f"@{node.get('attrs', {}).get('id', '')}")


def plain(node: Node | None, mention: Callable[[Node], str] = _mention_name) -> str:
    """The text of a document: a line for each block, cells of a row apart by tabs."""
    return re.sub(r"\n{3,}", "\n\n", _plain(node or {}, mention)).strip()


def _plain(node: Node, mention: Callable[[Node], str]) -> str:
    kind, attrs = node.get("type"), node.get("attrs") or {}
    if kind == "text":
        return str(node.get("text", ""))
    if kind == "hardBreak":
        return "\n"
    if kind == "mention":
        return mention(node)
    if kind in {"inlineCard", "blockCard"}:
        return str(attrs.get("url", ""))
    if kind in {"emoji", "status"}:
        return str(attrs.get("text") or attrs.get("shortName") or "")
    inside = "".join(_plain(child, mention) for child in node.get("content") or [] if isinstance(child, dict))
    if kind in {"tableCell", "tableHeader"}:
        return inside.strip().replace("\n", " ") + "\t"
    if kind == "tableRow":
        return inside.rstrip("\t") + "\n"
    if kind in {"listItem", "taskItem", "decisionItem"}:
        return "- " + inside.strip() + "\n"
    return inside + ("" if kind == "doc" else "\n")
