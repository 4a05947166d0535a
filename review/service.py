"""Reviews one ticket or page for one audience: gather, judge, verify, settle. Reads only."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from time import perf_counter
from typing import Protocol

from pydantic_ai.models import Model

from core.pulls.types import Pulls
from core.spans import step as step_of
from core.tickets import Ticket
from core.types import Audience, Freshness, Metrics
from review import gather, since
from review.agents.failures import JudgingFailed
from review.agents.meter import Usage
from review.agents.purse import Purse, SpendingReached
from review.agents.scope import DEFAULT_AGENTS, AgentScope
from review.agents.supervisor import Supervisor
from review.applying import Applied, apply
from review.budget import Budget
from review.case import Case, Rule
from review.decisions import Decisions
from review.discussion import Say, silent
from review.errors import ModelFailed
from review.focus import Focus, focus_on
from review.merge import MODEL, Judged
from review.previous import Previous, Remembered, documents, previous_of
from review.reading import Reading, Searcher, TicketSource, UsersOf, plain_reason
from review.settled import Dismissed, Sifted, settle
from review.text import language_of
from review.types import Finding, Priority, Review, Unknown
from review.verify import Verified, verify
from review.words import Words

_FEW_WORDS = 3
"""Of a request: too few to tell its language by."""


class Memory(Protocol):
    """What was told and set aside before. Tickets and pages are named by their document ids."""

    def told(self, document_id: str) -> Sequence[Remembered]:
        """Reviews that were posted, oldest first."""

    def dismissals(self, document_id: str) -> Sequence[Dismissed]:
        """What was set aside, oldest first."""


@dataclass(frozen=True, slots=True)
class Models:
    """Who judges beside the rules, and what they may see and use."""

    model: Model
    """May be one that falls back to another."""
    agents: Sequence[AgentScope] = DEFAULT_AGENTS
    purse: Purse | None = None
    withheld: frozenset[str] = frozenset()
    """Access labels and sources that are not shown to a model."""
    filtering: bool = False
    """One call first chooses what of the evidence matters."""


@dataclass(slots=True)
class _Run:
    """What one review has come to, step by step."""

    case: Case
    reading: Reading
    closed: frozenset[str]
    language: str
    applied: Applied
    facts: Verified
    judged: Judged
    made_by: str
    previous: Sequence[Previous]
    verified: Verified
    sifted: Sifted


class Reviewer:
    """Makes reviews. Holds nothing of any one review, so threads may share it."""

    def __init__(
        self,
        tickets: TicketSource,
        searcher: Searcher,
        freshness: Callable[[Audience], Sequence[Freshness]],
        *,
        rules: Sequence[Rule],
        words: Words,
        clock: Callable[[], datetime],
        metrics: Metrics,
        models: Models | None = None,
        agreed_statuses: frozenset[str] = frozenset(),
        budget: Budget | None = None,
        pulls: Pulls | None = None,
        users_of: UsersOf | None = None,
        memory: Memory | None = None,
    ) -> None:
        self._tickets = tickets
        self._searcher = searcher
        self._freshness = freshness
        self._rules = tuple(rules)
        self._words = words
        self._clock = clock
        self._metrics = metrics
        self._agreed_statuses = agreed_statuses
        self._budget = budget or Budget()
        self._supervisor = _supervisor(models, self._budget) if models else None
        self._pulls = pulls
        self._users_of = users_of
        self._memory = memory

    def review(
        self,
        key: str,
        audience: Audience,
        *,
        trigger: str | None = None,
        closed: frozenset[str] = frozenset(),
        say: Say = silent,
        focus: str = "",
    ) -> Review:
        """What is missing, in conflict or unknown about a ticket or page, for readers who hold the audience's labels.

        `trigger` is the id of the comment on it that asked, if one did; it and the bot's own comments are no evidence;
        nor are the documents `closed`, which the audience may not read, whatever the index says. `say` is told what is
        being done. `focus` is a text of it that was marked: what is about it (as `Focus` tells) is looked up before
        the rest and listed before the rest, whatever its priority, and the models are told which text is meant.

        Raises NothingToReview if it is not there or not for this audience, SourceForbidden or SourceUnavailable if it
        could not be read.
        """
        steps = _Steps(self._metrics)
        reading = self._reading(audience, closed, say)
        with steps.time("read"):
            ticket, request = reading.ticket_under_review(key, trigger)
            language = _language(request, ticket)
            marked = focus_on(focus, ticket)
        with steps.time("pulls"):
            reading.find_pulls(ticket)
        with steps.time("gather"):
            self._gather(ticket, reading, marked)
        with steps.time("rules"):
            case = self._case(ticket, reading, marked)
            applied = apply(self._rules, case)
            facts = verify(applied.checked.findings, reading.register)
        with steps.time("model"):
            judged, made_by = self._ask_models(case, reading, facts.findings, request, language)
        with steps.time("verify"):
            verified = self._verified(judged.findings, case, reading)
        with steps.time("settle"):
            previous = self._told(ticket, audience)
            sifted = self._settle(verified.findings, case, reading, previous)
        self._count(steps, facts, judged, verified)
        run = _Run(case, reading, closed, language, applied, facts, judged, made_by, previous, verified, sifted)
        return self._write(run, steps.numbers)

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

    def _gather(self, ticket: Ticket, reading: Reading, focus: Focus) -> None:
        gather.read_around(ticket, reading, self._freshness(reading.audience), self._budget, focus.marked)
        gather.read_earlier_bugs(ticket, reading, self._words)

    def _case(self, ticket: Ticket, reading: Reading, focus: Focus) -> Case:
        snapshots = reading.pulls.snapshots if reading.pulls else ()
        return Case(
            ticket=ticket,
            audience=reading.audience,
            search=reading.search,
            open_ticket=reading.open_ticket,
            words=self._words,
            now=self._clock(),
            agreed_statuses=self._agreed_statuses,
            snapshots=snapshots,
            all_pulls=reading.pulls.all_read if reading.pulls else True,
            users_of=reading.users_of,
            read=reading.pulls if snapshots else None,
            focus=focus,
        )

    def _ask_models(
        self, case: Case, reading: Reading, facts: Sequence[Finding], request: str, language: str
    ) -> tuple[Judged, str]:
        """The models' judgement, or the rules' findings as they are; and who judged, in plain words."""
        if self._supervisor is None:
            return Judged(tuple(facts)), "rules alone: no model is configured"
        reading.say("Reviewing with the model")
        ticket, marked = case.ticket, case.focus.marked
        try:
            judged = self._supervisor.judge(ticket, reading, facts, request, case.snapshots, language, marked)
        except ModelFailed as error:
            reached = isinstance(error, SpendingReached)
            self._metrics.count("crosscheck_review_model_failures_total", reason="spending" if reached else "model")
            reading.degrade(f"{error} This is the rules' review.")
            spent = error if isinstance(error, JudgingFailed) else None
            usage, audit = (spent.usage, spent.audit) if spent else (Usage(), ())
            return Judged(tuple(facts), usage=usage, audit=audit), "rules alone"
        return judged, f"rules and {judged.by or self._supervisor.name}"

    def _verified(self, findings: Sequence[Finding], case: Case, reading: Reading) -> Verified:
        """Of the models' findings also those that a later decision has overtaken are refused; the rules' are told as
        settled.
        """
        of_models = verify([one for one in findings if one.rule == MODEL], reading.register, Decisions(case))
        of_rules = [one for one in findings if one.rule != MODEL]
        together = verify([*of_rules, *of_models.findings], reading.register)
        return Verified(together.findings, (*of_models.refused, *together.refused))

    def _told(self, ticket: Ticket, audience: Audience) -> Sequence[Previous]:
        """Earlier reviews that were told to nobody but who may read what this audience may."""
        told = self._memory.told(ticket.document_id) if self._memory else ()
        return [one for one in map(previous_of, told) if audience.covers(one.made_for)]

    def _settle(
        self, findings: Sequence[Finding], case: Case, reading: Reading, previous: Sequence[Previous]
    ) -> Sifted:
        aside = self._memory.dismissals(case.ticket.document_id) if self._memory else ()
        sifted = settle(findings, case, previous, aside)
        if sifted.failed:
            what = f"Whether some of this has been answered elsewhere was not looked up: {plain_reason(sifted.failed)}."
            reading.note([Unknown(what, "Asking again when it works.")])
        return sifted

    def _count(self, steps: "_Steps", facts: Verified, judged: Judged, verified: Verified) -> None:
        """Numbers for logs and metrics. A refused finding of a rule is a mistake in that rule."""
        for refused in facts.refused:
            self._metrics.count("crosscheck_review_refused_total", rule=refused.rule)
        of_model = judged.refused + len(verified.refused)
        self._metrics.count("crosscheck_review_refused_total", of_model, rule=MODEL)
        steps.numbers |= {
            "findings": len(verified.findings),
            "refused": len(facts.refused) + of_model,
            "model_requests": judged.usage.requests,
            "model_requests_in_a_row": judged.usage.in_a_row,
            "model_tokens_in": judged.usage.tokens_in,
            "model_tokens_out": judged.usage.tokens_out,
        }

    def _write(self, run: _Run, numbers: Mapping[str, float]) -> Review:
        reading, checked, kept = run.reading, run.applied.checked, run.sifted.findings
        untold = _not_told(len(kept) - self._budget.findings, run.case.focus)
        unexamined = reading.pulls.unexamined() if reading.pulls else ()
        unknowns = (
            *reading.unknowns,
            *reading.unread(documents(kept)),
            *unexamined,
            *checked.unknowns,
            *run.case.focus.not_found(run.case.ticket.kind),
            *untold,
        )
        last = run.previous[-1] if run.previous else None
        gone: Sequence[Finding] = ()
        clear = () if run.applied.failed else run.case.focus.nothing_about(kept)
        settled = (*run.sifted.settled, *checked.settled, *run.judged.settled, *clear)
        bound = {"closed": run.closed, "unchecked": self._unchecked(run)}
        if last:
            gone = since.gone(last, kept, settled, audience=reading.audience, **bound)
        return Review(
            key=run.case.ticket.key,
            title=run.case.ticket.summary,
            locator=run.case.ticket.locator,
            findings=self._ordered(kept, run.case.focus)[: self._budget.findings],
            unknowns=tuple(dict.fromkeys(unknowns)),
            settled=tuple(dict.fromkeys(settled)),
            degraded=reading.degraded,
            made_by=run.made_by,
            audience=reading.audience,
            at=self._clock(),
            rests_on=self._rests_on(run, gone),
            read_live=reading.live,
            numbers=dict(numbers),
            searches=reading.searches,
            audit=run.judged.audit,
            pulls=reading.pulls.seen() if reading.pulls else (),
            since=since.compare(last, kept, settled, audience=reading.audience, **bound),
            language=run.language,
            called=run.case.ticket.called,
        )

    def _unchecked(self, run: _Run) -> frozenset[str]:
        """Rules that could not look this time, the models among them."""
        silent = self._supervisor is None or not run.judged.by
        return run.applied.failed | (frozenset({MODEL}) if silent else frozenset())

    def _ordered(self, findings: Sequence[Finding], focus: Focus) -> tuple[Finding, ...]:
        """What is about the marked text before the rest; then by priority, then as the rules are listed; what the model
        adds comes after them.
        """
        places = {rule.id: place for place, rule in enumerate(self._rules)}

        def order(one: Finding) -> tuple[bool, Priority, int, str]:
            return not focus.is_of(one), one.priority, places.get(one.rule, len(places)), one.fingerprint

        return tuple(sorted(findings, key=order))

    def _rests_on(self, run: _Run, gone: Sequence[Finding]) -> frozenset[str]:
        """What a rule says comes from what it cites; a model's words may come from anything that it was shown."""
        before = documents(gone)
        if self._supervisor is not None:
            return run.reading.register.documents() | before
        told = documents(run.sifted.findings) | before | run.applied.checked.sources
        answers = {cited.locator.document_id for one in run.sifted.settled for cited in one.evidence}
        pulls = run.reading.pulls
        seen = {one.locator.document_id for one in pulls.seen()} | pulls.environments() if pulls else frozenset()
        return told | answers | seen | documents(run.verified.findings)


def _supervisor(models: Models, budget: Budget) -> Supervisor:
    return Supervisor(models.model, budget, models.agents, models.purse, models.withheld, filtering=models.filtering)


def _language(request: str, ticket: Ticket) -> str:
    """Of whoever asked; where that is too little to tell, of the ticket."""
    enough = len(request.split()) > _FEW_WORDS
    return language_of(request if enough else f"{ticket.summary} {ticket.description}")


def _not_told(more: int, focus: Focus) -> Iterator[Unknown]:
    if more > 0:
        how = "further from the marked text or not more urgent" if focus.lines else "not more urgent"
        yield Unknown(f"{more} further findings, {how} than these, are not told here.", "Settling these first.")


@dataclass(slots=True)
class _Steps:
    """Seconds by step."""

    metrics: Metrics
    numbers: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def time(self, step: str) -> Iterator[None]:
        started = perf_counter()
        try:
            with step_of(f"review.{step}"):
                yield
        finally:
            self.numbers[f"{step}_seconds"] = seconds = perf_counter() - started
            self.metrics.observe("crosscheck_review_step_seconds", seconds, step=step)
