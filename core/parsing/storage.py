"""Confluence's storage format to Markdown.

The format is XHTML with elements of its own: `ac:` for macros, links, images and tasks, `ri:` for what they point at.
Real exports are not always well-formed, so it is read by a lenient HTML parser after the two things that HTML does not
know, CDATA sections and self-closing elements, are spelled out. Macro parameters never reach the text, but for the few
that people see on the page (a panel's title, a status' text, an issue's key).
"""

import html
import re
from dataclasses import dataclass

from lxml import etree

from core.parsing import markdown
from core.parsing.diagrams import prose
from core.parsing.parsed import Parsed
from core.parsing.storage_elements import ELEMENTS
from core.parsing.storage_macros import INCLUDES, attachment_of, include_of, is_excerpt
from core.parsing.storage_walk import SPACE, Element, Include, Included, Names, Walker, attribute, user_id, visible

__all__ = ["NO_TEXT", "Include", "Link", "Names", "Storage", "not_shown"]

NO_TEXT = "[no text]"
"""Stands for a body that says nothing."""

_CDATA = re.compile(r"<!\[CDATA\[(.*?)(?:\]\]>|\Z)", re.DOTALL)
# Possessive throughout: a page is a stranger's text, and backtracking would take for ever on some.
_SELF_CLOSING = re.compile(r"<([a-zA-Z][\w:-]*+)((?:[^<>\"'/]++|/(?!>)|\"[^\"<]*+\"|'[^'<]*+')*+)/>")
_PREFIX = re.compile(r"<(/?)(ac|ri|at):")
_TAG = re.compile(r"<[^<>]*>")
_VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"})
_LIMITS = frozenset({"ERR_RESOURCE_LIMIT", "ERR_INTERNAL_ERROR", "ERR_NAME_TOO_LONG"})
_LOST = "its layout: it is nested too deeply"


def not_shown(include: Include) -> str:
    """What stands for an included text that is not there, whether it does not exist or must not be seen."""
    return f"[include: {include.title}, not shown here]"


@dataclass(frozen=True, slots=True)
class Link:
    """A link as it is written: to a page by its title, to one by its id, or to an address."""

    text: str
    """What readers see; of a link to a page by its title, that title."""
    title: str = ""
    space: str = ""
    """The key of the space of the page of this title; empty within the same space."""
    page: str = ""
    """The page's id."""
    address: str = ""


class Storage:
    """A page's or comment's body, parsed once."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._root = _parse(source)

    def people(self) -> frozenset[str]:
        """The ids of all people it refers to."""
        users = [user_id(element) for element in self._all("ri-user")]
        return frozenset(user for user in users if user)

    def includes(self) -> tuple[Include, ...]:
        """What it takes from other pages, each once."""
        macros = self._all("ac-structured-macro", "ac-macro")
        return tuple(dict.fromkeys(include_of(macro) for macro in macros if attribute(macro, "ac:name") in INCLUDES))

    def links(self) -> tuple[Link, ...]:
        """Its links to pages and addresses, each once, without what macros point at."""
        found = (_link_of(element) for element in self._all("ac-link", "a") if not _within_macro(element))
        return tuple(dict.fromkeys(link for link in found if link))

    def pictures(self) -> tuple[str, ...]:
        """File names of the attachments that it shows as pictures, each once."""
        return tuple(dict.fromkeys(name for image in self._all("ac-image") if (name := attachment_of(image))))

    def read(self, names: Names | None = None, included: Included = not_shown) -> Parsed:
        """Its text. `names` gives display names by account id; who is not in it becomes `user <id>`. `included` gives
        the text of what is taken from another page.
        """
        if self._root is None:
            text = markdown.clean(f"[layout lost: nested too deeply]\n\n{_stripped(self._source)}")
            return Parsed(text, unread=(_LOST,))
        return _read(self._root, names, included)

    def excerpt(self, name: str, names: Names | None = None, included: Included = not_shown) -> Parsed | None:
        """The text of its excerpt of that name, of its first one without a name; None when there is none."""
        for macro in self._all("ac-structured-macro", "ac-macro"):
            if is_excerpt(macro, name):
                return _read(macro, names, included)
        return None

    def _all(self, *tags: str) -> list[Element]:
        return [] if self._root is None else list(self._root.iter(*tags))


def _read(root: Element, names: Names | None, included: Included) -> Parsed:
    walker = Walker(ELEMENTS, names or {}, included)
    text, undrawn = prose.read(markdown.clean(walker.text(root, 0)).strip())
    return Parsed(text or NO_TEXT, unread=tuple(dict.fromkeys([*walker.unread, *undrawn])))


def _link_of(element: Element) -> Link | None:
    text = markdown.one_line(visible(element))
    if element.tag == "a":
        address = (element.get("href") or "").strip()
        return Link(text or address, address=address) if address else None
    page = next(element.iter("ri-page", "ri-content-entity"), None)
    if page is None:
        return None
    if number := attribute(page, "ri:content-id"):
        return Link(text or number, page=number)
    title = markdown.one_line(attribute(page, "ri:content-title"))
    return Link(title, title=title, space=attribute(page, "ri:space-key")) if title else None


def _within_macro(element: Element) -> bool:
    return any(above.tag == "ac-parameter" for above in element.iterancestors())


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
