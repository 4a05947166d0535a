"""The cases that rules draft of a ticket, a page or a thread, from what was read around it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from core.errors import CoreError
from review.case import Case
from review.reading import Reading, plain_reason
from review.test_cases.limits import limits
from review.test_cases.material import Told, matter_of, of_pages, of_ticket, pages_on
from review.test_cases.past_bugs import is_fixed_bug, past_bugs
from review.test_cases.reverify import reverify
from review.test_cases.roles import roles
from review.test_cases.scenarios import Scenario, scenario_case, scenarios
from review.test_cases.situations import criterion, exception, state
from review.test_cases.types import DraftedCase, Plan
from review.types import Unknown
from review.words import Words

T = TypeVar("T")

OF_PAGES = 10
"""Cases of a draft by single sentences of pages."""
OF_OTHERS, OF_BUG = 2, 3
"""Words of the ticket's matter that a rule of a page shares: around a fixed bug only what is close to it is tried."""


@dataclass(frozen=True, slots=True)
class Ruled:
    """What the rules drafted."""

    cases: tuple[DraftedCase, ...]
    plan: Plan | None = None


def by_rules(case: Case, reading: Reading) -> Ruled:
    """What could not be looked at is noted."""
    pages = read("Policies were", lambda: pages_on(case), reading)
    matter, examples = matter_of(case), scenarios(case)
    again = reverify(case, reading) if is_fixed_bug(case.ticket, case.words) else None
    least = OF_BUG if again else OF_OTHERS
    bounds = limits(case, pages, matter, examples, least)
    reading.note(bounds.unknowns)
    if again is not None:
        reading.note(again.unknowns)
    bugs = again.cases if again else read("Earlier bugs were", lambda: past_bugs(case, reading), reading)
    told = [one for one in of_ticket(case) if not _is_tried(one, _quotes(bugs), examples)]
    bounded = _quotes(bounds.cases)
    own = by_sentence(told, case.words, bounded)
    rules = [one for one in of_pages(pages, matter, case.words, least) if one.sentence.text not in bounds.contradicted]
    others = list(by_sentence(rules, case.words, bounded))
    reading.note(_untried(len(others) - OF_PAGES))
    written = (scenario_case(one) for one in examples)
    cases = (*bugs, *written, *bounds.cases, *own, *others[:OF_PAGES])
    return Ruled(cases, again.plan if again else None)


def by_sentence(every: Iterable[Told], words: Words, bounded: frozenset[str] = frozenset()) -> Iterator[DraftedCase]:
    """One sentence is tried as one thing, beside its limits: who may, what goes wrong, a state, a demand."""
    for told in every:
        if by_role := roles(told, words):
            yield from by_role
        elif one := exception(told, bounded=told.sentence.text in bounded):
            yield one
        elif told.sentence.text in bounded:
            continue
        elif one := state(told, words):
            yield one
        elif told.own and told.criterion:
            yield criterion(told)


def read(what: str, find: Callable[[], Sequence[T]], reading: Reading) -> Sequence[T]:
    """What is found; nothing, and a note, where it cannot be read."""
    try:
        return find()
    except CoreError as error:
        reading.note([Unknown(f"{what} not looked at: {plain_reason(error)}.", "Asking again when it works.")])
        return ()


def _is_tried(told: Told, quotes: frozenset[str], examples: Sequence[Scenario]) -> bool:
    """Whether an earlier bug or a scenario tries a sentence of the ticket already."""
    return told.sentence.text in quotes or any(one.holds(told.place, told.sentence) for one in examples)


def _quotes(cases: Iterable[DraftedCase]) -> frozenset[str]:
    return frozenset(source.quote for one in cases for source in one.sources)


def _untried(more: int) -> Iterator[Unknown]:
    if more > 0:
        yield Unknown(
            f"{more} further rules of pages on this matter are not tried in this draft.", "Reading the pages."
        )
