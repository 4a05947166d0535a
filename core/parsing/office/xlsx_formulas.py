"""Formulas as they read in their cells."""

import re

from core.parsing import markdown
from core.parsing.office.package import Element

MAX_ROW = 1_048_576
MAX_COLUMN = 16_384
"""Of a sheet (ECMA-376 part 1, 18.3.1.4 and 18.3.1.13, as Excel holds it)."""

_LONG = 60
"""Characters from which a formula that is repeated down a column need not be spelled out again."""
# Texts, names of sheets and parts of named tables hold nothing that moves; LOG10( is a function.
_TOKENS = re.compile(
    r"""(?P<fixed>"(?:[^"]|"")*" | '(?:[^']|'')*' | \[(?:[^\[\]]|\[[^\[\]]*\])*\])
    | (?<![\w.$]) (?:
        (?P<c1>\$?[A-Z]{1,3}) : (?P<c2>\$?[A-Z]{1,3})
      | (?P<r1>\$?[0-9]{1,7}) : (?P<r2>\$?[0-9]{1,7})
      | (?P<column>\$?[A-Z]{1,3}) (?P<row>\$?[0-9]{1,7})
    ) (?![\w.(!])""",
    re.VERBOSE,
)


class Formulas:
    """Formulas of one sheet. Those that cells share are stored with the first of them (ECMA-376 part 1, 18.3.1.40)."""

    def __init__(self) -> None:
        self._shared: dict[str, tuple[str, int, int]] = {}
        self._above: dict[int, tuple[int, str]] = {}

    def read(self, element: Element, row: int, column: int) -> tuple[str, bool]:
        """`=B2*C2`, and whether it is long and, but for where it stands, that of the cell above."""
        formula = markdown.one_line(element.text or "").replace("_xlfn.", "").replace("_xlws.", "").lstrip("=")
        shared = element.get("si", "") if element.get("t") == "shared" else ""
        if shared and formula:
            self._shared[shared] = formula, row, column
        elif shared in self._shared:
            first, from_row, from_column = self._shared[shared]
            formula = moved(first, row - from_row, column - from_column)
        if len(formula) < _LONG:
            return f"={formula}" if formula else "", False
        above, self._above[column] = self._above.get(column), (row, formula)
        return f"={formula}", above is not None and above[0] == row - 1 and moved(above[1], 1, 0) == formula


def moved(formula: str, rows: int, columns: int) -> str:
    """The formula as it reads when its cell is copied so many rows down and columns to the right."""

    def token(match: re.Match[str]) -> str:
        if match["fixed"]:
            return match[0]
        if match["c1"]:
            return f"{_column(match['c1'], columns)}:{_column(match['c2'], columns)}"
        if match["r1"]:
            return f"{_row(match['r1'], rows)}:{_row(match['r2'], rows)}"
        place = _column(match["column"], columns) + _row(match["row"], rows)
        return "#REF!" if "#" in place else place

    return _TOKENS.sub(token, formula)


def column_number(letters: str) -> int:
    """1 for A."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number


def _column(letters: str, by: int) -> str:
    if letters.startswith("$"):
        return letters
    number = column_number(letters) + by
    if not 0 < number <= MAX_COLUMN:
        return "#REF!"
    text = ""
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(65 + rest) + text
    return text


def _row(number: str, by: int) -> str:
    if number.startswith("$"):
        return number
    return str(int(number) + by) if 0 < int(number) + by <= MAX_ROW else "#REF!"
