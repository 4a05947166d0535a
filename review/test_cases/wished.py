"""Cases that somebody wishes for, drafted by rules: from the source that says what has to happen, or else left open."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from core.tickets import Ticket
from core.types import Evidence
from review.checks.matching import same_value
from review.checks.places import Place, comment_place, evidence_place, written
from review.checks.statements import Statement, claims
from review.discussion import Discussion, Remark
from review.register import normal
from review.test_cases.clauses import clauses
from review.test_cases.discussed import on_the_matter
from review.test_cases.lexicon import ASKED_FOR
from review.test_cases.limits import Limit, is_ordinal, is_rule, limit_cases
from review.test_cases.material import SENTENCES, Told, bare, gist, raised, rules, statements
from review.test_cases.ruled import by_sentence
from review.test_cases.situations import criterion
from review.test_cases.types import DraftedCase, Step
from review.text import Sentence, language_of, phrases, sentences, stems
from review.types import Cited
from review.wording import cut
from review.words import Words

OPEN = "Open: nothing that was read says what has to happen here."
"""What is expected where only the wish itself is known."""
WISHES = 5
"""Sentences of one wish."""
SUPPORTS = 3
"""Sources of one case beside the wish."""
_SHARE = 0.6
"""Of what a wish speaks of, how much a sentence must speak of, too, to say what has to happen."""
_LEAD = re.compile(
    r"\A(?:(?:please|also|bitte|auch|noch)\s+)*"
    r"(?:(?:(?:an?|one|another|the|ein|eine|einen)\s+)?(?:(?:new|more|neue[nr]?|weitere[nr]?)\s+)?"
    r"(?:test\s*)?(?:cases?|tests?|fall|fälle)\s+"
    r"(?:that|where|for|with|in which|about|dass|für|mit|zu)\s+|(?:that|dass)\s+)?",
    re.IGNORECASE,
)
"""`a case that`, `please also`: how a wish opens before it says what is to be tried."""


@dataclass(frozen=True, slots=True)
class Wished:
    """What is to be added to a draft, and where it was asked for."""

    text: str
    remark: Remark
    discussion: Discussion
    """Around it; with the labels of its readers."""

    @property
    def whole(self) -> Discussion:
        """With the wish as its last remark."""
        return replace(self.discussion, remarks=(*self.discussion.remarks, self.remark))

    @property
    def cited(self) -> Cited:
        """The wish as a source of what is drafted for it."""
        return self.place.cite(self.place.text)

    @property
    def place(self) -> Place:
        """The wish as a source: what of the remark is to be added, or all of it if it is not in there literally."""
        literal = normal(self.text) in normal(self.remark.text)
        text = _LEAD.sub("", self.text.strip()) if literal else self.remark.text
        return Place("the wish", text, self.remark.locator, self.discussion.labels_of(self.remark))


@dataclass(frozen=True, slots=True)
class Source:
    """A text that may say what has to happen."""

    place: Place
    own: bool
    """Of a ticket or the thread, and not of a page."""
    spoken: bool = False
    """Said by somebody to others, where many a sentence says nothing of what has to happen."""


def sources_of(tickets: Iterable[Ticket], discussion: Discussion, pages: Iterable[Evidence]) -> Iterator[Source]:
    """Tickets as they are now, then what people said in the thread, then pages. All must be for one audience."""
    for ticket in tickets:
        yield from (Source(place, own=True) for place in written(ticket))
        yield from (Source(comment_place(one), own=True, spoken=True) for one in ticket.comments)
    for one in discussion.by_people:
        place = Place(one.author, on_the_matter(one), one.locator, discussion.labels_of(one))
        yield Source(place, own=True, spoken=True)
    yield from (Source(evidence_place(page), own=False) for page in pages)


def wished_cases(wish: Place, sources: Sequence[Source], words: Words) -> list[DraftedCase]:
    """At least one for each sentence of the wish that says anything; each cites the wish."""
    asked = [one for one in sentences(wish.text) if any(char.isalnum() for char in one.prose)]
    return [case for one in asked[:WISHES] for case in _Asked(wish, one, words).cases(sources)]


@dataclass(frozen=True, slots=True)
class _Asked:
    """One sentence of a wish."""

    wish: Place
    sentence: Sentence
    words: Words

    @property
    def told(self) -> Told:
        return Told(self.wish, self.sentence, own=True, criterion=True)

    def cases(self, sources: Sequence[Source]) -> Iterator[DraftedCase]:
        bounds = [case for value in self._values() for case in self._bounded(value, sources)]
        for case in bounds or self._by_source(sources) or self._alone():
            yield replace(case, sources=(*case.sources[:SUPPORTS], self.told.cite()))

    def _values(self) -> list[Statement]:
        stated = claims(self.wish, "", self.words, language_of(self.wish.text))
        return [one for one in stated if one.sentence == self.sentence and not is_ordinal(one)]

    def _bounded(self, value: Statement, sources: Sequence[Source]) -> list[DraftedCase]:
        """Around a value: as the source that states it wants it, as the wish itself does, or with an open end."""
        about = value.around - _asked_for()
        stated = [(one, rule) for one in sources for rule in _stated(one, value, about, self.words)]
        if stated:
            first, rule = stated[0]
            cited = dict.fromkeys(one.place.cite(other.sentence.text) for one, other in stated)
            return list(limit_cases(Limit(rule, tuple(cited), first.own)))
        tried = limit_cases(Limit(value, (self.told.cite(),), own=True))
        return list(tried) if is_rule(value, self.words) else [replace(one, expected=OPEN) for one in tried]

    def _by_source(self, sources: Sequence[Source]) -> list[DraftedCase]:
        """By the sentence of a source that speaks of most of what is wished, if one speaks of enough of it."""
        about = stems(self.sentence.prose, language_of(self.wish.text)) - _asked_for()
        every = [told for one in sources for told in _told(one, self.words)][:SENTENCES]
        shares = [len(stems(one.prose, language_of(one.place.text)) & about) for one in every]
        most = max(shares, default=0)
        if not most or most < _SHARE * len(about):
            return []
        told = every[shares.index(most)]
        return list(by_sentence([told], self.words)) or [criterion(told)]

    def _alone(self) -> list[DraftedCase]:
        """By the wish alone: a whole rule is tried as it says, of anything else the end is open."""
        told = self.told
        return list(by_sentence([told], self.words)) if is_whole(told, self.words) else [_open(told)]


def is_whole(told: Told, words: Words) -> bool:
    """Whether a sentence by itself says what has to happen."""
    verbs = (words.must, words.may, words.may_not, words.decided, words.accepted_when)
    return any(told.prose in phrases(every) for every in verbs) or bool(clauses(told.text).condition)


def _stated(source: Source, value: Statement, about: frozenset[str], words: Words) -> Iterator[Statement]:
    """Where a source states the same value, of the same thing if the wish says of what."""
    place = source.place
    for rule in claims(place, place.name, words, language_of(place.text)):
        alike = same_value(rule.quantity, value.quantity) and rule.role != "from" and not is_ordinal(rule)
        says = not source.spoken or is_rule(rule, words)
        if alike and says and (not about or rule.around & about):
            yield rule


def _told(source: Source, words: Words) -> Iterator[Told]:
    for sentence in statements(source.place, words):
        told = Told(source.place, sentence, own=source.own, criterion=True)
        if is_whole(told, words) if source.spoken else source.own or rules(sentence, words):
            yield told


def _open(told: Told) -> DraftedCase:
    text = raised(bare(told.sentence.text))
    return DraftedCase(
        kind="criterion",
        title=f"As wished: {cut(text, 140)}",
        preconditions=(),
        steps=(Step(f"Try this: {text}."), Step("Look at what happens.")),
        expected=OPEN,
        urgency="medium",
        reason="Somebody who knows the matter asked for it.",
        sources=(told.cite(),),
        condition=gist(text, language_of(told.place.text)),
    )


def _asked_for() -> frozenset[str]:
    return stems(ASKED_FOR, "en") | stems(ASKED_FOR, "de")
