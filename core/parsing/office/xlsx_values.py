"""How a cell's stored value reads, by openpyxl's knowledge of number formats and dates."""

import datetime as dt
import re
from functools import cache
from typing import Any, Literal

from openpyxl.styles.numbers import BUILTIN_FORMATS, BUILTIN_FORMATS_MAX_SIZE, STRIP_RE, is_datetime
from openpyxl.utils.datetime import from_excel
from openpyxl.utils.escape import unescape

Kind = Literal["text", "number", "date", "other"]

_CURRENCY = re.compile(r"\[\$([^\]-]+)[^\]]*\]|([€£¥$])")
_DAYS = 2_958_466  # of the calendar, up to the end of 9999


class Values:
    """Turns what openpyxl finds in the cells of a workbook into text."""

    def __init__(self, book: Any) -> None:
        self._book = book
        self._format = cache(self._look_up)

    def shown(self, value: Any, stored_as: str, style: int) -> tuple[str, Kind]:
        """The text of a value; `stored_as` is openpyxl's word for its type (`n`, `s`, `b`, `d`, `e`)."""
        if value is None:
            return "", "other"
        if isinstance(value, bool):
            return str(value).upper(), "other"
        if isinstance(value, int | float):
            return self._number(value, style)
        if isinstance(value, dt.date | dt.time | dt.timedelta):
            return _moment(value, "datetime"), "date"
        return unescape(value), "other" if stored_as == "e" else "text"

    def _number(self, number: float, style: int) -> tuple[str, Kind]:
        code = self._format(style)
        if style in self._book._date_formats and 0 <= number < _DAYS:  # noqa: SLF001 what openpyxl made of the styles
            spent = style in self._book._timedelta_formats  # noqa: SLF001
            return _moment(from_excel(number, self._book.epoch, timedelta=spent), is_datetime(code.lower())), "date"
        if "%" in STRIP_RE.sub("", code):
            return f"{_plain(round(number * 100, 4))}%", "number"
        sign = _CURRENCY.search(code)
        return f"{(sign[1] or sign[2]).strip() if sign else ''} {_plain(number)}".strip(), "number"

    def _look_up(self, style: int) -> str:
        """The code of the format for positive numbers."""
        styles, codes = self._book._cell_styles, self._book._number_formats  # noqa: SLF001 they have no public name
        number = styles[style].numFmtId if style < len(styles) else 0
        custom = number - BUILTIN_FORMATS_MAX_SIZE
        code = codes[custom] if 0 <= custom < len(codes) else BUILTIN_FORMATS.get(number, "General")
        return str(code).split(";", maxsplit=1)[0]


def _plain(number: float) -> str:
    """As Excel knows it: fifteen digits."""
    return format(number, ".15g")


def _moment(value: dt.date | dt.time | dt.timedelta, shows: str | None) -> str:
    if isinstance(value, dt.timedelta):
        seconds = round(value.total_seconds())
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    if isinstance(value, dt.time):
        return _clock(value)
    if isinstance(value, dt.datetime) and value.time() != dt.time() and shows != "date":
        return f"{value.date().isoformat()} {_clock(value.time())}"
    return value.isoformat()[:10]


def _clock(time: dt.time) -> str:
    return time.isoformat("seconds" if time.second else "minutes")
