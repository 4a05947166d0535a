"""The values around a limit: one below, the limit itself, one above, in the unit that its source uses."""

import math
import re
from dataclasses import dataclass
from typing import Literal

from review.checks.quantities import Quantity
from review.checks.units import ARTICLES, MAGNITUDES, NUMBER_WORDS, UNITS

Place = Literal["one below", "at the limit", "one above"]

_SMALLER = {"year": "month", "month": "day", "week": "day", "fortnight": "day", "day": "hour", "hour": "minute",
            "minute": "second"}  # fmt: skip
_BASES = {
    UNITS[word][1]: word for word in ("second", "minute", "hour", "day", "week", "fortnight", "month", "year")
}  # seconds -> English name
_NO_CENTS = frozenset({"jpy"})
_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+|\S")
_RATE = re.compile(r"\s+(?:per|a|an|each|every|pro|je)\s+\w+", re.IGNORECASE)
_JOINTS = frozenset({"-", "to", "and", "bis", "und", "\N{EN DASH}"})
_BENDING = frozenset({"day", "hour", "minute", "second", "week", "month", "year"})
_LARGEST = 1e12
"""Beyond which a neighbour is not told from the value itself."""
_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Tried:
    """A value to be tried."""

    text: str
    """With its unit: `29 days`, `99.99 EUR`, `21:59`."""
    value: float
    """As `Quantity.low` measures it."""
    place: Place


@dataclass(frozen=True, slots=True)
class _Unit:
    name: str
    factor: float = 1.0
    """What one of it is worth, as quantities are measured."""
    rate: str = ""

    def of(self, number: str) -> str:
        """A number of these. English nouns are as their number wants them: `1 day`, `2 days`."""
        head, _, last = self.name.rpartition(" ")
        if number == "1" and last.isascii() and last.islower() and len(last) > 2 and last.endswith("s"):
            last = last if last.endswith("ss") else last[:-1]
        elif number != "1" and last in _BENDING:
            last += "s"
        return " ".join(f"{number} {head} {last}{self.rate}".split())


def around(quantity: Quantity, sentence: str, *, upper: bool) -> tuple[Tried, ...]:
    """Values around the upper or the lower end of a quantity; nothing for a value that has no neighbours."""
    value = quantity.high if upper else quantity.low
    if not 0 <= value <= _LARGEST:
        return ()
    kind, _, what = quantity.dimension.partition(" ")
    if kind == "clock":
        return _clock(value)
    if kind == "size":
        return _beside(value, _written(quantity, sentence), 1.0, "one byte")
    if kind == "money":
        whole = what in _NO_CENTS
        return _stepped(value, 1.0 if whole else 0.01, _Unit(what.upper()), 0 if whole else 2)
    unit = _unit(quantity, sentence)
    if kind == "count":
        return _stepped(value, 1.0, unit, 0) if value == int(value) else ()
    return _measured(value, quantity, unit, _written(quantity, sentence))


def _clock(minutes: float) -> tuple[Tried, ...]:
    def told(at: int) -> str:
        return f"{at // 60 % 24:02d}:{at % 60:02d}"

    whole = int(minutes)
    return tuple(
        Tried(told(whole + step), whole + step, place)
        for step, place in _places()
        if 0 <= whole + step <= 24 * 60  # beyond midnight it is another day
    )


def _beside(value: float, written: str, step: float, name: str) -> tuple[Tried, ...]:
    """Where one in the written unit is far too much: `10 MB and one byte`."""
    below = (Tried(f"{written} less {name}", value - step, "one below"),) if value >= step else ()
    return (*below, Tried(written, value, "at the limit"), Tried(f"{written} and {name}", value + step, "one above"))


def _measured(value: float, quantity: Quantity, unit: _Unit, written: str) -> tuple[Tried, ...]:
    """Steps of one in the unit as written; of a single one, of the next smaller unit; of a fraction, of its last
    decimal.
    """
    amount = value / unit.factor
    name = _BASES.get(unit.factor, "")
    if quantity.dimension.startswith("time") and amount == 1 and name in _SMALLER:
        finer = UNITS[_SMALLER[name]][1]
        if value % finer:  # a month is no whole number of days
            return _beside(value, written, finer, f"one {_SMALLER[name]}")
        return _stepped(value, finer, _Unit(f"{_SMALLER[name]}s", finer), 0)
    decimals = _decimals(amount)
    return _stepped(value, unit.factor * 10.0**-decimals, unit, decimals) if decimals <= _DECIMALS else ()


def _stepped(value: float, step: float, unit: _Unit, decimals: int) -> tuple[Tried, ...]:
    """`step` and `value` are measured alike."""
    tried = []
    for sign, place in _places():
        at = value + sign * step
        if at >= 0:
            tried.append(Tried(unit.of(f"{at / unit.factor:.{decimals}f}"), at, place))
    return tuple(tried)


def _places() -> tuple[tuple[int, Place], ...]:
    return (-1, "one below"), (0, "at the limit"), (1, "one above")


def _decimals(amount: float) -> int:
    return next((n for n in range(_DECIMALS + 1) if math.isclose(amount, round(amount, n), rel_tol=1e-12)), 99)


def _written(quantity: Quantity, sentence: str) -> str:
    return " ".join(sentence[quantity.start : quantity.end].split())


def _unit(quantity: Quantity, sentence: str) -> _Unit:
    """What stands behind the number: `working days`, `failed attempts`, `requests` with the rate `per minute`."""
    text = sentence[quantity.start : quantity.end]
    end = 0
    for token in _TOKEN.finditer(text):
        low = token.group().lower()
        number = low[0].isdigit() or low in NUMBER_WORDS or low in ARTICLES or low in MAGNITUDES
        if not number and low not in _JOINTS:
            break
        end = token.end()
    rate = _RATE.match(sentence, quantity.end) if " per " in quantity.dimension else None
    factor = UNITS[quantity.unit][1] if quantity.unit in UNITS else 1.0
    return _Unit(" ".join(text[end:].split()), factor, rate.group() if rate else "")
