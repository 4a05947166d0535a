"""The parts of an Office file and how they point at each other (ECMA-376 part 2, Open Packaging Conventions).

Elements are found by their local names: the transitional and the strict variant of the formats differ in namespaces
alone, and the drawing formats of the three kinds of file are the same but for theirs.
"""

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from lxml import etree

from core.parsing.office.archive import Archive
from core.parsing.office.errors import FileUnreadable, PartUnreadable

MAX_XML = 40_000_000
"""Bytes of a part that is held as a tree; a tree takes about ten times as much."""
MAX_BINARY = 30_000_000

_RELATIONSHIPS = (
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    "http://purl.oclc.org/ooxml/officeDocument/relationships",
)
_ALTERNATE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
# Alternatives that hold less that can be read than the fallback beside them: VML, 3D models.
_POORER = frozenset({"v", "am3d"})
_PROLOG = 2_048  # bytes in which a part's declarations stand
_ENTITIES = "it declares XML entities, which no Office file may"
_TRUE = frozenset({"1", "true", "on"})

Element = Any  # an lxml element; lxml ships no types


@dataclass(frozen=True, slots=True)
class Relation:
    """A pointer from one part to another, or out of the file."""

    kind: str
    """The last word of its type: `slide`, `image`, `hyperlink`."""
    target: str
    """The part's name, or an address when it is external."""
    external: bool


class Package:
    """An Office file. Raises FileUnreadable for what is none."""

    def __init__(self, data: bytes) -> None:
        self._archive = Archive(data)
        try:
            main = self.first("", "officeDocument")
        except PartUnreadable as error:
            raise FileUnreadable("it is damaged: its list of relations cannot be read") from error
        if main is None or main not in self._archive:
            raise FileUnreadable("it is damaged: its main part is missing")
        self.main = main

    def xml(self, part: str) -> Element:
        """The part's root element. Of alternatives only the one to be read is left in it. Raises PartUnreadable, and
        FileUnreadable when the part declares entities: no Office file may (ECMA-376 part 2, 8.1.4).
        """
        data = self._archive.read(part, MAX_XML)
        _refuse_declarations(data)
        try:
            root = etree.fromstring(data, etree.XMLParser(**_HARDENED))
        except etree.XMLSyntaxError as error:
            raise PartUnreadable("it is damaged") from error
        _refuse_entities(root)
        _choose(root)
        return root

    def binary(self, part: str) -> bytes:
        """Raises PartUnreadable."""
        return self._archive.read(part, MAX_BINARY)

    def elements(self, part: str, tags: tuple[str, ...], limit: int) -> Iterator[Element]:
        """The elements of these local names at their ends, from a part too large for a tree; each is gone once the
        next one is asked for. Raises as `xml` does.
        """
        with self._archive.open(part, limit) as stream:
            _refuse_declarations(stream.read(_PROLOG))
        with self._archive.open(part, limit) as stream:
            found = etree.iterparse(stream, tag=tuple(f"{{*}}{tag}" for tag in tags), **_HARDENED)
            try:
                for number, (_event, element) in enumerate(found):
                    if number == 0:
                        _refuse_entities(element)
                    yield element
                    element.clear()
                    while element.getprevious() is not None:
                        del element.getparent()[0]
            except etree.XMLSyntaxError as error:
                raise PartUnreadable("it is damaged") from error

    def relations(self, part: str) -> Mapping[str, Relation]:
        """By id; empty for a part without any. `""` is the package itself. Raises PartUnreadable."""
        folder, name = posixpath.split(part)
        path = posixpath.join(folder, "_rels", f"{name}.rels")
        if path not in self._archive:
            if not part:
                raise PartUnreadable("it is missing")
            return {}
        return {
            found.get("Id", ""): self._relation(folder, found) for found in self.xml(path).iterfind("{*}Relationship")
        }

    def first(self, part: str, kind: str) -> str | None:
        """The part of this kind that another part points at. Raises PartUnreadable."""
        relations = self.relations(part).values()
        return next((found.target for found in relations if found.kind == kind and not found.external), None)

    def _relation(self, folder: str, found: Element) -> Relation:
        kind = found.get("Type", "").rpartition("/")[2]
        target = found.get("Target", "")
        if found.get("TargetMode") == "External":
            return Relation(kind, target, external=True)
        path = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
        return Relation(kind, path if path in self._archive else unquote(path), external=False)


_HARDENED = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,  # nesting and text nodes stay within what libxml2 thinks safe
    "remove_comments": True,
    "remove_pis": True,
}


def _refuse_declarations(start: bytes) -> None:
    """Before a parser sees them."""
    if b"<!DOCTYPE" in start[:_PROLOG].replace(b"\0", b""):
        raise FileUnreadable(_ENTITIES)


def _refuse_entities(element: Element) -> None:
    """For declarations that a long comment kept out of sight."""
    if element.getroottree().docinfo.internalDTD is not None:
        raise FileUnreadable(_ENTITIES)


def local(element: Element) -> str:
    """The element's name without its namespace."""
    return str(element.tag).rpartition("}")[2]


def related(element: Element, name: str = "id") -> str:
    """The id of the relation in an attribute such as `r:id` or `r:embed`; empty without one."""
    return next((value for space in _RELATIONSHIPS if (value := element.get(f"{{{space}}}{name}"))), "")


def whole(text: str | None, otherwise: int = 0) -> int:
    """A number from zero up, of up to nine digits."""
    return int(text) if text and text.isdecimal() and len(text) < 10 else otherwise


def is_on(value: str | None) -> bool:
    return value in _TRUE


def _choose(root: Element) -> None:
    for alternate in list(root.iter(_ALTERNATE)):
        parent = alternate.getparent()
        if parent is None:
            continue
        at = parent.index(alternate)
        parent[at : at + 1] = list(_chosen(alternate))


def _chosen(alternate: Element) -> Element:
    choices = [option for option in alternate if local(option) == "Choice" and option.get("Requires") not in _POORER]
    fallbacks = [option for option in alternate if local(option) == "Fallback"]
    return next(iter([*choices, *fallbacks, *alternate]), ())
