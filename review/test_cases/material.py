"""The sentences that test cases are made from: what the ticket asks for, and what pages in force say on its matter."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from core.types import Evidence, Filters, Query
from review.case import Case
from review.checks.pages import in_force
from review.checks.places import Place, comment_place, evidence_place, said, written
from review.checks.replies import is_question
from review.test_cases.lexicon import STORIES
from review.text import Language, Sentence, language_of, phrases, sentences, stems, visible_prose
from review.types import Cited
from review.wording import plain
from review.words import Words

SENTENCES = 200
"""Of the ticket, and of all pages together."""
PAGES = 12
"""Passages of pages that are found."""
QUERY = 500
"""Characters that are searched for."""
FEWEST = 3
"""Words below which a sentence says nothing that can be tried."""
TEXT = 240
"""Characters of a text in a test case."""
_ON_THE_MATTER = 0.6
"""Share of what a page's sentence speaks of that the ticket must speak of, too."""

_MARKS = re.compile(r"(?<!\w)[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?!\w)|`")
_LABEL = re.compile(r"\A[\w /-]{1,40}:\s+(?=\S)")


@dataclass(frozen=True, slots=True)
class Told:
    """A sentence that says how things should be."""

    place: Place
    sentence: Sentence
    own: bool
    """Of the ticket itself, and not of a page."""
    criterion: bool = False
    """It stands where acceptance criteria or an expected result stand."""

    @property
    def text(self) -> str:
        """As it is shown: one line without marks and label, with a capital letter."""
        return raised(bare(self.sentence.text))

    @property
    def prose(self) -> str:
        """What it says, without the label before it."""
        return _LABEL.sub("", _MARKS.sub("", self.sentence.prose).lstrip())

    def cite(self) -> Cited:
        return self.place.cite(self.sentence.text)


def bare(text: str) -> str:
    """A piece of a source inside a test case: one harmless line, without marks, a leading label and a final stop."""
    line = _LABEL.sub("", plain(_MARKS.sub("", text), 2 * TEXT))
    line = line.rstrip(" .;:,")
    return plain(line, TEXT)


def raised(text: str) -> str:
    """With a capital letter."""
    return text[:1].upper() + text[1:]


def gist(text: str, language: Language = "en") -> str:
    """Stems and numbers, in an order of their own: texts that say the same compare equal."""
    return " ".join(sorted({*stems(text, language), *re.findall(r"\d+", text)})) or text.lower()


def matter_of(case: Case) -> frozenset[str]:
    """Stems of everything that the ticket speaks of."""
    language = language_of(f"{case.ticket.summary} {case.ticket.description}")
    places = [*written(case.ticket), *(comment_place(comment) for comment in said(case))]
    return frozenset[str]().union(*(stems(place.text, language) for place in places))


def of_ticket(case: Case) -> list[Told]:
    """What the ticket asks for, in its texts and in comments that decide something. Of a bug only what should be.
    In a page or a thread any sentence that demands or decides something is a criterion: they have no place for them.
    """
    return list(islice(_of_ticket(case), SENTENCES))


def _of_ticket(case: Case) -> Iterator[Told]:
    ticket, words = case.ticket, case.words
    is_bug = ticket.type.strip().lower() in words.bugs
    for place in written(ticket):
        if place.part == "title":
            continue
        wanted_here = place.name.strip().lower() in words.acceptance
        for sentence in statements(place, words):
            demands = ticket.kind != "ticket" and _decides(sentence, words)
            criterion = demands or wanted_here or _below(sentence, words.acceptance) or _opens(sentence, words)
            if _below(sentence, words.observed) or (
                is_bug and not criterion and sentence.prose not in phrases(words.must)
            ):
                continue
            yield Told(place, sentence, own=True, criterion=criterion)
    for comment in said(case):
        place = comment_place(comment)
        for sentence in statements(place, words):
            if sentence.prose in phrases(words.decided):
                yield Told(place, sentence, own=True)


def pages_on(case: Case) -> tuple[Evidence, ...]:
    """Passages of pages in force on the ticket's matter. Raises CoreError."""
    text = " ".join(visible_prose(f"{case.ticket.summary}\n{case.ticket.description}").split())[:QUERY]
    if not any(char.isalnum() for char in text):
        return ()
    found = case.search(Query(text, filters=Filters(kinds=frozenset({"page"})), limit=PAGES)).evidence
    return tuple(page for page in found if page.kind == "page" and in_force(page, case.words))


def of_pages(pages: Sequence[Evidence], matter: frozenset[str], words: Words, least: int) -> list[Told]:
    """Their sentences on the same matter (`least` words of it)."""
    return list(islice(_of_pages(pages, matter, words, least), SENTENCES))


def _of_pages(pages: Sequence[Evidence], matter: frozenset[str], words: Words, least: int) -> Iterator[Told]:
    for page in sorted(pages, key=lambda one: (one.document_id, one.locator.line or 0, one.id)):
        place, language = evidence_place(page), language_of(page.text)
        for sentence in statements(place, words):
            about = stems(sentence.prose, language)
            if rules(sentence, words) and is_on(about, matter, least):
                yield Told(place, sentence, own=False)


def rules(sentence: Sentence, words: Words) -> bool:
    """Whether a page says something here: a whole sentence, or a demand or permission; no bare link or name, and no
    word that is explained (`Hold: seats that are not paid yet.`).
    """
    label = _LABEL.match(_MARKS.sub("", sentence.prose).lstrip())
    explains = label is not None and label.string[label.end() :][:1].islower()
    ended = sentence.prose.rstrip(' *_)"”').endswith((".", "!"))
    whole = ended and not explains and len(sentence.prose.split()) > FEWEST
    return whole or any(sentence.prose in phrases(verbs) for verbs in (words.must, words.may, words.may_not))


def is_on(about: frozenset[str], matter: frozenset[str], least: int = 2) -> bool:
    """Whether something speaks of the ticket's matter: of `least` of its words, and not mostly of others."""
    shared = about & matter
    return len(shared) >= least and len(shared) >= _ON_THE_MATTER * len(about)


def statements(place: Place, words: Words) -> Iterator[Sentence]:
    """The sentences that state something: no questions, no open points, no story of who wants it."""
    for sentence in sentences(place.text):
        told = sentence.kind != "heading" and any(char.isalnum() for char in sentence.prose)
        if not told or is_question(sentence, words):
            continue
        if len(sentence.prose.split()) < FEWEST or sentence.prose in phrases(STORIES):
            continue
        if sentence.prose in phrases(words.undecided) or sentence.prose in phrases(words.superseded):
            continue
        yield sentence


def _below(sentence: Sentence, names: Sequence[str]) -> bool:
    """Whether a sentence stands below a heading, or behind a label, of one of these names."""
    label, colon, _ = sentence.prose.partition(":")
    return _name(sentence.heading) in names or (bool(colon) and _name(label) in names)


def _decides(sentence: Sentence, words: Words) -> bool:
    return any(sentence.prose in phrases(lists) for lists in (words.must, words.decided, words.accepted_when))


def _opens(sentence: Sentence, words: Words) -> bool:
    return sentence.prose in phrases(words.accepted_when)


def _name(text: str) -> str:
    return " ".join(re.sub(r"[^\w\s-]", " ", text.lower()).split())
