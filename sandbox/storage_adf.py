"""Storage format to ADF and back, as far as a comment goes: text, paragraphs, headings, lists, tables, code, quotes,
links and panels. Of anything else what it holds is kept.
"""

import re
from collections.abc import Callable, Mapping
from html import escape

from sandbox.adf import Node
from sandbox.markup import code_macro, fit
from sandbox.storage import Element, parse

_MARKS = {"strong": "strong", "b": "strong", "em": "em", "i": "em", "code": "code", "u": "underline", "s": "strike"}
_MARKS |= {"del": "strike"}
_LISTS = {"ul": "bulletList", "ol": "orderedList"}
_CELLS = {"th": "tableHeader", "td": "tableCell"}
_PANELS = frozenset({"info", "note", "tip", "warning", "panel"})


def to_adf(value: str) -> Node:
    """Raises BadStorage."""
    return {"type": "doc", "version": 1, "content": _blocks(parse(value), "doc")}


def _blocks(parent: Element, holder: str) -> list[Node]:
    """The children as blocks that the holder may hold; loose text becomes paragraphs."""
    out: list[Node] = []
    loose: list[Node] = []
    for child in parent.children:
        make = _BLOCKS.get(_kind(child)) if isinstance(child, Element) else None
        if isinstance(child, str) or make is None:
            loose += _inline(child, [])
            continue
        out += _paragraph(loose)
        loose = []
        out += make(child)
    return [piece for block in [*out, *_paragraph(loose)] for piece in fit(block, holder)]


def _kind(element: Element) -> str:
    """An element's name; of a macro what it is like."""
    if element.name != "ac:structured-macro":
        return element.name
    name = element.attributes.get("ac:name", "")
    return "panel" if name in _PANELS else "pre" if name in {"code", "noformat"} else "macro"


def _paragraph(content: list[Node]) -> list[Node]:
    said = any(part["type"] != "text" or part["text"].strip() for part in content)
    return [{"type": "paragraph", "content": content}] if said else []


def _heading(element: Element) -> list[Node]:
    return [{"type": "heading", "attrs": {"level": int(element.name[1])}, "content": _all_inline(element)}]


def _list(element: Element) -> list[Node]:
    items: list[Node] = []
    for item in element.children:
        if isinstance(item, Element):
            content = _blocks(item, "listItem")
            if not content or content[0]["type"] not in {"paragraph", "codeBlock"}:
                content.insert(0, {"type": "paragraph", "content": []})
            items.append({"type": "listItem", "content": content})
    made: Node = {"type": _LISTS[element.name], "content": items}
    if element.name == "ol":
        made["attrs"] = {"order": 1}
    return [made] if items else []


def _table(element: Element) -> list[Node]:
    rows: list[Node] = []
    for part in element.children:
        for row in part.children if isinstance(part, Element) and part.name != "tr" else [part]:
            cells = [one for one in row.children if isinstance(one, Element)] if isinstance(row, Element) else []
            content = [_cell(cell) for cell in cells if cell.name in _CELLS]
            rows += [{"type": "tableRow", "content": content}] if content else []
    return [{"type": "table", "content": rows}] if rows else []


def _cell(cell: Element) -> Node:
    return {"type": _CELLS[cell.name], "content": _blocks(cell, "tableCell") or [{"type": "paragraph", "content": []}]}


def _quote(element: Element) -> list[Node]:
    inside = _blocks(element, "blockquote")
    return [{"type": "blockquote", "content": inside}] if inside else []


def _code(element: Element) -> list[Node]:
    text = (element.first("ac:plain-text-body") or element).text()
    return [{"type": "codeBlock", "content": [{"type": "text", "text": text}] if text else []}]


def _panel(element: Element) -> list[Node]:
    body = element.first("ac:rich-text-body")
    inside = _blocks(body, "panel") if body is not None else []
    return [{"type": "panel", "attrs": {"panelType": "info"}, "content": inside}] if inside else []


def _macro(element: Element) -> list[Node]:
    body = element.first("ac:rich-text-body") or element.first("ac:plain-text-body")
    return _blocks(body, "doc") if body is not None else []


_BLOCKS: Mapping[str, Callable[[Element], list[Node]]] = {
    "p": lambda element: _paragraph(_all_inline(element)),
    "pre": _code,
    "blockquote": _quote,
    "table": _table,
    "panel": _panel,
    "macro": _macro,
    "hr": lambda _: [{"type": "rule"}],
    **dict.fromkeys(_LISTS, _list),
    **{f"h{level}": _heading for level in range(1, 7)},
    **{name: lambda element: _blocks(element, "doc") for name in ("div", "ac:layout", "ac:layout-section")},
    "ac:layout-cell": lambda element: _blocks(element, "doc"),
}


def _all_inline(element: Element) -> list[Node]:
    return [part for child in element.children for part in _inline(child, [])]


def _inline(child: Element | str, marks: list[Node]) -> list[Node]:
    if isinstance(child, str):
        text = re.sub(r"\s+", " ", child)
        return [{"type": "text", "text": text, **({"marks": marks} if marks else {})}]
    if child.name == "br":
        return [{"type": "hardBreak"}]
    if child.name == "ac:parameter":
        return []
    if child.name == "ac:link":
        text = _link_text(child)
        return _inline(text, marks) if text else []
    more: list[Node] = [{"type": _MARKS[child.name]}] if child.name in _MARKS else []
    if child.name == "a" and child.attributes.get("href"):
        more = [{"type": "link", "attrs": {"href": child.attributes["href"]}}]
    inner = _with(marks, more)
    return [part for one in child.children for part in _inline(one, inner)]


def _with(marks: list[Node], more: list[Node]) -> list[Node]:
    """Each kind once; code goes with a link only."""
    held = {mark["type"] for mark in marks}
    every = [*marks, *(mark for mark in more if mark["type"] not in held)]
    code = any(mark["type"] == "code" for mark in every)
    return [mark for mark in every if not code or mark["type"] in {"code", "link"}]


def _link_text(link: Element) -> str:
    body = link.first("ac:link-body") or link.first("ac:plain-text-link-body")
    if body is not None:
        return body.text()
    user, page = link.first("ri:user"), link.first("ri:page")
    if user is not None:
        return "@" + (user.attributes.get("ri:account-id") or user.attributes.get("ri:userkey", ""))
    return page.attributes.get("ri:content-title", "") if page is not None else link.text()


_TAGS = {"paragraph": "p", "bulletList": "ul", "orderedList": "ol", "listItem": "li", "blockquote": "blockquote"}
_TAGS |= {"table": "table", "tableRow": "tr", "tableHeader": "th", "tableCell": "td"}
_TAG_OF_MARK = {"strong": "strong", "em": "em", "code": "code", "underline": "u", "strike": "s"}


def from_adf(node: Node) -> str:
    """An ADF document in storage format."""
    kind, attrs = node["type"], node.get("attrs") or {}
    if kind == "text":
        return _marked(node)
    if kind in {"hardBreak", "rule"}:
        return "<br />" if kind == "hardBreak" else "<hr />"
    if kind == "mention":
        return f'<ac:link><ri:user ri:account-id="{escape(str(attrs.get("id", "")))}" /></ac:link>'
    content = node.get("content") or []
    if kind == "codeBlock":
        return code_macro(str(attrs.get("language") or ""), "".join(str(child["text"]) for child in content))
    inside = "".join(from_adf(child) for child in content)
    tag = f"h{attrs['level']}" if kind == "heading" else _TAGS.get(kind)
    return f"<{tag}>{inside}</{tag}>" if tag else inside


def _marked(node: Node) -> str:
    out = escape(str(node["text"]))
    for mark in node.get("marks") or []:
        if mark["type"] == "link":
            out = f'<a href="{escape(str(mark["attrs"]["href"]))}">{out}</a>'
        elif mark["type"] in _TAG_OF_MARK:
            tag = _TAG_OF_MARK[mark["type"]]
            out = f"<{tag}>{out}</{tag}>"
    return out
