"""How single cells read."""

from datetime import date, time, timedelta

import openpyxl
import pytest
from openpyxl.comments import Comment
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from core.parsing.office.xlsx import parse
from tests.core.parsing.office.parts import raw_workbook, relations, saved, unzipped, with_stored, workbook, zipped


@pytest.mark.parametrize(
    ("value", "form", "reads"),
    [
        (date(2026, 3, 1), "DD/MM/YYYY", "2026-03-01"),
        (46082 + 14.5 / 24, "yyyy-mm-dd hh:mm", "2026-03-01 14:30"),
        (46082 + 52207 / 86400, '[$-407]d. mmmm yyyy "um" hh:mm:ss', "2026-03-01 14:30:07"),
        (time(9, 5), "h:mm AM/PM", "09:05"),
        (timedelta(hours=26, minutes=30), "[h]:mm", "26:30:00"),
        (46082, '"day" 0', "46082"),
        (46082, '[Red]"due" d-mmm', "2026-03-01"),
        (0.125, "0%", "12.5%"),
        (0.07, "0.00%", "7%"),
        (1234.5, '#,##0.00 "€"', "€ 1234.5"),
        (1234.5, "#,##0.00 [$€-407]", "€ 1234.5"),
        (1234.5, "$#,##0.00", "$ 1234.5"),
        (0.1 + 0.2, "General", "0.3"),
        (123456789012, "General", "123456789012"),
        (True, "General", "TRUE"),
        (-3, "yyyy-mm-dd", "-3"),
        ("#N/A", "General", "#N/A"),
        ("007", "@", "007"),
        ("_x0041_", "General", "A"),
    ],
)
def test_values_read_as_people_see_them(value, form, reads):
    book = openpyxl.Workbook()
    book.active["A1"] = value
    book.active["A1"].number_format = form
    assert parse("v.xlsx", saved(book)).text == f"## Sheet\n\n{reads}"


def test_days_of_both_calendars():
    book = openpyxl.Workbook()
    for row, serial in enumerate((1, 59, 61), 1):
        book.active.cell(row, 1, serial).number_format = "yyyy-mm-dd"
    assert parse("d.xlsx", saved(book)).text == "## Sheet\n\n1900-01-01\n1900-02-28\n1900-03-01"
    book.epoch = CALENDAR_MAC_1904
    assert parse("d.xlsx", saved(book)).text == "## Sheet\n\n1904-01-02\n1904-02-29\n1904-03-02"


def test_formulas_stand_beside_their_values():
    book = workbook([["Price", "Count", "Sum"], [2.5, 5, "=A2*B2"], [1, 1, "=A3*B3"]])
    text = parse("f.xlsx", with_stored(saved(book), {"C2": "12.5"})).text
    assert "| 2.5 | 5 | 12.5 (=A2*B2) |" in text
    assert "| 1 | 1 | (=A3*B3) |" in text


def test_shared_formulas_move_with_their_cells():
    sheet = (
        '<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><f t="shared" ref="B1:B2" si="0">A1*$D$1+LOG10(A1)</f>'
        '<v>2</v></c></row><row r="2"><c r="A2"><v>3</v></c><c r="B2"><f t="shared" si="0"/><v>4</v></c></row>'
        "</sheetData>"
    )
    assert "3 | 4 (=A2*$D$1+LOG10(A2))" in parse("s.xlsx", raw_workbook(sheet)).text


def test_odd_cells_cost_only_themselves():
    sheet = (
        '<sheetData><row r="1"><c r="A1"><v>no number</v></c><c r="B1" t="b"><v>true</v></c>'
        '<c r="C1" t="s"><v>7</v></c><c r="?" t="d"><v>someday</v></c>'
        '<c r="E1"><f t="shared" si="0" ref="E1:E2">A1+1</f><v>1</v></c>'
        '<c r="F1"><f t="shared" si="0"/><v>2</v></c><c r="G1" s="99"><v>5</v></c></row></sheetData>'
    )
    parsed = parse("o.xlsx", raw_workbook(sheet))
    assert parsed.text == "## Data\n\nno number | true | [text not read] | someday | 1 (=A1+1) | 2 (=B1+1) | 5"
    assert not parsed.unread


def test_comments_links_and_errors():
    book = workbook([["Case", "Result"], ["TC-1", "fail"], ["TC-2", None]])
    book.active["B2"].comment = Comment("Anna:\nonly on Mondays", "Anna")
    book.active["D9"].comment = Comment("nothing here yet", "Ben")
    book.active["A2"].hyperlink = "https://example.org/tc/1"
    text = parse("c.xlsx", saved(book)).text
    assert "| [TC-1](https://example.org/tc/1) | fail (comment: Anna: only on Mondays) |" in text
    assert "(comment: nothing here yet)" in text


def test_threads_replace_the_note_that_stands_for_them():
    parts = unzipped(raw_workbook('<sheetData><row r="1"><c r="A1"><v>5</v></c></row></sheetData>'))
    space = "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"
    parts |= {
        "xl/worksheets/_rels/sheet1.xml.rels": relations(
            ("r1", "comments", "../comments1.xml"), ("r2", "threadedComment", "../threads.xml")
        ).encode(),
        "xl/comments1.xml": b'<comments><commentList><comment ref="A1"><text><t>[Threaded comment] see elsewhere</t>'
        b"</text></comment></commentList></comments>",
        "xl/threads.xml": f'<ThreadedComments xmlns="{space}"><threadedComment ref="A1" personId="p1">'
        '<text>Why five?</text></threadedComment><threadedComment ref="A1" personId="p2" parentId="x">'
        "<text>Policy 4.2</text></threadedComment></ThreadedComments>".encode(),
        "xl/persons.xml": f'<personList xmlns="{space}"><person displayName="Anna" id="p1"/></personList>'.encode(),
        "xl/_rels/workbook.xml.rels": relations(
            ("r1", "worksheet", "worksheets/sheet1.xml"), ("r9", "person", "persons.xml")
        ).encode(),
    }
    assert parse("t.xlsx", zipped(parts)).text == "## Data\n\n5 (comment by Anna: Why five?; reply: Policy 4.2)"


def test_cells_without_addresses_inline_text_and_the_strict_variant():
    sheet = (
        '<sheetData><row><c t="inlineStr"><is><r><t>Ca</t></r><r><t>se</t></r></is></c><c t="str"><v>Day</v></c></row>'
        '<row><c><v>1</v></c><c t="d"><v>2026-03-01T00:00:00</v></c></row></sheetData>'
    )
    parts = unzipped(raw_workbook(sheet))
    strict = {
        name: content.replace(
            b"http://schemas.openxmlformats.org/spreadsheetml/2006/main",
            b"http://purl.oclc.org/ooxml/spreadsheetml/main",
        ).replace(
            b"http://schemas.openxmlformats.org/officeDocument/2006/relationships",
            b"http://purl.oclc.org/ooxml/officeDocument/relationships",
        )
        for name, content in parts.items()
    }
    for variant in (parts, strict):
        assert parse("i.xlsx", zipped(variant)).text == "## Data\n\n| Case | Day |\n| --- | --- |\n| 1 | 2026-03-01 |"
