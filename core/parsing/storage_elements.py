"""How each element of the storage format reads in Markdown."""

import re
from collections.abc import Callable, Iterable, Mapping

from core.parsing import markdown
from core.parsing.storage_macros import macro
from core.parsing.storage_tables import table
from core.parsing.storage_walk import (
    SPACE,
    Block,
    Element,
    Piece,
    Renderer,
    Walker,
    attribute,
    paragraphs,
    trimmed,
    visible,
)


def _wrapped(walker: Walker, element: Element, depth: int, wrap: Callable[[str], str]) -> Iterable[Piece]:
    """Inline content within marks; content that holds a block keeps its shape instead."""
    found = list(walker.inside(element, depth))
    if _holds_block(found):
        return found
    text = "".join(piece for piece in found if isinstance(piece, str))
    inner = text.strip()
    if not inner:
        return (text,)
    start = len(text) - len(text.lstrip())
    return (text[:start] + wrap(inner) + text[len(text.rstrip()) :],)


def _holds_block(pieces: Iterable[Piece]) -> bool:
    return any(isinstance(piece, Block) and piece.text for piece in pieces)


def _anchor(walker: Walker, element: Element, depth: int) -> Iterable[Piece]:
    href = element.get("href") or ""
    found = list(_wrapped(walker, element, depth, lambda text: markdown.link(text, href)))
    bare = not any(isinstance(piece, str) and piece.strip() for piece in found)
    return (*found, href) if href and (bare or _holds_block(found)) else found


def _code(walker: Walker, element: Element, depth: int) -> Iterable[Piece]:
    return _wrapped(walker, element, depth, markdown.code_span)


def _struck(walker: Walker, element: Element, depth: int) -> Iterable[Piece]:
    return _wrapped(walker, element, depth, lambda text: f"~~{text}~~")


def _raised(walker: Walker, element: Element, depth: int) -> Iterable[Piece]:
    return _wrapped(walker, element, depth, lambda text: f"^{text}")


def _preformatted(_walker: Walker, element: Element, _depth: int) -> Iterable[Piece]:
    text = visible(element)
    return (Block(markdown.fence(text)),) if text.strip() else ()


def _quote(walker: Walker, element: Element, depth: int) -> Iterable[Piece]:
    text = walker.text(element, depth)
    return (Block(markdown.quote(text)),) if text else ()


def _list(walker: Walker, element: Element, depth: int) -> Iterable[Piece]:
    start = element.get("start") or "1"
    number = int(start) if re.fullmatch(r"\d{1,9}", start, re.ASCII) else 1
    lines: list[str] = []
    for child in element:
        if child.tag == "li":
            marker = f"{number}." if element.tag == "ol" else "-"
            number += 1
            lines.append(markdown.item(marker, walker.blocks(child, depth + 1)))
        else:
            lines.append(_nested(walker, child, depth + 1))
        lines += list(trimmed(SPACE.sub(" ", child.tail or "")))
    return (Block("\n".join(line for line in lines if line.strip())),)


def _tasks(walker: Walker, element: Element, depth: int) -> Iterable[Piece]:
    lines: list[str] = []
    for child in element:
        if child.tag != "ac-task":
            lines.append(_nested(walker, child, depth + 1))
            continue
        done = (child.findtext("ac-task-status") or "").strip() == "complete"
        body = child.find("ac-task-body")
        blocks = [] if body is None else walker.blocks(body, depth + 2)
        lines.append(markdown.item("- [x]" if done else "- [ ]", blocks))
    return (Block("\n".join(line for line in lines if line.strip())),)


def _nested(walker: Walker, element: Element, depth: int) -> str:
    """What stands in a list without being an item, indented under the last one."""
    text = markdown.join(paragraphs(walker.pieces(element, depth)))
    return "  " + text.replace("\n", "\n  ") if text else ""


def _time(walker: Walker, element: Element, depth: int) -> Iterable[Piece]:
    return (element.get("datetime") or walker.line(element, depth),)


def _link(walker: Walker, element: Element, depth: int) -> Iterable[Piece]:
    name, address = walker.target(element)
    anchor = element.get("ac:anchor")
    body = next((child for child in element if child.tag in {"ac-link-body", "ac-plain-text-link-body"}), None)
    text = "" if body is None else walker.line(body, depth + 1)
    return (markdown.link(text or name, f"{address}#{anchor}" if anchor else address),)


def _image(walker: Walker, element: Element, depth: int) -> Iterable[Piece]:
    caption = element.find("ac-caption")
    name = attribute(element, "ac:alt", "ac:title") or walker.target(element)[0]
    said = "" if caption is None else walker.line(caption, depth + 1)
    return ("[" + ": ".join(dict.fromkeys(word for word in ("image", name, said) if word)) + "]",)


def _plain_image(_walker: Walker, element: Element, _depth: int) -> Iterable[Piece]:
    alt = element.get("alt")
    return (f"[image: {alt}]" if alt else "[image]",)


def _emoticon(_walker: Walker, element: Element, _depth: int) -> Iterable[Piece]:
    name = attribute(element, "ac:emoji-shortname", "ac:name").strip(":") or "emoji"
    return (attribute(element, "ac:emoji-fallback") or f":{name}:",)


def _adf(walker: Walker, element: Element, depth: int) -> Iterable[Piece]:
    """An editor's node without a storage form: its content, or else the fallback that comes with it."""
    for kind in ("ac-adf-node", "ac-adf-fallback"):
        blocks = [text for node in element.findall(kind) for text in walker.blocks(node, depth + 1)]
        if blocks:
            return tuple(Block(text) for text in blocks)
    return (Block("[macro: unnamed]"),)


ELEMENTS: Mapping[str, Renderer] = {
    "a": _anchor,
    "code": _code,
    "tt": _code,
    "del": _struck,
    "s": _struck,
    "strike": _struck,
    "sup": _raised,
    "pre": _preformatted,
    "blockquote": _quote,
    "ul": _list,
    "ol": _list,
    "table": table,
    "img": _plain_image,
    "br": lambda _walker, _element, _depth: ("\n",),
    "hr": lambda _walker, _element, _depth: (Block("---"),),
    "time": _time,
    "ri-user": lambda walker, element, _depth: (walker.user(element),),
    "ac-link": _link,
    "ac-image": _image,
    "ac-emoticon": _emoticon,
    "ac-task-list": _tasks,
    "ac-adf-extension": _adf,
    "ac-structured-macro": macro,
    "ac-macro": macro,
}
