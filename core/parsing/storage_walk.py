"""The walk over a storage format tree: elements become pieces of a line or blocks of their own."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lxml import etree

from core.parsing import markdown

SPACE = re.compile(r"[ \t\n\xa0]+")
_DEEPEST = 64  # levels of nesting whose shape is kept; below, the text alone
_LINE_BREAK = re.compile(r" *\n *")
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_BLOCKS = frozenset(
    {"p", "div", "section", "article", "header", "footer", "dl", "dt", "dd", "figure", "figcaption", "center"}
    | {"address", "details", "summary", "ac-layout", "ac-layout-section", "ac-layout-cell", "ac-rich-text-body"}
    | {"ac-adf-node", "ac-adf-content"}
)
_SILENT = frozenset(
    {"ac-parameter", "ac-default-parameter", "ac-task-id", "ac-task-uuid", "ac-task-status", "ac-adf-attribute"}
    | {"ac-adf-parameter", "ac-adf-fallback", "ac-placeholder", "script", "style"}
)

Names = Mapping[str, str]
Element = Any  # an lxml element; lxml ships no types


@dataclass(frozen=True, slots=True)
class Include:
    """A place in a page where another page's text is shown."""

    space: str
    """The other page's space key; empty within the same space."""
    title: str
    excerpt: str | None = None
    """None is the whole page; otherwise the name of one of its excerpts, empty for the first."""


Included = Callable[[Include], str]
"""What an include shows, as Markdown."""


@dataclass(frozen=True, slots=True)
class Block:
    """Markdown that stands on lines of its own; anything else that is rendered is part of a line."""

    text: str


Piece = str | Block
Renderer = Callable[["Walker", Element, int], Iterable[Piece]]


class Walker:
    """Renders elements by their names; an unknown element is its content. What is left out is noted in `unread`."""

    def __init__(self, renderers: Mapping[str, Renderer], names: Names, included: Included) -> None:
        self._renderers = renderers
        self._names = names
        self.included = included
        self.unread: list[str] = []

    def blocks(self, element: Element, depth: int) -> list[str]:
        """What an element holds, as blocks: pieces of a line that follow each other become one paragraph."""
        return list(paragraphs(self.inside(element, depth)))

    def text(self, element: Element, depth: int) -> str:
        return markdown.join(self.blocks(element, depth))

    def line(self, element: Element, depth: int) -> str:
        return markdown.one_line(" ".join(self.blocks(element, depth)))

    def inside(self, element: Element, depth: int) -> Iterator[Piece]:
        if depth > _DEEPEST:
            yield SPACE.sub(" ", visible(element))
            return
        yield SPACE.sub(" ", element.text or "")
        for child in element:
            yield from self.pieces(child, depth + 1)
            yield SPACE.sub(" ", child.tail or "")

    def pieces(self, element: Element, depth: int) -> Iterable[Piece]:
        name = str(element.tag)
        if name in _SILENT:
            return ()
        if name in _HEADINGS:
            return (Block(markdown.heading(int(name[1]), self.line(element, depth))),)
        renderer = self._renderers.get(name)
        if renderer is not None:
            return renderer(self, element, depth)
        if name in _BLOCKS:
            return (Block(""), *self.inside(element, depth), Block(""))
        return self.inside(element, depth)

    def user(self, element: Element) -> str:
        user = user_id(element)
        return self._names.get(user) or f"user {user or 'unknown'}"

    def target(self, element: Element) -> tuple[str, str]:
        """What a link, image or include points at, from its `ri:` child: its name and its address (`SPACE:Title`
        within another space). Both are empty when there is none.
        """
        found = next((child for child in element.iter() if str(child.tag).startswith("ri-")), None)
        if found is None:
            return "", ""
        if found.tag == "ri-user":
            return self.user(found), ""
        title = attribute(found, "ri:content-title", "ri:filename", "ri:value", "ri:content-id")
        space = attribute(found, "ri:space-key")
        return title or space, f"{space}:{title}" if space and title else title or space


def paragraphs(pieces: Iterable[Piece]) -> Iterator[str]:
    line: list[str] = []
    for piece in pieces:
        if isinstance(piece, str):
            line.append(piece)
            continue
        yield from trimmed("".join(line))
        line.clear()
        if piece.text.strip():
            yield piece.text
    yield from trimmed("".join(line))


def trimmed(line: str) -> Iterator[str]:
    """The line without needless space, unless nothing is left."""
    text = _LINE_BREAK.sub("\n", re.sub(r" {2,}", " ", line)).strip()
    if text:
        yield text


def visible(element: Element) -> str:
    """All text below an element but that of parameters, without recursion."""
    parts: list[str] = []
    hidden = 0
    for event, node in etree.iterwalk(element, events=("start", "end")):
        silent = node is not element and str(node.tag) in _SILENT
        if event == "start":
            hidden += silent
            parts.append("\n" if node.tag == "br" else "")
            parts.append("" if hidden else node.text or "")
        else:
            hidden -= silent
            parts.append("" if hidden or node is element else node.tail or "")
    return "".join(parts)


def user_id(element: Element) -> str:
    return attribute(element, "ri:account-id", "ri:userkey", "ri:username")


def attribute(element: Element, *names: str) -> str:
    """The first of these attributes that is there."""
    return next((value for name in names if (value := element.get(name))), "")
