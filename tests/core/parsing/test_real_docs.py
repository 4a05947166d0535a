"""Files that nobody on the project wrote, all through the reader: what is read is right, and what is not is said."""

import re
from collections.abc import Mapping

import pytest

from core.parsing.parsed import Parsed
from tests.core.parsing import real_docs
from tests.core.parsing.real_docs import FACTS, FAMILIES, PAGE, family, unread_of

UNREAD: Mapping[str, tuple[str, ...]] = {
    "pdf-3col-federal-register.pdf": (
        "picture not read: image 1 on page 7",
        "picture not read: page 8",
        "picture not read: image 1 on page 9",
        "picture not read: image 1 on page 10",
        "picture not read: image 1 on page 11",
        "picture not read: image 2 on page 11",
        "picture not read: image 1 on page 12",
        "picture not read: image 2 on page 12",
        "picture not read: image 1 on page 13",
        "picture not read: image 2 on page 13",
        "picture not read: image 1 on page 14",
    ),
    "pdf-borderless-table.pdf": ("picture not read: image 1 on page 1", "picture not read: image 1 on page 2"),
    "pdf-broken-297.pdf": ("could not be read: it holds no text",),
    "pdf-encrypted-libreoffice.pdf": ("could not be read: it is encrypted",),
    "pdf-encrypted-r6-user-password.pdf": ("could not be read: it is encrypted",),
    "pdf-malformed-932.pdf": ("picture not read: page 1",),
    "pdf-rtl-arabic.pdf": ("picture not read: image 1 on page 1",),
    "pdf-scanned-medrpt.pdf": tuple(f"picture not read: page {number}" for number in (1, 2, 3)),
    "pdf-scanned-ocr_test.pdf": ("picture not read: page 1",),
    "pdf-scanned-rotated90.pdf": ("picture not read: page 1",),
    "pdf-zero-bytes.pdf": ("could not be read: it is empty",),
    "pptx-comment.pptx": (
        "embedded file not read: Photo Editor Photo on slide 1",
        "embedded file not read: Slide (PowerPoint.Slide.8) on slide 8",
        "embedded file not read: Photo Editor Photo on slide 11",
    ),
    "pptx-malformed-pictures.pptx": (
        "picture not read: _good_picture.png on slide 1: it is missing",
        "picture not read: _good_picture.png on slide 2: it is missing",
        "picture not read: image1.png on slide 3",
    ),
    "pptx-markitdown-test.pptx": (
        "picture not read: image1.jpeg on slide 2",
        "picture not read: image2.jpg on slide 6",
    ),
    "pptx-smartart-simple.pptx": ("picture not read: image1.jpeg on slide 1",),
    "xlsx-docling-04-inflated.xlsx": ("picture not read: image1.png on sheet Sheet3",),
    "xlsx-poi-49156.xlsx": ("picture not read: image1.wmf on sheet 1",),
    "xlsx-poi-62629_toMerge.xlsx": ("picture not read: image1.jpeg on sheet 5P_CM",),
    "xlsx-poi-poc-xmlbomb.xlsx": ("could not be read: it declares XML entities, which no Office file may",),
    "xlsx-poi-protected_passtika.xlsx": ("could not be read: it is encrypted",),
    "xlsx-poi-xlsx-corrupted.xlsx": ("could not be read: it is damaged: its list of relations cannot be read",),
}
"""Every file of which something is not read, and what is said then (when no describer of pictures is set up)."""


@pytest.fixture(scope="module")
def files(shared) -> Mapping[str, Parsed]:
    return real_docs.read_all()


def test_every_file_is_read_or_named_here(files):
    assert {name: unread_of(parsed) for name, parsed in files.items() if unread_of(parsed)} == UNREAD


def test_every_readable_file_says_what_is_in_it(files):
    wholly = {name for name in files if UNREAD.get(name, ("",))[0].startswith("could not be read")}
    pictures = {name for name in files if re.fullmatch(r"(\[picture not read: [^\]]+\]\s*)+", files[name].text)}
    assert FACTS.keys() == files.keys() - wholly - pictures
    assert {name for name, fact in FACTS.items() if fact not in files[name].text} == set()


def test_no_file_is_without_a_text_and_places_point_into_it(files):
    for name, parsed in files.items():
        assert parsed.text.strip(), name
        starts = [place.start for place in parsed.places]
        assert starts == sorted(starts), name
        assert all(0 <= start < len(parsed.text) for start in starts), name
        assert all(parsed.text.count(picture.mark) == 1 for picture in parsed.pictures), name


def test_a_table_without_lines_has_the_cells_that_were_expected(files):
    """The expected text was written by hand, beside the file."""
    expected = files["pdf-borderless-table.expected.md"].text
    assert _rows(files["pdf-borderless-table.pdf"].text) == _rows(expected)


def _rows(text: str) -> list[list[str]]:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.split("\n") if line.startswith("|")]
    return [row for row in rows if set("".join(row)) != {"-"}]


def test_three_columns_read_one_after_the_other(files):
    """Sentences of each column, and one that goes on at the top of the next; headers are in none of them."""
    text = files["pdf-3col-federal-register.pdf"].text
    for sentence in (
        "notices is to give interested persons an opportunity to participate in the rule making prior to the adoption",
        "all The Boeing Company Model 737",
        "The FAA may change this NPRM because of those comments.",
        "data that would enable the agency to provide cost estimates for the operational readiness flight",
    ):
        assert sentence in text
    assert text.count(" / Thursday, August 6, 2020 / Proposed Rules") == 2  # as left and right pages have it
    assert text.count("jbell on DSKJLSW7X2PROD") == 1  # up the side of every page


@pytest.mark.parametrize("name", FAMILIES)
def test_every_page_of_a_folder_has_its_text(shared, name):
    texts = family(name)
    assert FAMILIES[name] in "\n".join(texts.values())
    empty = {page for page, text in texts.items() if not text.strip() or text == "[no text]"}
    assert all("entities" in page for page in empty)  # comments without a body, in whole exports


def test_the_page_shows_what_is_measured(shared):
    page = PAGE.read_text(encoding="utf-8")
    shown = page.partition(real_docs.BEGIN)[2].partition(real_docs.END)[0]
    assert shown == real_docs.table(), "run python -m tests.core.parsing.real_docs"
