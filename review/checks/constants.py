"""Limits that code states: constants, settings and defaults, as statements that can be compared with a ticket's."""

import math
import re
from collections.abc import Iterable

from review.checks.places import Place
from review.checks.quantities import Quantity
from review.checks.statements import Statement
from review.checks.units import CURRENCIES, PLURALS, UNITS
from review.text import Sentence, stem_words, stems, word_set

_ASSIGNED = re.compile(
    r"(?<![\w.\"'-])[\"']?(?P<name>[A-Za-z_][\w-]{2,79})[\"']?"
    r"(?:\s*:\s*[A-Za-z_][\w.\[\]| ]{0,40}?)?\s*(?::=|=>|=|:)(?!=)\s*(?P<value>[^=].{0,120})"
)
_PLAIN = re.compile(
    r"(?P<number>\d[\d_]*(?:\.\d+)?)(?P<times>(?:\s*\*\s*\d[\d_]*)*)(?:\s*\*?\s*(?:time\.|\.)?(?P<unit>[A-Za-z]+)(?:\(\))?)?"
    r"\s*[,;)}\]]*\s*(?:(?:#|//|--|/\*).*)?\Z"
)
_DURATION = re.compile(
    r"(?:\w+\.)*(?:timedelta|duration|Duration|TimeSpan)(?:\.(?:of|From|from)(?P<of>[A-Za-z]+))?"
    r"\(\s*(?:(?P<key>[a-z]+)\s*[=:]\s*)?(?P<number>\d[\d_]*)\s*\)\s*[,;)}\]]*\s*(?:(?:#|//|--|/\*).*)?\Z"
)
_FIXED = re.compile(r"\b(?:const|final|static|readonly|Final|val|define)\b")
_LIMITS = word_set(
    """max maximum min minimum limit limits timeout ttl retention expiry expires expire window allowed threshold after
    lifetime validity valid deadline quota most least"""
)
"""Words of a name that make it a limit, however it is written."""
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_AMBIGUOUS = frozenset({"min", "m", "t", "s", "d", "h", "g", "l", "foot", "quarter", "second"})
"""Words of a name that are units only where they measure: `MIN_LENGTH`, `second_try`."""


UNNAMED = "count ?"
"""The dimension of a number whose name does not say what is counted."""


def words_of_name(name: str) -> list[str]:
    """The words of an identifier: `maxVisitors`, `MAX_VISITORS` and `max-visitors` alike, lower case."""
    return [part.lower() for part in _PARTS.findall(name)]


def constant(line: str, place: Place, around: Iterable[str]) -> Statement | None:
    """What a line of code sets once and for all, or as a limit: `MAX_VISITORS = 9`, `"uploadLimitMb": 25`,
    `HOLD = timedelta(minutes=10)`. `around` are texts that tell what the code is about.
    """
    found = _ASSIGNED.search(line)
    if found is None:
        return None
    name = words_of_name(found["name"])
    number = _number(found["value"])
    fixed = found["name"].isupper() or _FIXED.search(line[: found.start()]) or not _LIMITS.isdisjoint(name)
    if number is None or number[0] <= 0 or not fixed:
        return None
    value, unit, length = number
    scaled, dimension, word = _measure(value, [unit, *reversed(name)])
    start = found.start("value")
    quantity = Quantity(scaled, scaled, dimension, word, start, start + length)
    counted = set(stem_words([word]))
    near = stems(" ".join(name)) - counted
    context = stems(" ".join(part for text in around for part in words_of_name(text))) - near - counted
    sentence = Sentence(line, line, 0, "text", "")
    return Statement(place, sentence, quantity, near, frozenset(), context, frozenset())


def _number(value: str) -> tuple[float, str, int] | None:
    """The value, the unit beside it in lower case (or nothing), and how many characters they take."""
    if found := _DURATION.match(value):
        unit = (found["of"] or found["key"] or "").lower()
        return float(found["number"].replace("_", "")), unit, value.index(")", found.end("number")) + 1
    if found := _PLAIN.match(value):
        factors = [float(part.replace("_", "")) for part in re.findall(r"\d[\d_]*", found["times"])]
        product = float(found["number"].replace("_", "")) * math.prod(factors)
        end = found.end("unit") if found["unit"] else found.end("times")
        return product, (found["unit"] or "").lower(), end
    return None


def _measure(value: float, words: Iterable[str]) -> tuple[float, str, str]:
    """The scaled value, its dimension and the word that says what is measured."""
    named = [word for word in words if word]
    for word in named:
        if word in UNITS and word not in _AMBIGUOUS:
            dimension, factor = UNITS[word]
            return value * factor, dimension, word
        if word in {"percent", "pct"}:
            return value, "percent", word
        if word in CURRENCIES:
            return value, f"money {CURRENCIES[word]}", word
    for word in named:
        if word in PLURALS or (len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))):
            return value, f"count {stem_words([word])[0]}", word
    return (value, "count charact", "length") if "length" in named else (value, UNNAMED, "")
