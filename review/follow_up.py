"""A question within a thread: what it goes on from, and so what it is searched with."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from core.keys import parse
from review.discussion import Remark
from review.register import Passage
from review.text import language_of, sentences, stems, visible_prose, word_set
from review.wording import cut_quote

CONTEXT = 500
"""Characters of an earlier remark that a search takes."""
READ = 4_000
"""Characters of a remark in which an answer is looked for."""
KEYS = 3
"""Identifiers named earlier that are looked up, those named last first."""
FEW = 3
"""Words with a subject: a question of so few that says `it` speaks of what was said before."""
COVERED, CONNECTED = 2 / 3, 1 / 2
"""Shares of the question's words, and of these with what it goes on from, that a remark must have to answer it."""

_GOING_ON = word_set("and or but so why und oder aber also warum wieso weshalb")
_BEGINNINGS = ("what about", "how about", "what if", "same for", "was ist mit", "wie ist es", "und bei", "auch für")
_POINTING = word_set(
    "it its that this these those they them their he his she her same too instead otherwise"
    " es das dies diese dieser dieses dieselbe dasselbe deren dessen dann dafür davon dabei damit daran ebenso"
)
_ASKING = word_set(
    "what which who whom whose when where why how is are was were does do did can could should must may will has have"
    " was welche welcher welches wer wen wem wann wo warum wieso wie ist sind kann soll sollte muss darf wird hat"
    " tell show explain give list find please describe check compare summarise summarize ask help remind"
    " sag sagt zeig zeige erklär erkläre nenne bitte finde liste vergleiche frag hilf"
)
"""How questions and wishes begin."""


@dataclass(frozen=True, slots=True)
class Entered:
    """A remark of a thread that was entered."""

    remark: Remark
    passage: Passage | None
    """None for what the bot said itself: it cannot be cited."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it is searched for."""

    question: str
    """As it was asked."""
    text: str
    """With what it goes on from. Alone it is no variant: what only shares its few words would come first."""
    variants: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    """Identifiers that people named earlier, and the question means without naming them."""

    @property
    def exact(self) -> bool:
        """The question itself names something exactly."""
        return bool(parse(self.question).found)


def remark_text(remark: Remark) -> str:
    """A remark with who said it when."""
    return f"{remark.author}, {remark.at:%Y-%m-%d %H:%M}:\n{remark.text}"


def asked_after(question: str, earlier: Sequence[Remark]) -> Asked:
    """The question with what it goes on from, if it does so: the newest question that stands on its own, or, where
    nobody asked one, the newest remark. `earlier` is what people said, oldest first.
    """
    if not earlier or not goes_on(question):
        return Asked(question, question)
    own = [text for one in reversed(earlier) if not goes_on(text := _beginning(one))]
    first = next((text for text in own if any(_asks(part.text) for part in sentences(text))), None)
    context = dict.fromkeys(([first] if first else []) + own[:1])
    text, *variants = [f"{said} {question}" for said in context] or [question]
    keys = () if parse(question).found else tuple(_named(earlier))[:KEYS]
    return Asked(question, text, tuple(variants), keys)


def goes_on(question: str) -> bool:
    """Whether a question cannot be understood without what was said before it."""
    words = _words(question)
    if not words:
        return not parse(question).found
    if words[0] in _GOING_ON or " ".join(words).startswith(_BEGINNINGS):
        return True
    subjects = len(stems(question, language_of(question)))
    if subjects <= FEW and not _POINTING.isdisjoint(words):
        return True
    return subjects < 2 and not parse(question).found


def answering(asked: Asked, said: Sequence[Entered]) -> Iterator[tuple[Passage, datetime, str]]:
    """What people said in the thread that answers the question, newest first: sentences that ask nothing and have most
    of its words.
    """
    language = language_of(asked.text)
    wanted = ((stems(asked.question, language), COVERED), (stems(asked.text, language), CONNECTED))
    for one in reversed(said):
        if one.passage is not None:
            parts = [part.text for part in sentences(one.remark.text[:READ]) if not _asks(part.text)]
            told = " ".join(part for part in parts if _covers(stems(part, language), wanted))
            if told:
                yield one.passage, one.remark.at, told


def _covers(words: frozenset[str], wanted: Sequence[tuple[frozenset[str], float]]) -> bool:
    enough = all(len(words & asked) >= share * len(asked) for asked, share in wanted)
    return enough and len(words & wanted[-1][0]) > 1


def _asks(text: str) -> bool:
    words = _words(text)
    return text.rstrip().endswith("?") or (bool(words) and words[0] in _ASKING)


def _named(earlier: Sequence[Remark]) -> Iterator[str]:
    """What people named exactly, each once, what was named last first."""
    names = dict.fromkeys(key.name for one in reversed(earlier) for key in parse(_beginning(one)).found)
    yield from (name for name in names if any(map(str.isalnum, name)))


def _beginning(remark: Remark) -> str:
    """As one line that ends with a whole word: half an identifier would be another one."""
    return cut_quote(" ".join(remark.text[: 2 * CONTEXT].split()), CONTEXT)


def _words(text: str) -> list[str]:
    return [word.strip(".,;:!?\"'()") for word in visible_prose(text).lower().split()]
