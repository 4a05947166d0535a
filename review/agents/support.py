"""Whether a passage says what a model makes it say, as far as that can be told without understanding.

Every number with its unit, every quote and every name of a ticket, a file or a symbol must stand in a passage that is
cited; and a passage must share a word with the statement, if both are in one language. A statement that passes may be
wrong all the same: a `not` is not seen.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.tokens import counted
from review.checks.quantities import Quantity, quantities
from review.checks.units import UNITS
from review.register import Passage, normal
from review.subject import forms_in, names_in
from review.text import STOPWORDS, language_of, sentences, stems, word_set

_DIGITS = re.compile(r"(?<![^\W\d])\d+(?:[.,]\d+)*")
_WORD = re.compile(r"[^\W\d_]+")
_OF_SOURCES = word_set(
    "source sources page pages ticket tickets story stories policy policies document documents file files rule rules"
    " places quelle quellen seite seiten dokumente regeln dateien stellen"
)
"""What is counted in words where sources are compared: `the two pages differ`."""
_ENGLISH, _ENGLISH_SOURCE = 0.25, 0.15
"""Share of function words from which a statement, and a passage, is plainly English and not another language."""


@dataclass(frozen=True, slots=True)
class _Numbers:
    """The numbers of a text."""

    measured: tuple[Quantity, ...]
    """With a unit."""
    free: frozenset[float]
    """Without: counts of things, values in code and tables."""
    every: frozenset[float]
    """As they are written, whatever they measure."""

    def hold(self, one: Quantity, *, same_language: bool) -> bool:
        """A count must be one here, too, unless it may be a unit of another language; a measure may have its unit
        elsewhere, as a name in code or a table has.
        """
        if not same_language and _dimension(one) == "count" and _written(one) <= self.every:
            return True
        same = [other for other in self.measured if _dimension(other) == _dimension(one)]
        ends = {end for other in same for end in (other.low, other.high)}
        return _written(one) <= self.free or {one.low, one.high} <= ends or any(one.agrees(other) for other in same)


def supporting(statement: str, cited: Sequence[Passage], question: str) -> tuple[Passage, ...]:
    """Of the cited passages those that may say it; none if something of it stands in none of them. It is in the
    language of the question if it is too short to tell.
    """
    about = tuple(one for one in cited if _shares_words(statement, one, question))
    return about if about and _all_stand(statement, about, question) else ()


def _shares_words(statement: str, passage: Passage, question: str) -> bool:
    """True as well where that cannot be judged: of another language or script, or without a word that says anything."""
    language = language_of(statement)
    told = stems(statement, language)
    if not told or not _same_language(statement, passage, question):
        return True
    return bool(told & _forms(_whole(passage)))


def _same_language(statement: str, passage: Passage, question: str) -> bool:
    language = language_of(statement)
    if language != language_of(passage.text):
        return False
    if language == "de":
        return True
    least = 0.0 if passage.kind == "code" else _ENGLISH_SOURCE
    return _function_words(f"{question}\n{statement}") >= _ENGLISH and _function_words(passage.text) >= least


def _function_words(text: str) -> float:
    words = [word.lower() for word in _WORD.findall(text)]
    return sum(word in STOPWORDS for word in words) / len(words) if words else 0.0


def _all_stand(statement: str, passages: Sequence[Passage], question: str) -> bool:
    whole = [normal(_whole(one)).casefold() for one in passages]
    names = [key.text for key in names_in(statement)]
    if not all(any(_bare(name) in text for text in whole) for name in names):
        return False
    numbers = [(_numbers(_whole(one)), _same_language(statement, one, question)) for one in passages]
    rest = _without(statement, names)
    measured = quantities(rest, language_of(rest))
    told = [one for one in measured if not _counts_sources(one, rest)]
    if not all(any(kept.hold(one, same_language=same) for kept, same in numbers) for one in told):
        return False
    others = [found for found in _DIGITS.finditer(rest) if not _within(found, measured)]
    return all(any(_readings(found[0]) <= kept.every for kept, _ in numbers) for found in others)


def _bare(name: str) -> str:
    return normal(name).casefold().rstrip(".,;:!?")


def _without(text: str, names: Iterable[str]) -> str:
    for name in names:
        text = text.replace(name, " ")
    return text


def _whole(passage: Passage) -> str:
    return f"{passage.title}\n\n{passage.locator.title}\n\n{passage.text}"


@lru_cache(maxsize=256)
def _forms(text: str) -> frozenset[str]:
    """Names in code by their parts, too."""
    parts = " ".join(word for word, _, _ in counted(text))
    return forms_in(text) | stems(parts, language_of(text))


@lru_cache(maxsize=256)
def _numbers(text: str) -> _Numbers:
    """By sentences, which may go over lines, and by lines, of which some are code."""
    measured: list[Quantity] = []
    free: set[float] = set()
    every: set[float] = set()
    for unit in {*text.splitlines(), *(one.text for one in sentences(text))}:
        found = quantities(unit, language_of(unit))
        own = [one for one in found if _dimension(one) != "count"]
        measured += own
        free.update(*(_written(one) for one in found if one not in own))
        every.update(*map(_written, found))
        for match in _DIGITS.finditer(unit):
            every |= _readings(match[0])
            free |= frozenset() if _within(match, own) else _readings(match[0])
    return _Numbers(tuple(measured), frozenset(free), frozenset(every))


def _dimension(one: Quantity) -> str:
    """Without a rate's time and what is counted; money keeps its currency."""
    name = one.dimension.partition(" per ")[0].removesuffix(" ahead")
    return "count" if name.startswith("count") or not name else name


def _counts_sources(one: Quantity, text: str) -> bool:
    return one.unit in _OF_SOURCES and not _DIGITS.search(text[one.start : one.end])


def _written(one: Quantity) -> frozenset[float]:
    """Its numbers before units were made equal; of a time of day the hour."""
    factor = 60.0 if one.dimension == "clock" else UNITS[one.unit][1] if one.unit in UNITS else 1.0
    return frozenset({one.low / factor, one.high / factor})


def _within(found: re.Match[str], quantities_: Iterable[Quantity]) -> bool:
    return any(one.start <= found.start() < one.end for one in quantities_)


def _readings(digits: str) -> frozenset[float]:
    """What a number may mean: `1,000` is a thousand, `1.5` and `1,5` are one and a half, of a date each part."""
    if digits.count(".") + digits.count(",") > 1 and not re.fullmatch(r"\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*", digits):
        return frozenset(float(part) for part in re.split(r"[.,]", digits))
    if re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", digits):
        return frozenset({float(re.sub(r"[.,]", "", digits))})
    return frozenset({float(digits.replace(",", "."))})
