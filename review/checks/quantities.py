"""Numbers with what they measure: `five parcels`, `24 h`, `at most 10 %`, `3 bis 5 Werktage`.

Values of one dimension can be compared: durations are in seconds, sizes in bytes, times of day in minutes.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from review.checks.units import (
    AHEAD,
    ARTICLES,
    CURRENCIES,
    DURATION_BEFORE,
    LABELS,
    LIMIT,
    LOWER_BOUND,
    MAGNITUDES,
    MONTHS,
    NUMBER_WORDS,
    PLURALS,
    QUALIFIERS,
    RANGE_WORDS,
    RATE_WORDS,
    SIGNS,
    UNITS,
    UPPER_BOUND,
    YEAR_BEFORE,
)
from review.text import STOPWORDS, Language, phrases, stem_words

Bound = Literal["exact", "up to", "at most", "at least"]
_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['.][^\W\d_]+)*|°[CF]|\S")
_DATE = re.compile(
    r"\d{1,4}(?:[-./]\d{1,4}){2}(?:T[\d:.]+Z?)?|\d{1,3}/\d{1,3}"
    rf"|\b\d{{1,2}}\.?(?:st|nd|rd|th)?\s+(?:{MONTHS})\b|\b(?:{MONTHS})\.?\s+\d{{1,4}}\b",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"([01]?\d|2[0-4]):([0-5]\d)")
_CLOCK_MARKS = frozenset({"am", "pm", "uhr", "o'clock"})
_THOUSANDS = re.compile(r"\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*")
_PLAIN = re.compile(r"\d{1,15}(?:[.,]\d{1,9})?")
_MAY_HOLD = re.compile(
    rf"\d|\b(?:{'|'.join((NUMBER_WORDS.keys() | MAGNITUDES.keys()) - ARTICLES)})\b"
    rf"|\b(?:{'|'.join(ARTICLES)})\W+(?:(?:{'|'.join(QUALIFIERS)})\W+)?"
    rf"(?:(?:{'|'.join(map(re.escape, UNITS))})\b|\w+\W+p)",
    re.IGNORECASE,
)
"""Most sentences hold no number; an article may be one before a unit or in `one call per day`."""
_DASHES = frozenset("-–")  # noqa: RUF001 - ranges are written with an en dash, too
_MORE = frozenset({"more", "less", "fewer", "mehr", "weniger"})
_BORROWS_AFTER = frozenset({"from", "to", "of", "than", "or", "auf", "von", "statt", "oder"})
_BORROWS_BEFORE = frozenset({"to", "or", "instead", "rather", "auf", "statt", "oder"})
_REACH = 45
"""Characters before a number in which words bound it."""
_CODES = frozenset(word for word in CURRENCIES if len(word) == 3)
"""Codes such as `eur`, which may stand before the value."""
_NOUN = 4
"""Words after a number among which is what it counts."""
_MOST = 40
"""Quantities of one sentence; more is a table of data, not a rule."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value, or a range of values, as it stands in a sentence."""

    low: float
    high: float
    dimension: str
    """`time`, `size`, `percent`, `money eur`, `count parcel`, `count request per day`, `time ahead` of an event."""
    unit: str
    """As written; equal units are compared without tolerance."""
    start: int
    end: int
    """Offsets in the sentence."""
    bound: Bound = "exact"

    def agrees(self, other: "Quantity") -> bool:
        """The same value; other units of time and size may differ by rounding (a month is 30 or 31 days)."""
        tolerance = 0.0 if self.unit == other.unit else {"time": 0.025, "size": 0.08}.get(self.dimension, 0.0)
        return _near(self.low, other.low, tolerance) and _near(self.high, other.high, tolerance)


def _near(one: float, other: float, tolerance: float) -> bool:
    return abs(one - other) <= max(tolerance * max(abs(one), abs(other)), 1e-9)


def quantities(prose: str, language: Language = "en") -> tuple[Quantity, ...]:
    """The quantities of one sentence, in order. Dates, ordinals, versions, keys and labels (`step 3`) are none."""
    if not _MAY_HOLD.search(prose):
        return ()
    plain = _DATE.sub(lambda date: " " * len(date.group()), prose)
    reader = _Reader(plain, language)
    bounded: list[Quantity] = []
    floor = 0
    for quantity in _with_borrowed_units(reader.read(), language):
        bounded.append(replace(quantity, bound=_bound(plain, floor, quantity)))
        floor = quantity.end
    return tuple(bounded)


def _with_borrowed_units(found: Sequence[Quantity], language: Language) -> list[Quantity]:
    """A bare number beside a measured one shares its unit: `from 3 to 5 parcels`, `from 3 parcels to 5`."""
    measured = [quantity for quantity in found if quantity.dimension]
    whole = []
    for quantity in found:
        if quantity.dimension:
            whole.append(quantity)
        elif not measured and quantity.unit:
            whole.append(replace(quantity, dimension=f"count {stem_words([quantity.unit], language)[0]}"))
        elif measured:
            lender = min(measured, key=lambda q: abs(q.start - quantity.start))
            factor = UNITS[lender.unit][1] if lender.unit in UNITS else 1.0
            value = quantity.low * factor
            whole.append(replace(quantity, low=value, high=value, dimension=lender.dimension, unit=lender.unit))
    return whole


def _bound(prose: str, floor: int, quantity: Quantity) -> Bound:
    """What the words around a quantity make of it, from the one before it on."""
    before = re.split(r"[,;:(]", prose[max(floor, quantity.start - _REACH) : quantity.start])[-1]
    after = prose[quantity.start : quantity.end + 20]
    if before in phrases(UPPER_BOUND) or after in phrases(("at most", "or less", "or fewer", "oder weniger")):
        return "at most"
    if before in phrases(LOWER_BOUND) or after in phrases(("at least", "or more", "and more", "oder mehr")):
        return "at least"
    return "up to" if before in phrases(LIMIT) else "exact"


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    low: str
    start: int
    end: int


_NOTHING = _Token("", "", -1, -1)


class _Reader:
    """Reads the quantities of one sentence, token by token."""

    def __init__(self, prose: str, language: Language) -> None:
        self._prose = prose
        self._language = language
        self._free = 0
        """The first token that no quantity has taken."""
        self._tokens = [_Token(m.group(), m.group().lower(), m.start(), m.end()) for m in _TOKEN.finditer(prose)]

    def read(self) -> list[Quantity]:
        """All of them; a bare number that may borrow a unit has no dimension."""
        found: list[Quantity] = []
        at = 0
        while at < len(self._tokens) and len(found) < _MOST:
            at, quantity = self._quantity(at)
            if quantity:
                self._free = at
                found.append(quantity)
        return found

    def _sign(self, at: int) -> str:
        """The sign or code of a currency before this token, if no earlier quantity has taken it: `€5`, `EUR 5`."""
        before = self._at(at - 1)
        return before.text if at > self._free and (before.text in SIGNS or before.low in _CODES) else ""

    def _at(self, index: int) -> _Token:
        return self._tokens[index] if 0 <= index < len(self._tokens) else _NOTHING

    def _touch(self, index: int) -> bool:
        """Whether this token follows the one before it without a space."""
        return index > 0 and self._at(index).start == self._at(index - 1).end

    def _quantity(self, at: int) -> tuple[int, Quantity | None]:
        """The quantity that begins at this token, if one does, and the token to go on from."""
        if clock := self._clock(at):
            return clock
        number = self._number(at)
        if number is None:
            return at + 1, None
        low, after = number
        if self._is_label(at):
            return after, None
        high, after = self._range_end(at, low, after)
        unit = self._unit(at, after)
        if unit is None:
            return after, self._bare(at, after, low) if low == high else None
        dimension, written, end = unit
        measures = not dimension.startswith("count")
        if self._at(at).low in ARTICLES and measures and self._at(at - 1).low not in DURATION_BEFORE:
            return end, None
        factor = UNITS[written][1] if written in UNITS else 1.0
        rate = self._rate(end)
        name = f"{dimension} per {rate}" if rate else dimension
        if dimension.endswith("time") and self._at(end).low in AHEAD:
            name = f"{dimension} ahead"
        first = at - 1 if self._sign(at) else at
        low, high = sorted((low * factor, high * factor))
        return end, Quantity(low, high, name, written, self._at(first).start, self._at(end - 1).end)

    def _clock(self, at: int) -> tuple[int, Quantity] | None:
        """Minutes since midnight: `17:30`, `5 pm`, `17 Uhr`."""
        token, mark = self._at(at), self._at(at + 1).low.replace(".", "")
        if match := _CLOCK.fullmatch(token.text):
            hours, minutes = int(match[1]), int(match[2])
        elif mark in _CLOCK_MARKS and token.text.isdecimal() and len(token.text) <= 2 and int(token.text) <= 24:
            hours, minutes = int(token.text), 0
        else:
            return None
        end = at + 2 if mark in _CLOCK_MARKS else at + 1
        value = float((hours + 12 if mark == "pm" and hours < 12 else hours) * 60 + minutes)
        return end, Quantity(value, value, "clock", "clock", token.start, self._at(end - 1).end)

    def _number(self, at: int) -> tuple[float, int] | None:
        """A number in digits or words with its magnitude (`2.5 million`, `5k`), and the token after it."""
        token, after = self._at(at), at + 1
        if token.text[:1].isdigit():
            value = _value(token.text)
        else:
            value = NUMBER_WORDS.get(token.low)
            ones = NUMBER_WORDS.get(self._at(at + 2).low, 0.0) if self._at(at + 1).text == "-" else 0.0
            if value and value >= 20 and 0 < ones < 10:
                value, after = value + ones, at + 3
        if value is None or (value < 1 and self._at(at - 1).low in ARTICLES):  # `one and a half` is not read
            return None
        if factor := MAGNITUDES.get(self._at(after).low):
            value, after = value * factor, after + 1
        elif value < 1 and self._at(after).low in ARTICLES:  # half an hour
            after += 1
        return value, after

    def _range_end(self, at: int, low: float, after: int) -> tuple[float, int]:
        """The upper end of `3-5`, `3 to 5`, `between 3 and 5`; the lower one if it is no range."""
        joint, before = self._at(after).low, self._at(at - 1).low
        joined = joint in _DASHES or (joint in {"to", "bis"} and before not in {"from", "von"})
        if joined or (joint in {"and", "und"} and before in RANGE_WORDS):
            second = self._number(after + 1)
            if second and second[0] > low:
                return second
        return low, after

    def _is_label(self, at: int) -> bool:
        """`PAY-12`, `v2`, `step 3`, `#5`, `2nd`, `in 2024`: numbers that name something and measure nothing."""
        token, before, after = self._at(at), self._at(at - 1), self._at(at + 1)
        if before.low.rstrip(".") in LABELS:
            return True
        if not token.text[0].isdigit():
            return False
        if self._touch(at) and (before.text[-1].isalpha() or before.text in {"#", "/", "_", "=", "\\"}):
            return True
        if self._touch(at) and before.text == "-" and self._touch(at - 1) and self._at(at - 2).text[-1].isalpha():
            return True
        if self._touch(at + 1) and after.low in {"st", "nd", "rd", "th"}:
            return True
        is_year = len(token.text) == 4 and token.text.isdecimal() and 1900 <= int(token.text) <= 2100
        return is_year and (before.low in YEAR_BEFORE or not (after.text[:1].isalpha() or after.text in {*SIGNS, "%"}))

    def _unit(self, at: int, after: int) -> tuple[str, str, int] | None:
        """Dimension, unit as written and the token after it; None for a bare number."""
        if sign := self._sign(at):
            return f"money {SIGNS.get(sign) or CURRENCIES[sign.lower()]}", sign, after
        here = after
        if self._at(here).low in {"or", "oder"} and self._at(here + 1).low in _MORE:
            here += 2
        hyphen = self._at(here).text == "-" and self._touch(here)
        here += hyphen
        working = False
        while self._at(here).low in QUALIFIERS:
            working = working or QUALIFIERS[self._at(here).low]
            here += 1
        word = self._at(here).low
        if word in {"per", "pro"} and self._at(here + 1).low == "cent":
            return "percent", "%", here + 2
        if money := CURRENCIES.get(word) or SIGNS.get(word):
            return f"money {money}", word, here + 1
        if word in UNITS:
            dimension = UNITS[word][0]
            return ("working time" if working and dimension == "time" else dimension), word, here + 1
        if hyphen and word.isalpha():
            return f"count {stem_words([word], self._language)[0]}", word, here + 1
        return self._noun(at, here)

    def _noun(self, at: int, after: int) -> tuple[str, str, int] | None:
        """What is counted: the plural among the words that follow, `three damaged glass bottles`."""
        rated = self._at(at).low == "one" and self._at(after + 1).low in {"per", "pro"}
        if self._at(at).low in ARTICLES and not rated:
            return None
        for _ in range(_NOUN):
            word, end = self._compound(after)
            stops = word.low in NUMBER_WORDS or (word.low in STOPWORDS and word.low not in PLURALS)
            if not word.text[:1].isalpha() or stops:
                return None
            if rated or self._counts(word):
                return f"count {stem_words([word.low], self._language)[0]}", word.low, end
            after = end
        return None

    def _compound(self, at: int) -> tuple[_Token, int]:
        """A word with what hyphens join to it, written as one (`follow-ups`), and the token after it."""
        word, after = self._at(at), at + 1
        while word.text[:1].isalpha() and self._at(after).text in _DASHES and self._touch(after):
            part = self._at(after + 1)
            if not (part.text[:1].isalpha() and self._touch(after + 1)):
                break
            word = _Token(word.text + part.text, word.low + part.low, word.start, part.end)
            after += 2
        return word, after

    def _counts(self, token: _Token) -> bool:
        """Whether a word looks like a plural; in German, like a noun."""
        if self._language == "de":
            return token.text[0].isupper()
        plural = len(token.low) > 3 and token.low.endswith("s") and not token.low.endswith(("ss", "us", "is"))
        return plural or token.low in PLURALS

    def _bare(self, at: int, after: int, value: float) -> Quantity | None:
        """A number whose noun stands before it (`Allowed parcels: 5`), or that may borrow a unit."""
        follows = self._at(after)
        if self._at(at).low in ARTICLES or (follows.text[:1].isalpha() and follows.low not in STOPWORDS):
            return None
        head = ""
        for token in reversed(self._tokens[max(0, at - 8) : at]):
            if token.text in {",", ";"} or token.text[0].isdigit():
                break
            if token.text[0].isalpha() and token.low not in STOPWORDS and self._counts(token):
                head = token.low
                break
        borrows = self._at(at - 1).low in _BORROWS_AFTER or follows.low in _BORROWS_BEFORE
        if not head and not borrows:
            return None
        dimension = f"count {stem_words([head], self._language)[0]}" if head and not borrows else ""
        if dimension and (rate := self._rate(after)):
            dimension = f"{dimension} per {rate}"
        return Quantity(value, value, dimension, head, self._at(at).start, self._at(after - 1).end)

    def _rate(self, after: int) -> str:
        """The `day` of `5 requests per day`; empty without one."""
        word = self._at(after + 1).low
        if self._at(after).low not in RATE_WORDS or not word.isalpha():
            return ""
        return stem_words([word])[0] if self._at(after).low in {"per", "pro", "/"} or word in UNITS else ""


def _value(digits: str) -> float | None:
    """`1,000.5`, `1.000,5`, `2,5`. Three digits after a mark are thousands in any language, but not after a zero."""
    match = _THOUSANDS.fullmatch(digits)
    if match and not digits.startswith("0"):
        return float(digits.replace(match[1], ""))
    marks = [char for char in digits if char in ".,:"]
    if len(marks) > 1 and ":" not in marks and marks[-1] not in marks[:-1] and len(set(marks[:-1])) == 1:
        whole, _, part = digits.rpartition(marks[-1])
        return float(f"{whole.replace(marks[0], '')}.{part}")
    return float(digits.replace(",", ".")) if _PLAIN.fullmatch(digits) else None
