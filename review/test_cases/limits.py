"""Boundary cases: each limit that the ticket or a policy states, at its value, one below and one above."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from core.types import Evidence
from review.case import Case
from review.checks.demands import demanded
from review.checks.matching import matches, same_value
from review.checks.places import evidence_place
from review.checks.statements import Statement, statements
from review.test_cases.material import bare, is_on, raised
from review.test_cases.nearby import Place, Tried, around
from review.test_cases.types import DraftedCase, Step, Urgency
from review.text import language_of, stems
from review.types import Cited, Unknown
from review.wording import cut

OWN = 8
OTHERS = 5
"""Limits of the ticket, and of pages, that are tried."""
STATED = 300
"""Quantities of pages that are looked at."""
_REACH = 40
_OVER = re.compile(
    r"\b(?:over|above|beyond|exceed\w*|(?:more|greater|larger|longer|later|older|higher|heavier) than|über"
    r"|oberhalb(?: von)?|(?:mehr|größer|länger|später|älter|höher|schwerer) als)\s+\Z",
    re.IGNORECASE,
)
_UNDER = re.compile(
    r"\b(?:under|below|(?:less|fewer|smaller|shorter|earlier|younger|lower|lighter|cheaper) than|unter"
    r"|unterhalb(?: von)?|(?:weniger|kleiner|kürzer|früher|jünger|niedriger|leichter) als)\s+\Z",
    re.IGNORECASE,
)
Sense = Literal["at most", "at least", "over", "under", "exact"]


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


def limits(case: Case, pages: Sequence[Evidence], matter: frozenset[str]) -> Limits:
    """Cases for the ticket's own limits, then for those of pages on its matter."""
    stated = demanded(case)
    claims = sorted((c for c in stated if c.role != "from"), key=lambda c: c.place.name == "summary")
    rules = list(islice(_of_pages(case, pages), STATED))
    taken: set[int] = set()
    unknowns: list[Unknown] = []
    own: list[Limit] = []
    for claim in claims:
        sources = [_cite(claim)]
        for match in matches(claim, rules):
            taken.add(id(match.rule))
            if match.equal:
                sources.append(_cite(match.rule))
            elif not match.agrees:
                unknowns.append(_contradicted(claim, match.rule))
        own.append(Limit(claim, tuple(sources), own=True))
    others = [
        Limit(rule, (_cite(rule),), own=False)
        for rule in rules
        if id(rule) not in taken and is_on(stems(rule.sentence.prose, language_of(rule.place.text)), matter)
    ]
    chosen = [*_merged(own)[:OWN], *_merged(others, beside=own)[:OTHERS]]
    cases = [one for limit in chosen for one in _cases(limit)]
    return Limits((*cases, *_former(stated)), tuple(dict.fromkeys(unknowns)))


def _of_pages(case: Case, pages: Sequence[Evidence]) -> Iterator[Statement]:
    for page in sorted(pages, key=lambda one: (one.document_id, one.locator.line or 0, one.id)):
        yield from statements(evidence_place(page), page.locator.title, case.words, language_of(page.text))


def _cite(statement: Statement) -> Cited:
    return statement.place.cite(statement.sentence.text)


def _contradicted(claim: Statement, rule: Statement) -> Unknown:
    return Unknown(
        f"The ticket says “{claim.value}” ({claim.place.name}), the page “{cut(rule.place.name, 120)}” says "
        f"“{rule.value}”: the cases try what the ticket says.",
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
            merged[at] = Limit(known.statement, tuple(dict.fromkeys((*known.sources, *limit.sources))), known.own)
    return merged


def _same(one: Limit, other: Limit) -> bool:
    alike = one.statement.near & other.statement.near or not (one.statement.near and other.statement.near)
    return same_value(one.statement.quantity, other.statement.quantity) and bool(alike)


def _cases(limit: Limit) -> Iterator[DraftedCase]:
    statement = limit.statement
    sense, quantity = _sense(statement), statement.quantity
    if quantity.low < quantity.high:
        for upper, bound in ((False, "at least"), (True, "at most")):
            for tried in around(quantity, statement.sentence.text, upper=upper):
                yield _case(limit, tried, "at least" if bound == "at least" else "at most")
        return
    for tried in around(quantity, statement.sentence.text, upper=True):
        yield _case(limit, tried, sense)


def _sense(statement: Statement) -> Sense:
    quantity = statement.quantity
    if quantity.bound in {"at most", "up to"}:
        return "at most"
    if quantity.bound == "at least":
        return "at least"
    before = statement.sentence.prose[max(0, quantity.start - _REACH) : quantity.start]
    if _OVER.search(before):
        return "over"
    return "under" if _UNDER.search(before) else "exact"


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
        expected=_expected(tried.place, sense, text),
        urgency=urgency,
        reason=reason,
        sources=limit.sources,
        condition=f"{tried.value:.12g} {limit.condition}",
    )


def _is_beyond(place: Place, sense: Sense) -> bool:
    return (place, sense) in {("one above", "at most"), ("one below", "at least")}


def _expected(place: Place, sense: Sense, text: str) -> str:
    if sense in {"at most", "at least"}:
        if _is_beyond(place, sense):
            return f"It is refused, or treated as the source wants what goes beyond: “{text}”."
        return f"It is accepted, since it keeps to “{text}”."
    if sense in {"over", "under"}:
        holds = place == ("one above" if sense == "over" else "one below")
        return f"What the source says happens: “{text}”." if holds else f"This does not happen yet: “{text}”."
    if place == "at the limit":
        return f"The limit is reached, and what the source says holds: “{text}”."
    side = "not reached yet" if place == "one below" else "passed"
    return f"The limit is {side}, and what the source says for that holds: “{text}”."


def _urgency(limit: Limit, place: Place, sense: Sense) -> tuple[Urgency, str]:
    if not limit.own:
        return "medium", "The limit stands in a policy that the ticket does not change."
    if place == "at the limit":
        return "high", "The value of the limit itself is where two readings of the same sentence differ."
    if _is_beyond(place, sense) or sense in {"over", "under"}:
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
