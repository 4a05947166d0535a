"""Drafts test cases for one matter and one audience: by rules, and by a model where there is one. Reads only."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from time import perf_counter

from core.pulls.types import Pulls
from core.tickets import Ticket
from core.types import Audience, Freshness, Locator, Metrics
from review import gather
from review.budget import Budget
from review.case import Case
from review.discussion import Discussion, Remark, Say, silent
from review.errors import ModelFailed
from review.reading import Reading, Searcher, TicketSource, UsersOf
from review.service import Models
from review.test_cases.discussed import UNREADABLE, discussed, untold
from review.test_cases.material import pages_on
from review.test_cases.model import Added, CaseAgent
from review.test_cases.proving import cited_documents, distinct, ordered, proven, proven_plan
from review.test_cases.refine import Additions, next_version, refusal
from review.test_cases.ruled import Ruled, by_rules, read
from review.test_cases.running import where_to_test
from review.test_cases.types import THREAD, Draft, DraftedCase, key_of
from review.test_cases.wished import OPEN, SUPPORTS, Wished, sources_of, wished_cases
from review.text import language_of
from review.types import Unknown
from review.words import Words

CASES = 40
"""Cases of a draft in all."""
DRAFTING = "Drafting test cases"
"""What whoever waits is told when all is read."""


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

    def draft(self, key: str, audience: Audience, *, closed: frozenset[str] = frozenset(), say: Say = silent) -> Draft:
        """Test cases for a ticket or page, for readers who hold the audience's labels; the documents `closed` are no
        evidence.

        Raises NothingToReview if it is not there or not for this audience, SourceForbidden or SourceUnavailable if it
        could not be read.
        """
        started = perf_counter()
        reading = self._reading(audience, closed, say)
        ticket, _ = reading.ticket_under_review(key, None)
        reading.find_pulls(ticket)
        return self._drafted(ticket, reading, started)

    def draft_of(
        self, discussion: Discussion, audience: Audience, *, closed: frozenset[str] = frozenset(), say: Say = silent
    ) -> Draft:
        """Test cases from what people said in a thread. Tickets that they name are read around it. Where nobody said
        anything, or not everybody who can read the reply may read the thread, the draft is empty and says so.
        """
        if unknown := untold(discussion, audience, closed):
            return self._empty(discussion, audience, unknown)
        started = perf_counter()
        reading = self._reading(audience, closed, say)
        return self._drafted(discussed(discussion, reading), reading, started)

    def refine(
        self,
        draft: Draft,
        *,
        add: str,
        drop: tuple[int, ...],
        wish: Remark,
        discussion: Discussion,
        audience: Audience,
        closed: frozenset[str] = frozenset(),
        say: Say = silent,
    ) -> Draft:
        """The draft's next version: without the cases with the numbers `drop`, and with what `add` asks for, which is
        a part of `wish`, written in `discussion`. The cases that stay keep their numbers and their order. What was not
        done as it was asked for stands in the draft's `said`; if nothing changes, the version is the same.

        Raises NothingToReview where the draft was made for readers of more than this audience may read.
        """
        reading = self._reading(audience, closed, say)
        if refused := refusal(draft, reading, closed):
            raise refused
        added = self._additions(draft, Wished(add, wish, discussion), reading, closed)
        return next_version(draft, added, drop, closed=closed, reading=reading, at=self._clock())

    def _reading(self, audience: Audience, closed: frozenset[str], say: Say) -> Reading:
        return Reading(
            self._tickets,
            self._searcher,
            audience,
            self._budget,
            self._metrics,
            closed,
            pulls=self._pulls,
            users_of=self._users_of,
            say=say,
        )

    def _drafted(self, ticket: Ticket, reading: Reading, started: float) -> Draft:
        """From a ticket or page, or from a thread as one, that was read."""
        gather.read_around(ticket, reading, self._freshness(reading.audience), self._budget)
        ruled = by_rules(self._case(ticket, reading), reading)
        ended = perf_counter()
        reading.say(DRAFTING)
        added, made_by = self._by_model(ticket, reading, ruled.cases)
        numbers = {"rules_seconds": ended - started, "model_seconds": perf_counter() - ended}
        return self._written(ticket, reading, ruled, added, made_by, numbers)

    def _additions(self, draft: Draft, wished: Wished, reading: Reading, closed: frozenset[str]) -> Additions:
        """Cases for a wish. What the rules had to leave open goes where the model found what has to happen."""
        if not any(char.isalnum() for char in wished.text):
            return Additions()
        seen = wished.discussion.seen_by(reading.audience)
        if seen is None or untold(wished.whole, reading.audience, closed):
            return Additions(said=(f"Nothing was added: {UNREADABLE}",))
        thread = replace(discussed(wished.whole, reading), summary=wished.place.text, description=draft.title)
        pages = read("Policies were", lambda: pages_on(self._case(thread, reading)), reading)
        keys = dict.fromkeys((draft.subject, *(link.key for link in thread.links)))
        tickets = [found for key in keys if key and (found := reading.open_ticket(key))]
        ruled = wished_cases(wished.place, tuple(sources_of(tickets, seen, pages)), self._words)
        if self._agent is not None:
            gather.search_around(thread, reading, self._budget.evidence)
        reading.say(DRAFTING)
        added, made_by = self._by_model(thread, reading, (*draft.cases, *ruled), wished.place.text)
        if added is None:
            return Additions(tuple(ruled), made_by)
        model = [replace(one, sources=(*one.sources[:SUPPORTS], wished.cited)) for one in added.cases]
        told = [one for one in ruled if not (model and one.expected == OPEN)]
        return Additions((*told, *model), made_by, added.dropped, numbers=added.numbers, audit=added.audit)

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

    def _by_model(
        self, ticket: Ticket, reading: Reading, drafted: Sequence[DraftedCase], wish: str = ""
    ) -> tuple[Added | None, str]:
        """The model's cases, and who drafted, in plain words."""
        if self._agent is None:
            return None, "rules alone: no model is configured"
        try:
            added = self._agent.add(ticket, reading, drafted, _language(ticket), wish)
        except ModelFailed as error:
            self._metrics.count("crosscheck_test_cases_model_failures_total")
            reading.degrade(f"{error} These are the rules' cases.")
            return None, "rules alone"
        return added, f"rules and {added.by}"

    def _written(
        self,
        ticket: Ticket,
        reading: Reading,
        ruled: Ruled,
        added: Added | None,
        made_by: str,
        numbers: dict[str, float],
    ) -> Draft:
        every = ordered(distinct(proven((*ruled.cases, *(added.cases if added else ())), reading.register)))
        cases = every[:CASES]
        plan = proven_plan(ruled.plan, reading.register) if ruled.plan else None
        unexamined = reading.pulls.unexamined() if plan and reading.pulls else ()
        unread = reading.unread(sorted(cited_documents(cases, plan)))
        unknowns = (*reading.unknowns, *unread, *unexamined, *_nothing(ticket, cases))
        return Draft(
            key=key_of(ticket),
            called="" if ticket.kind == "thread" else ticket.called,
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
            said=where_to_test(reading.pulls.snapshots if reading.pulls else ()),
        )

    def _empty(self, discussion: Discussion, audience: Audience, unknown: Unknown) -> Draft:
        """A draft that says nothing of the thread but why it is empty."""
        where = discussion.locator
        return Draft(
            key=THREAD,
            title="",
            locator=Locator(where.document_id, "This thread", where.url),
            cases=(),
            plan=None,
            unknowns=(unknown,),
            degraded=(),
            made_by="nobody: there was nothing to draft from",
            audience=audience,
            at=self._clock(),
        )


def _nothing(ticket: Ticket, cases: Sequence[DraftedCase]) -> Iterator[Unknown]:
    if not cases:
        yield Unknown(
            "Nothing that was read states a limit, a state, a role or a result that could be tried.",
            "Acceptance criteria in the ticket."
            if ticket.kind == "ticket"
            else f"Saying in the {ticket.kind} what must hold.",
        )


def _language(ticket: Ticket) -> str:
    return language_of(f"{ticket.summary} {ticket.description}")
