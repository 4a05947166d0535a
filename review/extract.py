"""What the best passages say themselves, where no model words an answer. Rather nothing than what was not asked.

A sentence answers if it holds enough of the question's words, each weighed by how rare it is among what was found; if
it holds what is asked for by name; and if it holds a number of the right dimension where a number is asked for, and a
time, a person, a place or a reason where that is. A page that is superseded is quoted only if no other answers.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise
from math import log, sqrt

from core.types import Evidence
from review.agents.answerer import UNANSWERED, Drafted, Said
from review.answer_type import TIMES, AnswerType, meets
from review.checks.constants import constant
from review.checks.pages import is_archived, void_notice
from review.checks.places import Place
from review.register import Register
from review.subject import KINDS, Subject, Word, dimension_of, forms_in, measures, measures_surely, subject_of
from review.text import language_of, sentences, stems
from review.types import Unknown
from review.wording import cut, plain
from review.words import Words, defaults

QUOTES = 6
LENGTH = 300
"""Documents that are quoted, and characters of a quote."""
COVERED = 0.65
"""Share of the question's words, weighed, that a sentence must have with its surroundings."""
AMONG = 1 / 3
"""The same where a source is asked for by its kind or key, and another one answers plainly."""
OWN = 0.2
"""Share that must stand in the sentence itself, unless all that it stands in is about the subject."""
TITLE, NEAR = 0.5, 0.3
"""What a word counts that stands in the title, or elsewhere in the passage."""
ABOUT = 0.6
"""Share that a title must have so that all below it is about the subject; a word of it then counts in full."""
FOCUS = 0.1
"""What counts how much of a sentence was asked for: of two that cover a question the shorter one is the answer."""
UNASKED = 0.9
"""What code counts where nobody asked for it."""
TERSE = 2 / 3
"""Share of a line of code that must have been asked for so that it answers beside other sources: names are short."""
GAP = 0.9
"""What is worse than this share of the best is left out.

All of these were chosen without the benchmark's held questions, where changing one a little changes little.
"""
EACH = 2
"""Documents of a kind, where several kinds are asked for."""

_FEW = 2
"""Words: with fewer a name says all that is asked, and a title may share a word by chance."""
_OWN_TITLE = frozenset({"page", "attachment", "file", "ticket", "qa"})
"""Kinds whose title is their own, and not that of what they belong to or their path."""
_GOES_ON = re.compile(r"(?:they|it|he|she|this|these|that|then|sie|er|es|diese[rs]?|dann|danach)\b", re.IGNORECASE)
_COMMENT = re.compile(r"#|//|--|/?\*")
_NO_STATEMENT = re.compile(r"(?:import|from|using|#include|require|package)\b|\W*$")


@dataclass(frozen=True, slots=True, eq=False)
class _Quote:
    """The sentence of a passage that answers best."""

    evidence: Evidence
    text: str
    covered: float
    score: float
    named: bool = False
    """Its document is what the question names."""
    meets: bool = True
    """It holds what kind of answer is wanted."""
    surely: bool = False
    """It covers the question and holds a number of the dimension that is asked for, not only some number: the year in
    `the rules of 2025` is no answer to how long something takes."""

    @property
    def document(self) -> str:
        return self.evidence.document_id


def telling(question: str, register: Register, found: Sequence[Evidence]) -> Drafted:
    """Of each document that answers plainly the sentence that does; nothing if there is none."""
    subject = subject_of(question)
    current = [one for one in found if not _is_old(one)]
    quotes = answering(subject, current)
    unknowns: tuple[Unknown, ...] = ()
    if not quotes and (quotes := answering(subject, [one for one in found if _is_old(one)])):
        unknowns = (Unknown("What is quoted holds no longer, by what its page says.", "Asking who owns the page."),)
    said: dict[str, Said] = {}
    for quote in quotes:
        passage = register.add_evidence(quote.evidence)
        text = cut(plain(quote.text, LENGTH), LENGTH)
        if passage is not None and text:
            known = said.get(text)
            said[text] = Said(text, (*known.sources, passage.id) if known else (passage.id,))
    if said:
        return Drafted(tuple(said.values()), unknowns)
    return Drafted((), (UNANSWERED,))


def answering(subject: Subject, found: Sequence[Evidence]) -> list[_Quote]:
    """What answers, best first; of each kind of source, where a question asks for several."""
    reader = _Reader(subject, found)
    quotes = sorted(filter(None, map(reader.quote, found)), key=lambda quote: (not quote.named, -quote.score))
    surest = {quote.document: quote for quote in reversed(quotes) if quote.surely}
    first = list({quote.document: quote for quote in reversed(quotes)}.values())[::-1]
    first = [quote if quote.named else surest.get(quote.document, quote) for quote in first]
    best = max((quote.score for quote in first if quote.covered >= COVERED), default=0.0)
    plainly = [one for one in first if one.named or (one.covered >= COVERED and one.score >= GAP * best)]
    if plainly and len(subject.kinds) > 1:
        kinds = [one for kind in subject.kinds for one in _of_kind(first, KINDS[kind])]
        plainly = list(dict.fromkeys([*(one for one in plainly if one.named), *kinds])) or plainly
    return plainly[:QUOTES]


def _of_kind(quotes: Iterable[_Quote], kinds: frozenset[str]) -> list[_Quote]:
    own = [one for one in quotes if one.evidence.kind in kinds]
    best = max((one.covered for one in own), default=0.0)
    return [one for one in own if one.covered >= max(AMONG, GAP * best)][:EACH]


@dataclass(frozen=True, slots=True)
class _Around:
    """What surrounds the sentences of a passage."""

    title: frozenset[str]
    text: frozenset[str]
    """Forms of the words of its title, and of all of it."""
    about: bool
    """Its title says that it is about the subject."""
    named: bool
    """It is what the question names."""


class _Reader:
    """Reads passages for one question."""

    def __init__(self, subject: Subject, found: Sequence[Evidence]) -> None:
        self._subject = subject
        self._weights = _weights(subject.words, found)
        self._whole = sum(self._weights.values())
        self._asked = frozenset(form for word in subject.words for form in word.forms)
        self._borne = any(self._bears(one) for one in found)

    def quote(self, one: Evidence) -> _Quote | None:
        """None if nothing of the passage answers."""
        if one.route == "read":  # was chosen before it came here
            return _Quote(one, one.text, 1.0, 1.0, named=True)
        around = self._around(one)
        named = (word for word in self._subject.words if word.name)
        if any(not word.forms & (around.title | around.text) for word in named):
            return None
        if one.kind == "history" and not around.named:
            return None
        units = chain(_units(one), _pairs(one, self._subject.wanted))
        quotes = (self._judged(one, unit, around) for unit in units)
        return max(filter(None, quotes), key=_rank, default=None)

    def _around(self, one: Evidence) -> _Around:
        title = forms_in(f"{one.locator.title} {one.locator.heading or ''}")
        about = one.kind in _OWN_TITLE and self._is_about(title)
        return _Around(title, forms_in(one.text), about, self._bears(one))

    def _judged(self, one: Evidence, unit: str, around: _Around) -> _Quote | None:
        subject, code = self._subject, one.kind == "code"
        if subject.measure is not None and not _measures(one, unit, subject.measure):
            return None
        own, focus = forms_in(unit), self._focus(unit)
        named = around.named or (not self._borne and any(key.text.lower() in unit.lower() for key in subject.keys))
        terse = code and len(subject.kinds) > 1 and focus >= TERSE
        if not (named or around.about or terse or self._share([(1.0, own)]) >= OWN):
            return None
        aside = UNASKED if code and not (subject.keys or "code" in subject.kinds) else 1.0
        places = ((1.0, own), (1.0 if around.about else TITLE, around.title), (NEAR, around.text))
        covered = max(aside * self._share(places), AMONG if terse else 0.0)
        few = len(subject.words) < _FEW
        named = named and (few or covered >= AMONG)
        if subject.keys and few and not named:
            return None
        met = self._meets(one, unit)
        if not (met or named):
            return None
        surely = covered >= COVERED and measures_surely(unit, subject.measure or frozenset())
        return _Quote(one, unit, covered, (1 - FOCUS) * covered + FOCUS * focus, named, met, surely)

    def _meets(self, one: Evidence, unit: str) -> bool:
        """Whether it holds a time, a person, a place or a reason, if that is asked for. Code has a place always."""
        wanted = self._subject.wanted
        if wanted is None or (one.kind == "code" and wanted == "place"):
            return True
        if one.kind == "code" and not _COMMENT.match(unit):
            return wanted == "time" and _measures(one, unit, TIMES)
        return meets(unit, wanted, self._asked)

    def _share(self, places: Sequence[tuple[float, frozenset[str]]]) -> float:
        """Of the weights of the question's words, each counted by the best place that holds it."""
        if not self._whole:
            return 0.0
        held = (
            weight * max((share for share, forms in places if word.forms & forms), default=0.0)
            for word, weight in self._weights.items()
        )
        return sum(held) / self._whole

    def _is_about(self, title: frozenset[str]) -> bool:
        held = [word for word in self._subject.words if word.forms & title]
        return len(held) >= _FEW and self._share([(1.0, title)]) >= ABOUT

    def _focus(self, unit: str) -> float:
        """Share of a sentence's words that were asked for."""
        words = stems(unit, language_of(unit))
        return len(words & self._asked) / len(words) if words else 0.0

    def _bears(self, one: Evidence) -> bool:
        """Whether it is the ticket or the file that the question names."""
        ticket, title = one.attributes.get("key", "").lower(), one.locator.title.lower()
        names = (key.text.lower() for key in self._subject.keys)
        return any(name in {ticket, title} or title.endswith(f"/{name}") for name in names)


def _rank(quote: _Quote) -> tuple[bool, bool, float, bool]:
    """Of the sentences of one passage the highest is quoted."""
    return quote.meets, quote.surely, quote.score, quote.named


def _weights(words: Iterable[Word], found: Sequence[Evidence]) -> Mapping[Word, float]:
    """By how rare a word is among what was found: as in BM25 (Robertson and Zaragoza, The Probabilistic Relevance
    Framework, 2009), made flatter by a square root, since what was found has the subject's own words most often.
    """
    texts = [forms_in(f"{one.context}\n{one.text}") for one in found]
    held = {word: max(0.5, sum(1 for forms in texts if forms & word.forms)) for word in words}
    return {word: sqrt(log(1 + (len(texts) - count + 0.5) / (count + 0.5))) for word, count in held.items()}


def _units(one: Evidence) -> Iterator[str]:
    """What can be quoted: sentences that say something, lines of code."""
    if one.kind == "code":
        lines = (line.strip() for line in one.text.splitlines())
        yield from (line for line in lines if not _NO_STATEMENT.match(line))
    else:
        parts = sentences(one.text)
        yield from (part.text for part in parts if part.kind != "heading" and not part.text.endswith("?"))


def _pairs(one: Evidence, wanted: AnswerType | None) -> Iterator[str]:
    """Two sentences of which one alone is not understood: `they` of the one before it, or a reason of the other."""
    for first, second in pairwise(sentences(one.text) if one.kind != "code" else ()):
        between = one.text[first.end : second.start]
        if between.strip() or "\n\n" in between or first.kind == "heading" or second.text.endswith("?"):
            continue
        reasons = [wanted == "reason" and meets(unit.text, "reason", frozenset()) for unit in (first, second)]
        if _GOES_ON.match(second.text) or any(reasons) != all(reasons):
            yield f"{first.text} {second.text}"


def _measures(one: Evidence, unit: str, dimensions: frozenset[str]) -> bool:
    """Whether it holds a number that can answer; of code, what is set once and for all."""
    if one.kind != "code":
        return measures(unit, dimensions)
    stated = constant(unit, Place(one.locator.title, unit, one.locator, one.labels), ())
    return stated is not None and (not dimensions or dimension_of(stated.quantity.dimension) in dimensions)


def _is_old(one: Evidence) -> bool:
    return one.kind == "page" and (is_archived(one) or bool(void_notice(one, _words())))


@lru_cache(maxsize=1)
def _words() -> Words:
    return defaults()
