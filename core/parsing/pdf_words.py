"""The words of a PDF page and where they stand, in points from the top left corner as the page is shown."""

import ctypes
import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

SOFT_HYPHEN = "\u00ad"
"""Ends a line whose last word goes on in the next."""
MOST_CHARACTERS = 200_000
"""Of a page."""
_SHAPES = re.compile("[\ufb00-\ufdff\ufe70-\ufefc]")  # ligatures, and Arabic letters as they look within a word
_LEADER = re.compile(r"[.\u2026\u00b7_]{3,}")  # dots that lead the eye to another column: there it would be no column
_LEANING = 20  # degrees
_PDFIUM_HYPHENS = frozenset({0x02, 0xFFFE})  # what pdfium makes of a hyphen that it takes for one of a broken word


@dataclass(frozen=True, slots=True)
class Word:
    """A run of characters without a space. Its box fits the ink."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    size: float
    """Of its font's box, which is the same for all words in one font."""
    index: int
    """Where it comes in the page's own order, in which right-to-left text reads."""
    upright: bool = True
    """As the page is shown; not written up or down its side."""

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2

    @property
    def height(self) -> float:
        return self.bottom - self.top


def words_of(page: pdfium.PdfPage) -> tuple[list[Word], bool]:
    """The words in the page's own order, and whether these are all."""
    text_page = page.get_textpage()
    count = min(text_page.count_chars(), MOST_CHARACTERS)
    words = [
        made
        for index, indices in enumerate(_runs(text_page, count))
        if (made := _word(page, text_page, indices, index)) is not None
    ]
    return words, text_page.count_chars() <= MOST_CHARACTERS


def _runs(text_page: pdfium.PdfTextPage, count: int) -> Iterator[list[tuple[int, str]]]:
    """The characters of each word with their indices. Halves of a surrogate pair come as two."""
    run: list[tuple[int, str]] = []
    for index in range(count):
        code = pdfium_c.FPDFText_GetUnicode(text_page, index)
        if code in _PDFIUM_HYPHENS:  # the next character stands in the next line, without a space between
            yield [*run, (index, SOFT_HYPHEN)]
            run = []
            continue
        character = chr(code) if code < 0x110000 else "\ufffd"
        if character.isspace() or code == 0:
            if run:
                yield run
            run = []
        else:
            run.append((index, character))
    if run:
        yield run


def _word(page: pdfium.PdfPage, text_page: pdfium.PdfTextPage, run: list[tuple[int, str]], index: int) -> Word | None:
    text = "".join(character for _, character in run)
    boxes = [] if _LEADER.fullmatch(text) else [box for at, _ in run if (box := _box(text_page, at)) is not None]
    if not boxes:
        return None
    left, top, right, bottom = shown_box(
        page,
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = _SHAPES.sub(lambda shape: unicodedata.normalize("NFKC", shape[0]), text)
    upright = _is_upright(text_page, run[0][0], page.get_rotation())
    return Word(text, left, top, right, bottom, _font_height(text_page, run[0][0]), index, upright)


def _box(text_page: pdfium.PdfTextPage, index: int) -> tuple[float, float, float, float] | None:
    """Left, bottom, right, top of a character; None for one that pdfium made up."""
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    if not pdfium_c.FPDFText_GetCharBox(text_page, index, left, right, bottom, top):
        return None
    box = (left.value, bottom.value, right.value, top.value)
    return box if box[2] > box[0] or box[3] > box[1] else None


def _font_height(text_page: pdfium.PdfTextPage, index: int) -> float:
    rectangle = pdfium_c.FS_RECTF()
    pdfium_c.FPDFText_GetLooseCharBox(text_page, index, rectangle)
    return float(abs(rectangle.top - rectangle.bottom))


def _is_upright(text_page: pdfium.PdfTextPage, index: int, rotation: int) -> bool:
    angle = math.degrees(pdfium_c.FPDFText_GetCharAngle(text_page, index)) - rotation
    return abs((angle + 180) % 360 - 180) < _LEANING


def shown_box(
    page: pdfium.PdfPage, left: float, bottom: float, right: float, top: float
) -> tuple[float, float, float, float]:
    """Left, top, right, bottom on the page as it is shown, of a box in the page's own coordinates."""
    edge_left, edge_bottom, edge_right, edge_top = page.get_bbox()
    match page.get_rotation():
        case 90:
            return bottom - edge_bottom, left - edge_left, top - edge_bottom, right - edge_left
        case 180:
            return edge_right - right, bottom - edge_bottom, edge_right - left, top - edge_bottom
        case 270:
            return edge_top - top, edge_right - right, edge_top - bottom, edge_right - left
    return left - edge_left, edge_top - top, right - edge_left, edge_top - bottom
