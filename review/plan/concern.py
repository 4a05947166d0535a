"""How far a passage speaks of what a plan does, by the words of both; no embedding and no model.

A sentence concerns a plan as far as it shares words with one of the plan's sentences, each word weighed by how rare it
is among what was found; a line of code has too few words for that, so of code the whole passage is taken.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log, sqrt

from core.tickets import KEY
from core.tokens import counted
from core.types import Evidence
from review.checks.constants import words_of_name
from review.plan.given import Given
from review.plan.known import Known
from review.text import Language, Sentence, sentences, stems
from review.wording import cut_quote

_SHARED = 2
"""Stems that a sentence must share with one of the plan's: one alone is met by chance."""
_OF_SENTENCE, _OF_TITLE, _OF_PLAN = 0.5, 0.2, 0.3
"""Parts of the concern of prose: its likest sentence, its title's words that the plan has, the plan's words that it
has. Of code the last alone counts, since its lines have too few words. On the open plans of evals/plans one formula for
both made those that need nothing and those that need something overlap further, and so did the larger of the first and
the last instead of a sum."""
_NAMED = frozenset({"code", "file"})
"""Kinds that speak of code by its names; a ticket or page that does not is not the further from the plan for it."""
_VERBATIM = r"(?:`[^`\n]+`|https?://[^\s<>\])]+)"
_OPENING = re.compile(rf"(?<![^\s(]){_VERBATIM}(?:[ \t]*{_VERBATIM})*[ \t]*\n?[ \t]*\Z")
_CLOSING = re.compile(rf"(?:[ \t]+{_VERBATIM})+[.!?:;]*")
_BACK = 300
"""What is not read as prose, at the ends of a sentence, and characters of it before one."""
_LONGEST = 6_000
"""Characters of a passage that are looked at."""


@dataclass(frozen=True, slots=True)
class Concern:
    """How far a passage concerns the plan, from 0 to 1."""

    score: float
    sentence: str
    """What of it does most, literally, which the plan does not say itself; empty of code."""


class Concerns:
    """Weighs what was found for one plan."""

    def __init__(self, given: Given, known: Known, found: Sequence[Evidence]) -> None:
        self._language = given.language
        self._known = known
        self._units = {
            named: tuple(filter(None, (_words(unit, self._language, named=named) for unit in _units(given))))
            for named in (True, False)
        }
        self._plan = {named: frozenset[str]().union(*units) for named, units in self._units.items()}
        self._count = len(found)
        self._having = Counter(word for one in found for word in _words(_entire(one), self._language, named=True))

    def of(self, one: Evidence) -> Concern:
        """What the plan says itself counts nothing."""
        named = one.kind in _NAMED
        plan = self._share(self._plan[named], _words(_entire(one), self._language, named=named))
        if one.kind == "code":
            return Concern(plan, "")
        title = self._share(_words(_title(one), self._language, named=named), self._plan[named])
        units = (unit for unit in _sentences(one) if not self._known.says(unit))
        told = ((self._likeness(_words(unit, self._language, named=named), named=named), unit) for unit in units)
        best, sentence = max(told, key=lambda pair: pair[0], default=(0.0, ""))
        return Concern(_OF_SENTENCE * best + _OF_TITLE * title + _OF_PLAN * plan, sentence)

    def excerpt(self, one: Evidence, limit: int) -> str:
        """The whole lines next to each other, up to `limit` characters, that share the most words with the plan; of
        equals those that begin with such a line, then the first. A longer line is cut.
        """
        text = one.text[:_LONGEST]
        lines = text.splitlines(keepends=True)
        shared = [_words(line, self._language, named=True) & self._plan[True] for line in lines]
        best, chosen = (-1.0, False), ""
        for first, opening in enumerate(shared):
            last = first
            size = len(lines[first])
            while last + 1 < len(lines) and size + len(lines[last + 1].rstrip()) <= limit:
                last += 1
                size += len(lines[last])
            weight = self._weigh(frozenset[str]().union(*shared[first : last + 1]))
            worth = round(weight, 9), bool(opening)  # equal sets may differ in the last digit by the order of adding
            if worth > best:
                best, chosen = worth, "".join(lines[first : last + 1])
        return cut_quote(chosen.strip(), limit)

    def _likeness(self, words: frozenset[str], *, named: bool) -> float:
        """Cosine of the weights with the likest sentence of the plan."""
        weight = self._weigh(words)
        shared = ((words & unit, unit) for unit in self._units[named])
        return max(
            (self._weigh(both) / sqrt(weight * self._weigh(unit)) for both, unit in shared if len(both) >= _SHARED),
            default=0.0,
        )

    def _share(self, of: frozenset[str], among: frozenset[str]) -> float:
        shared = of & among
        return self._weigh(shared) / self._weigh(of) if len(shared) >= min(_SHARED, len(of)) and of else 0.0

    def _weigh(self, words: Iterable[str]) -> float:
        """Inverse document frequency as in BM25, flattened by a root since what was found has the plan's words most."""
        return sum(self._weight(max(self._having[word], 0.5)) for word in words)

    def _weight(self, having: float) -> float:
        return sqrt(log(1 + (self._count - having + 0.5) / (having + 0.5)))


def _units(given: Given) -> Iterator[str]:
    yield given.title
    yield from (one.prose for one in given.sentences)
    yield from (path.rpartition("/")[2].partition(".")[0] for path in given.paths)
    yield from given.diff.places
    yield from given.diff.removed
    yield from given.diff.added
    yield from given.about
    if not given.sentences:
        yield "\n".join((*given.about, *given.diff.removed, *given.diff.added))


def _title(one: Evidence) -> str:
    """Of a file its name alone: the folders above it are those of half the repository."""
    if one.kind in {"code", "file"}:
        return one.locator.title.rpartition("/")[2].partition(".")[0]
    return KEY.sub(" ", one.locator.title)


def _entire(one: Evidence) -> str:
    """With the class and function, or the headings, that it stands in."""
    return "\n".join((_title(one), *one.context.split(" > ")[2:], one.text[:_LONGEST]))


def _sentences(one: Evidence) -> Iterator[str]:
    text = one.text[:_LONGEST]
    yield from (whole(text, part) for part in sentences(text) if part.kind != "heading")


def whole(text: str, part: Sentence) -> str:
    """A sentence of a text with the code and addresses that it begins and ends with, which are no prose."""
    before = _OPENING.search(text[max(0, part.start - _BACK) : part.start])
    goes_on = before is not None and (part.text[0].islower() or "\n" not in before[0])
    start = part.start - len(before[0]) if before and goes_on else part.start
    after = None if part.text.endswith((".", "!", "?", "…")) else _CLOSING.match(text, part.end)
    return text[start : after.end() if after else part.end]


@lru_cache(maxsize=4096)
def _words(text: str, language: Language, *, named: bool) -> frozenset[str]:
    """Stems of its words and of the parts of its names; `named`: and names of several parts as they are."""
    every = [word for word, _, _ in counted(text)]
    parts = {word: words_of_name(word) if word.isascii() else [] for word in every}
    names = frozenset(word.lower() for word in every if named and len(parts[word]) > 1)
    return names | stems(" ".join(part for word in every for part in parts[word] or [word]), language)
