"""HTML pages and SVG drawings as text."""

import re
from dataclasses import replace

from lxml import etree

from core.parsing import markdown
from core.parsing.parsed import Parsed, unreadable
from core.parsing.storage import Storage
from core.parsing.text import decoded

_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)
_HEAD = re.compile(r"<head\b[^>]*>", re.IGNORECASE), re.compile(r"</head\s*>", re.IGNORECASE)
_TITLE = re.compile(r"<title\b[^>]*>", re.IGNORECASE), re.compile(r"</title\s*>", re.IGNORECASE)
_IMAGE = re.compile(r"<img\b([^>]*)>", re.IGNORECASE)
_SOURCE = re.compile(r"\bsrc\s*=\s*[\"']?([^\"'\s>]+)", re.IGNORECASE)
_MOST_PICTURES = 20  # named; a page of more has an icon beside every line


def parse(_name: str, data: bytes) -> Parsed:
    """A page as Markdown. Scripts and styles are no text; of the head only the title is."""
    source = _decoded(data)
    before, head, after = _partition(source, _HEAD)
    title = _partition(head, _TITLE)[1]
    source = before + (f"<h1>{title}</h1>" if title else "") + after
    parsed = Storage(source).read()
    unread = (*parsed.unread, *(f"picture not read: {name}" for name in _pictures(source)))
    return replace(parsed, unread=unread)


def parse_svg(name: str, data: bytes) -> Parsed:
    """The words in a drawing, in the order they were drawn. Its shapes and arrows are not understood."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True, remove_comments=True)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError:  # beyond recovery: nothing at all, or nothing before a NUL
        root = None
    if root is None:
        return unreadable("it is damaged")
    found = (
        markdown.one_line("".join(element.itertext()))
        for element in root.iter("{*}title", "{*}desc", "{*}text", "{*}foreignObject")
    )
    reason = f"drawing not read beyond its words: {name}"
    return Parsed(markdown.clean(markdown.join([*found, f"[{reason}]"])), unread=(reason,))


def _decoded(data: bytes) -> str:
    """By its byte order mark or as UTF-8 if it is that, else as it says itself."""
    said = _CHARSET.search(data[:5_000])
    try:
        data.decode()
    except UnicodeDecodeError:
        try:
            return markdown.clean(data.decode(said[1].decode(), "replace")) if said else decoded(data)
        except LookupError:  # an encoding nobody knows
            return decoded(data)
    return decoded(data)


def _partition(source: str, tags: "tuple[re.Pattern[str], re.Pattern[str]]") -> tuple[str, str, str]:
    """What stands before an element, in it and after it. Without the element everything stands before it."""
    opening = tags[0].search(source, 0, _last_tag(source))
    closing = tags[1].search(source, opening.end()) if opening else None
    if opening is None or closing is None:
        return source, "", ""
    return source[: opening.start()], source[opening.end() : closing.start()], source[closing.end() :]


def _last_tag(source: str) -> int:
    """Where the last tag ends. Up to there each tag has an end, so that none is looked for in vain, again and again."""
    return source.rfind(">") + 1


def _pictures(source: str) -> list[str]:
    """The file names of the pictures that a page shows, each once."""
    sources = (_SOURCE.search(found[1]) for found in _IMAGE.finditer(source, 0, _last_tag(source)))
    names = dict.fromkeys(
        "within the page" if found[1].startswith("data:") else found[1].partition("?")[0].rpartition("/")[2]
        for found in sources
        if found
    )
    return [name for name in names if name][:_MOST_PICTURES]
