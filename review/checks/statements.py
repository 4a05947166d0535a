"""Sentences that state a quantity, with the words that say what the quantity is of."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from review.checks.places import Place
from review.checks.quantities import Quantity, quantities
from review.checks.replies import is_question
from review.text import Language, Sentence, phrases, sentences, stems
from review.words import Words

Role = Literal["is", "from", "to"]
_FROM = re.compile(
    r"(?:\bfrom|\binstead of|\brather than|\bno longer|\bnot|\bpreviously|\bwas|\bwere|\bvon|\bstatt|\banstatt"
    r"|\b(?:currently|current|existing|today|bisher\w*|aktuell|derzeit|heute)(?: \w+){0,3})"
    r"\s+(?:the\s+|den\s+|usual\s+|old\s+)?\Z",
    re.IGNORECASE,
)
_TO = re.compile(
    r"(?<!\bup )\b(?:to|auf|into)\s+(?:only\s+|a\s+|an\s+|at least\s+|at most\s+|up to\s+|nur\s+|max\.?\s+)?\Z",
    re.IGNORECASE,
)
_BY = re.compile(r"\b(?:by|um)\s+(?:up to\s+)?\Z", re.IGNORECASE)
_SWAP = re.compile(r"\b(?:instead of|rather than|no longer|statt|anstatt|nicht mehr)\b", re.IGNORECASE)
_EXAMPLE = re.compile(
    r"\b(?:e\.?g|for example|for instance|such as|say,|example|z\.\s?b|zum beispiel|beispielsweise|beispiel)\b",
    re.IGNORECASE,
)
_WITHIN = re.compile(r"\b(?:within|innerhalb(?: von)?|binnen)\s+\Z", re.IGNORECASE)
_JOINT = re.compile(r"[,;]|\b(?:and|or|but|und|oder|aber)\b", re.IGNORECASE)
_COMMA = re.compile(r"[,;:]\s|\(|\s[-\u2013]\s")
"""After which something further is told."""
_REACH = 60
"""Characters before a quantity that are looked at for its role."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One quantity, its sentence, and its subject as stems."""

    place: Place
    sentence: Sentence
    quantity: Quantity
    near: frozenset[str]
    """Of the clause, without the unit or counted thing itself."""
    aside: frozenset[str]
    """Those of `near` that stand only in a label before or after a comma behind, where other things are told."""
    context: frozenset[str]
    """Of the rest of the sentence, the headings, the head of the table and the title above it."""
    topic: frozenset[str]
    """Of the headings and the title alone."""
    role: Role = "is"

    @property
    def around(self) -> frozenset[str]:
        return self.near | self.context

    @property
    def value(self) -> str:
        """As written."""
        return self.sentence.text[self.quantity.start : self.quantity.end]


def statements(place: Place, context: str, words: Words, language: Language) -> Iterator[Statement]:
    """All of a text. `context` is what the whole text is about, its title for example."""
    above = stems(context, language)
    head: frozenset[str] = frozenset()
    in_table = False
    for sentence in sentences(place.text):
        if sentence.kind == "row" and not in_table:
            head = stems(sentence.prose, language)
        in_table = sentence.kind == "row"
        found = quantities(sentence.prose, language)
        if not found:
            continue
        topic = above | stems(sentence.heading, language)
        whole = stems(_subject(sentence.prose, found), language)
        around = topic | whole | head if in_table else topic | whole
        for number, quantity in enumerate(found):
            counted = {quantity.dimension.split()[1]} if quantity.dimension.startswith("count") else set()
            start, end = _clause(sentence.prose, found, number)
            subject = _subject(sentence.prose, found)
            near = (stems(subject[start:end], language) - counted) or (whole - counted)
            aside = near - stems(subject[slice(*_core(subject, quantity, start, end))], language)
            bounded = _obliged(sentence.prose, quantity, words)
            yield Statement(place, sentence, bounded, near, aside, around - counted - near, topic)


def _clause(prose: str, found: tuple[Quantity, ...], number: int) -> tuple[int, int]:
    """The part of a sentence that belongs to one of its quantities: from the one before to the next `and` or comma."""
    start = found[number - 1].end if number else 0
    if number + 1 == len(found):
        return start, len(prose)
    joint = _JOINT.search(prose, found[number].end, found[number + 1].start)
    return start, joint.start() if joint else found[number + 1].start


def _core(prose: str, quantity: Quantity, start: int, end: int) -> tuple[int, int]:
    """A clause without the label before its colon and without what comes after a comma behind the quantity."""
    label = prose.rfind(": ", start, quantity.start)
    comma = _COMMA.search(prose, min(quantity.end, end), end)
    return max(start, label + 1), comma.start() if comma else end


def claims(place: Place, context: str, words: Words, language: Language) -> Iterator[Statement]:
    """What a ticket's text demands, each with its role in a change; not questions, examples, open points, or what a
    section such as `Actual result` or `Background` tells of today.
    """
    for statement in statements(place, context, words, language):
        sentence, quantity = statement.sentence, statement.quantity
        before = sentence.prose[max(0, quantity.start - _REACH) : quantity.start]
        if is_question(sentence, words) or _EXAMPLE.search(sentence.prose[: quantity.start]):
            continue
        if sentence.prose in phrases(words.undecided) or _tells_of_today(sentence, words):
            continue
        changing = sentence.prose in phrases(words.changes)
        if changing and _BY.search(before):
            continue
        yield replace(statement, role=_role(sentence.prose, before, changing=changing))


def _role(prose: str, before: str, *, changing: bool) -> Role:
    if _FROM.search(before) and (
        changing or not re.search(r"\b(?:from|von)\s+\Z", before, re.IGNORECASE) or _has_to(prose)
    ):
        return "from"
    if (changing or _has_from(prose)) and _TO.search(before):
        return "to"
    return "to" if _SWAP.search(prose) else "is"


def _has_to(prose: str) -> bool:
    return re.search(r"\b(?:to|auf)\s+\w*\s*\d", prose) is not None or " to " in prose


def _has_from(prose: str) -> bool:
    return re.search(r"\b(?:from|von)\s+\S+", prose, re.IGNORECASE) is not None


def _tells_of_today(sentence: Sentence, words: Words) -> bool:
    """Whether a sentence stands below `Actual result` or is labelled so."""
    heading = " ".join(re.sub(r"[^\w\s-]|\d", " ", sentence.heading.lower()).split())
    label, colon, _ = sentence.prose.partition(":")
    named = " ".join(re.sub(r"[^\w\s-]", " ", label.lower()).split())
    return heading in words.observed or (bool(colon) and named in words.observed)


def _subject(prose: str, found: tuple[Quantity, ...]) -> str:
    """The sentence without its measures; what is counted stays, since it is the subject of the other quantities."""
    for quantity in found:
        if not quantity.dimension.startswith("count"):
            prose = prose[: quantity.start] + " " * (quantity.end - quantity.start) + prose[quantity.end :]
    return prose


def _obliged(prose: str, quantity: Quantity, words: Words) -> Quantity:
    """`must be answered within 24 hours` is an upper bound; `may be returned within 30 days` grants just that."""
    if quantity.bound == "exact" and _WITHIN.search(prose[: quantity.start]) and prose in phrases(words.must):
        return replace(quantity, bound="at most")
    return quantity
