"""How a bug was brought about, by its own text: what must be so before, steps, what happened, what should happen."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from review.checks.places import Place
from review.test_cases.clauses import clauses
from review.test_cases.lexicon import BEFORE, STEPS
from review.test_cases.material import bare, raised
from review.text import Sentence, phrases, sentences, word_set
from review.types import Cited
from review.words import Words

Part = Literal["before", "steps", "actual", "expected"]

MOST = 12
"""Sentences of each part."""
_STEPWISE = re.compile(r";\s+|,\s+(?:then|and then|dann|und dann|danach)\s+", re.IGNORECASE)
_DEED = 16
"""Words of one deed among several."""
_NO_DEED = word_set(
    """the a an this that these those his her its their our your my who which what where when while if as because so but
    or nor not no with without in on at by for from of to into onto after before during until than like such e.g der die
    das ein eine einen dem den wer was wo wenn als weil aber oder nicht mit ohne im in am an auf bei von zu nach vor"""
)
"""What does not begin one."""
KEYED = re.compile(r"\b([A-Z][A-Z0-9_]*-\d+)\b[ :-]*")
"""A ticket's key in a title."""
_NAMED = re.compile(r"[^\w\s-]|\d")


@dataclass(frozen=True, slots=True)
class Quoted:
    """A piece of a bug's text, as it is shown, and where it stands."""

    text: str
    cited: Cited


@dataclass(frozen=True, slots=True)
class Reproduction:
    before: tuple[Quoted, ...] = ()
    steps: tuple[Quoted, ...] = ()
    actual: tuple[Quoted, ...] = ()
    expected: tuple[Quoted, ...] = ()

    @property
    def cited(self) -> tuple[Cited, ...]:
        """Every sentence once, in their order."""
        every = (*self.before, *self.steps, *self.actual, *self.expected)
        return tuple(dict.fromkeys(one.cited for one in every))

    @property
    def actions(self) -> tuple[str, ...]:
        """The steps, taken apart where a sentence holds several."""
        parts = (part for one in self.steps for piece in _STEPWISE.split(one.text) for part in _enumerated(piece))
        return tuple(text for part in parts if (text := raised(bare(part))))[:MOST]


def reproduction(places: Iterable[Place], words: Words) -> Reproduction:
    """What is labelled so in these texts. Of an unlabelled one, its demands and the sentences that tell a condition."""
    found: dict[Part, list[Quoted]] = {"before": [], "steps": [], "actual": [], "expected": []}
    unlabelled: list[tuple[Place, Sentence]] = []
    for place in places:
        for part, sentence in _labelled(place, words):
            if part is None:
                unlabelled.append((place, sentence))
            elif shown := bare(sentence.text):
                found[part].append(Quoted(raised(shown), place.cite(sentence.text)))
    if not found["expected"]:
        found["expected"] = [_quoted(*one) for one in unlabelled if _demands(one[1], words)]
    if not found["steps"]:
        rest = [one for one in unlabelled if not _demands(one[1], words)]
        found["steps"] = [_quoted(*one) for one in rest if clauses(bare(one[1].text)).condition][:1]
    parts = {name: tuple(one for one in quoted if one.text)[:MOST] for name, quoted in found.items()}
    return Reproduction(parts["before"], parts["steps"], parts["actual"], parts["expected"])


def condition_of(title: str) -> str:
    """What a bug's title says of when it happens, else the title itself, without its key."""
    plain = bare(KEYED.sub("", title))
    return clauses(plain).condition or plain


def _enumerated(text: str) -> Sequence[str]:
    """`open it, press the button, wait` in three; a comma that does not begin a new deed divides nothing."""
    parts = text.split(", ")
    deeds = all(2 <= len(part.split()) <= _DEED and part.split()[0].lower() not in _NO_DEED for part in parts)
    return parts if len(parts) > 2 and deeds else (text,)


def _labelled(place: Place, words: Words) -> Iterator[tuple[Part | None, Sentence]]:
    """Each sentence with the part that it belongs to. A label at the start of a paragraph holds until its end."""
    held: Part | None = None
    end = 0
    for sentence in sentences(place.text):
        if "\n\n" in place.text[end : sentence.start] or sentence.kind == "item":
            held = None
        end = sentence.end
        if sentence.kind == "heading":
            continue
        label, colon, _ = sentence.prose.partition(":")
        own = _part(label, words) if colon else None
        held = own or held
        yield held or _part(sentence.heading, words) or _part(place.name, words), sentence


def _part(label: str, words: Words) -> Part | None:
    name = " ".join(_NAMED.sub(" ", label.lower()).split())
    lists: Sequence[tuple[Part, Sequence[str]]] = (
        ("steps", STEPS),
        ("before", BEFORE),
        ("expected", words.acceptance),
        ("actual", words.observed),
    )
    return next((part for part, names in lists if name in names), None)


def _demands(sentence: Sentence, words: Words) -> bool:
    return sentence.prose in phrases(words.must) or sentence.prose in phrases(words.accepted_when)


def _quoted(place: Place, sentence: Sentence) -> Quoted:
    return Quoted(raised(bare(sentence.text)), place.cite(sentence.text))
