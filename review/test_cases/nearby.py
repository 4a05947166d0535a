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
_LARGEST = 1e12
"""Beyond which a neighbour is not told from the value itself."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A value to be tried."""

    text: str
    """With its unit: `29 days`, `99.99 EUR`, `21:59`."""
    value: float
    """As `Quantity.low` measures it."""
    place: Place


def around(quantity: Quantity, sentence: str, *, upper: bool) -> tuple[Tried, ...]:
    """Values around the upper or the lower end of a quantity; nothing for a value that has no neighbours."""
    value = quantity.high if upper else quantity.low
    if not 0 <= value <= _LARGEST:
        return ()
    kind = quantity.dimension.split(" ")[0]
    if kind == "clock":
        return _clock(value)
    if kind == "size":
        return _size(value, _written(quantity, sentence))
    if kind == "money":
        code = quantity.dimension.split(" ")[1]
        return _stepped(value, 1.0 if code in _NO_CENTS else 0.01, 1.0, code.upper(), 0 if code in _NO_CENTS else 2)
    noun = _noun(quantity, sentence)
    if kind == "count":
        return _counted(value, noun)
    return _measured(value, quantity, noun)


def _clock(minutes: float) -> tuple[Tried, ...]:
    def told(at: int) -> str:
        return f"{at // 60 % 24:02d}:{at % 60:02d}"

    whole = int(minutes)
    return tuple(
        Tried(told(whole + step), whole + step, place)
        for step, place in _places()
        if 0 <= whole + step <= 24 * 60  # beyond midnight it is another day
    )


def _size(value: float, written: str) -> tuple[Tried, ...]:
    below = (Tried(f"{written} less one byte", value - 1, "one below"),) if value >= 1 else ()
    return (*below, Tried(written, value, "at the limit"), Tried(f"{written} and one byte", value + 1, "one above"))


def _counted(value: float, noun: str) -> tuple[Tried, ...]:
    if value != int(value):
        return ()
    return _stepped(value, 1.0, 1.0, noun, 0)


def _measured(value: float, quantity: Quantity, noun: str) -> tuple[Tried, ...]:
    """Steps of one in the unit as written; of a single one, of the next smaller unit; of a fraction, of its last
    decimal.
    """
    factor = UNITS[quantity.unit][1] if quantity.unit in UNITS else 1.0
    amount = value / factor
    if quantity.dimension.startswith("time") and amount == 1 and (smaller := _SMALLER.get(_BASES.get(factor, ""))):
        finer = UNITS[smaller][1]
        exact = value % finer == 0  # a month is no whole number of days
        if exact:
            return _stepped(value, finer, finer, f"{smaller}s", 0)
    decimals = _decimals(amount)
    if decimals > 6:
        return ()
    return _stepped(value, factor * 10.0**-decimals, factor, noun, decimals)


def _stepped(value: float, step: float, factor: float, unit: str, decimals: int) -> tuple[Tried, ...]:
    """`step` and `value` are measured alike; the text is in units of `factor`."""
    tried = []
    for sign, place in _places():
        at = value + sign * step
        if at >= 0:
            text = f"{at / factor:.{decimals}f}"
            tried.append(Tried(f"{text}{'' if unit == '%' else ' '}{_fitting(text, unit)}".strip(), at, place))
    return tuple(tried)


def _places() -> tuple[tuple[int, Place], ...]:
    return (-1, "one below"), (0, "at the limit"), (1, "one above")


def _decimals(amount: float) -> int:
    return next((n for n in range(7) if math.isclose(amount, round(amount, n), rel_tol=1e-12)), 7)


def _fitting(number: str, noun: str) -> str:
    """English nouns as their number wants them: `1 day`, `2 days`. Others stay."""
    head, _, last = noun.rpartition(" ")
    if not last.isascii() or len(last) < 3 or not last.islower():
        return noun
    if number == "1" and last.endswith("s") and not last.endswith("ss"):
        last = last[:-1]
    elif number != "1" and last in {"day", "hour", "minute", "second", "week", "month", "year"}:
        last += "s"
    return f"{head} {last}".strip()


def _written(quantity: Quantity, sentence: str) -> str:
    return " ".join(sentence[quantity.start : quantity.end].split())


def _noun(quantity: Quantity, sentence: str) -> str:
    """What stands behind the number: `working days`, `failed attempts`, `requests per minute`."""
    text = sentence[quantity.start : quantity.end]
    end = 0
    for token in _TOKEN.finditer(text):
        low = token.group().lower()
        number = low[0].isdigit() or low in NUMBER_WORDS or low in ARTICLES or low in MAGNITUDES
        joint = low in {"-", "to", "and", "bis", "und", "\N{EN DASH}"}
        if not number and not joint:
            break
        end = token.end()
    noun = " ".join(text[end:].split())
    if " per " in quantity.dimension and (rate := _RATE.match(sentence, quantity.end)):
        noun = f"{noun}{rate.group()}"
    return noun
