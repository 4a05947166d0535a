"""Merged cells are taken apart, and tables have limits that are said."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parsing.storage import Storage


def read(rows):
    return Storage(f"<table><tbody>{rows}</tbody></table>").read()


def cells(text):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.split("\n") if "---" not in line]


def test_every_row_reads_on_its_own():
    shown = read(
        "<tr><th rowspan='2'>Fare</th><th colspan='2'>Price</th></tr><tr><th>net</th><th>gross</th></tr>"
        "<tr><td rowspan='2'>Adult</td><td>10</td><td>12</td></tr><tr><td colspan='2'>free on Sundays</td></tr>"
    )
    assert cells(shown.text) == [
        ["Fare", "Price", "Price"],
        ["Fare", "net", "gross"],
        ["Adult", "10", "12"],
        ["Adult", "free on Sundays", "free on Sundays"],
    ]
    assert shown.unread == ()


def test_rows_and_columns_at_once():
    shown = read(
        "<tr><td>a</td><td rowspan='3' colspan='2'>both</td><td>b</td></tr><tr><td>c</td><td>d</td></tr>"
        "<tr><td>e</td><td>f</td></tr><tr><td>g</td><td>h</td><td>i</td><td>j</td></tr>"
    )
    assert cells(shown.text) == [
        ["a", "both", "both", "b"],
        ["c", "both", "both", "d"],
        ["e", "both", "both", "f"],
        ["g", "h", "i", "j"],
    ]


def test_a_heading_across_the_table_is_said_once():
    assert cells(read("<tr><td colspan='2'>Summer</td></tr><tr><td>a</td><td>b</td></tr>").text) == [
        ["Summer", ""],
        ["a", "b"],
    ]


def test_a_row_that_is_too_short_under_a_cell_from_above():
    shown = read(
        "<tr><td>a</td><td>b</td><td rowspan='2'>c</td></tr><tr><td>d</td></tr><tr><td>e</td><td>f</td><td>g</td></tr>"
    )
    assert cells(shown.text) == [["a", "b", "c"], ["d", "", "c"], ["e", "f", "g"]]


def test_a_rowspan_of_nought_ends_with_its_part_of_the_table():
    shown = Storage(
        "<table><thead><tr><th rowspan='0'>h</th><th>i</th></tr></thead>"
        "<tbody><tr><td rowspan='0'>a</td><td>b</td></tr><tr><td>c</td></tr></tbody></table>"
    ).read()
    assert cells(shown.text) == [["h", "i"], ["a", "b"], ["a", "c"]]


def test_a_real_page(shared):
    text = (shared / "real/confluence/xwiki-tests/tablecolstylerowspan.test").read_text(encoding="utf-8")
    rows = cells(Storage(text[text.index("<table") : text.index("</table>") + 8]).read().text)
    assert rows[1] == [f"Head {number}" for number in range(1, 15)]
    assert rows[0] == [*(f"Head {number}" for number in range(1, 8)), *["Over head"] * 7]
    assert {len(row) for row in rows} == {14}
    assert rows[3] == ["Cell"] * 14


def test_a_table_of_100_000_rows_meets_its_limit():
    began = time.perf_counter()
    shown = read("".join(f"<tr><td>{number}</td><td>x</td></tr>" for number in range(100_000)))
    assert time.perf_counter() - began < 8
    assert "| 9999 | x |" in shown.text
    assert "| 10000 | x |" not in shown.text
    assert shown.text.endswith("[table: rows 10001 to 100000 not read]")
    assert shown.unread == ("of a table of 100000 rows: all after row 10000",)


@pytest.mark.parametrize(
    "row", ["<td rowspan='99999' colspan='99999'>wide</td>", "<td>x</td>" * 1_000, "<td rowspan='60000'>a</td>" * 400]
)
def test_no_table_grows_out_of_hand(row):
    began = time.perf_counter()
    shown = read(f"<tr>{row}</tr>" * 1_000)
    assert time.perf_counter() - began < 8
    assert len(shown.text) < 10_000_000
    assert shown.unread


def test_a_long_merged_cell_is_not_said_in_full_again():
    shown = read(f"<tr><td rowspan='9000'>{'long ' * 2_000}</td><td>x</td></tr>" + "<tr><td>y</td></tr>" * 9_000)
    assert len(shown.text) < 2_000_000
    assert "long ... | y |" in shown.text


@given(st.lists(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=4), max_size=6))
def test_all_rows_have_the_same_width_and_no_cell_is_lost(spans):
    rows, number = "", 0
    for row in spans:
        found = ""
        for wide, tall in row:
            number += 1
            found += f"<td colspan='{wide}' rowspan='{tall}'>cell{number}e</td>"
        rows += f"<tr>{found}</tr>"
    text = read(rows).text
    assert all(f"cell{at}e" in text for at in range(1, number + 1))
    if number:
        assert len({len(row) for row in cells(text)}) == 1
