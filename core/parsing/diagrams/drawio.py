"""draw.io files: pages of XML, plain or compressed, alone or within a PNG or SVG picture.

The format is that of diagrams.net's `mxfile`: a page's XML is URI-encoded, deflated without a header and written in
base64, or stands there as it is.
"""

import binascii
import re
import zlib
from base64 import b64decode
from collections.abc import Iterator
from urllib.parse import unquote

from lxml import etree

from core.parsing.diagrams.cells import read
from core.parsing.diagrams.graph import Graph
from core.parsing.markdown import clean, heading, one_line
from core.parsing.parsed import Parsed, unreadable
from core.types import Place

LARGEST = 16 * 1024 * 1024
"""Bytes of a page's XML, and of a file's. A drawing of 10,000 shapes has about 5 MB."""
MAX_PAGES = 200
LONGEST_TEXT = 2_000_000
"""Characters of what `parse` gives."""

_PNG = b"\x89PNG\r\n\x1a\n"
_KEYWORDS = (b"mxfile", b"mxGraphModel")
_WHITESPACE = re.compile(r"\s+")


class NotADiagram(ValueError):
    """There is no draw.io diagram in it, or none that can be read; the message ends a sentence about it."""


def parse(data: bytes | str) -> Parsed:
    """The file's text, a section and a place for each page. What is no diagram says so; nothing is raised."""
    try:
        drawn = pages(data)
    except NotADiagram as error:
        return unreadable(str(error))
    text, places, unread = "", [], []
    for number, (name, graph) in enumerate(drawn):
        if len(text) > LONGEST_TEXT:
            unread.append(f"of the diagrams not read: the last {len(drawn) - number} pages")
            text += f"[{len(drawn) - number} more pages not read]"
            break
        places.append(Place(len(text), f"page {name}"))
        text += f"{heading(2, f'Diagram {name}')}\n\n{graph.text() or '[the page is empty]'}\n\n"
        unread += [f"of the diagram {name} not read: {what}" for what in graph.unread()]
    return Parsed(text.strip(), tuple(places), tuple(unread))


def pages(data: bytes | str) -> tuple[tuple[str, Graph], ...]:
    """Each page's name and drawing. Raises NotADiagram."""
    root = _root(_xml_of(data))
    if root.tag == "svg" or str(root.tag).endswith("}svg"):
        root = _root(_unquoted(root.get("content", "")))
    models = [("Page-1", root)] if root.tag == "mxGraphModel" else list(_models(root))
    if not models:
        raise NotADiagram("it holds no diagram")
    names = {page.get("id", ""): _name(page, number) for number, page in enumerate(root.iter("diagram"), 1)}
    return tuple(
        (name, model if isinstance(model, Graph) else read(model, name, number, names))
        for number, (name, model) in enumerate(models, 1)
    )


def _models(root: etree._Element) -> Iterator[tuple[str, "etree._Element | Graph"]]:
    """Each page's model, or a drawing that says why it has none: a bad page costs only itself."""
    left = LARGEST
    for number, page in enumerate(root.iter("diagram"), 1):
        name = _name(page, number)
        if number > MAX_PAGES:
            yield "beyond", Graph(lost=(f"the pages after the first {MAX_PAGES}",))
            return
        model = page.find("mxGraphModel")
        if model is None:
            try:
                xml = _inflated_page(page.text or "", left)
                left -= len(xml)
                model = _root(xml)
            except NotADiagram as error:
                yield name, Graph(lost=(f"the whole page: {error}",))
                continue
        yield name, model


def _name(page: etree._Element, number: int) -> str:
    return one_line(clean(page.get("name", "")))[:100] or f"Page-{number}"


def _inflated_page(text: str, limit: int) -> str:
    packed = _WHITESPACE.sub("", text)
    if not packed:
        return "<mxGraphModel/>"
    try:
        return unquote(_inflate(b64decode(packed, validate=True), -zlib.MAX_WBITS, limit).decode("utf-8", "replace"))
    except binascii.Error as error:
        raise NotADiagram("it is neither XML nor compressed XML") from error


def _inflate(data: bytes, window: int, limit: int) -> bytes:
    """At most `limit` bytes. Raises NotADiagram, also for what would become larger."""
    try:
        stream = zlib.decompressobj(window)
        inflated = stream.decompress(data, max(limit, 1))
    except zlib.error as error:
        raise NotADiagram("its compressed data is damaged") from error
    if stream.unconsumed_tail:
        raise NotADiagram(f"it has more than {limit:,} bytes when unpacked")
    if not stream.eof:
        raise NotADiagram("its compressed data is cut short")
    return inflated


def _xml_of(data: bytes | str) -> str:
    if isinstance(data, str):
        return data
    if data.startswith(_PNG):
        return _unquoted(_in_png(data))
    encoding = "utf-16" if data[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig"
    return data[: 2 * LARGEST].decode(encoding, "replace")


def _unquoted(text: str) -> str:
    """XML that may be URI-encoded as a whole."""
    return unquote(text) if text[:3].lower() == "%3c" else text


def _in_png(data: bytes) -> str:
    """The text chunk (tEXt, zTXt or iTXt, see the PNG specification, 11.3.3) that draw.io keeps its XML in."""
    at = len(_PNG)
    while at + 8 <= len(data):
        size, kind = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        keyword, _, rest = data[at + 8 : at + 8 + min(size, LARGEST)].partition(b"\0")
        if keyword in _KEYWORDS:
            if kind == b"tEXt":
                return rest.decode("latin-1")
            if kind == b"zTXt":
                return _packed(rest[1:])
            if kind == b"iTXt":
                text = rest[2:].split(b"\0", 2)[-1]
                return _packed(text) if rest[:1] == b"\1" else text.decode("utf-8", "replace")
        at += size + 12
    raise NotADiagram("the picture holds no draw.io diagram")


def _packed(data: bytes) -> str:
    """Deflated with the header that the PNG specification wants (RFC 1950, 2.2), or without, as draw.io once did; it
    then also wrote spaces as `+`.
    """
    headed = data[:1] == b"\x78" and int.from_bytes(data[:2], "big") % 31 == 0
    text = _inflate(data, zlib.MAX_WBITS if headed else -zlib.MAX_WBITS, LARGEST).decode("utf-8", "replace")
    return text if headed else text.replace("+", " ")


def _root(xml: str) -> etree._Element:
    """The root element. Entity declarations are refused: a few lines of them make gigabytes."""
    if len(xml) > LARGEST:
        raise NotADiagram(f"it has more than {LARGEST:,} characters")
    if "<!ENTITY" in xml:
        raise NotADiagram("it declares entities of its own")
    parser = etree.XMLParser(encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False)
    try:
        return etree.fromstring(clean(xml).lstrip().encode(), parser)
    except etree.XMLSyntaxError as error:
        raise NotADiagram("it is no well-formed XML") from error
