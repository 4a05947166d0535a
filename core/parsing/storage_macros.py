"""How each macro of the storage format reads in Markdown."""

import re
from collections.abc import Iterable

from core.parsing import markdown
from core.parsing.storage_walk import Block, Element, Include, Piece, Walker, attribute, visible

INCLUDES = frozenset({"include", "excerpt-include"})
"""Macros that show another page's text."""

_LANGUAGE = re.compile(r"[\w+#.-]{1,40}")
_HIDDEN = frozenset({"anchor", "toc"})  # they show nothing of their own
_TITLED = frozenset({"info", "note", "tip", "warning", "panel", "expand", "code", "ui-expand", "ui-step"})
_TRANSPARENT = frozenset(
    {"excerpt", "details", "section", "column", "noformat", "div", "span", "ui-steps", "ui-tabs", "ui-tab"}
    | {"ui-text-box", "sv-translation"}
)
_DIAGRAMS = frozenset({"drawio", "drawio-sketch", "inc-drawio"})
_DRAWN = {"mermaid": "mermaid", "mermaid-cloud": "mermaid", "plantuml": "plantuml", "plantumlrender": "plantuml"}
_SPACE_AND_TITLE = re.compile(r"(~?[A-Za-z0-9._-]{1,255}):(?=\S)(.+)", re.DOTALL)


def macro(walker: Walker, element: Element, depth: int) -> Iterable[Piece]:
    """What a macro shows; one that is not known keeps its name and its body."""
    name = attribute(element, "ac:name") or "unnamed"
    if name in _HIDDEN:
        return ()
    if name in INCLUDES:
        return (Block(walker.included(include_of(element))),)
    if name in _DIAGRAMS:
        shown = _parameter(element, "diagramName") or _parameter(element, "diagramDisplayName")
        return (Block(f"[diagram: {shown}, see attachment]" if shown else f"[macro: {name}]"),)
    if name in {"status", "jira", "jiraissues"}:
        return (_inline(element, name),)
    parameters = element.findall("ac-parameter")
    users = [walker.user(user) for parameter in parameters for user in parameter.iter("ri-user")]
    if users:
        return (", ".join(users),)
    head = _parameter(element, "title") if name in _TITLED else ""
    if name not in _TITLED | _TRANSPARENT:
        pages = [walker.target(parameter)[1] for parameter in parameters]
        head = "[" + ": ".join([f"macro: {name}", *(page for page in pages if page)]) + "]"
    body = [text for part in element.findall("ac-rich-text-body") for text in walker.blocks(part, depth + 1)]
    body += _codes(element, name)
    return tuple(Block(text) for text in [head, *body]) if body else (head,)


def include_of(element: Element) -> Include:
    """What an include macro points at; older ones hold `SPACE:Title` as plain text."""
    page = next(element.iter("ri-page"), None)
    name = _parameter(element, "name") if attribute(element, "ac:name") == "excerpt-include" else None
    if page is not None:
        return Include(attribute(page, "ri:space-key"), markdown.one_line(attribute(page, "ri:content-title")), name)
    text = _parameter(element, "") or _parameter(element, "pageTitle")
    found = _SPACE_AND_TITLE.fullmatch(text)
    return Include(found[1], found[2].strip(), name) if found else Include("", text, name)


def is_excerpt(element: Element, name: str) -> bool:
    """Whether this is the excerpt that a page including it by this name means."""
    return attribute(element, "ac:name") == "excerpt" and (not name or _parameter(element, "name") == name)


def attachment_of(element: Element) -> str:
    """The file name of the attachment that an element points at; empty when there is none."""
    found = next(element.iter("ri-attachment"), None)
    return "" if found is None else attribute(found, "ri:filename")


def _inline(element: Element, name: str) -> str:
    if name == "status":
        text = _parameter(element, "title")
        return f"[{text}]" if text else "[macro: status]"
    key, query = _parameter(element, "key"), _parameter(element, "jqlQuery")
    if key:
        return f"[{key}]"
    return f"[Jira list: JQL {query}]" if query else f"[macro: {name}]"


def _codes(element: Element, name: str) -> list[str]:
    """Its plain text bodies, as code."""
    language = _parameter(element, "language") if name == "code" else _DRAWN.get(name, "")
    language = language if _LANGUAGE.fullmatch(language) and language != "none" else ""
    codes = [visible(part).strip("\n") for part in element.findall("ac-plain-text-body")]
    return [markdown.fence(code, language) for code in codes if code.strip()]


def _parameter(macro: Element, name: str) -> str:
    found = [parameter for parameter in macro.findall("ac-parameter") if (parameter.get("ac:name") or "") == name]
    return markdown.one_line("".join(found[0].itertext())) if found else ""
