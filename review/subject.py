"""What a question asks about: its words and names, the kinds of source that it wants to hear, the number it wants."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from core.key import Key
from core.keys import looks_like_code, parse
from core.tokens import counted, terms, terms_of
from review.answer_type import AnswerType, type_of
from review.checks.quantities import quantities
from review.checks.units import ARTICLES, NUMBER_WORDS
from review.text import STOPWORDS, Language, language_of, stem_words, stems, word_set

KINDS: Mapping[str, frozenset[str]] = {
    "code": frozenset({"code"}),
    "rule": frozenset({"page", "attachment", "file"}),
    "ticket": frozenset({"ticket", "comment"}),
}
"""The kinds of evidence that are meant by a word for a source."""
_SOURCES: Mapping[str, frozenset[str]] = {
    "code": word_set(
        "code codebase implementation implemented built repository repo source"
        " quelltext quellcode implementierung implementiert umgesetzt gebaut"
    ),
    "rule": word_set(
        "policy policies rule rules guideline guidelines handbook wiki page pages decision decisions documentation docs"
        " richtlinie richtlinien regel regeln regelung seite seiten handbuch doku"
    ),
    "ticket": word_set(
        "ticket tickets story stories issue issues epic requirement requirements anforderung anforderungen vorgang"
    ),
}
_FRAME = word_set(
    "agree agrees compare compared difference differ differs differently same mean means tell know happen happens"
    " happened question answer really vergleiche vergleich unterschied gleich bedeutet heißt passiert niemand jemand"
    " когда где кто что как сколько какой какая какое какие почему зачем чем ли это"
)
"""How a question is put, not what it is about."""
_TIME = ("time", "working", "clock")
_LENGTH = ("length",)
_UNITS = frozenset({"time", "money", "percent"})
"""Dimensions whose units are nothing else: what is counted in them is not counted in things."""
_AMOUNT = ("count", "percent", "money")
_MEASURES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(word_set("soon quickly fast often late early old schnell oft spät früh alt bald"), _TIME),
    **dict.fromkeys(word_set("tall wide deep breit tief"), _LENGTH),
    **dict.fromkeys(word_set("heavy schwer"), ("mass",)),
    **dict.fromkeys(
        word_set("large big small groß klein"), ("size", *_LENGTH, "mass", "volume", "count", "percent", "money")
    ),
    **dict.fromkeys(word_set("long lang lange"), (*_TIME, *_LENGTH, "count")),
    **dict.fromkeys(word_set("many much high far viel viele vielen vieler hoch weit"), ()),
}
"""What is asked for after `how`, and the dimensions that answer it, as the quantities call them; none: any does."""
_HOW = re.compile(rf"\b(?:how|wie)\s+({'|'.join(sorted(_MEASURES))})\b", re.IGNORECASE)
_MANY = re.compile(r"\b(?:how many|wie viele?n?)\s+([\w-]+)(?:\s+([\w-]+))?", re.IGNORECASE)
_PRICE = re.compile(r"\bwhat\b[^.?!]*\bcosts?\b|\bwas\b[^.?!]*\bkoste[nt]\b|\bprice of\b|\bpreis\b", re.IGNORECASE)
_NUMBER = re.compile(
    r"\d|\b(?:half|once|twice|double|free|nothing|unlimited|halb\w*|einmal|zweimal|doppelt|kostenlos|unbegrenzt"
    rf"|{'|'.join(sorted(NUMBER_WORDS.keys() - ARTICLES))})\b",
    re.IGNORECASE,
)
_YEAR = 4
"""Digits of a number that is a name itself."""
_LETTERS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Word:
    """A word that carries a subject, with the forms that it is found by."""

    text: str
    forms: frozenset[str]
    name: bool
    """Written as only names are: what does not name it is about something else."""


@dataclass(frozen=True, slots=True)
class Subject:
    words: tuple[Word, ...]
    keys: tuple[Key, ...]
    """Tickets, paths and symbols that are named; their words are not among the others."""
    kinds: tuple[str, ...]
    """Which of `KINDS` it wants to hear."""
    measure: frozenset[str] | None
    """It asks how much, how many, how long: dimensions of what answers, none for any. None: it does not ask so."""
    wanted: AnswerType | None = None
    """It asks when, who, where or why."""


def subject_of(question: str) -> Subject:
    language = language_of(question)
    keys = names_in(question)
    spoken = set(_LETTERS.findall(question.lower()))
    kinds = {kind for kind, words in _SOURCES.items() if spoken & words}
    kinds |= {"ticket" for key in keys if key.kind == "ticket"}
    left_out = _FRAME | {word.lower() for key in keys for word, _, _ in counted(key.text)}
    if len(kinds) > 1:  # one alone may be the subject itself: a ticket for a train
        left_out |= frozenset().union(*(_SOURCES[kind] for kind in kinds))
    asked = [found.lower() for found in _HOW.findall(question)]
    wanted = type_of(question)
    words = [
        Word(word.lower(), _forms(word, script, language, wanted), _is_name(word, question, language))
        for word, script, _ in counted(question)
        if word.lower() not in left_out.union(asked) and _carries(word.lower(), language)
    ]
    return Subject(tuple(words), keys, tuple(sorted(kinds)), _measure(asked, question, language), wanted)


def names_in(text: str) -> tuple[Key, ...]:
    """The tickets, paths, quotes and symbols of a text."""
    return tuple(key for key in parse(text).found if key.kind != "identifier" or _is_code(key.text))


@lru_cache(maxsize=4096)
def forms_in(text: str) -> frozenset[str]:
    """The forms of all words of a text."""
    return frozenset(terms(text)) | stems(text, language_of(text))


def measures(text: str, dimensions: frozenset[str]) -> bool:
    """Whether a sentence holds a number that can answer: of one of these dimensions, or of one that is not known."""
    known = _dimensions(text)
    if known and dimensions:
        return bool(known & dimensions)
    return _NUMBER.search(text) is not None


def measures_surely(text: str, dimensions: frozenset[str]) -> bool:
    """Whether it holds a number of one of these dimensions."""
    return not _dimensions(text).isdisjoint(dimensions)


def _dimensions(text: str) -> frozenset[str]:
    return frozenset(dimension_of(one.dimension) for one in quantities(text, language_of(text))) - {""}


def dimension_of(dimension: str) -> str:
    """Without what is counted, or in which currency."""
    return dimension.partition(" ")[0]


def _measure(asked: list[str], question: str, language: Language) -> frozenset[str] | None:
    """By the words after `how`, and by what is counted: days are not counted in percent. Of a price, money."""
    if many := _MANY.search(question):
        counted_by = (one for word in many.groups("") for one in quantities(f"2 {word}", language))
        found = frozenset(dimension_of(one.dimension) for one in counted_by if one.dimension)
        return found if found & _UNITS else found | {"count"}
    if asked:
        return frozenset(one for word in asked for one in _MEASURES[word])
    if _PRICE.search(question):
        return frozenset({"money"})
    return None


def _is_code(name: str) -> bool:
    """Not the plural of an abbreviation, which is written like a name in code."""
    return looks_like_code(name) and not (name.endswith("s") and name[:-1].isupper())


def _carries(word: str, language: Language) -> bool:
    if word.isdecimal():
        return len(word) == _YEAR
    if word.isascii():
        return bool(stems(word, language))
    return word not in STOPWORDS


def _forms(word: str, script: str, language: Language, wanted: AnswerType | None) -> frozenset[str]:
    """Who owns it is its owner."""
    found = frozenset(terms_of(word, script))
    if script != "latin":
        return found
    stemmed = stem_words([word], language)
    doers = [f"{stem}er" for stem in stemmed] if wanted == "person" and language == "en" else []
    return found.union(stemmed, doers)


def _is_name(word: str, question: str, language: Language) -> bool:
    """A German noun has a capital letter as well, and so has the first word of a sentence."""
    if any(c.isupper() or c.isdigit() for c in word[1:]):
        return True
    before = question[: max(question.find(word), 0)].rstrip()
    return language == "en" and word[:1].isupper() and bool(before) and before[-1] not in ".?!:;\"'("
