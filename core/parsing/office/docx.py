"""Text documents, by python-docx."""

import re
from collections.abc import Iterator
from typing import Any

from docx import Document
from docx.oxml.parser import parse_xml

from core.parsing import markdown
from core.parsing.office.compose import Composer
from core.parsing.office.docx_body import FOREIGN, Body
from core.parsing.office.docx_changes import accept
from core.parsing.office.docx_numbering import Numbering, value_of
from core.parsing.office.errors import FileUnreadable, PartUnreadable
from core.parsing.office.package import Element, Package, Part, reference, related, target
from core.parsing.office.pictures import Pictures
from core.parsing.parsed import Parsed, unreadable

_NOTES = {"footnotes": "footnote", "endnotes": "endnote", "comments": "comment"}
_ONLY_PAGES = re.compile(r"(?:page|of|[\W\d_])*", re.IGNORECASE)  # what a running line says besides its page fields


def parse(_name: str, data: bytes) -> Parsed:
    """A text document's text. Whatever is wrong with it is said in what is given."""
    try:
        return _read(Package(data, "wordprocessingml"))
    except FileUnreadable as error:
        return unreadable(str(error))


def _read(package: Package) -> Parsed:
    try:
        return _Reader(Document(package.copy()).part, package.unread).read()
    except FOREIGN as error:
        raise FileUnreadable("it is damaged") from error


class _Reader:
    def __init__(self, part: Any, unread: list[str]) -> None:
        self._part = part
        self._pictures = Pictures()
        self._unread = unread
        self._side("styles")
        numbering = self._side("numbering")
        self._numbering = Numbering(None if numbering is None else parse_xml(numbering.blob))

    def read(self) -> Parsed:
        composer = Composer()
        root = accept(self._part.element.body)
        notes = {reference: text for kind, what in _NOTES.items() for reference, text in self._notes(kind, what)}
        running = dict.fromkeys(self._running(root))
        body = self._body(self._part, notes)
        blocks = body.blocks(root)
        headers = [line for line in running if line.startswith("Header")]
        for block in [*headers, *blocks, *(line for line in running if line not in headers)]:
            composer.add(block)
        return composer.parsed([*self._unread, *body.unread, *self._pictures.unread], self._pictures.found)

    def _body(self, part: Part, notes: dict[tuple[str, str], str]) -> Body:
        return Body(part, self._part, self._numbering, self._pictures, notes)

    def _side(self, kind: str) -> Part | None:
        """The part of this kind, if there is one that can be read."""
        try:
            return next(related(self._part, kind), None)
        except PartUnreadable as error:
            self._unread.append(f"{kind} not read: {error}")
            return None

    def _notes(self, kind: str, what: str) -> Iterator[tuple[tuple[str, str], str]]:
        part = self._side(kind)
        if part is None:
            return
        body = self._body(part, {})
        for note in accept(parse_xml(part.blob)):
            text = body.line(note)
            author = markdown.one_line(value_of(note, "author"))
            said = f"{what} by {author}" if author else what
            if text and value_of(note, "type") not in {"separator", "continuationSeparator", "continuationNotice"}:
                yield (f"{what}Reference", value_of(note, "id")), f" ({said}: {text})"
        self._unread += body.unread

    def _running(self, root: Element) -> Iterator[str]:
        """Headers and footers, as often as they occur, without those that only count pages."""
        for found in root.xpath(".//w:sectPr/w:headerReference | .//w:sectPr/w:footerReference"):
            what = "Header" if found.tag.endswith("headerReference") else "Footer"
            try:
                part = target(self._part, reference(found))
            except PartUnreadable as error:
                self._unread.append(f"{what.lower()} not read: {error}")
                continue
            body = self._body(part, {})
            text = body.line(accept(part.element))
            self._unread += body.unread
            if not _ONLY_PAGES.fullmatch(text):
                yield f"{what}: {text}"
