"""The numbers of clauses and items, which people cite (ECMA-376 part 1, 17.9). Neither python-docx nor mammoth counts
them.
"""

import re
from dataclasses import dataclass

from core.parsing.office.package import Element, whole

_PLACEHOLDER = re.compile(r"%([1-9])")
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_DEEPEST = 9
_MOST = 100_000  # of a counter: nobody counts further


@dataclass(frozen=True, slots=True)
class Numbered:
    """A paragraph's place in a list."""

    list_id: str
    level: int


@dataclass(frozen=True, slots=True)
class _Level:
    form: str
    text: str
    """`%1.%2.`"""
    start: int


class Numbering:
    """Counts the paragraphs of lists, and gives each its label as the reader sees it."""

    def __init__(self, root: Element | None) -> None:
        self._levels: dict[str, dict[int, _Level]] = {}
        self._lists: dict[str, str] = {}
        self._restarts: dict[tuple[str, int], int] = {}
        self._counters: dict[str, list[int | None]] = {}
        for definition in () if root is None else root.iterfind("{*}abstractNum"):
            levels = {whole(value_of(level, "ilvl")): _level(level) for level in definition.iterfind("{*}lvl")}
            self._levels[value_of(definition, "abstractNumId")] = levels
        for one in () if root is None else root.iterfind("{*}num"):
            self._add(one)

    def label(self, place: Numbered) -> str:
        """`4.2.1`, `b)`; a hyphen for a bullet; empty without any."""
        definition = self._lists.get(place.list_id, "")
        levels = self._levels.get(definition, {})
        level = levels.get(place.level)
        if level is None:
            return "-" if place.list_id not in {"", "0"} and not levels else ""
        counters = self._counters.setdefault(definition, [None] * _DEEPEST)
        restart = self._restarts.pop((place.list_id, place.level), None)
        before = counters[place.level]
        counters[place.level] = restart if restart is not None else level.start if before is None else before + 1
        counters[place.level + 1 :] = [None] * (_DEEPEST - place.level - 1)
        if level.form in {"bullet", "none"}:
            return "-" if level.form == "bullet" else ""
        return _PLACEHOLDER.sub(lambda match: _counted(int(match[1]) - 1, levels, counters), level.text).strip()

    def _add(self, one: Element) -> None:
        list_id = value_of(one, "numId")
        self._lists[list_id] = value(one.find("{*}abstractNumId"))
        for override in one.iterfind("{*}lvlOverride"):
            start = override.find("{*}startOverride")
            if start is not None:
                self._restarts[list_id, whole(value_of(override, "ilvl"))] = whole(value(start))


def value(element: Element | None) -> str:
    """The element's `w:val`."""
    return "" if element is None else value_of(element, "val")


def value_of(element: Element, name: str) -> str:
    """An attribute by its local name: WordprocessingML's have the namespace of their element."""
    space = str(element.tag).partition("}")[0]
    return element.get(f"{space}}}{name}") or element.get(name) or ""


def numbered(properties: Element | None) -> Numbered | None:
    place = None if properties is None else properties.find("{*}numPr")
    if place is None:
        return None
    return Numbered(value(place.find("{*}numId")), min(whole(value(place.find("{*}ilvl"))), _DEEPEST - 1))


def outline_level(properties: Element | None) -> int | None:
    """From 1; None for body text."""
    level = _DEEPEST if properties is None else whole(value(properties.find("{*}outlineLvl")), _DEEPEST)
    return level + 1 if level < _DEEPEST else None


def _level(level: Element) -> _Level:
    start = level.find("{*}start")
    return _Level(
        value(level.find("{*}numFmt")) or "decimal",
        value(level.find("{*}lvlText")),
        1 if start is None else whole(value(start)),
    )


def _counted(at: int, levels: dict[int, _Level], counters: list[int | None]) -> str:
    level = levels.get(at)
    number = counters[at] if counters[at] is not None else level.start if level else 1
    form = level.form if level else "decimal"
    if number is None or not 0 < number < _MOST:
        return str(number)
    match form:
        case "lowerLetter" | "upperLetter":  # a to z, then aa to zz
            text = chr(97 + (number - 1) % 26) * min(1 + (number - 1) // 26, 10)
        case "lowerRoman" | "upperRoman":
            text = _roman(number)
        case "decimalZero":
            text = f"{number:02}"
        case _:
            text = str(number)
    return text.upper() if form.startswith("upper") else text


def _roman(number: int) -> str:
    text = ""
    for size, letters in _ROMAN:
        text += letters * (number // size)
        number %= size
    return text
