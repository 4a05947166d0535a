"""How a cell's stored value reads (ECMA-376 part 1, 18.3.1.4 and 18.8.30)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import isfinite
from typing import Literal

from core.parsing.office.package import Element, whole

Kind = Literal["text", "number", "date", "other"]
_Format = Literal["plain", "percent", "date", "time", "moment", "duration"]

_BUILT_IN: dict[int, _Format] = {  # 18.8.30: the number formats that have no code in the file
    9: "percent", 10: "percent", 18: "time", 19: "time", 20: "time", 21: "time", 22: "moment",
    45: "time", 46: "duration", 47: "time", **dict.fromkeys([*range(14, 18), *range(27, 37), *range(50, 59)], "date"),
}  # fmt: skip
_LITERAL = re.compile(r'"[^"]*"|\\.|_.|\*.')
_BRACKETS = re.compile(r"\[[^\]]*\]")
_ELAPSED = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)
_CURRENCY = re.compile(r"\[\$([^\]-]+)[^\]]*\]|([€£¥$])")
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
_DAYS = 2_958_466  # of the calendar, up to the end of 9999


@dataclass(frozen=True, slots=True)
class Style:
    """What a cell's style does to its number."""

    format: _Format = "plain"
    currency: str = ""


class Values:
    """Turns what a workbook stores into text. `styles` is by the index that cells name."""

    def __init__(self, strings: Sequence[str], styles: Sequence[Style], *, from_1904: bool) -> None:
        self._strings = strings
        self._styles = styles
        self._from_1904 = from_1904

    def shown(self, raw: str, stored_as: str, style: str) -> tuple[str, Kind]:
        """The text of a value of a given type (`s`, `str`, `b`, `e`, `d`, `n`)."""
        match stored_as:
            case "s":
                at = whole(raw, len(self._strings))
                return (self._strings[at] if at < len(self._strings) else "[text not read]"), "text"
            case "b":
                return ("TRUE" if raw in {"1", "true"} else "FALSE"), "other"
            case "d":
                return raw.removesuffix("T00:00:00"), "date"
            case "" | "n":
                return self._number(raw, style)
            case _:
                return unescaped(raw), "other" if stored_as == "e" else "text"

    def _number(self, raw: str, style: str) -> tuple[str, Kind]:
        try:
            number = float(raw)
        except ValueError:
            return raw, "text"
        if not isfinite(number):
            return raw, "text"
        at = whole(style)
        look = self._styles[at] if at < len(self._styles) else Style()
        if look.format == "percent":
            return f"{_plain(round(number * 100, 4))}%", "number"
        if look.format != "plain" and 0 <= number < _DAYS:
            return _date(number, look.format, from_1904=self._from_1904), "date"
        return f"{look.currency} {_plain(number)}".strip(), "number"


def unescaped(text: str) -> str:
    """`_x000D_` stands for a character that XML cannot hold (ST_Xstring, 22.9.2.19)."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


def styles(root: Element) -> list[Style]:
    """The styles of a workbook's cells, in order."""
    codes = {one.get("numFmtId", ""): one.get("formatCode", "") for one in root.iterfind("{*}numFmts/{*}numFmt")}
    known = {number: _style(code) for number, code in codes.items()}
    found = []
    for cell in root.iterfind("{*}cellXfs/{*}xf"):
        number = cell.get("numFmtId", "0")
        found.append(known.get(number) or Style(_BUILT_IN.get(whole(number), "plain")))
    return found


def _style(code: str) -> Style:
    positive = code.split(";", maxsplit=1)[0]
    if _ELAPSED.search(positive):
        return Style("duration")
    bare = _BRACKETS.sub("", _LITERAL.sub("", positive)).lower()
    if bare.strip() == "general":
        return Style()
    days, hours = bool(re.search("[dy]", bare)), bool(re.search("[hs]", bare))
    if days or hours or "m" in bare:
        return Style("moment" if days and hours else "time" if hours else "date")
    if "%" in bare:
        return Style("percent")
    sign = _CURRENCY.search(positive)
    return Style(currency=(sign[1] or sign[2]).strip() if sign else "")


def _plain(number: float) -> str:
    """As Excel knows it: fifteen digits."""
    return format(number, ".15g")


def _date(number: float, form: _Format, *, from_1904: bool) -> str:
    seconds = round(number * 86_400)
    if form == "duration":
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    if number < 1 and form != "date":
        return _clock(seconds)
    # Day 60 is the 29th of February 1900, which never was.
    start = datetime(1904, 1, 1) if from_1904 else datetime(1899, 12, 30 if number >= 60 else 31)  # noqa: DTZ001 a local time
    moment = start + timedelta(seconds=seconds)
    day = moment.date().isoformat()
    of_day = seconds % 86_400
    return f"{day} {_clock(of_day)}" if of_day and form != "date" else day


def _clock(seconds: int) -> str:
    text = f"{seconds // 3600 % 24:02}:{seconds // 60 % 60:02}"
    return f"{text}:{seconds % 60:02}" if seconds % 60 else text
