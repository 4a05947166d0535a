"""Whether the sides of a conflict really differ."""

import re
from itertools import combinations

from review.checks.quantities import Quantity, quantities
from review.text import Language, language_of, sentences, stems, word_set
from review.types import Cited, Finding

_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|\w+|[%€$£<>≤≥=]")
_TURNS = word_set(
    """not no never none neither nor without only except unless but must should shall may can cannot might optional over
    under above below before after until from within more less than least most maximum minimum all any each every
    always nicht kein keine keinen nie niemals ohne nur außer ausgenommen aber muss müssen soll sollen darf dürfen kann
    können über unter vor nach bis ab mehr weniger als mindestens höchstens alle jede jeder jedes immer"""
)
"""Words that turn a sentence with the same values into another rule."""


def sides_differ(finding: Finding) -> bool:
    """Whether two of a conflict's citations say something different; an absence differs from every quote.

    A rule may tell a conflict from one place, such as a link to a rejected ticket; a model has to show both sides.
    """
    sides = list(dict.fromkeys(finding.evidence))
    if len(sides) < 2:
        return finding.rule != "model"
    language = language_of(" ".join(cited.quote for cited in sides))
    return any(not _same(one, other, finding, language) for one, other in combinations(sides, 2))


def _same(one: Cited, other: Cited, finding: Finding, language: Language) -> bool:
    """The same words, or the same values in as good as the same words or for a conflict that is of other values."""
    if not (one.quote.strip() and other.quote.strip()):
        return False
    mine, theirs = _tokens(one.quote), _tokens(other.quote)
    if mine == theirs:
        return True
    values, others = _values(one.quote, language), _values(other.quote, language)
    if not values or not _equal(values, others) or _turns(mine) != _turns(theirs):
        return False
    told = f"{finding.statement} {finding.question}"
    if any(not any(claimed.agrees(value) for value in values) for claimed in _comparable(told, values, language)):
        return True
    apart = stems(one.quote, language) ^ stems(other.quote, language)
    nested = apart <= stems(one.quote, language) or apart <= stems(other.quote, language)
    return nested and not apart & stems(told, language)


def _tokens(quote: str) -> list[str]:
    return _TOKEN.findall(re.sub(r"[_*#`]", " ", quote).casefold())


def _turns(tokens: list[str]) -> frozenset[str]:
    return frozenset(tokens) & _TURNS


def _values(text: str, language: Language) -> list[Quantity]:
    return [quantity for sentence in sentences(text) for quantity in quantities(sentence.prose, language)]


def _equal(values: list[Quantity], others: list[Quantity]) -> bool:
    return len(values) == len(others) and all(
        one.dimension == other.dimension and one.bound == other.bound and one.agrees(other)
        for one, other in zip(values, others, strict=True)
    )


def _comparable(text: str, values: list[Quantity], language: Language) -> list[Quantity]:
    dimensions = {value.dimension for value in values}
    return [claimed for claimed in _values(text, language) if claimed.dimension in dimensions]
