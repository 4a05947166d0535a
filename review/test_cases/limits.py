"""Boundary cases: each limit that the ticket or a policy states, at its value, one below and one above."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from core.types import Evidence
from review.case import Case
from review.checks.demands import demanded
from review.checks.matching import matches, same_value
from review.checks.places import evidence_place
from review.checks.statements import Statement, claims
from review.test_cases.lexicon import WISHES
from review.test_cases.material import bare, is_on, raised
from review.test_cases.nearby import Place, Tried, around
from review.test_cases.scenarios import Scenario, within
from review.test_cases.sense import REACH, Sense, expected, is_beyond, sense_of
from review.test_cases.types import DraftedCase, Step, Urgency
from review.text import language_of, phrases, stems
from review.types import Cited, Unknown
from review.wording import cut
from review.words import Words

OWN = 8
OTHERS = 5
"""Limits of the ticket, and of pages, that are tried."""
STATED = 300
"""Quantities of pages that are looked at."""
_BOUNDING = re.compile(
    r"\b(?:after|within|until|every|limit(?: is| of)?|nach|innerhalb(?: von)?|bis|alle)\s+\Z", re.IGNORECASE
)
_ORDINAL = re.compile(r"(?:(?:a|the)\s+)?second", re.IGNORECASE)
_NOUN = re.compile(
    r"\s+(?!(?:before|after|of|per|and|or|to|in|on|for|until|at|is|later|long|each)\b)[^\W\d_]", re.IGNORECASE
)
"""What follows where something is the second one of its kind."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A value that something is held against, and every text that states it."""

    statement: Statement
    sources: tuple[Cited, ...]
    own: bool

    @property
    def condition(self) -> str:
        return f"{self.statement.quantity.dimension} of {' '.join(sorted(self.statement.near))}"


@dataclass(frozen=True, slots=True)
class Limits:
    """The boundary cases, and what stands against them."""

    cases: tuple[DraftedCase, ...]
    unknowns: tuple[Unknown, ...]
    contradicted: frozenset[str]
    """Sentences of pages against which the ticket sets another value: the cases keep to the ticket."""


def limits(
    case: Case,
    pages: Sequence[Evidence],
    matter: frozenset[str],
    examples: tuple[Scenario, ...],
    least: int,
) -> Limits:
    """Cases for the ticket's own limits, then for those of pages on its matter (`least` words of it). The values of
    its scenarios are examples; of a thread many a value bounds nothing.
    """
    kind = case.ticket.kind
    stated = [one for one in demanded(case) if kind != "thread" or _is_told(one, case.words)]
    wanted = sorted(
        (c for c in stated if c.role != "from" and _is_own_limit(c, case.words, examples)),
        key=lambda c: c.place.part == "title",
    )
    rules = list(islice(_of_pages(case, pages), STATED))
    taken: set[int] = set()
    against: dict[Statement, Statement] = {}
    own: list[Limit] = []
    for claim in wanted:
        sources = [_cite(claim)]
        for match in matches(claim, rules):
            taken |= {id(rule) for rule in rules if _repeats(rule, match.rule)}
            if match.equal:
                sources.append(_cite(match.rule))
            elif not match.agrees:
                against.setdefault(match.rule, claim)
        own.append(Limit(claim, tuple(sources), own=True))
    others = [
        Limit(rule, (_cite(rule),), own=False)
        for rule in rules
        if id(rule) not in taken and is_on(stems(rule.sentence.prose, language_of(rule.place.text)), matter, least)
    ]
    first, second = _merged(own), _merged(others, beside=own)
    chosen = [*first[:OWN], *second[:OTHERS]]
    contradicted = (_contradicted(kind, claim, rule) for rule, claim in against.items())
    return Limits(
        (*(one for limit in chosen for one in limit_cases(limit)), *_former(stated)),
        tuple(dict.fromkeys((*contradicted, *_untried(len(first) + len(second) - len(chosen), kind)))),
        frozenset(rule.sentence.text for rule in rules for other in against if _repeats(rule, other)),
    )


def _untried(limits_left: int, noun: str) -> Iterator[Unknown]:
    if limits_left:
        what = f"{limits_left} further limit{'s are' if limits_left > 1 else ' is'} not tried in this draft."
        yield Unknown(what, f"A {noun} for each part, or trying them by the same pattern.")


def _repeats(rule: Statement, other: Statement) -> bool:
    """Whether a page says the same value once more."""
    same_page = rule.place.locator.document_id == other.place.locator.document_id
    return same_page and same_value(rule.quantity, other.quantity)


def _of_pages(case: Case, pages: Sequence[Evidence]) -> Iterator[Statement]:
    for page in sorted(pages, key=lambda one: (one.document_id, one.locator.line or 0, one.id)):
        language = language_of(page.text)
        for claim in claims(evidence_place(page), page.locator.title, case.words, language):
            if claim.role != "from" and _is_limit(claim, case.words):
                yield claim


def _is_own_limit(statement: Statement, words: Words, examples: tuple[Scenario, ...]) -> bool:
    """A criterion and the aim of a change bound something, too."""
    sentence = statement.sentence
    if statement.role == "to":
        return True
    criterion = bool({sentence.heading.lower().strip(), statement.place.name.lower()} & set(words.acceptance))
    return _is_limit(statement, words) or (criterion and not within(statement, examples))


def _is_limit(statement: Statement, words: Words) -> bool:
    """Whether a value bounds something; a bare count may only tell how many there are."""
    if is_ordinal(statement):
        return False
    quantity, prose = statement.quantity, statement.sentence.prose
    if not quantity.dimension.startswith("count") or sense_of(statement) != "exact" or quantity.low < quantity.high:
        return True
    return prose not in phrases(WISHES) and _binds(statement, words)


def _is_told(statement: Statement, words: Words) -> bool:
    """Whether a thread says it as a rule; its summary is only how it begins."""
    return statement.place.part != "title" and is_rule(statement, words)


def is_rule(statement: Statement, words: Words) -> bool:
    """Whether its own sentence says how its value holds."""
    return statement.role != "is" or sense_of(statement) != "exact" or _binds(statement, words)


def _binds(statement: Statement, words: Words) -> bool:
    prose, start = statement.sentence.prose, statement.quantity.start
    bounding = _BOUNDING.search(prose[max(0, start - REACH) : start])
    return bounding is not None or any(prose in phrases(verbs) for verbs in (words.must, words.may, words.may_not))


def is_ordinal(statement: Statement) -> bool:
    """`a second link` is no time."""
    sentence, quantity = statement.sentence, statement.quantity
    return _ORDINAL.fullmatch(statement.value) is not None and _NOUN.match(sentence.prose, quantity.end) is not None


def _cite(statement: Statement) -> Cited:
    return statement.place.cite(statement.sentence.text)


def _contradicted(teller: str, claim: Statement, rule: Statement) -> Unknown:
    return Unknown(
        f"The {teller} says “{claim.value}”, the page “{cut(rule.place.name, 120)}” says "
        f"“{rule.value}”: the cases try what the {teller} says.",
        "Deciding which of the two holds.",
    )


def _merged(found: Sequence[Limit], beside: Sequence[Limit] = ()) -> list[Limit]:
    """The same value of the same thing once, with every source that states it."""
    merged: list[Limit] = []
    for limit in found:
        if any(_same(limit, other) for other in beside):
            continue
        at = next((n for n, other in enumerate(merged) if _same(limit, other)), None)
        if at is None:
            merged.append(limit)
        else:
            known = merged[at]
            shown = limit if _is_bare(known.statement) else known
            merged[at] = Limit(shown.statement, tuple(dict.fromkeys((*known.sources, *limit.sources))), known.own)
    return merged


def _same(one: Limit, other: Limit) -> bool:
    """The same value of the same thing; what a bare number counts is told by the other (`raised to 12`)."""
    first, second = one.statement, other.statement
    if _is_bare(first) or _is_bare(second):
        counts = all(one.quantity.dimension.startswith("count") for one in (first, second))
        return counts and first.quantity.agrees(second.quantity) and bool(first.around & second.around)
    alike = first.near & second.near or not (first.near and second.near)
    return same_value(first.quantity, second.quantity) and bool(alike)


def _is_bare(statement: Statement) -> bool:
    """Whether a number stands without what it counts."""
    return statement.quantity.dimension.startswith("count") and not any(c.isalpha() for c in statement.value)


def limit_cases(limit: Limit) -> Iterator[DraftedCase]:
    """At the value, one below and one above; of a range at both its ends."""
    statement = limit.statement
    sense, quantity = sense_of(statement), statement.quantity
    if quantity.low < quantity.high:
        for upper, bound in ((False, "at least"), (True, "at most")):
            for tried in around(quantity, statement.sentence.text, upper=upper):
                yield _case(limit, tried, "at least" if bound == "at least" else "at most")
        return
    for tried in around(quantity, statement.sentence.text, upper=True):
        yield _case(limit, tried, sense)


def _case(limit: Limit, tried: Tried, sense: Sense) -> DraftedCase:
    statement = limit.statement
    text = raised(bare(statement.sentence.text))
    urgency, reason = _urgency(limit, tried.place, sense)
    return DraftedCase(
        kind="boundary",
        title=f"{tried.text} ({tried.place}): {cut(text, 120)}",
        preconditions=("Everything else keeps to its limits.",),
        steps=(
            Step(f"Bring the value to {tried.text}; the source says “{bare(statement.value)}”."),
            Step(f"Go through what the source describes: “{text}”."),
        ),
        expected=expected(tried.place, sense, text),
        urgency=urgency,
        reason=reason,
        sources=limit.sources,
        condition=f"{tried.value:.12g} {limit.condition}",
    )


def _urgency(limit: Limit, place: Place, sense: Sense) -> tuple[Urgency, str]:
    if not limit.own:
        return "medium", "The limit stands in a policy that nothing here changes."
    if place == "at the limit":
        return "high", "The value of the limit itself is where two readings of the same sentence differ."
    if is_beyond(place, sense) or sense in {"over", "under"}:
        return "high", "The first value beyond the limit shows whether the limit is there at all."
    return "medium", "The nearest value on the other side shows that the limit is not too strict."


def _former(stated: Sequence[Statement]) -> Iterator[DraftedCase]:
    """What a ticket replaces must not hold any more."""
    targets = [one for one in stated if one.role == "to"]
    for old in stated:
        new = next((one for one in targets if one.quantity.dimension == old.quantity.dimension), None)
        if old.role != "from" or new is None or same_value(old.quantity, new.quantity):
            continue
        text = raised(bare(old.sentence.text))
        yield DraftedCase(
            kind="boundary",
            title=f"{bare(old.value)} (the former value): {cut(text, 120)}",
            preconditions=(),
            steps=(
                Step(f"Bring the value to {bare(old.value)}, which was the limit before."),
                Step(f"Go one step on, towards {bare(new.value)}."),
            ),
            expected=f"Nothing happens at the former value any more; {bare(new.value)} holds: “{text}”.",
            urgency="medium",
            reason="Where a value is changed, the old one tends to stay in one of the places that know it.",
            sources=tuple(dict.fromkeys((_cite(old), _cite(new)))),
            condition=f"former {old.quantity.high:.12g} {old.quantity.dimension}",
        )
