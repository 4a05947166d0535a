"""Who replied to what, for thousands of comments in one pass from the last to the first."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from core.tickets import Comment, Ticket
from review.case import Case
from review.checks.places import TEXTS, said
from review.text import Language, Sentence, phrases, sentences, stem_words, stems, without_quoted
from review.words import Words

QUESTION_MARKS = "?؟？"  # noqa: RUF001 - Arabic and full-width ones


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment taken apart."""

    comment: Comment
    asked: tuple[Sentence, ...]
    """Its questions."""
    told: frozenset[str]
    """Stems of what it states, evasions left out."""
    states: bool
    """It states something at all."""
    decides: bool
    """It says that something was decided, confirmed, answered."""
    answers: bool
    """It begins like an answer, or quotes what it answers."""


@dataclass(slots=True)
class Later:
    """What was said after a given comment. Two authors a stem are enough to know whether somebody else said it."""

    told: dict[str, set[str]] = field(default_factory=dict)
    """Stem -> authors."""
    decided: dict[str, set[str]] = field(default_factory=dict)
    """Stem -> authors, of remarks that decide."""
    first: dict[str, Remark] = field(default_factory=dict)
    """The next remark of each author."""
    replies: list[Remark] = field(default_factory=list)
    """The next stating remarks by two different authors, the nearest last."""

    def add(self, remark: Remark) -> None:
        author = remark.comment.author.id
        for stem in remark.told:
            _note(self.told, stem, author)
            if remark.decides:
                _note(self.decided, stem, author)
        self.first[author] = remark
        if remark.states or remark.answers:
            others = [known for known in self.replies if known.comment.author.id != author]
            self.replies = [*others[-1:], remark]

    def next_by_other(self, author: str) -> Remark | None:
        return next((remark for remark in reversed(self.replies) if remark.comment.author.id != author), None)


def _note(index: dict[str, set[str]], stem: str, author: str) -> None:
    authors = index.setdefault(stem, set())
    if len(authors) < 2:
        authors.add(author)


def remarks(case: Case, language: Language) -> list[Remark]:
    """What people said, oldest first, taken apart."""
    return [_remark(comment, case.words, language) for comment in said(case)]


def _remark(comment: Comment, words: Words, language: Language) -> Remark:
    asked: list[Sentence] = []
    rest: list[Sentence] = []
    for sentence in sentences(comment.text):
        (asked if is_question(sentence, words) else rest).append(sentence)
    stating = [s for s in rest if s.prose not in phrases(words.evasions)]
    decides = any(s.prose in phrases(words.decided) and s.prose not in phrases(words.undecided) for s in rest)
    opens = bool(stating) and stating[0].prose in phrases(words.answers)
    told = frozenset[str]().union(*(stems(s.prose, language) for s in stating))
    quotes = comment.text.lstrip().startswith(">")
    return Remark(comment, tuple(asked), told, bool(stating), decides, opens or (quotes and bool(stating)))


def is_question(sentence: Sentence, words: Words) -> bool:
    """Whether a sentence asks, outside quotation marks; what follows a question mark may be an afterthought."""
    prose = without_quoted(sentence.prose)
    return any(mark in prose for mark in QUESTION_MARKS) or prose in phrases(words.asks + words.inverted)


def changed_since(ticket: Ticket, language: Language) -> list[tuple[datetime, frozenset[str]]]:
    """When texts of the ticket changed, and the stems that came in, oldest first; not status, people and the like."""
    long = [c for c in ticket.history if c.field.lower() in TEXTS or len(c.after.split()) > 3]
    return [(c.at, stems(c.after, language) - stems(c.before, language)) for c in long if c.after.strip()]


def subject_stems(texts: Sequence[str], common: frozenset[str], language: Language) -> frozenset[str]:
    """What a passage is about beyond what the whole ticket is about; all of it if nothing is left."""
    found = frozenset[str]().union(*(stems(text, language) for text in texts))
    return found - common or found


def names_of(comment: Comment) -> frozenset[str]:
    """Words of the names that a comment addresses (`@Ana Lima`), to leave them out of its subject."""
    return frozenset(stem_words(word for part in comment.text.split("@")[1:] for word in part.split()[:1]))
