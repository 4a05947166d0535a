"""Drafts test cases for one ticket and one audience: by rules, and by a model where there is one. Reads only."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from time import perf_counter
from typing import TypeVar

from core.errors import CoreError
from core.pulls.types import Pulls
from core.tickets import Ticket
from core.types import Audience, Freshness, Metrics
from review import gather
from review.budget import Budget
from review.case import Case
from review.errors import ModelFailed
from review.reading import Reading, Searcher, TicketSource, UsersOf, plain_reason
from review.register import Register
from review.service import Models
from review.test_cases.limits import limits
from review.test_cases.material import Told, matter_of, of_pages, of_ticket, pages_on
from review.test_cases.model import Added, CaseAgent
from review.test_cases.past_bugs import is_fixed_bug, past_bugs
from review.test_cases.reverify import reverify
from review.test_cases.roles import roles
from review.test_cases.scenarios import Scenario, scenario_case, scenarios
from review.test_cases.situations import criterion, exception, state
from review.test_cases.types import KINDS, URGENCIES, Draft, DraftedCase, Plan
from review.text import language_of
from review.types import Unknown
from review.verify import proven_citation
from review.words import Words

T = TypeVar("T")

CASES = 40
OF_PAGES = 10
"""Cases of a draft in all, and among them those by single sentences of pages."""
OF_OTHERS, OF_BUG = 2, 3
"""Words of the ticket's matter that a rule of a page shares: around a fixed bug only what is close to it is tried."""
SOURCES = 6
"""Citations that one case keeps."""


@dataclass(frozen=True, slots=True)
class _Ruled:
    """What the rules drafted."""

    cases: tuple[DraftedCase, ...]
    plan: Plan | None


class TestCaseDrafter:
    """Makes drafts. Holds nothing of any one draft, so threads may share it."""

    __test__ = False  # no test, whatever its name tells a test runner

    def __init__(
        self,
        tickets: TicketSource,
        searcher: Searcher,
        freshness: Callable[[Audience], Sequence[Freshness]],
        *,
        words: Words,
        clock: Callable[[], datetime],
        metrics: Metrics,
        models: Models | None = None,
        budget: Budget | None = None,
        pulls: Pulls | None = None,
        users_of: UsersOf | None = None,
    ) -> None:
        self._tickets = tickets
        self._searcher = searcher
        self._freshness = freshness
        self._words = words
        self._clock = clock
        self._metrics = metrics
        self._budget = budget or Budget()
        self._agent = CaseAgent(models, self._budget) if models else None
        self._pulls = pulls
        self._users_of = users_of

    def draft(self, key: str, audience: Audience, *, closed: frozenset[str] = frozenset()) -> Draft:
        """Test cases for a ticket, for readers who hold the audience's labels; the documents `closed` are no evidence.

        Raises NothingToReview if the ticket is not there or not for this audience, SourceForbidden or
        SourceUnavailable if it could not be read.
        """
        started = perf_counter()
        reading = self._reading(audience, closed)
        ticket, _ = reading.ticket_under_review(key, None)
        reading.find_pulls(ticket)
        self._gather(ticket, reading)
        ruled = self._by_rules(self._case(ticket, reading), reading)
        read = perf_counter()
        added, made_by = self._by_model(ticket, reading, ruled.cases)
        numbers = {"rules_seconds": read - started, "model_seconds": perf_counter() - read}
        return self._written(ticket, reading, ruled, added, made_by, numbers)

    def _reading(self, audience: Audience, closed: frozenset[str]) -> Reading:
        return Reading(
            self._tickets,
            self._searcher,
            audience,
            self._budget,
            self._metrics,
            closed,
            pulls=self._pulls,
            users_of=self._users_of,
        )

    def _gather(self, ticket: Ticket, reading: Reading) -> None:
        gather.read_around(ticket, reading, self._freshness(reading.audience), self._budget)

    def _case(self, ticket: Ticket, reading: Reading) -> Case:
        snapshots = reading.pulls.snapshots if reading.pulls else ()
        return Case(
            ticket=ticket,
            audience=reading.audience,
            search=reading.search,
            open_ticket=reading.open_ticket,
            words=self._words,
            now=self._clock(),
            snapshots=snapshots,
            users_of=reading.users_of,
            read=reading.pulls if snapshots else None,
        )

    def _by_rules(self, case: Case, reading: Reading) -> _Ruled:
        pages = _read("Policies were", lambda: pages_on(case), reading)
        matter, examples = matter_of(case), scenarios(case)
        again = reverify(case, reading) if is_fixed_bug(case.ticket, case.words) else None
        least = OF_BUG if again else OF_OTHERS
        bounds = limits(case, pages, matter, examples, least)
        reading.note(bounds.unknowns)
        if again is not None:
            reading.note(again.unknowns)
        bugs = again.cases if again else _read("Earlier bugs were", lambda: past_bugs(case, reading), reading)
        told = [one for one in of_ticket(case) if not _is_tried(one, _quotes(bugs), examples)]
        bounded = _quotes(bounds.cases)
        own = _by_sentence(told, case.words, bounded)
        rules = [
            one for one in of_pages(pages, matter, case.words, least) if one.sentence.text not in bounds.contradicted
        ]
        others = list(_by_sentence(rules, case.words, bounded))
        reading.note(_untried(len(others) - OF_PAGES))
        written = (scenario_case(one) for one in examples)
        cases = (*bugs, *written, *bounds.cases, *own, *others[:OF_PAGES])
        return _Ruled(cases, again.plan if again else None)

    def _by_model(self, ticket: Ticket, reading: Reading, drafted: Sequence[DraftedCase]) -> tuple[Added | None, str]:
        """The model's cases, and who drafted, in plain words."""
        if self._agent is None:
            return None, "rules alone: no model is configured"
        try:
            added = self._agent.add(ticket, reading, drafted, _language(ticket))
        except ModelFailed as error:
            self._metrics.count("crosscheck_test_cases_model_failures_total")
            reading.degrade(f"{error} These are the rules' cases.")
            return None, "rules alone"
        return added, f"rules and {added.by}"

    def _written(
        self,
        ticket: Ticket,
        reading: Reading,
        ruled: _Ruled,
        added: Added | None,
        made_by: str,
        numbers: dict[str, float],
    ) -> Draft:
        proven = list(_proven((*ruled.cases, *(added.cases if added else ())), reading.register))
        every = ordered(distinct(proven))
        cases = every[:CASES]
        plan = _proven_plan(ruled.plan, reading.register) if ruled.plan else None
        cited = {source.locator.document_id for one in cases for source in one.sources} | _documents(plan)
        unexamined = reading.pulls.unexamined() if plan and reading.pulls else ()
        unknowns = (*reading.unknowns, *reading.unread(sorted(cited)), *unexamined, *_nothing(cases))
        return Draft(
            key=ticket.key,
            title=ticket.summary,
            locator=ticket.locator,
            cases=tuple(cases),
            plan=plan,
            unknowns=tuple(dict.fromkeys(unknowns)),
            degraded=reading.degraded,
            made_by=made_by,
            audience=reading.audience,
            at=self._clock(),
            dropped=added.dropped if added else 0,
            more=len(every) - len(cases),
            rests_on=reading.register.documents(),
            read_live=reading.live,
            numbers={**numbers, **(added.numbers if added else {}), "cases": len(cases)},
            searches=reading.searches,
            audit=added.audit if added else (),
        )


def _read(what: str, read: Callable[[], Sequence[T]], reading: Reading) -> Sequence[T]:
    """What is read; nothing, and a note, where it cannot be."""
    try:
        return read()
    except CoreError as error:
        reading.note([Unknown(f"{what} not looked at: {plain_reason(error)}.", "Asking again when it works.")])
        return ()


def _by_sentence(every: Iterable[Told], words: Words, bounded: frozenset[str]) -> Iterator[DraftedCase]:
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


def _is_tried(told: Told, quotes: frozenset[str], examples: Sequence[Scenario]) -> bool:
    """Whether an earlier bug or a scenario tries a sentence of the ticket already."""
    return told.sentence.text in quotes or any(one.holds(told.place, told.sentence) for one in examples)


def _quotes(cases: Iterable[DraftedCase]) -> frozenset[str]:
    return frozenset(source.quote for one in cases for source in one.sources)


def _proven(cases: Iterable[DraftedCase], register: Register) -> Iterator[DraftedCase]:
    """Cases with the sources that stand, as the register has them; one without any is none."""
    for one in cases:
        proven = (proven_citation(cited, register) for cited in one.sources)
        sources = tuple(dict.fromkeys(cited for cited in proven if cited is not None and cited.quote))
        if sources:
            yield replace(one, sources=sources[:SOURCES])


def _proven_plan(plan: Plan, register: Register) -> Plan:
    conditions = [proven for one in plan.conditions if (proven := proven_citation(one, register))]
    intent = [proven for one in plan.intent if (proven := proven_citation(one, register))]
    neighbours = [
        replace(one, source=proven) for one in plan.neighbours if (proven := proven_citation(one.source, register))
    ]
    return Plan(tuple(conditions), tuple(intent), tuple(neighbours))


def distinct(cases: Iterable[DraftedCase]) -> list[DraftedCase]:
    """The same condition of the same kind once; the first counts, and a rule's before a model's."""
    known: dict[tuple[str, str], DraftedCase] = {}
    titles: set[str] = set()
    for one in sorted(cases, key=lambda case: case.by_model):
        title = " ".join(one.title.casefold().split())
        if (one.kind, one.condition) not in known and title not in titles:
            known[one.kind, one.condition] = one
            titles.add(title)
    return list(known.values())


def ordered(cases: Iterable[DraftedCase]) -> list[DraftedCase]:
    """The urgent first, then by kind; else as they were drafted."""
    return sorted(cases, key=lambda one: (URGENCIES.index(one.urgency), KINDS.index(one.kind)))


def _documents(plan: Plan | None) -> set[str]:
    if plan is None:
        return set()
    cited = (*plan.conditions, *plan.intent, *(one.source for one in plan.neighbours))
    return {one.locator.document_id for one in cited}


def _untried(more: int) -> Iterator[Unknown]:
    if more > 0:
        yield Unknown(
            f"{more} further rules of pages on this matter are not tried in this draft.", "Reading the pages."
        )


def _nothing(cases: Sequence[DraftedCase]) -> Iterator[Unknown]:
    if not cases:
        yield Unknown(
            "Nothing that was read states a limit, a state, a role or a result that could be tried.",
            "Acceptance criteria in the ticket.",
        )


def _language(ticket: Ticket) -> str:
    return language_of(f"{ticket.summary} {ticket.description}")
