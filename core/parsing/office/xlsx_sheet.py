"""Reads the cells of one sheet, row by row, without holding its part (ECMA-376 part 1, 18.3)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from core.parsing import markdown
from core.parsing.office.errors import PartUnreadable
from core.parsing.office.package import Element, Package, is_on, local, related, whole
from core.parsing.office.xlsx_formulas import Formulas, column_number
from core.parsing.office.xlsx_values import Kind, Values, unescaped

MAX_ROWS = 20_000
"""Rows with content, of a sheet."""
MAX_CELLS = 500_000
MAX_CHARACTERS = 15_000_000
"""Of all cells of a workbook together."""
MAX_SHEET = 300_000_000
"""Bytes of a sheet that are unpacked; what follows the rows (merged cells, links) may lie beyond."""
MAX_MERGED = 5_000
"""Cells of a merged area up to which they are filled."""

_REFERENCE = re.compile(r"\$?([A-Z]{1,3})\$?([0-9]{1,7})")
_TAGS = ("row", "mergeCell", "col", "hyperlink")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as it reads."""

    text: str
    kind: Kind
    style: str = ""
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


@dataclass(frozen=True, slots=True)
class Area:
    """Rows and columns from 1, ends included."""

    top: int
    left: int
    bottom: int
    right: int


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


def read_sheet(package: Package, part: str, values: Values, comments: Mapping[str, str], budget: Budget) -> Sheet:
    """The sheet, as far as the limits allow and the part is sound. Raises FileUnreadable for a bomb."""
    return _Reader(package, part, values, comments, budget).read()


def area_of(reference: str) -> Area | None:
    """`B2:D4`, or a single cell."""
    first, _, last = reference.partition(":")
    start, end = _place(first), _place(last or first)
    return Area(*start, *end) if start and end and start <= end else None


class _Reader:
    def __init__(
        self, package: Package, part: str, values: Values, comments: Mapping[str, str], budget: Budget
    ) -> None:
        self._package = package
        self._part = part
        self._values = values
        self._comments = {place: text for reference, text in comments.items() if (place := _place(reference))}
        self._budget = budget
        self._formulas = Formulas()
        self._sheet = Sheet()
        self._row = 0

    def read(self) -> Sheet:
        sheet = self._sheet
        merged: list[Area] = []
        links: list[tuple[Area, str]] = []
        try:
            for element in self._package.elements(self._part, _TAGS, MAX_SHEET):
                match local(element):
                    case "row":
                        self._read_row(element)
                    case "col" if is_on(element.get("hidden")):
                        sheet.hidden_columns.append((whole(element.get("min")), whole(element.get("max"))))
                    case "mergeCell" if area := area_of(element.get("ref", "")):
                        merged.append(area)
                    case "hyperlink" if area := area_of(element.get("ref", "")):
                        links.append((area, related(element)))
        except PartUnreadable as error:
            sheet.cut = sheet.cut or (
                f"rows after {self._row:,} not read: {error}" if self._row else f"not read: {error}"
            )
        self._link(links)
        self._note_empty_cells()
        for area in merged:
            self._fill(area)
        sheet.rows = {row: dict(sorted(cells.items())) for row, cells in sorted(sheet.rows.items())}
        return sheet

    def _read_row(self, row: Element) -> None:
        sheet = self._sheet
        if sheet.cut:
            return
        number = whole(row.get("r")) or self._row + 1
        cells = self._cells(row, number)
        if cells and (len(sheet.rows) >= MAX_ROWS or self._budget.spent):
            sheet.cut = f"rows after {self._row:,} not read" if sheet.rows else "not read: the workbook is too large"
            return
        if cells:
            self._row = number
            sheet.rows[number] = cells
            self._budget.cells -= len(cells)
            self._budget.characters -= sum(
                len(cell.text) + len(cell.formula) + len(cell.comment) for cell in cells.values()
            )
            if is_on(row.get("hidden")):
                sheet.hidden_rows.add(number)

    def _cells(self, row: Element, number: int) -> dict[int, Cell]:
        cells: dict[int, Cell] = {}
        column = 0
        for element in row:
            place = _place(element.get("r", ""))
            column = place[1] if place else column + 1
            cell = self._cell(element, number, column)
            if cell is not None:
                cells[column] = cell
        return cells

    def _cell(self, element: Element, row: int, column: int) -> Cell | None:
        raw: str | None = None
        formula, repeats = "", False
        stored_as = element.get("t", "n")
        for child in element:
            match local(child):
                case "v":
                    raw = child.text
                case "f":
                    formula, repeats = self._formulas.read(child, row, column)
                case "is":
                    raw = "".join(text.text or "" for text in child.iterfind(".//{*}t"))
        style = element.get("s", "")
        text, kind = self._values.shown(raw, stored_as, style) if raw is not None else ("", "other")
        text = markdown.clean(text).strip()
        comment = self._comments.pop((row, column), "")
        if not (text or formula or comment):
            return None
        return Cell(text, kind, style, formula, repeats, f"({comment})" if comment else "")

    def _note_empty_cells(self) -> None:
        for (row, column), comment in self._comments.items():
            if not self._sheet.cut or row <= self._row:
                self._sheet.rows.setdefault(row, {})[column] = Cell("", "text", comment=f"({comment})")

    def _link(self, links: list[tuple[Area, str]]) -> None:
        try:
            relations = self._package.relations(self._part) if links else {}
        except PartUnreadable:
            return  # the cells' own text stands without the addresses
        for area, reference in links:
            relation = relations.get(reference)
            cell = self._sheet.rows.get(area.top, {}).get(area.left)
            if relation and relation.external and cell:
                linked = replace(cell, text=markdown.link(cell.text, relation.target))
                self._sheet.rows[area.top][area.left] = linked

    def _fill(self, area: Area) -> None:
        """Give a merged area's cells its text: a row or a heading reads alone only so."""
        cell = self._sheet.rows.get(area.top, {}).get(area.left)
        if cell is None or (area.bottom - area.top + 1) * (area.right - area.left + 1) > MAX_MERGED:
            return
        copy = replace(cell, formula="", comment="")
        for row in range(area.top, area.bottom + 1):
            cells = self._sheet.rows.get(row)
            if cells is None or self._budget.spent:
                continue  # a row that holds nothing else needs no copy
            self._budget.cells -= area.right - area.left
            self._budget.characters -= len(copy.text)
            for column in range(area.left, area.right + 1):
                if (row, column) != (area.top, area.left):
                    cells.setdefault(column, replace(copy, across=column > area.left))


def read_strings(package: Package, part: str) -> tuple[list[str], str]:
    """The texts that cells share, and why they are not complete (else empty)."""
    strings: list[str] = []
    size = 0
    try:
        for element in package.elements(part, ("si",), MAX_SHEET):
            pieces = element.iterfind("{*}t"), element.iterfind("{*}r/{*}t")
            text = unescaped("".join(piece.text or "" for found in pieces for piece in found))
            size += len(text)
            if size > 2 * MAX_CHARACTERS:
                return strings, "there is too much text"
            strings.append(text)
    except PartUnreadable as error:
        return strings, str(error)
    return strings, ""


def _place(reference: str) -> tuple[int, int] | None:
    """Row and column of `B12`."""
    match = _REFERENCE.fullmatch(reference)
    return (int(match[2]), column_number(match[1])) if match else None
