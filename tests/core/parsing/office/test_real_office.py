"""Files that other projects keep because they are hard."""

from pathlib import Path

import pytest

from core.parsing.office import pptx, xlsx
from core.parsing.parsed import Parsed

UNREADABLE = {
    "xlsx-poi-poc-xmlbomb.xlsx": "it declares XML entities, which no Office file may",
    "xlsx-poi-protected_passtika.xlsx": "it is encrypted",
    "xlsx-poi-xlsx-corrupted.xlsx": "it is damaged: its list of relations cannot be read",
}
FACTS = {
    "pptx-bad-text.pptx": "## Slide 1: X-Library The fully customisable and copyright-free standard content",
    "pptx-comment.pptx": "Comment by XPVMWARE01: test phrase",
    "pptx-embedded-pptx.pptx": "[slide 1 holds nothing]",
    "pptx-grouped-shapes.pptx": "[slide 1 holds shapes without text]",
    "pptx-groupshape.pptx": "[slide 1 holds shapes without text]",
    "pptx-malformed-pictures.pptx": "## Slide 2\n\nSlide With Dangling Rel",
    "pptx-markitdown-test.pptx": "| 7 | 8 | 9 | 1b92870d-e3b5-4e65-8153-919f4ff45592 | 11 | 12 |",
    "pptx-notes.pptx": "Notes:\n\n> Notes",
    "pptx-smartart-simple.pptx": "Diagram (relationship):\n\n- abc\n- def\n- ghi",
    "pptx-smartart.pptx": "[SmartArt without text]",
    "xlsx-docling-04-inflated.xlsx": "| first | header / second | header / third |\n| --- | --- | --- |\n| 1 | 2 | 3 |",
    "xlsx-docling-06-edge.xlsx": "| G1 | H1 | I3 |\n| --- | --- | --- |\n| Overview 1 | Purpose 1 | Extra 1 |",
    "xlsx-docling-07-gap.xlsx": "2 (=(A11+1)) | Rated system frequency |  | Hz | : | 134",
    "xlsx-docling-comments.xlsx": "80 (comment by Jane Smith (JS): Minimum number of saltwater ducks; reply by Marc",
    "xlsx-poi-49156.xlsx": "6000 (=SUM(F60:G60))",
    "xlsx-poi-50867_with_table.xlsx": "Table Tabella1:\n\n| a | b | c |\n| --- | --- | --- |\n| 4 | 5 | 6 |",
    "xlsx-poi-62629_toMerge.xlsx": "1/2 CHEST | A | G",
    "xlsx-poi-DateFormatTests.xlsx": "| 01-01-2025 (=TEXT(C41, B41)) | dd-mm-yyyy | 2025-01-01 | Date |",
    "xlsx-poi-StructuredRefs-lots-with-lookups.xlsx": "| 2000\\|Alabama | 2000 | Alabama | 745447 | 39100 | 14673 |",
    "xlsx-poi-TwoSheetsOneHidden.xlsx": "## Sheet1 (hidden)\n\nSheet1A1\n\n## Sheet2\n\nSheet2A1",
    "xlsx-poi-unicodeSheetName.xlsx": "## Sheet・1\n\n1\n2\n3",
}
LOST = {
    "pptx-comment.pptx": "embedded file not read: Slide (PowerPoint.Slide.8) on slide 8",
    "pptx-malformed-pictures.pptx": "picture not read: _good_picture.png on slide 1: it is missing",
}


def read(path: Path) -> Parsed:
    return (xlsx if path.suffix == ".xlsx" else pptx).parse(path.name, path.read_bytes())


def test_every_file_is_named_here(shared):
    there = {path.name for path in (shared / "real" / "docs").glob("*") if path.suffix in {".xlsx", ".pptx"}}
    assert there == FACTS.keys() | UNREADABLE.keys()


@pytest.mark.parametrize("name", FACTS)
def test_readable_files_give_their_facts(shared, name):
    parsed = read(shared / "real" / "docs" / name)
    assert FACTS[name] in parsed.text
    assert (LOST[name] in parsed.unread) if name in LOST else not parsed.unread
    assert all(parsed.text.count(picture.mark) == 1 for picture in parsed.pictures)
    assert [place.start for place in parsed.places] == sorted({place.start for place in parsed.places})
    assert parsed.places
    assert "NaN" not in parsed.text
    assert "Unnamed" not in parsed.text


@pytest.mark.parametrize("name", UNREADABLE)
def test_unreadable_files_say_why(shared, name):
    assert read(shared / "real" / "docs" / name).unread == (f"could not be read: {UNREADABLE[name]}",)
