"""What a finding asks for: of what, and what kind of sentence would answer it."""

import re
from dataclasses import dataclass
from typing import Literal

from review.checks import thresholds, unanswered_question, undecided
from review.checks.quantities import Quantity, quantities
from review.checks.units import CURRENCIES, UNITS
from review.text import Language, phrases, stems, visible_prose
from review.types import Finding
from review.words import Words

QUESTIONS = frozenset({"missing rule", "undecided condition", "boundary and exception"})
"""Categories of a model's findings that ask what holds."""

Wants = Literal["value", "limit", "rule"]

_VALUE = re.compile(
    r"\bhow (?:many|much|long|often|large|big|old|far|late|early|soon)\b|\bwie (?:viele?|lange|oft|groß|hoch|spät)\b"
    r"|\b(?:limit|number|amount|duration|period|deadline|timeout|threshold|maximum|minimum|size|length|price|fee|rate"
    r"|percentage|anzahl|dauer|frist|grenze|höchst\w+|mindest\w+|größe|länge|preis|gebühr|betrag)\b",
    re.IGNORECASE,
)
_EXACTLY = re.compile(r"\b(?:exactly|at the limit|genau)\b", re.IGNORECASE)
_ASKED_BY = stems(
    "limit number amount duration period deadline timeout threshold maximum minimum size length price fee rate"
    " percentage value exact exactly happens count long often many stay remain last question open answer decided"
) | stems("anzahl dauer frist grenze größe länge preis gebühr betrag wert frage offen", "de")
"""Words by which one asks; an answer does not repeat them."""
_HINTS = tuple(
    (re.compile(rf"\b(?:{words})\b", re.IGNORECASE), dimension)
    for words, dimension in (
        ("how (?:long|soon|late|early)|when|duration|period|deadline|timeout|wie lange|wann|dauer|frist", "time"),
        ("price|fee|preis|gebühr|betrag", "money"),
        ("rate|percentage|prozentsatz|anteil", "percent"),
        ("how many|number of|wie viele|anzahl", "count"),
    )
)
_UNIT_WORD = 3
"""Letters of a unit that names what is asked for: `days`, `EUR`, but not `a` or `m`."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing that a finding asks."""

    text: str
    about: frozenset[str]
    """Stems of its subject."""
    wants: Wants
    measures: frozenset[str]
    """Dimensions that an answer may have, by their first word; empty: any."""
    limit: Quantity | None
    """The value at which it is asked what holds."""
    of_model: bool
    """A model asks, which has read the ticket."""
    today: bool
    """It asks how things are, so that the code may answer."""


def asked_by(finding: Finding, words: Words, language: Language) -> tuple[Asked, ...]:
    """What would have to be answered, all of it; empty for what is no question on the ticket's matter."""
    quotes = [cited for cited in finding.evidence if cited.quote]
    if finding.rule in {undecided.ID, unanswered_question.ID}:
        if (
            len({cited.locator.document_id for cited in quotes}) > 1
        ):  # it knows of a decision, and wants it written down
            return ()
        today = finding.rule == unanswered_question.ID
        return tuple(_asked(cited.quote, "", words, language, today=today) for cited in quotes)
    if finding.rule == thresholds.ID:
        return (_asked(finding.question, " ".join(cited.quote for cited in quotes), words, language),)
    if finding.rule == "model" and finding.category in QUESTIONS:
        return (_asked(finding.question, "", words, language, of_model=True, today=True),)
    return ()


def _asked(
    text: str, around: str, words: Words, language: Language, *, of_model: bool = False, today: bool = False
) -> Asked:
    prose = _unmarked(visible_prose(text), words)
    limit = next(iter(quantities(prose, language)), None) if _EXACTLY.search(prose) else None
    about = stems(f"{prose} {_without_values(around, language)}", language) - _ASKED_BY
    if limit and limit.dimension.startswith("count "):
        about -= {limit.dimension.split()[1]}
    wants: Wants = "limit" if limit else "value" if _VALUE.search(prose) else "rule"
    measures = frozenset(dimension for pattern, dimension in _HINTS if pattern.search(prose)) | _named_units(prose)
    return Asked(text, about, wants, measures, limit, of_model, today)


def _unmarked(prose: str, words: Words) -> str:
    """Without the words that say it is open."""
    for marker in phrases(words.undecided).finditer(prose):
        prose = prose[: marker.start(1)] + " " * len(marker[1]) + prose[marker.end(1) :]
    return prose


def _without_values(text: str, language: Language) -> str:
    for quantity in quantities(text, language):
        text = text[: quantity.start] + " " * (quantity.end - quantity.start) + text[quantity.end :]
    return text


def _named_units(prose: str) -> frozenset[str]:
    named = [word for word in re.findall(r"[^\W\d_]+", prose.lower()) if len(word) >= _UNIT_WORD]
    dimensions = {UNITS[word][0].removeprefix("working ") for word in named if word in UNITS}
    return frozenset(dimensions | {"money" for word in named if word in CURRENCIES})
