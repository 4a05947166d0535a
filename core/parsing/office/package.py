"""A sound copy of an Office file, which the libraries then read (ECMA-376 part 2, Open Packaging Conventions).

python-pptx, python-docx and openpyxl load all parts at once, and give up the whole file for one that is damaged or of
the strict variant. So each part is read here first, within limits; a pointer to one that cannot be read becomes a
pointer out of the file, whose type says why.
"""

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator
from html import escape
from typing import Any, Literal
from urllib.parse import unquote

from lxml import etree

from core.parsing.office.archive import Archive
from core.parsing.office.errors import FileUnreadable, PartUnreadable

MAX_XML = 40_000_000
"""Bytes of a part that is held as a tree; a tree takes about ten times as much."""
MAX_BINARY = 30_000_000
MAX_BINARIES = 100_000_000
"""Of all pictures together."""
MAX_SHEET = 300_000_000
"""Bytes of a sheet that are unpacked; what follows the rows (merged cells, links) may lie beyond."""

Element = Any  # an lxml element; lxml ships no types
Part = Any  # of python-pptx or python-docx: both have `partname`, `blob` and, by id, `rels`
Relation = Any  # of one of them: both have `reltype`, `is_external`, `target_part` and `target_ref`
Family = Literal["presentationml", "spreadsheetml", "wordprocessingml"]

_MAIN = {"presentationml": "presentation", "spreadsheetml": "sheet", "wordprocessingml": "document"}
_SHEETS = frozenset({"worksheet", "chartsheet", "dialogsheet"})
_XML = _SHEETS | {
    "officeDocument", "slide", "notesSlide", "chart", "diagramData", "diagramLayout", "comments", "commentAuthors",
    "authors", "person", "threadedComment", "sharedStrings", "styles", "drawing", "table", "numbering", "footnotes",
    "endnotes", "header", "footer",
}  # fmt: skip
_RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_SHEET = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"/>'
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/(\w+)")
_ALTERNATE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
# Alternatives that hold less that can be read than the fallback beside them: VML, 3D models.
_POORER = frozenset({"v", "am3d"})
_UNREAD = "unread: "
_PROLOG = 2_048  # bytes in which a part names its namespaces
_HARDENED = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,  # nesting and text nodes stay within what libxml2 thinks safe
    "remove_comments": True,
    "remove_pis": True,
}


class Package:
    """Raises FileUnreadable for what is no Office file, or a broken one."""

    def __init__(self, data: bytes, family: Family) -> None:
        self.archive = Archive(data)
        self.unread: list[str] = []
        self._family = family
        self._parts: dict[str, bytes] = {}
        self._types: dict[str, str] = {}
        self._room = MAX_BINARIES
        try:
            found = list(self._relations(""))
        except PartUnreadable as error:
            raise FileUnreadable("it is damaged: its list of relations cannot be read") from error
        seen = {""}
        while found:
            part = found.pop()
            if part in seen:
                continue
            seen.add(part)
            try:
                found += self._relations(part)
            except PartUnreadable as error:
                self.unread.append(f"what {posixpath.basename(part)} refers to not read: {error}")
        if not any(kind == "officeDocument" for kind in self._types.values()):
            raise FileUnreadable("it is damaged: its main part is missing")

    def copy(self) -> io.BytesIO:
        """The copy, as a ZIP archive. The cells of sheets are not in it: they are read from the file itself, as far as
        the limits allow.
        """
        types = "".join(
            f'<Override PartName="/{escape(part, quote=True)}" ContentType="{self._type(kind)}"/>'
            for part, kind in self._types.items()
        )
        rels = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("[Content_Types].xml", f'<Types xmlns="{_TYPES}">{rels}{types}</Types>')
            for name, content in self._parts.items():
                archive.writestr(name, content)
        return buffer

    def elements(self, part: Part, tags: tuple[str, ...]) -> Iterator[Element]:
        """The elements of a sheet of these local names at their ends; each is gone once the next one is asked for.
        Raises PartUnreadable.
        """
        name = part.partname.lstrip("/")
        with self.archive.open(name, MAX_SHEET) as stream:
            is_strict = _STRICT.search(stream.read(_PROLOG)) is not None
        with self.archive.open(name, MAX_SHEET) as stream:
            source = io.BytesIO(self._sound(name)) if is_strict else stream
            try:
                for _event, element in etree.iterparse(source, tag=[f"{{*}}{tag}" for tag in tags], **_HARDENED):
                    yield element
                    element.clear()
                    while element.getprevious() is not None:
                        del element.getparent()[0]
            except etree.XMLSyntaxError as error:
                raise PartUnreadable("it is damaged") from error

    def _type(self, kind: str) -> str:
        if kind == "image":
            return "application/octet-stream"
        name = f"{_MAIN[self._family]}.main" if kind == "officeDocument" else kind
        return f"application/vnd.openxmlformats-officedocument.{self._family}.{name}+xml"

    def _relations(self, part: str) -> Iterator[str]:
        """Copies a part's relations, and what they point at; gives the parts that are new."""
        folder, name = posixpath.split(part)
        path = posixpath.join(folder, "_rels", f"{name}.rels")
        if part and path not in self.archive:
            return
        copy = etree.Element(f"{{{_PACKAGE}}}Relationships")
        for found in etree.fromstring(self._sound(path)).iterfind("{*}Relationship"):
            relation = {name: found.get(name, "") for name in ("Id", "Type", "Target")}
            kind = relation["Type"].rpartition("/")[2]
            target = posixpath.normpath(posixpath.join("/", folder, relation["Target"])).lstrip("/")
            target = target if target in self.archive else unquote(target)
            if found.get("TargetMode") == "External":
                relation["TargetMode"] = "External"
            elif reason := self._add(target, kind):
                relation |= {"Type": f"{_UNREAD}{reason}/{kind}", "Target": target, "TargetMode": "External"}
            else:
                relation |= {"Type": f"{_RELATIONSHIPS}/worksheet"} if kind in _SHEETS else {}
                relation["Target"] = f"/{target}"
                yield target
            etree.SubElement(copy, f"{{{_PACKAGE}}}Relationship", relation)
        self._parts[path] = etree.tostring(copy)

    def _add(self, part: str, kind: str) -> str:
        """Why a part could not be copied, if so."""
        if part in self._types:  # a picture was not looked through
            return "it is damaged" if (self._types[part] == "image") != (kind == "image") else ""
        try:
            self._parts[part] = self._read(part, kind)
        except PartUnreadable as error:
            if kind == "officeDocument":
                raise FileUnreadable(f"it is damaged: its main part cannot be read ({error})") from error
            return str(error)
        self._types[part] = kind
        return ""

    def _read(self, part: str, kind: str) -> bytes:
        if kind in _SHEETS:
            return _SHEET
        if kind == "officeDocument" and part.endswith(".bin"):
            raise FileUnreadable("it is a binary workbook (.xlsb); save it as .xlsx")
        if kind in _XML:
            return self._sound(part)
        if kind != "image":
            raise PartUnreadable("it is not read")
        data = self.archive.read(part, min(MAX_BINARY, self._room))
        self._room -= len(data)
        return data

    def _sound(self, part: str) -> bytes:
        """The part's XML, of alternatives only the one to be read, in the namespaces of the transitional variant."""
        try:
            root = etree.fromstring(self.archive.read(part, MAX_XML), etree.XMLParser(**_HARDENED))
        except etree.XMLSyntaxError as error:
            raise PartUnreadable("it is damaged") from error
        for alternate in list(root.iter(_ALTERNATE)):
            parent = alternate.getparent()
            if parent is not None:
                at = parent.index(alternate)
                parent[at : at + 1] = list(_chosen(alternate))
        return _STRICT.sub(rb"http://schemas.openxmlformats.org/\1/2006/\2", etree.tostring(root))


def xml(part: Part) -> Element:
    """The root of a part of the copy."""
    return etree.fromstring(part.blob)


def kind(relation: Relation) -> str:
    """The last word of a relation's type: `slide`, `image`, `hyperlink`."""
    return str(relation.reltype.rpartition("/")[2])


def unread(relation: Relation) -> str:
    """Why what a relation points at could not be read; empty when it could."""
    found = relation.reltype.rpartition("/")[0]
    return str(found.removeprefix(_UNREAD)) if found.startswith(_UNREAD) else ""


def related(part: Part, *kinds: str) -> Iterator[Part]:
    """The parts of these kinds that a part points at. Raises PartUnreadable at one that cannot be read."""
    for reference, relation in part.rels.items():
        if kind(relation) in kinds and (unread(relation) or not relation.is_external):
            yield target(part, reference)


def target(part: Part, reference: str) -> Part:
    """The part behind a relation's id. Raises PartUnreadable."""
    relation = part.rels.get(reference)
    if relation is None or relation.is_external:
        raise PartUnreadable("it is missing" if relation is None else unread(relation) or "it is missing")
    return relation.target_part


def address(part: Part, reference: str) -> str:
    """Where a link leads to, when that is out of the file."""
    relation = part.rels.get(reference)
    return str(relation.target_ref) if relation and relation.is_external and not unread(relation) else ""


def local(element: Element) -> str:
    """The element's name without its namespace."""
    return str(element.tag).rpartition("}")[2]


def reference(element: Element, name: str = "id") -> str:
    """The id of the relation in an attribute such as `r:id` or `r:embed`; empty without one."""
    return str(element.get(f"{{{_RELATIONSHIPS}}}{name}", ""))


def whole(text: str | None, otherwise: int = 0) -> int:
    """A number from zero up, of up to nine digits."""
    return int(text) if text and text.isdecimal() and len(text) < 10 else otherwise


def is_on(value: str | None) -> bool:
    return value in {"1", "true", "on"}


def _chosen(alternate: Element) -> Element:
    choices = [option for option in alternate if local(option) == "Choice" and option.get("Requires") not in _POORER]
    fallbacks = [option for option in alternate if local(option) == "Fallback"]
    return next(iter([*choices, *fallbacks, *alternate]), ())
