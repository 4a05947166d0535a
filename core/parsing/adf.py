"""Atlassian Document Format to Markdown. No text is lost: what is unknown, malformed or nested beyond reason keeps its
text. Emphasis and colour are dropped, since they would break quotations and words; struck-out text stays marked.

Node names: https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from core.parsing import markdown

Node = Mapping[str, Any]
_DEEPEST = 64  # levels of nesting whose shape is kept; below, the text alone
_LANGUAGE = re.compile(r"[\w+#.-]{1,40}")


@dataclass(frozen=True, slots=True)
class Prose:
    """What a person wrote, as Markdown, and whom it mentions (account ids, in order, each once)."""

    text: str
    mentions: tuple[str, ...] = ()


def read(value: object) -> Prose:
    """The text of an ADF document; of a plain string too, and of anything malformed. None is no text."""
    walker = _Walker()
    text = markdown.join(walker.blocks(_list(value), 0))
    return Prose(markdown.clean(text).strip(), tuple(dict.fromkeys(walker.mentions)))


class _Walker:
    """Renders nodes and remembers the mentions it met."""

    def __init__(self) -> None:
        self.mentions: list[str] = []

    def blocks(self, nodes: Sequence[object], depth: int) -> list[str]:
        """Each block's Markdown; inline nodes that stand beside each other become one paragraph."""
        found: list[str] = []
        line: list[object] = []
        for node in nodes:
            kind = _type(node)
            if kind in _INLINE or (kind not in _BLOCK and _is_inline(node)):
                line.append(node)
                continue
            found += self._flush(line, depth)
            found.append(self._block(node, kind, depth))
        return [block for block in [*found, *self._flush(line, depth)] if block.strip()]

    def _flush(self, line: list[object], depth: int) -> list[str]:
        text = self.inline(line, depth)
        line.clear()
        return [text]

    def _block(self, node: object, kind: str, depth: int) -> str:
        if not isinstance(node, Mapping):
            return str(node)
        if depth > _DEEPEST:
            return self._plain(node)
        renderer = _BLOCK.get(kind)
        if renderer is not None:
            return renderer(self, node, depth + 1)
        mark = f"[unsupported: {kind}]" if kind else ""
        return markdown.join([mark, _attr(node, "text"), *self.blocks(_nodes(node), depth + 1)])

    def inline(self, nodes: Sequence[object], depth: int) -> str:
        """One paragraph's text. A mention, card, status or date never runs into the word beside it."""
        text, after_atom = "", False
        for node in nodes:
            piece, atom = self._piece(node, depth)
            if not piece:
                continue
            glued = (atom and text[-1:].strip() and text[-1] not in "([{\"'/") or (after_atom and piece[0].isalnum())
            text += f" {piece}" if glued else piece
            after_atom = atom
        return text.strip()

    def _piece(self, node: object, depth: int) -> tuple[str, bool]:
        if not isinstance(node, Mapping):
            return ("" if node is None else str(node)), False
        kind = _type(node)
        if kind == "text" or (not kind and "text" in node):
            return _marked(node), False
        if kind == "hardBreak":
            return "\n", False
        if kind == "mention" and _attr(node, "id"):
            self.mentions.append(_attr(node, "id"))
        atom = _ATOMS.get(kind)
        if atom is not None:
            inner = self._plain_children(node)
            return " ".join(part for part in (_linked(node, atom(node)), inner) if part), True
        if kind in _BLOCK:
            return f"\n{self._block(node, kind, depth)}\n", False
        mark = f"[unsupported: {kind}]" if kind else ""
        inner = self._plain(node) if depth > _DEEPEST else self.inline(_nodes(node), depth + 1)
        return " ".join(part for part in (mark, _attr(node, "text"), inner) if part), True

    def _plain_children(self, node: object) -> str:
        return " ".join(word for word in map(self._plain, _nodes(node)) if word)

    def _plain(self, node: object) -> str:
        """The text alone, without recursion."""
        words: list[str] = []
        stack: list[object] = [node]
        while stack:
            top = stack.pop()
            if isinstance(top, Mapping) and _nodes(top):
                words.append(_attr(top, "text"))
                stack.extend(reversed(_nodes(top)))
            elif isinstance(top, Mapping):
                words.append(self._piece(top, 0)[0])
            elif top is not None:
                words.append(str(top))
        return " ".join(word for word in words if word)

    def items(self, node: Node, depth: int, marker: Callable[[int, object], str]) -> str:
        """A list's items; a list that stands beside its items, as nested task lists do, is indented under the last."""
        lines: list[str] = []
        for number, child in enumerate(_nodes(node)):
            kind = _type(child)
            if kind in _LISTS:
                lines.append("  " + self._block(child, kind, depth).replace("\n", "\n  "))
            else:
                inside = _nodes(child) if kind in _ITEMS else [child]
                lines.append(markdown.item(marker(number, child), self.blocks(inside, depth + 1)))
        return "\n".join(lines)


def _bullets(walker: _Walker, node: Node, depth: int) -> str:
    return walker.items(node, depth, lambda _number, _child: "-")


def _numbers(walker: _Walker, node: Node, depth: int) -> str:
    order = _attr(node, "order")
    first = int(order) if re.fullmatch(r"\d{1,9}", order, re.ASCII) else 1
    return walker.items(node, depth, lambda number, _child: f"{first + number}.")


def _tasks(walker: _Walker, node: Node, depth: int) -> str:
    return walker.items(node, depth, lambda _n, child: "- [x]" if _attr(child, "state") == "DONE" else "- [ ]")


def _decisions(walker: _Walker, node: Node, depth: int) -> str:
    return walker.items(
        node, depth, lambda _n, child: "- Decision:" if _attr(child, "state") == "DECIDED" else "- Undecided:"
    )


def _paragraph(walker: _Walker, node: Node, depth: int) -> str:
    return walker.inline(_nodes(node), depth)


def _container(walker: _Walker, node: Node, depth: int) -> str:
    return markdown.join(walker.blocks(_nodes(node), depth))


def _heading(walker: _Walker, node: Node, depth: int) -> str:
    level = _attr(node, "level")
    return markdown.heading(int(level) if level in set("123456") else 1, walker.inline(_nodes(node), depth))


def _code(_walker: _Walker, node: Node, _depth: int) -> str:
    text = "".join(_leaf(child) for child in _leaves(node))
    language = _attr(node, "language")
    return markdown.fence(text, language if _LANGUAGE.fullmatch(language) else "") if text.strip() else ""


def _quote(walker: _Walker, node: Node, depth: int) -> str:
    text = markdown.join(walker.blocks(_nodes(node), depth))
    return markdown.quote(text) if text else ""


def _panel(walker: _Walker, node: Node, depth: int) -> str:
    text = markdown.join(walker.blocks(_nodes(node), depth))
    return f"[{_attr(node, 'panelType') or 'panel'}]\n{text}" if text else ""


def _expand(walker: _Walker, node: Node, depth: int) -> str:
    return markdown.join([_attr(node, "title"), *walker.blocks(_nodes(node), depth)])


def _table(walker: _Walker, node: Node, depth: int) -> str:
    rows: list[list[str]] = []
    for row in _nodes(node):
        cells: list[str] = []
        for cell in _nodes(row) if _type(row) == "tableRow" else [row]:
            children = _nodes(cell) if _type(cell) in {"tableCell", "tableHeader"} else [cell]
            cells.append(markdown.join(walker.blocks(children, depth + 2)))
            span = _attr(cell, "colspan")
            cells += [""] * (min(int(span), 100) - 1 if re.fullmatch(r"\d{1,4}", span, re.ASCII) else 0)
        rows.append(cells)
    return markdown.table(rows)


def _extension(walker: _Walker, node: Node, depth: int) -> str:
    return _leaf_block(walker, node, depth, _macro(node))


def _leaf_block(walker: _Walker, node: Node, depth: int, text: str) -> str:
    """A node that should hold nothing, with what it holds all the same."""
    return markdown.join([text, *walker.blocks(_nodes(node), depth)])


def _card(node: Node) -> str:
    data = _attrs(node).get("data")
    data = data if isinstance(data, Mapping) else {}
    return markdown.link(str(data.get("name") or ""), _attr(node, "url") or str(data.get("url") or ""))


def _date(node: Node) -> str:
    stamp = _attr(node, "timestamp")
    try:
        return datetime.fromtimestamp(int(stamp) / 1000, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return stamp


def _media(node: Node) -> str:
    name = _attr(node, "alt") or _attr(node, "__fileName")
    return markdown.link(f"[image: {name}]" if name else "[image]", _attr(node, "url"))


def _macro(node: Node) -> str:
    return f"[macro: {_attr(node, 'text') or _attr(node, 'extensionKey') or 'unnamed'}]"


def _marked(node: Node) -> str:
    """A text node with those of its marks that change what it says."""
    text = str(node.get("text") or "")
    inner = text.strip()
    if not inner:
        return text
    marks = {_type(mark): mark for mark in _list(node.get("marks"))}
    if "code" in marks:
        inner = markdown.code_span(inner)
    if "strike" in marks:
        inner = f"~~{inner}~~"
    if _attr(marks.get("subsup"), "type") == "sup":
        inner = f"^{inner}"
    inner = markdown.link(inner, _attr(marks.get("link"), "href"))
    start = len(text) - len(text.lstrip())
    return text[:start] + inner + text[len(text.rstrip()) :]


def _linked(node: Node, text: str) -> str:
    href = next((_attr(mark, "href") for mark in _list(node.get("marks")) if _type(mark) == "link"), "")
    return markdown.link(text, href) if href and href not in text else text


_ATOMS: Mapping[str, Callable[[Node], str]] = {
    "mention": lambda node: f"@{_attr(node, 'text').lstrip('@') or 'someone'}",
    "inlineCard": _card,
    "status": lambda node: f"[{_attr(node, 'text')}]" if _attr(node, "text") else "",
    "date": _date,
    "emoji": lambda node: _attr(node, "text") or _attr(node, "shortName"),
    "mediaInline": _media,
    "inlineExtension": _macro,
    "placeholder": lambda node: _attr(node, "text"),
}
_INLINE = frozenset({*_ATOMS, "text", "hardBreak"})
_ITEMS = frozenset({"listItem", "taskItem", "blockTaskItem", "decisionItem"})
_LISTS = frozenset({"bulletList", "orderedList", "taskList", "decisionList"})
_BLOCK: Mapping[str, Callable[[_Walker, Node, int], str]] = {
    "doc": _container,
    "paragraph": _paragraph,
    "heading": _heading,
    "bulletList": _bullets,
    "orderedList": _numbers,
    "taskList": _tasks,
    "decisionList": _decisions,
    "codeBlock": _code,
    "blockquote": _quote,
    "panel": _panel,
    "expand": _expand,
    "nestedExpand": _expand,
    "table": _table,
    "rule": lambda walker, node, depth: _leaf_block(walker, node, depth, "---"),
    "blockCard": lambda walker, node, depth: _leaf_block(walker, node, depth, _card(node)),
    "embedCard": lambda walker, node, depth: _leaf_block(walker, node, depth, _card(node)),
    "media": lambda walker, node, depth: _leaf_block(walker, node, depth, _linked(node, _media(node))),
    "mediaSingle": _container,
    "mediaGroup": _container,
    "caption": _paragraph,
    "layoutSection": _container,
    "layoutColumn": _container,
    "listItem": _container,
    "tableRow": _container,
    "tableCell": _container,
    "tableHeader": _container,
    "taskItem": _container,
    "blockTaskItem": _container,
    "decisionItem": _container,
    "extension": _extension,
    "bodiedExtension": _extension,
    "multiBodiedExtension": _extension,
    "extensionFrame": _container,
    "syncBlock": _extension,
    "bodiedSyncBlock": _container,
}


def _nodes(node: object) -> Sequence[object]:
    return _list(node.get("content")) if isinstance(node, Mapping) else []


def _list(value: object) -> Sequence[object]:
    if value is None:
        return []
    return value if isinstance(value, list | tuple) else [value]


def _type(node: object) -> str:
    kind = node.get("type") if isinstance(node, Mapping) else None
    return kind if isinstance(kind, str) else ""


def _attrs(node: object) -> Node:
    attrs = node.get("attrs") if isinstance(node, Mapping) else None
    return attrs if isinstance(attrs, Mapping) else {}


def _attr(node: object, name: str) -> str:
    value = _attrs(node).get(name)
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _is_inline(node: object) -> bool:
    """Whether an unknown node stands in a line: it is no mapping, or holds nothing but text."""
    if not isinstance(node, Mapping):
        return True
    return not _type(node) and "text" in node


def _leaves(node: Node) -> Iterator[object]:
    stack: list[object] = list(reversed(_nodes(node)))
    while stack:
        top = stack.pop()
        if isinstance(top, Mapping) and "content" in top:
            stack.extend(reversed(_nodes(top)))
        else:
            yield top


def _leaf(node: object) -> str:
    if isinstance(node, Mapping):
        return "\n" if _type(node) == "hardBreak" else str(node.get("text") or _attr(node, "text"))
    return "" if node is None else str(node)
