"""What of a PDF page is no text: scans and pictures, as bitmaps for who can describe them."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from core.parsing.parsed import Picture
from core.parsing.pdf_paths import strokes
from core.parsing.pdf_rules import Rule, Rules
from core.parsing.pdf_words import Word, shown_box

_MOST_OBJECTS = 5_000  # of a page that are looked at
_LEAST_SIDE = 40.0  # points; smaller pictures are icons and lines
_LEAST_SHARE = 0.02  # of the page; smaller pictures are logos
_WHOLE = 0.5  # of the page; a larger picture without text beside it is a scan
_FEW_WORDS = 20  # beside a scan, a stamp; on a picture, a caption
_MARGIN = 0.08  # of the page's height, where its number and title stand
_MOST_ON_PAGE = 8
_LONGEST_SIDE = 1_600  # pixels: 200 dpi for the width of a letter, and within every vision model's own limit
_QUALITY = 80
_THIN = 1.5  # points; what is no higher, or no wider, is a line
_LEAST_RULE = 8.0  # points

MOST_PICTURES = 100
"""Of a document."""


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a page, in points from its top left corner."""

    left: float
    top: float
    right: float
    bottom: float
    whole: bool = False
    """It is the page."""

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top


@dataclass(frozen=True, slots=True)
class Drawn:
    """What is drawn on a page beside its text."""

    rules: Rules
    pictures: tuple[Region, ...]
    outlines: int
    """How many paths there are."""


def drawn_on(page: pdfium.PdfPage) -> Drawn:
    level: list[Rule] = []
    upright: list[Rule] = []
    pictures: list[Region] = []
    outlines = 0
    kinds = (pdfium_c.FPDF_PAGEOBJ_PATH, pdfium_c.FPDF_PAGEOBJ_IMAGE)
    for found in islice(page.get_objects(filter=kinds, max_depth=4), _MOST_OBJECTS):
        if found.type == pdfium_c.FPDF_PAGEOBJ_IMAGE:
            pictures.append(Region(*shown_box(page, *found.get_bounds())))
            continue
        outlines += 1
        for box in strokes(found):
            left, top, right, bottom = shown_box(page, *box)
            if bottom - top <= _THIN and right - left > _LEAST_RULE:
                level.append(Rule((top + bottom) / 2, left, right))
            elif right - left <= _THIN and bottom - top > _LEAST_RULE:
                upright.append(Rule((left + right) / 2, top, bottom))
    return Drawn(Rules(tuple(level), tuple(upright)), tuple(pictures), outlines)


def regions_of(page: pdfium.PdfPage, drawn: Drawn, words: Sequence[Word]) -> Iterator[Region]:
    """What of the page somebody must look at: all of it when it was scanned, else each of its larger pictures, but for
    those that many words stand on: a background, or a scan whose words were recognised.
    """
    width, height = page.get_size()
    whole = Region(0, 0, width, height, whole=True)
    area = max(width * height, 1.0)
    covered = sum(_visible(region, whole) for region in drawn.pictures) / area
    inner = [word for word in words if _MARGIN * height < word.middle < (1 - _MARGIN) * height]
    if len(inner) < _FEW_WORDS and (covered >= _WHOLE or (not inner and (drawn.pictures or drawn.outlines))):
        yield whole
        return
    large = [
        region
        for region in drawn.pictures
        if min(region.width, region.height) >= _LEAST_SIDE
        and _visible(region, whole) >= _LEAST_SHARE * area
        and sum(_holds(region, word) for word in words) < _FEW_WORDS
    ]
    yield from large[:_MOST_ON_PAGE]


def _holds(region: Region, word: Word) -> bool:
    return region.left < (word.left + word.right) / 2 < region.right and region.top < word.middle < region.bottom


def _visible(region: Region, whole: Region) -> float:
    """How much of it is on the page, in square points."""
    width = min(region.right, whole.right) - max(region.left, 0)
    height = min(region.bottom, whole.bottom) - max(region.top, 0)
    return max(width, 0.0) * max(height, 0.0)


def picture(page: pdfium.PdfPage, region: Region, name: str) -> Picture:
    """The region as it looks, at most 1,600 pixels wide or high."""
    width, height = page.get_size()
    scale = min(_LONGEST_SIDE / max(region.width, region.height, 1.0), 4.0)
    crop = (
        max(region.left, 0.0),
        max(height - region.bottom, 0.0),
        max(width - region.right, 0.0),
        max(region.top, 0.0),
    )
    image = page.render(scale=scale, crop=crop).to_pil().convert("RGB")
    data = io.BytesIO()
    image.save(data, "JPEG", quality=_QUALITY)
    return Picture(name, "image/jpeg", data.getvalue(), f"[picture not read: {name}]")
