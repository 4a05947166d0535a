"""How a sheet's cells become tables: field report O1 and its harder siblings."""

import itertools

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.styles import Font
from openpyxl.worksheet.table import Table

from core.parsing.office.xlsx import parse
from core.parsing.office.xlsx_tables import GROUP
from tests.core.parsing.office.parts import saved, with_stored, workbook


def text_of(book: openpyxl.Workbook) -> str:
    return parse("book.xlsx", saved(book)).text


def place(book: openpyxl.Workbook, cells: dict[str, object]) -> None:
    for name, value in cells.items():
        book.active[name] = value


def test_a_title_above_the_head_and_an_empty_column_do_not_hide_the_head():
    """O1, first sheet."""
    book = workbook([], "Plan")
    place(
        book, {"A1": "Q3 PLAN", "A3": "Case", "C3": "Tester", "D3": "Result", "A4": "TC-1", "C4": "Anna", "D4": "pass"}
    )
    parsed = parse("plan.xlsx", saved(book))
    assert (
        parsed.text == "## Plan\n\nQ3 PLAN\n\n| Case | Tester | Result |\n| --- | --- | --- |\n| TC-1 | Anna | pass |"
    )
    assert [(p.start, p.label) for p in parsed.places] == [(0, "sheet Plan, rows 1 to 4")]
    assert not parsed.unread


def test_two_tables_side_by_side_are_told_apart_and_formulas_stand_beside_their_values():
    """O1, second sheet."""
    book = workbook(
        [["Item", "Price", None, "Name", "Phone"], ["Disk", 12.5, None, "Anna", 17], ["Cable", 2, None, "Ben", 18]]
    )
    book.active["B4"] = "=SUM(B2:B3)"
    text = parse("book.xlsx", with_stored(saved(book), {"B4": "14.5"})).text
    assert "| Item | Price |\n| --- | --- |\n| Disk | 12.5 |\n| Cable | 2 |\n|  | 14.5 (=SUM(B2:B3)) |" in text
    assert "| Name | Phone |\n| --- | --- |\n| Anna | 17 |\n| Ben | 18 |" in text


def test_no_name_is_invented_and_nothing_is_not_a_number():
    book = workbook([[None, "B", None], ["x", None, None], ["y", 2, None]])
    text = text_of(book)
    assert text == "## Sheet\n\n|  | B |\n| --- | --- |\n| x |  |\n| y | 2 |"


def test_side_by_side_tables_of_different_heights_with_titles():
    book = workbook([])
    place(book, {"A1": "Left", "A2": "k", "B2": "v", "A3": 1, "B3": 2, "A4": 3, "B4": 4})
    place(
        book,
        {"E1": "Right", "E3": "name", "F3": "age", "E4": "Anna", "F4": 40, "E5": "Ben", "F5": 41, "E6": "C", "F6": 1},
    )
    text = text_of(book)
    assert "Left\n\n| k | v |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |" in text
    assert "Right\n\n| name | age |\n| --- | --- |\n| Anna | 40 |\n| Ben | 41 |\n| C | 1 |" in text


def test_two_lists_with_the_same_heading_are_not_one_table():
    book = workbook([["states", None, "states"], ["Ohio", None, "All"], ["Iowa", None, "Ohio"]])
    assert "Ohio | All" not in text_of(book)


def test_tables_that_touch_at_a_corner():
    book = workbook([["a", "b", None, None], [1, 2, None, None], [None, None, "c", "d"], [None, None, 3, 4]])
    assert text_of(book) == "## Sheet\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n| c | d |\n| --- | --- |\n| 3 | 4 |"


def test_a_title_directly_above_the_head():
    book = workbook([["Prices of 2026"], ["Item", "Price", "Note"], ["Disk", 12, "new"]])
    assert text_of(book).startswith("## Sheet\n\nPrices of 2026\n\n| Item | Price | Note |\n| --- |")


def test_a_merged_title_is_said_once():
    book = workbook([["Prices of 2026"], ["Item", "Price", "Note"], ["Disk", 12, "new"]])
    book.active.merge_cells("A1:C1")
    assert text_of(book).count("Prices of 2026") == 1


def test_merged_heads_name_each_column_and_merged_rows_are_filled():
    book = workbook([["Region", "Sales", None], [None, 2025, 2026], ["North", 1, 2], [None, 3, 4]])
    for area in ("A1:A2", "B1:C1", "A3:A4"):
        book.active.merge_cells(area)
    place(book, {"B2": "2025", "C2": "2026"})
    head = "| Region | Sales / 2025 | Sales / 2026 |\n| --- | --- | --- |"
    assert text_of(book) == f"## Sheet\n\n{head}\n| North | 1 | 2 |\n| North | 3 | 4 |"


def test_years_may_be_headings():
    book = workbook([["Region", 2025, 2026], ["North", 1, 2]])
    assert "| Region | 2025 | 2026 |\n| --- |" in text_of(book)


def test_rows_of_numbers_without_a_head_stay_rows():
    assert text_of(workbook([[1, 2], [3, None], [5, 6]])) == "## Sheet\n\n1 | 2\n3\n5 | 6"


def test_a_table_that_goes_on_after_an_empty_row_has_the_same_head():
    rows = [["Case", "Result"], ["TC-1", "pass"], ["TC-2", "fail"], [None, None], ["TC-3", "pass"]]
    assert "| Case | Result |\n| --- | --- |\n| TC-3 | pass |" in text_of(workbook(rows))


def test_a_table_below_another_keeps_its_own_head():
    rows = [["Case", "Tries"], ["TC-1", 1], ["TC-2", 2], [None, None], ["Name", "Phone"], ["Anna", 17]]
    text = text_of(workbook(rows))
    assert "| TC-2 | 2 |\n\n| Name | Phone |\n| --- | --- |\n| Anna | 17 |" in text


def test_a_form_reads_row_by_row():
    book = workbook([["Name:", None, "Anna"], ["Role:", None, "Tester"], ["Since:", None, "May"]])
    assert text_of(book) == "## Sheet\n\nName: | Anna\nRole: | Tester\nSince: | May"


def test_named_tables_have_their_names_and_need_no_gap():
    book = workbook([["a", "b", "c"], [1, 2, 3], [4, 5, 6]])
    book.active.add_table(Table(displayName="Left", ref="A1:B3"))
    text = text_of(book)
    assert "Table Left:\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n| 4 | 5 |" in text
    assert "| c |\n| --- |\n| 3 |\n| 6 |" in text


def test_a_lone_column_has_a_head_when_it_looks_like_one():
    book = workbook([["States"], ["Ohio"], ["Iowa"]])
    assert text_of(book) == "## Sheet\n\nStates\nOhio\nIowa"
    book.active["A1"].font = Font(bold=True)
    assert text_of(book) == "## Sheet\n\n| States |\n| --- |\n| Ohio |\n| Iowa |"


def test_cells_cannot_break_their_row():
    text = text_of(workbook([["a|b", "c"], ["line\nbreak", 1]]))
    assert "| a\\|b | c |" in text
    assert "| line<br>break | 1 |" in text


def test_each_group_of_rows_has_the_head_and_a_place():
    book = workbook([["Case", "Steps", "Result"]], "Cases")
    for number in range(2, 402):
        book.active.append([f"TC-{number}", f"Open page {number} and press the button", "pass"])
    parsed = parse("cases.xlsx", saved(book))
    assert len(parsed.places) > 5
    ends = [place.start for place in parsed.places[1:]] + [len(parsed.text)]
    rows = []
    for place_, end in zip(parsed.places, ends, strict=True):
        piece = parsed.text[place_.start : end].strip()
        assert piece.removeprefix("## Cases").strip().startswith("| Case | Steps | Result |\n| --- | --- | --- |\n")
        assert len(piece) <= GROUP + 50
        first, last = (int(word) for word in place_.label.removeprefix("sheet Cases, rows ").split(" to "))
        assert all(f"| TC-{number} |" in piece for number in range(first, last + 1))
        rows += range(first, last + 1)
    assert rows == list(range(2, 402))


def test_a_long_formula_down_a_column_is_spelled_out_once_a_group():
    book = workbook([["Case", "State"]])
    long = '=IF(AND(A{0}="TC-1",B$1="State"),"the state of the first case","some other state")'
    for number in range(2, 6):
        book.active.append([f"TC-{number}", long.format(number)])
    text = text_of(book)
    assert text.count("some other state") == 1
    assert text.count("(formula as above)") == 3


@given(cells=st.dictionaries(st.tuples(st.integers(1, 12), st.integers(1, 9)), st.booleans(), min_size=1, max_size=40))
@settings(max_examples=80, deadline=None)
def test_every_cell_is_in_the_text_exactly_once(cells):
    """Wherever cells stand, none is lost and none said twice but in a head that is repeated."""
    book = openpyxl.Workbook()
    for number, ((row, column), is_number) in enumerate(cells.items(), 1000):
        book.active.cell(row, column, number if is_number else f"t{number}")
    lines = text_of(book).split("\n")
    heads = [line for line, below in itertools.pairwise(lines) if below.startswith("| ---")]
    kept = [line for line in lines if line not in heads] + list(dict.fromkeys(heads))
    for number in range(1000, 1000 + len(cells)):
        assert "\n".join(kept).count(str(number)) == 1


@pytest.mark.parametrize("hidden", list(itertools.product([True, False], repeat=3)))
def test_what_is_hidden_is_marked(hidden):
    sheet, row, column = hidden
    book = workbook([["Item", "Cost"], ["Disk", 7], ["Cable", 2]], "Prices")
    book.create_sheet("Other")
    if sheet:
        book.active.sheet_state = "veryHidden"
    book["Prices"].row_dimensions[3].hidden = row
    book["Prices"].column_dimensions["B"].hidden = column
    parsed = parse("prices.xlsx", saved(book))
    assert ("## Prices (hidden)" in parsed.text) is sheet
    assert (parsed.places[0].label == "sheet Prices (hidden), rows 2 to 3") is sheet
    assert ("| Cable (hidden) | 2 |" in parsed.text) is row
    assert ("| Item | Cost (hidden) |" in parsed.text) is column
    assert parsed.text.count("(hidden)") == sum(hidden)
