"""Presentations, slide by slide (ECMA-376 part 1, chapter 19)."""

from collections.abc import Iterator, Mapping

from core.parsing import markdown
from core.parsing.office import drawingml
from core.parsing.office.comments import people, slide_comments
from core.parsing.office.compose import Composer
from core.parsing.office.errors import FileUnreadable, PartUnreadable
from core.parsing.office.package import Element, Package, Relation, is_on, related
from core.parsing.office.pictures import Pictures
from core.parsing.office.shapes import Drawing, placeholder
from core.parsing.parsed import Parsed, unreadable

MAX_SLIDES = 1_000


def parse(_name: str, data: bytes) -> Parsed:
    """A presentation's text. Whatever is wrong with it is said in what is given."""
    try:
        return _Reader(Package(data)).read()
    except FileUnreadable as error:
        return unreadable(str(error))


class _Reader:
    def __init__(self, package: Package) -> None:
        self._package = package
        self._pictures = Pictures(package)
        self._composer = Composer()
        self._unread: list[str] = []
        self._footers: set[str] = set()
        try:
            self._people = people(package)
        except PartUnreadable:
            self._people = {}  # the comments still stand, without names

    def read(self) -> Parsed:
        slides = self._slides()
        for number, part in enumerate(slides[:MAX_SLIDES], 1):
            self._slide(number, part)
        if len(slides) > MAX_SLIDES:
            self._composer.add(self._lost(f"slides after {MAX_SLIDES:,} not read"))
        return self._composer.parsed([*self._unread, *self._pictures.unread], self._pictures.found)

    def _slides(self) -> list[str]:
        """The parts of the slides, in the order of the show."""
        try:
            root = self._package.xml(self._package.main)
            relations = self._package.relations(self._package.main)
        except PartUnreadable as error:
            raise FileUnreadable(f"it is damaged: its list of slides cannot be read ({error})") from error
        found = (relations.get(related(entry)) for entry in root.iterfind("{*}sldIdLst/{*}sldId"))
        return ["" if relation is None or relation.external else relation.target for relation in found]

    def _slide(self, number: int, part: str) -> None:
        place = f"slide {number}"
        try:
            root = self._package.xml(part)
            drawing = Drawing(self._package, part, f"on {place}", self._pictures)
            relations = self._package.relations(part)
        except PartUnreadable as error:
            self._composer.heading(f"Slide {number}", place)
            self._composer.add(self._lost(f"{place} not read: {error}"))
            return
        tree = root.find("{*}cSld/{*}spTree")
        titles = [] if tree is None else list(_titles(tree))
        title = markdown.one_line(" ".join(titles))
        hidden = root.get("show") is not None and not is_on(root.get("show"))
        heading = f"Slide {number}" + (f": {title}" if title else "") + (" (hidden)" if hidden else "")
        self._composer.heading(heading, place)
        blocks = [] if tree is None else drawing.read(tree)
        rest = [self._footer(tree), self._notes(place, relations), self._comments(place, relations)]
        nothing = "" if title else f"[slide {number} holds {'shapes without text' if drawing.wordless else 'nothing'}]"
        self._composer.add_all([*blocks, *rest], nothing)
        self._unread += drawing.unread

    def _footer(self, tree: Element | None) -> str:
        """The running footer where it first reads so; on every slide it would be noise."""
        shapes = [] if tree is None else _placeholders(tree, "ftr")
        text = markdown.one_line(" ".join(drawingml.plain(shape.find("{*}txBody")) for shape in shapes))
        if not text or text in self._footers:
            return ""
        self._footers.add(text)
        return f"Footer: {text}"

    def _notes(self, place: str, relations: Mapping[str, Relation]) -> str:
        part = next((one.target for one in relations.values() if one.kind == "notesSlide" and not one.external), None)
        if part is None:
            return ""
        try:
            tree = self._package.xml(part).find("{*}cSld/{*}spTree")
            drawing = Drawing(self._package, part, f"in the notes of {place}", self._pictures)
        except PartUnreadable as error:
            return self._lost(f"notes of {place} not read: {error}")
        text = markdown.join(drawing.read(tree, bulleted=False)) if tree is not None else ""
        self._unread += drawing.unread
        return markdown.join(["Notes:", markdown.quote(text)]) if text.strip() else ""

    def _comments(self, place: str, relations: Mapping[str, Relation]) -> str:
        try:
            return "\n".join(slide_comments(self._package, relations, self._people))
        except PartUnreadable as error:
            return self._lost(f"comments on {place} not read: {error}")

    def _lost(self, what: str) -> str:
        self._unread.append(what)
        return f"[{what}]"


def _titles(tree: Element) -> Iterator[str]:
    for shape in _placeholders(tree, "title", "ctrTitle"):
        yield drawingml.plain(shape.find("{*}txBody"))


def _placeholders(tree: Element, *kinds: str) -> list[Element]:
    return [shape for shape in tree.iter("{*}sp") if placeholder(shape) in kinds]
