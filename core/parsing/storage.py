"""Confluence's storage format to Markdown.

The format is XHTML with elements of its own: `ac:` for macros, links, images and tasks, `ri:` for what they point at.
Real exports are not always well-formed, so it is read by a lenient HTML parser after the two things that HTML does not
know, CDATA sections and self-closing elements, are spelled out. Macro parameters never reach the text, but for the few
that people see on the page (a panel's title, a status' text, an issue's key).
"""

import html
import re

from lxml import etree

from core.parsing import markdown
from core.parsing.storage_elements import ELEMENTS
from core.parsing.storage_walk import SPACE, Element, Names, Walker, user_id

_CDATA = re.compile(r"<!\[CDATA\[(.*?)(?:\]\]>|\Z)", re.DOTALL)
# Possessive throughout: a page is a stranger's text, and backtracking would take for ever on some.
_SELF_CLOSING = re.compile(r"<([a-zA-Z][\w:-]*+)((?:[^<>\"'/]++|/(?!>)|\"[^\"<]*+\"|'[^'<]*+')*+)/>")
_PREFIX = re.compile(r"<(/?)(ac|ri|at):")
_TAG = re.compile(r"<[^<>]*>")
_VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"})
_LIMITS = frozenset({"ERR_RESOURCE_LIMIT", "ERR_INTERNAL_ERROR", "ERR_NAME_TOO_LONG"})


def to_markdown(storage: str, names: Names | None = None) -> str:
    """The page's text. `names` gives display names by account id; who is not in it becomes `user <id>`."""
    root = _parse(storage)
    if root is None:
        return markdown.clean(f"[layout lost: nested too deeply]\n\n{_stripped(storage)}")
    return markdown.clean(Walker(ELEMENTS, names or {}).text(root, 0)).strip()


def mentioned(storage: str) -> frozenset[str]:
    """The ids of all people a page refers to."""
    root = _parse(storage)
    users = [] if root is None else [user_id(element) for element in root.iter("ri-user")]
    return frozenset(user for user in users if user)


def _parse(storage: str) -> Element | None:
    """The tree, or None when it is nested beyond what the parser reads (it would drop the rest in silence)."""
    text = _CDATA.sub(lambda match: html.escape(match[1], quote=False), markdown.clean(storage))
    text = _PREFIX.sub(r"<\1\2-", text)  # so that paths can name the elements
    text = _SELF_CLOSING.sub(lambda m: m[0] if m[1].lower() in _VOID else f"<{m[1]}{m[2]}></{m[1]}>", text)
    parser = etree.HTMLParser(huge_tree=True, remove_comments=True, remove_pis=True, encoding="utf-8")
    root = etree.fromstring(f"<div>{text}</div>".encode(), parser)
    return None if root is None or any(error.type_name in _LIMITS for error in parser.error_log) else root


def _stripped(storage: str) -> str:
    text = _CDATA.sub(lambda match: html.escape(match[1], quote=False), storage)
    return SPACE.sub(" ", html.unescape(_TAG.sub(" ", text))).strip()
