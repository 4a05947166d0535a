"""Outline -> the comments that tell it, as documents of Jira Cloud's editor (ADF). No I/O.

Text is inert: it only ever becomes the text of a node, so no character in it is markup. A link is made from a
locator's address alone.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from bots.outline import Block, Bullets, Code, Heading, Link, Outline, Paragraph, Span, Table
from bots.parts import most, packed, utf16
from bots.shown import SHORTENED, shown, shows, side_by_side
from bots.text import clean, is_visible
from bots.web_address import web_address

Node: TypeAlias = dict[str, Any]

LIMIT = 30_000
"""Size of one comment. Jira refuses more than 32,767 characters; it counts the text, this counts the whole JSON in
UTF-16 units, so the true distance is larger. The rest is headroom."""

_ROOM = LIMIT - 200  # without the document around it and the line that says which part it is
_LANGUAGE = re.compile(r"[A-Za-z0-9+#.-]{1,30}")


def render(outline: Outline) -> list[Node]:
    """The documents, in order; each smaller than `LIMIT`, none if there is nothing to see.

    A paragraph, a list item and a table row stay whole. One that is too long for a comment of its own is cut, with a
    visible mark. Every part after the first begins with a line that says so.
    """
    parts = list(packed([unit for block in outline for unit in _units(block)], _ROOM))
    documents = [_document(_joined(part)) for part in parts]
    for number, document in enumerate(documents[1:], start=2):
        document["content"].insert(0, _paragraph(_texts(f"(continued, part {number} of {len(documents)})")))
    return documents


def size(node: Any) -> int:
    """Length of a node's JSON in UTF-16 units, as Java counts characters."""
    return utf16(json.dumps(node, ensure_ascii=False, separators=(",", ":")))


@dataclass(frozen=True, slots=True)
class _Unit:
    """What may not be split, and the list or table around it, which is opened anew in every part."""

    node: Node
    cost: int
    shell: Node | None = None
    """The same object for all units of one block; for a table it holds the header row."""
    opening: int = 0
    """What the shell costs where it is opened."""
    number: int | None = None
    """An ordered list's item; the list goes on counting in the next part."""
    leads: bool = False
    """A heading: it does not stand last in a part."""


def _alone(node: Node, room: int, *, leads: bool = False) -> _Unit:
    fitting = _shortened(node, room)
    return _Unit(fitting, size(fitting) + 1, leads=leads)


def _inside(shell: Node, node: Node, number: int | None = None) -> _Unit:
    opening = size(shell) + 40  # for a comma and the number that it starts with
    fitting = _shortened(node, _ROOM - opening)
    return _Unit(fitting, size(fitting) + 1, shell, opening, number)


def _units(block: Block) -> Iterator[_Unit]:
    """A block without anything to see gives none."""
    if isinstance(block, Table):
        yield from _table(block)
    elif isinstance(block, Bullets):
        yield from _list(block)
    elif isinstance(block, Paragraph):
        if shows(block.spans):
            yield _alone(_paragraph(_inline(block.spans)), _ROOM - 1)
    elif is_visible(clean(block.text)):
        if isinstance(block, Heading):
            yield _alone(_heading(block), _ROOM // 2, leads=True)
        else:
            yield _alone(_code(block), _ROOM - 1)


def _list(block: Bullets) -> Iterator[_Unit]:
    shell: Node = {"type": "orderedList" if block.ordered else "bulletList", "content": []}
    for number, item in enumerate(filter(shows, block.items), start=1):
        node: Node = {"type": "listItem", "content": [_paragraph(_inline(item))]}
        yield _inside(shell, node, number if block.ordered else None)


def _table(table: Table) -> Iterator[_Unit]:
    """Its rows."""
    names, rows = side_by_side(table)
    shell: Node = {"type": "table", "content": []}
    if any(map(is_visible, names)):
        row = _row("tableHeader", [_texts(name) for name in names])
        shell["content"].append(_shortened(row, _ROOM // 3))
    for cells in rows:
        yield _inside(shell, _row("tableCell", map(_inline, cells)))
    if shell["content"] and not rows:
        yield _alone(shell, _ROOM)


def _joined(part: Iterable[_Unit]) -> list[Node]:
    nodes: list[Node] = []
    last: Node | None = None
    for unit in part:
        if unit.shell is None:
            nodes.append(unit.node)
        elif unit.shell is last:
            nodes[-1]["content"].append(unit.node)
        else:
            order = {"attrs": {"order": unit.number}} if unit.number and unit.number > 1 else {}
            nodes.append({**unit.shell, **order, "content": [*unit.shell["content"], unit.node]})
        last = unit.shell
    return nodes


def _document(content: list[Node]) -> Node:
    return {"type": "doc", "version": 1, "content": content}


def _paragraph(content: list[Node]) -> Node:
    return {"type": "paragraph", "content": content}


def _row(kind: str, cells: Iterable[list[Node]]) -> Node:
    return {"type": "tableRow", "content": [{"type": kind, "content": [_paragraph(cell)]} for cell in cells]}


def _heading(block: Heading) -> Node:
    text = " ".join(clean(block.text).split("\n"))
    return {"type": "heading", "attrs": {"level": min(max(block.level, 1), 6)}, "content": _texts(text)}


def _code(block: Code) -> Node:
    node: Node = {"type": "codeBlock", "content": [{"type": "text", "text": clean(block.text)}]}
    if block.language and _LANGUAGE.fullmatch(block.language):
        node["attrs"] = {"language": block.language}
    return node


def _inline(spans: Iterable[Span]) -> list[Node]:
    return [node for span in spans for node in _texts(shown(span), _marks(span))]


def _marks(span: Span) -> list[Node]:
    if isinstance(span, Link):
        address = web_address(span.locator.url)
        return [{"type": "link", "attrs": {"href": address}}] if address else []
    if span.code:  # may stand beside a link only
        return [{"type": "code"}]
    return [{"type": "strong"}] if span.strong else []


def _texts(text: str, marks: Sequence[Mapping[str, Any]] = ()) -> list[Node]:
    """Text nodes, never an empty one, with hard breaks for the ends of lines."""
    nodes: list[Node] = []
    for number, line in enumerate(text.split("\n")):
        if number:
            nodes.append({"type": "hardBreak"})
        if line:
            nodes.append({"type": "text", "text": line, **({"marks": list(marks)} if marks else {})})
    return nodes


def _shortened(node: Node, room: int) -> Node:
    """The node if it fits; otherwise as much of its text, from the start, as does, and a mark that says so."""
    if size(node) <= room:
        return node
    fits = most(room, lambda characters: size(_Cut(characters).of(node)) <= room)
    return _Cut(fits).of(node)


class _Cut:
    """Copies a node up to a number of characters; a hard break counts as one."""

    def __init__(self, characters: int) -> None:
        self._left = characters
        self._marked = False

    def of(self, node: Node) -> Node:
        content = [kept for child in node["content"] for kept in self._child(child)]
        return {**node, "content": content}

    def _child(self, child: Node) -> Iterator[Node]:
        if "content" in child:  # the structure stays: a row keeps its cells
            yield self.of(child)
        elif not self._marked:
            text = child.get("text", "\n")
            if len(text) <= self._left:
                self._left -= len(text)
                yield child
            else:
                self._marked = True
                start = text[: self._left] if "text" in child else ""
                yield {**child, "type": "text", "text": start + SHORTENED}
