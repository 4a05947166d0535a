"""What the best passages say themselves, where no model words an answer."""

from collections.abc import Sequence

from core.types import Evidence
from review.agents.answerer import Drafted, Said
from review.register import Register
from review.text import language_of, sentences, stems
from review.types import Unknown
from review.wording import cut, plain

PASSAGES = 5
LENGTH = 300
"""Passages that are quoted, and characters of a quote."""


def telling(question: str, register: Register, found: Sequence[Evidence]) -> Drafted:
    """Of each of the best passages the sentence that has most of the question's words."""
    language = language_of(question)
    asked = stems(question, language)
    said: dict[str, Said] = {}
    for one in found[:PASSAGES]:
        passage = register.add_evidence(one)
        text = _best(one.text, asked)
        if passage is not None and text:
            said.setdefault(text, Said(text, (passage.id,)))
    if said:
        return Drafted(tuple(said.values()))
    return Drafted((), (Unknown("Nothing was found that says anything to this question.", "Asking in other words."),))


def _best(text: str, asked: frozenset[str]) -> str:
    """One sentence; of code or a list, its beginning."""
    parts = sentences(text)
    if not parts:
        return cut(plain(text, LENGTH), LENGTH)
    best = max(parts, key=lambda part: len(stems(part.text, language_of(part.text)) & asked))
    return cut(plain(best.text, LENGTH), LENGTH)
