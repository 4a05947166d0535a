"""What is too much for a workbook's reader is said, and costs nothing else."""

import time

import openpyxl

from core.parsing.office import xlsx, xlsx_sheet
from core.parsing.office.xlsx import MAX_SHEETS, parse
from tests.core.parsing.office.parts import raw_workbook, saved, unzipped, workbook, zipped


def rows(first: int, last: int) -> str:
    return "".join(
        f'<row r="{n}"><c r="A{n}"><v>{n}</v></c><c r="B{n}"><v>7</v></c></row>' for n in range(first, last + 1)
    )


def test_rows_after_the_limit_are_said_to_be_unread():
    head = '<row r="1"><c r="A1" t="str"><v>Case</v></c><c r="B1" t="str"><v>Tries</v></c></row>'
    data = raw_workbook(f"<sheetData>{head}{rows(2, 100_000)}</sheetData>")
    started = time.monotonic()
    parsed = parse("long.xlsx", data)
    assert time.monotonic() - started < 10
    assert parsed.unread == ("sheet Data: rows after 20,000 not read",)
    assert parsed.text.endswith("[sheet Data: rows after 20,000 not read]")
    assert "| 20000 | 7 |" in parsed.text
    assert "| 20001 | 7 |" not in parsed.text
    assert parsed.places[-1].label.endswith("to 20000")


def test_empty_rows_do_not_count():
    empty = "".join(f'<row r="{n}"><c r="A{n}" s="1"/></row>' for n in range(2, 40_000))
    data = raw_workbook(f"<sheetData>{rows(1, 1)}{empty}{rows(40_000, 40_000)}</sheetData>")
    parsed = parse("gap.xlsx", data)
    assert not parsed.unread
    assert "40000 | 7" in parsed.text


def test_a_workbook_has_a_budget_of_cells_and_characters():
    book = workbook([["x" * 100] * 10] * 20, "First")
    book.create_sheet("Second").append(["late"])
    data = saved(book)
    for budget in (xlsx_sheet.Budget(cells=100), xlsx_sheet.Budget(characters=10_000)):
        parsed = xlsx.parse("b.xlsx", data, budget)
        assert parsed.unread == (
            "sheet First: rows after 10 not read",
            "sheet Second: not read: the workbook is too large",
        )


def test_sheets_after_the_limit():
    book = openpyxl.Workbook()
    for number in range(MAX_SHEETS + 5):
        book.create_sheet(f"S{number}")
    parsed = parse("many.xlsx", saved(book))
    assert parsed.unread == (f"sheets after {MAX_SHEETS} not read",)


def test_a_damaged_sheet_costs_only_itself_and_keeps_what_came_before():
    book = workbook([["Case", "Result"], ["TC-1", "pass"]], "Bad")
    book.create_sheet("Good").append(["fine"])
    parts = unzipped(saved(book))
    sheet = parts["xl/worksheets/sheet1.xml"]
    parts["xl/worksheets/sheet1.xml"] = sheet[: sheet.index(b"</row>") + 6] + b"<row r="
    parsed = parse("half.xlsx", zipped(parts))
    assert parsed.unread == ("sheet Bad: rows after 1 not read: it is damaged",)
    assert "Case | Result" in parsed.text
    assert "## Good\n\nfine" in parsed.text
    del parts["xl/worksheets/sheet1.xml"]
    assert parse("gone.xlsx", zipped(parts)).unread == ("sheet Bad: not read: it is missing",)


def test_missing_texts_and_formats_are_said():
    parts = unzipped(raw_workbook('<sheetData><row><c t="s"><v>0</v></c><c><v>5</v></c></row></sheetData>'))
    parsed = parse("n.xlsx", zipped({**parts, "xl/sharedStrings.xml": b"<sst><si>", "xl/styles.xml": b"<"}))
    assert parsed.unread == (
        "texts of cells not read: it is damaged",
        "formats of numbers, so that dates read as numbers, not read: it is damaged",
    )
    assert "[text not read] | 5" in parsed.text


def test_scattered_cells_end_quickly():
    scattered = "".join(f'<row r="{3 * n}"><c r="{"AB"[n % 2]}{3 * n}"><v>{n}</v></c></row>' for n in range(1, 30_000))
    started = time.monotonic()
    parsed = parse("scattered.xlsx", raw_workbook(f"<sheetData>{scattered}</sheetData>"))
    assert time.monotonic() - started < 10
    assert parsed.unread


def test_a_huge_merged_area_is_not_filled():
    sheet = f'<sheetData>{rows(1, 3)}</sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>'
    assert parse("m.xlsx", raw_workbook(sheet)).text == "## Data\n\n1 | 7\n2 | 7\n3 | 7"


def test_binary_workbooks_are_named():
    parts = unzipped(raw_workbook("<sheetData/>"))
    parts["_rels/.rels"] = parts["_rels/.rels"].replace(b"workbook.xml", b"workbook.bin")
    parts["xl/workbook.bin"] = b"\0"
    assert parse("b.xlsb", zipped(parts)).unread == (
        "could not be read: it is a binary workbook (.xlsb); save it as .xlsx",
    )
