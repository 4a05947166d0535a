"""Reads the cells of one sheet, row by row, up to the limits.

openpyxl's parser interprets each cell, but its workbooks are not used. Read whole, 100,000 rows of 10 columns took
47 s and 0.9 GB for formulas and values, where this stops at its limit after 5 s and 0.1 GB; read in its streaming mode
(31 s), they tell neither hidden rows nor merged cells nor comments; in both, one odd cell is the end of the workbook.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from openpyxl.formula.tokenizer import TokenizerError
from openpyxl.formula.translate import Translator, TranslatorError
from openpyxl.utils.cell import column_index_from_string, coordinate_from_string, get_column_letter
from openpyxl.utils.exceptions import CellCoordinatesException
from openpyxl.worksheet._reader import FORMULA_TAG, VALUE_TAG, WorkSheetParser
from openpyxl.worksheet.cell_range import CellRange
from openpyxl.worksheet.formula import ArrayFormula

from core.parsing import markdown
from core.parsing.office.errors import PartUnreadable
from core.parsing.office.package import Element, Package, Part, address, is_on, local, reference, whole
from core.parsing.office.xlsx_values import Kind, Values

MAX_ROWS = 20_000
"""Rows with content, of a sheet."""
MAX_CELLS = 500_000
MAX_CHARACTERS = 15_000_000
"""Of all cells of a workbook together."""
MAX_MERGED = 5_000
"""Cells of a merged area up to which they are filled."""

_LONG = 60
"""Characters from which a formula that is repeated down a column need not be spelled out again."""
_TAGS = ("row", "mergeCell", "col", "hyperlink")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as it reads."""

    text: str
    kind: Kind
    style: int = 0
    formula: str = ""
    repeats: bool = False
    """Its formula is long, and that of the cell above."""
    comment: str = ""
    across: bool = False
    """Belongs to the merged cell to its left, whose text it has."""

    def full(self, *, spelled: bool = True) -> str:
        """`12.5 (=B2*C2) (comment: too low)`. A repeated formula is spelled out or only mentioned."""
        formula = self.formula if spelled or not self.repeats else "formula as above"
        return " ".join(part for part in (self.text, f"({formula})" if formula else "", self.comment) if part)


@dataclass(slots=True)
class Sheet:
    """The cells with content, by row and column."""

    rows: dict[int, dict[int, Cell]] = field(default_factory=dict)
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: list[tuple[int, int]] = field(default_factory=list)
    cut: str = ""
    """What of it was not read: `rows after 20,000 not read`."""

    def hides(self, column: int) -> bool:
        return any(first <= column <= last for first, last in self.hidden_columns)


@dataclass(slots=True)
class Budget:
    """What may still be read of a workbook."""

    cells: int = MAX_CELLS
    characters: int = MAX_CHARACTERS

    @property
    def spent(self) -> bool:
        return self.cells <= 0 or self.characters <= 0


def area_of(text: str) -> Any:
    """`B2:D4`, or a single cell, as openpyxl sees it; None for what is neither."""
    try:
        return CellRange(text)
    except (TypeError, ValueError):
        return None


class SheetReader:
    """Reads a sheet, as far as the limits allow and the part is sound."""

    def __init__(
        self, part: Part, strings: list[str], values: Values, comments: Mapping[str, str], budget: Budget
    ) -> None:
        self._part = part
        self._values = values
        self._comments = {(area.min_row, area.min_col): text for at, text in comments.items() if (area := area_of(at))}
        self._budget = budget
        self._parser = WorkSheetParser(None, strings, data_only=True)
        self._above: dict[int, tuple[int, str]] = {}
        self._sheet = Sheet()

    def read(self, package: Package) -> Sheet:
        """Raises FileUnreadable for a bomb."""
        sheet = self._sheet
        merged: list[Any] = []
        links: list[tuple[Any, str]] = []
        try:
            for element in package.elements(self._part, _TAGS):
                match local(element):
                    case "row" if not sheet.cut:
                        self._read_row(element)
                    case "col" if is_on(element.get("hidden")):
                        sheet.hidden_columns.append((whole(element.get("min")), whole(element.get("max"))))
                    case "mergeCell" if area := area_of(element.get("ref", "")):
                        merged.append(area)
                    case "hyperlink" if area := area_of(element.get("ref", "")):
                        links.append((area, address(self._part, reference(element))))
        except PartUnreadable as error:
            row = self._parser.row_counter
            sheet.cut = sheet.cut or (f"rows after {row:,} not read: {error}" if row else f"not read: {error}")
        for (row, column), comment in self._comments.items():
            if not sheet.cut or row <= self._parser.row_counter:
                sheet.rows.setdefault(row, {})[column] = Cell("", "text", comment=f"({comment})")
        for area, link in links:
            if link and (cell := sheet.rows.get(area.min_row, {}).get(area.min_col)):
                sheet.rows[area.min_row][area.min_col] = replace(cell, text=markdown.link(cell.text, link))
        for area in merged:
            self._fill(area)
        sheet.rows = {row: dict(sorted(cells.items())) for row, cells in sorted(sheet.rows.items())}
        return sheet

    def _read_row(self, element: Element) -> None:
        sheet, parser, last = self._sheet, self._parser, self._parser.row_counter
        parser.row_counter = number = whole(element.get("r")) or last + 1
        parser.col_counter = 0
        cells = {
            at: cell for child in element if (cell := self._cell(child, number, at := self._column(child, number)))
        }
        if cells and (len(sheet.rows) >= MAX_ROWS or self._budget.spent):
            sheet.cut = f"rows after {last:,} not read" if sheet.rows else "not read: the workbook is too large"
            parser.row_counter = last
            return
        if cells:
            sheet.rows[number] = cells
            self._budget.cells -= len(cells)
            self._budget.characters -= sum(len(cell.full()) for cell in cells.values())
            if is_on(element.get("hidden")):
                sheet.hidden_rows.add(number)

    def _column(self, element: Element, row: int) -> int:
        try:
            column = int(column_index_from_string(coordinate_from_string(element.get("r", ""))[0]))
        except (CellCoordinatesException, ValueError):
            column = self._parser.col_counter + 1
        element.set("r", f"{get_column_letter(column)}{row}")
        self._parser.col_counter = column
        return column

    def _cell(self, element: Element, row: int, column: int) -> Cell | None:
        style = whole(element.get("s"))
        text, kind = self._values.shown(*self._stored(element), style)
        text = markdown.clean(text).strip()
        formula, repeats = self._formula(element, row, column) if element.find(FORMULA_TAG) is not None else ("", False)
        comment = self._comments.pop((row, column), "")
        if not (text or formula or comment):
            return None
        return Cell(text, kind, style, formula, repeats, f"({comment})" if comment else "")

    def _stored(self, element: Element) -> tuple[Any, str]:
        """The value, and openpyxl's word for its type."""
        element.attrib.pop("s", None)  # so that a date stays the number that it is
        try:
            found = self._parser.parse_cell(element)
        except IndexError:
            return "[text not read]", "s"
        except (TypeError, ValueError):
            return element.findtext(VALUE_TAG) or "", "s"
        return found["value"], found["data_type"]

    def _formula(self, element: Element, row: int, column: int) -> tuple[str, bool]:
        """`=B2*C2`, and whether it is long and, but for where it stands, that of the cell above."""
        try:
            found = self._parser.parse_formula(element)
        except (TokenizerError, TranslatorError, TypeError, ValueError):
            return "formula not read", False
        text = found.text if isinstance(found, ArrayFormula) else found
        formula = markdown.one_line(text).replace("_xlfn.", "").replace("_xlws.", "") if isinstance(text, str) else ""
        if len(formula) <= _LONG:
            return ("" if formula == "=" else formula), False
        above, self._above[column] = self._above.get(column), (row, formula)
        return formula, above is not None and above[0] == row - 1 and _moved_down(above[1]) == formula

    def _fill(self, area: Any) -> None:
        """Give a merged area's cells its text: a row or a heading reads alone only so."""
        cell = self._sheet.rows.get(area.min_row, {}).get(area.min_col)
        if cell is None or area.size["rows"] * area.size["columns"] > MAX_MERGED:
            return
        copy = replace(cell, formula="", comment="")
        for row in range(area.min_row, area.max_row + 1):
            cells = self._sheet.rows.get(row)
            if cells is None or self._budget.spent:
                continue  # a row that holds nothing else needs no copy
            self._budget.cells -= area.max_col - area.min_col
            self._budget.characters -= len(copy.text)
            for column in range(area.min_col, area.max_col + 1):
                if (row, column) != (area.min_row, area.min_col):
                    cells.setdefault(column, replace(copy, across=column > area.min_col))


def _moved_down(formula: str) -> str:
    try:
        return str(Translator(formula, origin="A1").translate_formula(row_delta=1))
    except (TokenizerError, TranslatorError):
        return ""
