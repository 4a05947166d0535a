"""Presentations, slide by slide, by python-pptx."""

from typing import Any

from pptx import Presentation
from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.exc import PythonPptxError

from core.parsing import markdown
from core.parsing.office.comments import people, slide_comments
from core.parsing.office.compose import Composer
from core.parsing.office.errors import FileUnreadable, PartUnreadable
from core.parsing.office.package import Package, is_on, reference, target
from core.parsing.office.pictures import Pictures
from core.parsing.office.shapes import Drawing
from core.parsing.parsed import Parsed, unreadable

MAX_SLIDES = 1_000

_TITLES = (PP_PLACEHOLDER.TITLE, PP_PLACEHOLDER.CENTER_TITLE, PP_PLACEHOLDER.VERTICAL_TITLE)
# What python-pptx raises where the XML is not as the schema wants it.
_FOREIGN = (PythonPptxError, AttributeError, KeyError, TypeError, ValueError)


def parse(_name: str, data: bytes) -> Parsed:
    """A presentation's text. Whatever is wrong with it is said in what is given."""
    try:
        package = Package(data, "presentationml")
        return _Reader(_opened(package), package.unread).read()
    except FileUnreadable as error:
        return unreadable(str(error))


def _opened(package: Package) -> Any:
    try:
        return Presentation(package.copy())
    except _FOREIGN as error:
        raise FileUnreadable("it is damaged: its list of slides cannot be read") from error


class _Reader:
    def __init__(self, show: Any, unread: list[str]) -> None:
        self._show = show
        self._pictures = Pictures()
        self._composer = Composer()
        self._unread = unread
        self._footers: set[str] = set()
        self._people = people(show.part)

    def read(self) -> Parsed:
        # The library's list of slides fails as a whole where one is damaged.
        slides = list(self._show.element.iterfind("{*}sldIdLst/{*}sldId"))
        for number, entry in enumerate(slides[:MAX_SLIDES], 1):
            self._slide(number, reference(entry))
        if len(slides) > MAX_SLIDES:
            self._composer.add(self._lost(f"slides after {MAX_SLIDES:,} not read"))
        return self._composer.parsed([*self._unread, *self._pictures.unread], self._pictures.found)

    def _slide(self, number: int, reference: str) -> None:
        place = f"slide {number}"
        try:
            slide = target(self._show.part, reference).slide
            drawing = Drawing(slide.part, f"on {place}", self._pictures)
            title = _text_of(slide, *_TITLES)
            blocks = [*drawing.read(slide.shapes.element), self._footer(slide), self._notes(place, slide)]
        except (PartUnreadable, *_FOREIGN) as error:
            reason = error if isinstance(error, PartUnreadable) else "it is damaged"
            self._composer.heading(f"Slide {number}", place)
            self._composer.add(self._lost(f"{place} not read: {reason}"))
            return
        hidden = not is_on(slide.element.get("show", "1"))
        heading = f"Slide {number}" + (f": {title}" if title else "") + (" (hidden)" if hidden else "")
        self._composer.heading(heading, place)
        nothing = "" if title else f"[slide {number} holds {'shapes without text' if drawing.wordless else 'nothing'}]"
        self._composer.add_all([*blocks, self._comments(place, slide)], nothing)
        self._unread += drawing.unread

    def _footer(self, slide: Any) -> str:
        """The running footer where it first reads so; on every slide it would be noise."""
        text = _text_of(slide, PP_PLACEHOLDER.FOOTER)
        if not text or text in self._footers:
            return ""
        self._footers.add(text)
        return f"Footer: {text}"

    def _notes(self, place: str, slide: Any) -> str:
        if not slide.has_notes_slide:
            return ""
        notes = slide.notes_slide
        drawing = Drawing(notes.part, f"in the notes of {place}", self._pictures)
        text = markdown.join(drawing.read(notes.shapes.element, bulleted=False))
        self._unread += drawing.unread
        return markdown.join(["Notes:", markdown.quote(text)]) if text.strip() else ""

    def _comments(self, place: str, slide: Any) -> str:
        try:
            return "\n".join(slide_comments(slide.part, self._people))
        except PartUnreadable as error:
            return self._lost(f"comments on {place} not read: {error}")

    def _lost(self, what: str) -> str:
        self._unread.append(what)
        return f"[{what}]"


def _text_of(slide: Any, *kinds: PP_PLACEHOLDER) -> str:
    found = [shape for shape in slide.placeholders if shape.placeholder_format.type in kinds and shape.has_text_frame]
    return markdown.one_line(" ".join(shape.text_frame.text for shape in found))
