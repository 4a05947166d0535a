"""ADF as Jira's wiki markup, for Data Center, with a backslash before every character that would be markup."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from sandbox.adf import Node

_ALWAYS = frozenset("{[|")
_PHRASE = frozenset("*_-+^~?!")
"""Markup unless a letter or digit is on both sides, or nothing but blanks."""
_LINE = re.compile(r"^(\s*)([#*-])(?=[#*-]*\s)|^(\s*(?:h[1-6]|bq))\.(?=\s)", re.MULTILINE)
_MARKS: Mapping[str, tuple[str, str]] = {
    "strong": ("*", "*"),
    "em": ("_", "_"),
    "strike": ("-", "-"),
    "underline": ("+", "+"),
    "code": ("{{", "}}"),
}


def to_wiki(node: Node | None) -> str:
    """The document's markup; people are named by their account ids, which are Data Center's user names here."""
    return _blocks(node, "").strip("\n") if isinstance(node, dict) else ""


def escaped(text: str) -> str:
    """Text that Jira shows as it is."""
    out = [_safe(text, at) for at in range(len(text))]
    return _LINE.sub(lambda m: f"{m[1]}\\{m[2]}" if m[2] else f"{m[3]}&#46;", "".join(out))


def _safe(text: str, at: int) -> str:
    character, after = text[at], text[at + 1 : at + 2]
    if character == "\\":
        return character if after.isalnum() or after == " " else "&#92;"
    if character in _ALWAYS:
        return "\\" + character
    if character not in _PHRASE:
        return character
    before = text[at - 1 : at] if at else ""
    inside = before.isalnum() and after.isalnum()
    alone = bool(before) and before.isspace() and (not after or after.isspace())
    return character if inside or alone else "\\" + character


def _blocks(node: Node, lists: str) -> str:
    return "".join(_block(child, lists) for child in _children(node))


def _block(node: Node, lists: str) -> str:
    kind = str(node.get("type"))
    if kind in _LISTS:
        sign = lists + _LISTS[kind]
        return "".join(_item(child, sign) for child in _children(node)) + ("" if lists else "\n")
    special = _BLOCKS.get(kind)
    return special(node) if special is not None else _inline(node) + "\n"


def _item(node: Node, sign: str) -> str:
    """An item: its first paragraph on the line of its sign, what else it holds below."""
    if node.get("type") in _LISTS:
        return _block(node, sign[:-1])
    if node.get("type") == "taskItem":
        box = "(/) " if _attrs(node).get("state") == "DONE" else ""
        return f"{sign} {box}{_inline(node)}\n"
    if node.get("type") == "decisionItem":
        return f"{sign} {_inline(node)}\n"
    first, *rest = _children(node) or [{}]
    lead = (
        _inline(first).replace("\n", "\\\\ ") + "\n" if first.get("type") == "paragraph" else "\n" + _block(first, sign)
    )
    return f"{sign} {lead}" + "".join(_block(child, sign).rstrip("\n") + "\n" for child in rest)


def _inline(node: Node) -> str:
    return "".join(_INLINE.get(str(child.get("type")), _inline)(child) for child in _children(node))


def _text(node: Node) -> str:
    out = escaped(str(node.get("text", "")))
    for mark in node.get("marks") or []:
        kind = mark.get("type")
        if kind in _MARKS and out.strip() == out:
            left, right = _MARKS[kind]
            out = left + out + right
    href = next((_attrs(mark).get("href") for mark in node.get("marks") or [] if mark.get("type") == "link"), None)
    return out if href is None else f"[{out.replace(']', '&#93;')}|{_address(str(href))}]"


def _address(url: str) -> str:
    return url.replace("|", "%7C").replace("]", "%5D").replace(" ", "%20")


def _card(node: Node) -> str:
    return f"[{_address(str(_attrs(node).get('url', '')))}]"


def _code(node: Node) -> str:
    text = "".join(str(child.get("text", "")) for child in _children(node))
    if "{code}" in text:
        return f"{{noformat}}\n{text}\n{{noformat}}\n\n"
    language = str(_attrs(node).get("language") or "")
    start = f"{{code:{language}}}" if re.fullmatch(r"[\w+#-]+", language) else "{code}"
    return f"{start}\n{text}\n{{code}}\n\n"


def _row(node: Node) -> str:
    out, sign = "", "|"
    for cell in _children(node):
        sign = "||" if cell.get("type") == "tableHeader" else "|"
        out += sign + (_blocks(cell, "").strip() or " ")
    return out + sign + "\n"


def _panel(node: Node) -> str:
    title = re.sub(r"[{}|]", " ", str(_attrs(node).get("title", "")))
    start = f"{{panel:title={title}}}" if title else "{panel}"
    return f"{start}\n{_blocks(node, '').strip(chr(10))}\n{{panel}}\n\n"


def _children(node: Node) -> list[Node]:
    return [child for child in node.get("content") or [] if isinstance(child, dict)]


def _attrs(node: Node) -> dict[str, Any]:
    attrs = node.get("attrs")
    return attrs if isinstance(attrs, dict) else {}


_LISTS: Mapping[str, str] = {"bulletList": "*", "orderedList": "#", "taskList": "*", "decisionList": "*"}
_BLOCKS: Mapping[str, Callable[[Node], str]] = {
    "paragraph": lambda node: _inline(node) + "\n\n",
    "heading": lambda node: f"h{_attrs(node).get('level', 1)}. {_inline(node)}\n\n",
    "rule": lambda _: "----\n\n",
    "codeBlock": _code,
    "blockquote": lambda node: f"{{quote}}\n{_blocks(node, '').strip(chr(10))}\n{{quote}}\n\n",
    "table": lambda node: "".join(map(_row, _children(node))) + "\n",
    "panel": _panel,
    "expand": _panel,
    "nestedExpand": _panel,
    "blockCard": lambda node: _card(node) + "\n\n",
}
_INLINE: Mapping[str, Callable[[Node], str]] = {
    "text": _text,
    "hardBreak": lambda _: "\n",
    "mention": lambda node: f"[~{_attrs(node).get('id', '')}]",
    "emoji": lambda node: escaped(str(_attrs(node).get("text") or _attrs(node).get("shortName", ""))),
    "status": lambda node: escaped(str(_attrs(node).get("text", ""))),
    "inlineCard": _card,
}
