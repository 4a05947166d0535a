"""A draft as an Excel workbook: text cells only, whatever they hold."""

import io
import re

from openpyxl import Workbook
from openpyxl.cell import Cell
from openpyxl.styles import Alignment, Font

from crosscheck.test_case_files.cells import cell, is_formula
from crosscheck.test_case_files.table import COLUMNS, rows
from review.test_cases.types import Draft

_WIDTHS = {"id": 14, "number": 9, "ticket": 12, "kind": 12, "priority": 10}
_WIDE = 44
_ESCAPE = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
"""What Excel reads as a character (ECMA-376 part 1, 22.9.2.19) is written so that it reads the text itself."""


def write(draft: Draft) -> bytes:
    """One sheet with a frozen header, a row a case."""
    book = Workbook()
    sheet = book.active
    sheet.title = "Test cases"
    for number, name in enumerate(COLUMNS, 1):
        head = sheet.cell(1, number, name)
        head.font = Font(bold=True)
        sheet.column_dimensions[head.column_letter].width = _WIDTHS.get(name, _WIDE)
    for row, texts in enumerate(rows(draft), 2):
        for number, text in enumerate(texts, 1):
            _set(sheet.cell(row, number), text)
    sheet.freeze_panes = "A2"
    sheet.auto_filter.ref = sheet.dimensions
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def _set(target: Cell, text: str) -> None:
    """Text stays text: neither openpyxl nor, when somebody edits the cell, Excel makes a formula of it."""
    shown = cell(text)
    target.value = _ESCAPE.sub("_x005F_", shown)
    target.data_type = "s"
    target.quotePrefix = is_formula(shown)
    target.alignment = Alignment(wrap_text=True, vertical="top")
