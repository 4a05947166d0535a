"""Text documents (ECMA-376 part 1, chapter 17).

Read here and not by a library, since none of those at hand gives the numbers of clauses, which people cite, together
with notes, comments, tracked changes and text boxes.
"""

import re
from collections.abc import Iterator

from core.parsing import markdown
from core.parsing.office.compose import Composer
from core.parsing.office.docx_body import Body
from core.parsing.office.docx_styles import Numbering, Styles, value_of
from core.parsing.office.errors import FileUnreadable, PartUnreadable
from core.parsing.office.package import Element, Package, related
from core.parsing.office.pictures import Pictures
from core.parsing.parsed import Parsed, unreadable

_NOTES = {"footnotes": "footnote", "endnotes": "endnote", "comments": "comment"}
_ONLY_PAGES = re.compile(r"(?:page|of|[\W\d_])*", re.IGNORECASE)  # what a running line says besides its page fields


def parse(_name: str, data: bytes) -> Parsed:
    """A text document's text. Whatever is wrong with it is said in what is given."""
    try:
        return _Reader(Package(data)).read()
    except FileUnreadable as error:
        return unreadable(str(error))


class _Reader:
    def __init__(self, package: Package) -> None:
        self._package = package
        self._pictures = Pictures(package)
        self._unread: list[str] = []
        try:
            self._root = package.xml(package.main)
            self._relations = package.relations(package.main)
        except PartUnreadable as error:
            raise FileUnreadable(f"it is damaged: its text cannot be read ({error})") from error
        self._styles = Styles(self._part("styles"))
        self._numbering = Numbering(self._part("numbering"))

    def read(self) -> Parsed:
        composer = Composer()
        notes = {reference: text for kind, what in _NOTES.items() for reference, text in self._notes(kind, what)}
        running = dict.fromkeys(self._running())
        body = self._body(self._package.main, notes)
        for text in [line for line in running if line.startswith("Header")]:
            composer.add(text)
        for block in body.blocks(self._root):
            composer.add(block)
        for text in [line for line in running if line.startswith("Footer")]:
            composer.add(text)
        return composer.parsed([*self._unread, *body.unread, *self._pictures.unread], self._pictures.found)

    def _body(self, part: str, notes: dict[tuple[str, str], str]) -> Body:
        return Body(self._package, part, self._styles, self._numbering, self._pictures, notes)

    def _part(self, kind: str) -> Element | None:
        """The root of the part of this kind, if there is one that can be read."""
        part = next((one.target for one in self._relations.values() if one.kind == kind and not one.external), None)
        try:
            return None if part is None else self._package.xml(part)
        except PartUnreadable as error:
            self._unread.append(f"{kind} not read: {error}")
            return None

    def _notes(self, kind: str, what: str) -> Iterator[tuple[tuple[str, str], str]]:
        root = self._part(kind)
        if root is None:
            return
        part = next(one.target for one in self._relations.values() if one.kind == kind and not one.external)
        try:
            body = self._body(part, {})
        except PartUnreadable as error:
            self._unread.append(f"{kind} not read: {error}")
            return
        for note in root:
            text = body.line(note)
            author = markdown.one_line(value_of(note, "author"))
            said = f"{what} by {author}" if author else what
            if text and value_of(note, "type") not in {"separator", "continuationSeparator", "continuationNotice"}:
                yield (f"{what}Reference", value_of(note, "id")), f" ({said}: {text})"
        self._unread += body.unread

    def _running(self) -> Iterator[str]:
        """Headers and footers, as often as they occur, without those that only count pages."""
        for section in self._root.iter("{*}sectPr"):
            for reference in section.iterfind("{*}headerReference"):
                yield from self._running_line("Header", related(reference))
            for reference in section.iterfind("{*}footerReference"):
                yield from self._running_line("Footer", related(reference))

    def _running_line(self, what: str, reference: str) -> Iterator[str]:
        relation = self._relations.get(reference)
        if relation is None or relation.external:
            return
        try:
            body = self._body(relation.target, {})
            text = body.line(self._package.xml(relation.target))
        except PartUnreadable as error:
            self._unread.append(f"{what.lower()} not read: {error}")
            return
        self._unread += body.unread
        if not _ONLY_PAGES.fullmatch(text):
            yield f"{what}: {text}"
