"""No acceptance criteria and no expected result, or a heading for them with nothing below."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.tickets import Ticket
from review.case import Case, Checked
from review.checks.places import Place, absent, comment_place, said, shown, written
from review.text import Sentence, phrases, sections, sentences
from review.types import Cited, Finding, Priority, Settled, Unknown
from review.words import Words

ID = "acceptance-criteria"
_SHORT = 200
"""Characters of a section that is quoted whole."""
_HEADING = 8
"""Words of a heading that may name criteria among others: `My acceptance criteria for the test`."""
_LABEL = 60
"""Characters before a colon that may be a label."""
_TEMPLATE = re.compile(r"<[^<>\n]*>|\[[^\[\]\n]*\](?!\()|\{[^{}\n]*\}|[^\w\n]|_")
_NUMBERED_LABEL = re.compile(r"\W{0,6}([^\W\d_]{2,20})[ -]?\d{1,3}\W{1,6}\w")
_NUMBERED = re.compile(r"\W*\d*\W*")


@dataclass(frozen=True, slots=True)
class Stated:
    """A place meant for acceptance criteria or an expected result."""

    where: str
    cited: Cited
    filled: bool


def check(case: Case) -> Checked:
    ticket = case.ticket
    if _is(ticket.type, case.words.epics):
        carried = "Acceptance criteria are not expected here: the tickets below this one carry them."
        return Checked(settled=(Settled(carried),))
    places = list(stated(case))
    filled = next((place for place in places if place.filled), None)
    if filled:
        return Checked(settled=(Settled(f"What is expected is written down ({filled.where})."),))
    inherited = _inherited(case)
    if inherited is not None:
        return inherited
    if places:
        return Checked(findings=(_empty(places[0]),))
    if ticket.unread:
        what = "No acceptance criteria were found, but not all of the ticket could be read: " + "; ".join(ticket.unread)
        return Checked(unknowns=(Unknown(what, "Reading the rest, or criteria in the description."),))
    return Checked(findings=(_missing(ticket, is_bug=_is(ticket.type, case.words.bugs)),))


def stated(case: Case) -> Iterator[Stated]:
    """Every place for criteria in the ticket's texts and comments, filled or not."""
    words = case.words
    is_bug = _is(case.ticket.type, words.bugs)
    for place in written(case.ticket):
        if _named(place.name, words):
            yield Stated(f"field {place.name}", place.cite(place.text.strip()), _says_something(place.text, words))
        elif place.part != "title":
            yield from _in_text(place, words)
            yield from _demands(place, words, is_bug=is_bug)
    for comment in said(case):
        yield from _in_text(comment_place(comment), words)


def _in_text(place: Place, words: Words) -> Iterator[Stated]:
    """Headings, labels, scenarios and sentences such as `It is done when ...`."""
    for section in sections(place.text):
        if _named(section.title, words):
            quote = section.whole if len(section.whole) <= _SHORT else section.title
            yield Stated(place.name, place.cite(quote), _says_something(section.body, words))
    openings = phrases(words.accepted_when)
    for sentence in sentences(place.text):
        label, _, rest = sentence.text.partition(":")
        if rest.strip(" *_") and len(label) <= _LABEL and _named(label, words):
            filled = _says_something(rest, words) and not sentence.text.rstrip().endswith("?")
            yield Stated(place.name, place.cite(sentence.text), filled)
        elif _is_numbered(sentence, words) or (sentence.prose in openings and "?" not in sentence.prose):
            yield Stated(place.name, place.cite(sentence.text), filled=True)
    if _scenario(place.text, words):
        yield Stated(place.name, place.cite(""), filled=True)


def _is_numbered(sentence: Sentence, words: Words) -> bool:
    """`**AC1** The guest sees ...`"""
    label = _NUMBERED_LABEL.match(sentence.text)
    return label is not None and label[1].lower() in words.acceptance


def _demands(place: Place, words: Words, *, is_bug: bool) -> Iterator[Stated]:
    """A bug's text says what should happen; a list of two or more demands serves as criteria without a heading."""
    demanding = [s for s in sentences(place.text) if s.kind != "heading" and s.prose in phrases(words.must)]
    listed = [sentence for sentence in demanding if sentence.kind in {"item", "row"}]
    if len(listed) >= 2 or (is_bug and any(_is_claim(sentence) for sentence in demanding)):
        yield Stated(place.name, place.cite(demanding[0].text), filled=True)


def _is_claim(sentence: Sentence) -> bool:
    return not sentence.prose.rstrip().endswith("?")


def _scenario(text: str, words: Words) -> bool:
    """Steps of when and then at the beginnings of lines (often in a code block), or given, when, then in one line."""
    starts = {line.strip(" \t*_-|>#").split(" ", 1)[0].lower().rstrip(",:") for line in text.splitlines()}
    lines = [set(re.findall(r"\w+", line)) for line in text.lower().splitlines()]
    steps = [set(scenario.split()) for scenario in words.scenario]
    return any(starts >= set(scenario.split()[1:]) for scenario in words.scenario) or any(
        line >= three for line in lines for three in steps
    )


def _named(name: str, words: Words) -> bool:
    """Whether a heading, label or field name is one for criteria: `AC 2`, `Acceptance criteria (draft)`."""
    flat = " ".join(re.sub(r"\([^()]*\)|[*_#:\d]", " ", name.lower()).split())
    if len(flat.split()) > _HEADING:
        return False
    return any(
        flat == word
        or (len(word) > 8 and (flat.startswith(f"{word} ") or flat.endswith(f" {word}")))
        or (" " in word and f" {word} " in flat)
        for word in words.acceptance
    )


def _says_something(body: str, words: Words) -> bool:
    """Whether a body holds more than placeholders, empty bullets and template brackets."""
    markers = phrases(words.undecided)
    for line in body.splitlines():
        plain = " ".join(_TEMPLATE.sub(" ", line).lower().split())
        if not plain or _NUMBERED.fullmatch(plain):
            continue
        if plain in words.empty or plain.replace(" ", "") in {"na", "tbd", "tbc"}:
            continue
        if (found := markers.find(line)) and len(line.split()) - len(found[1].split()) <= 3:
            continue
        return True
    return False


def _inherited(case: Case) -> Checked | None:
    """A sub-task may rely on its parent's criteria; None where the ticket must have its own."""
    parent = next((link for link in case.ticket.links if link.relation.lower() in {"parent", "is child of"}), None)
    if parent is None or (_is(parent.type, case.words.epics) and not _is(case.ticket.type, case.words.subtasks)):
        return None
    opened = case.open_ticket(parent.key)
    if opened is None:
        what = f"Whether the parent {parent.key} states what is expected could not be read; this ticket does not."
        return Checked(unknowns=(Unknown(what, "Access to the parent, or criteria in this ticket."),))
    above = Case(opened, case.audience, case.search, case.open_ticket, case.words, case.now, case.agreed_statuses)
    if any(place.filled for place in stated(above)):
        return Checked(settled=(Settled(f"What is expected is written down in the parent {parent.key}."),))
    return None


def _is(kind: str, names: tuple[str, ...]) -> bool:
    return kind.strip().lower() in names


def _empty(place: Stated) -> Finding:
    return Finding(
        rule=ID,
        category="missing rule",
        priority=Priority.P1,
        statement=f"There is a place for acceptance criteria ({place.where}), but nothing definite in it: "
        f"“{shown(re.sub(r'[*_#]+', '', place.cited.quote))}”.",
        why="Without an expected result nobody can say whether the work is right or finished.",
        question="What must be true for this to be accepted? Please name each result that can be checked.",
        evidence=(place.cited,),
    )


def _missing(ticket: Ticket, *, is_bug: bool) -> Finding:
    wanted = "expected result" if is_bug else "acceptance criteria or expected result"
    return Finding(
        rule=ID,
        category="missing rule",
        priority=Priority.P1,
        statement=f"The ticket says what it is about, but has no {wanted}.",
        why="Without one nobody can say whether the work is right or finished, and each tester will assume another.",
        question="What should a person see or be able to do when this is done, and what must not happen?",
        evidence=(absent(ticket, f"{wanted}: in the description, the fields and the comments"),),
    )
