"""PDF by page: text in reading order, tables as tables, scans and pictures as pictures."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from core.parsing import markdown
from core.parsing.parsed import Parsed, Picture, unreadable
from core.parsing.pdf_layout import blocks
from core.parsing.pdf_margins import margins_of
from core.parsing.pdf_pictures import MOST_PICTURES, drawn_on, picture, regions_of
from core.parsing.pdf_rules import Rules
from core.parsing.pdf_words import MOST_CHARACTERS, Word, words_of
from core.types import Place

_MOST_PAGES = 2_000
_SECONDS = 25.0  # for the words of all pages, and as much again for laying them out; the process has a minute
_MOST_CHARACTERS = 4_000_000  # without blanks
_MOST_TITLES = 5_000
_TOO_LONG = f"those before took more than {_SECONDS:.0f} seconds"


_LOCKED = frozenset({pdfium_c.FPDF_ERR_PASSWORD, pdfium_c.FPDF_ERR_SECURITY})


@dataclass(frozen=True, slots=True)
class _Page:
    """What was found on a page, and is kept when the page is closed again."""

    number: int
    """From 1."""
    height: float
    words: tuple[Word, ...]
    rules: Rules
    pictures: tuple[Picture, ...]


def parse(_name: str, data: bytes) -> Parsed:
    """The pages with places `page 3`. A running header or footer stands once, before the text of the first page."""
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        return unreadable("it is encrypted" if error.err_code in _LOCKED else "it is damaged")
    try:
        unread: list[str] = []
        pages, rest = _pages(document, unread)
        titles = _titles(document)
    finally:
        document.close()
    return _composed(pages, titles, unread, rest)


def _pages(document: pdfium.PdfDocument, unread: list[str]) -> tuple[list[_Page], str]:
    """The pages, and which are left out at the end, if any."""
    pages: list[_Page] = []
    pictures = characters = 0
    deadline = time.monotonic() + _SECONDS
    for index in range(len(document)):
        number = index + 1
        if index >= _MOST_PAGES:
            return pages, _rest(number, f"there are {len(document):,}")
        if characters > _MOST_CHARACTERS:
            return pages, _rest(number, f"those before hold more than {_MOST_CHARACTERS:,} characters")
        if time.monotonic() > deadline:
            return pages, _rest(number, _TOO_LONG)
        try:
            page = _flattened(document, index)
            found = _page(page, number, MOST_PICTURES - pictures, unread)
            page.close()
        except pdfium.PdfiumError:
            unread.append(f"page {number} not read: it is damaged")
            continue
        pictures += len(found.pictures)
        characters += sum(len(word.text) for word in found.words)
        pages.append(found)
    return pages, ""


def _rest(number: int, reason: str) -> str:
    return f"pages from {number:,} on not read: {reason}"


def _flattened(document: pdfium.PdfDocument, index: int) -> pdfium.PdfPage:
    """A page into which the forms and remarks on it were drawn."""
    page = document[index]
    if pdfium_c.FPDFPage_Flatten(page, pdfium_c.FLAT_NORMALDISPLAY) == pdfium_c.FLATTEN_SUCCESS:
        page.close()
        page = document[index]
    return page


def _page(page: pdfium.PdfPage, number: int, room: int, unread: list[str]) -> _Page:
    """A page with at most `room` pictures."""
    words, complete = words_of(page)
    if not complete:
        unread.append(f"page {number}: the text after the first {MOST_CHARACTERS:,} characters not read")
    drawn = drawn_on(page)
    regions = list(regions_of(page, drawn, words))
    names = _picture_names(number, len(regions), whole=bool(regions) and regions[0].whole)
    unread += [f"picture not read: {name} (more than {MOST_PICTURES} pictures)" for name in names[room:]]
    made = tuple(picture(page, region, name) for region, name in list(zip(regions, names, strict=True))[:room])
    return _Page(number, page.get_height(), tuple(words), drawn.rules, made)


def _picture_names(number: int, count: int, *, whole: bool) -> list[str]:
    if whole:
        return [f"page {number}"]
    return [f"image {at} on page {number}" for at in range(1, count + 1)]


def _titles(document: pdfium.PdfDocument) -> dict[tuple[int, str], int]:
    """Levels of the outline's titles, from 0, by page number and title."""
    found = {}
    for bookmark in islice(document.get_toc(max_depth=6), _MOST_TITLES):
        target = bookmark.get_dest()
        at = target.get_index() if target else None
        if at is not None:
            found[at + 1, markdown.one_line(bookmark.get_title())] = bookmark.level
    return found


def _composed(pages: Sequence[_Page], titles: Mapping[tuple[int, str], int], unread: list[str], rest: str) -> Parsed:
    margins = margins_of([page.words for page in pages], [page.height for page in pages])
    body = _usual_size(pages)
    parts: list[str] = list(margins.texts)
    places: list[Place] = []
    pictures: list[Picture] = []
    length = sum(len(part) + 2 for part in parts)
    deadline = time.monotonic() + _SECONDS
    for page, running in zip(pages, margins.words, strict=True):
        if time.monotonic() > deadline:
            rest = _rest(page.number, _TOO_LONG)
            break
        kept = [word for word in page.words if word.index not in running]
        found = [_headed(block, titles, page.number) for block in blocks(kept, page.rules, body)]
        text = markdown.clean(markdown.join([*found, *(picture.mark for picture in page.pictures)]))
        if not text:
            continue
        places.append(Place(length if places else 0, f"page {page.number}", f"#page={page.number}"))
        parts.append(text)
        pictures += page.pictures
        length += len(text) + 2
    if rest:
        parts.append(f"[{rest}]")
        unread.append(rest)
    if not places:
        nothing = unreadable("it holds no text")
        return replace(nothing, unread=(*nothing.unread, *unread))
    return Parsed("\n\n".join(parts), tuple(places), tuple(unread), tuple(pictures))


def _headed(block: str, titles: Mapping[tuple[int, str], int], number: int) -> str:
    """A block that is a title of the outline, as a heading of its level."""
    title = markdown.one_line(block.lstrip("#"))
    level = titles.get((number, title))
    return block if level is None else markdown.heading(level + 1, title)


def _usual_size(pages: Sequence[_Page]) -> float:
    """The font size that most characters have."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for word in page.words:
            sizes[round(word.size, 1)] += len(word.text)
    return sizes.most_common(1)[0][0] if sizes else 1.0
