"""Reviews one ticket for one audience: gather, judge, verify. Reads only."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from time import perf_counter

from pydantic_ai.models import Model

from core.errors import CoreError
from core.pulls.types import Pulls, Snapshot
from core.tickets import Ticket
from core.types import Audience, Freshness, Metrics
from review import gather
from review.agents.reviewer import ReviewAgent
from review.budget import Budget
from review.case import Case, Checked, Rule
from review.errors import ModelFailed, ReviewError
from review.merge import Judged
from review.reading import Reading, Searcher, TicketSource, UsersOf, plain_reason
from review.types import Finding, Review, Unknown
from review.verify import Verified, verify
from review.words import Words


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
        model: Model | None,
        clock: Callable[[], datetime],
        metrics: Metrics,
        agreed_statuses: frozenset[str] = frozenset(),
        budget: Budget | None = None,
        pulls: Pulls | None = None,
        users_of: UsersOf | None = None,
    ) -> None:
        self._tickets = tickets
        self._searcher = searcher
        self._freshness = freshness
        self._rules = tuple(rules)
        self._words = words
        self._budget = budget or Budget()
        self._agent = ReviewAgent(model, self._budget) if model else None
        self._pulls = pulls
        self._users_of = users_of
        self._clock = clock
        self._metrics = metrics
        self._agreed_statuses = agreed_statuses

    def review(
        self, key: str, audience: Audience, *, trigger: str | None = None, closed: frozenset[str] = frozenset()
    ) -> Review:
        """What is missing, in conflict or unknown about a ticket, for readers who hold the audience's labels.

        `trigger` is the id of the ticket's comment that asked, if one did; it and the bot's own comments are no
        evidence; nor are the documents `closed`, which the audience may not read, whatever the index says.

        Raises NothingToReview if the ticket is not there or not for this audience, SourceForbidden or
        SourceUnavailable if it could not be read.
        """
        steps = _Steps(self._metrics)
        reading = Reading(
            self._tickets, self._searcher, audience, self._budget, self._metrics, closed, self._pulls, self._users_of
        )
        with steps.time("read"):
            ticket, request = reading.ticket_under_review(key, trigger)
        with steps.time("pulls"):
            snapshots = reading.find_pulls(ticket)
        with steps.time("gather"):
            self._gather(ticket, reading)
        with steps.time("rules"):
            checked = self._apply_rules(self._case(ticket, reading, snapshots))
            facts = verify(checked.findings, reading.register)
        with steps.time("model"):
            judged, made_by = self._ask_model(ticket, reading, facts.findings, request)
        with steps.time("verify"):
            verified = verify(judged.findings, reading.register)
        self._count(steps, facts, judged, verified)
        return self._write(ticket, reading, checked, judged, verified, made_by, steps.numbers)

    def _gather(self, ticket: Ticket, reading: Reading) -> None:
        gather.note_stale_sources(self._freshness(reading.audience), reading)
        gather.read_attachments(ticket, reading)
        gather.read_linked_pages(ticket, reading, self._budget.remote_links)
        gather.search_around(ticket, reading, self._budget.evidence)

    def _case(self, ticket: Ticket, reading: Reading, snapshots: tuple[Snapshot, ...]) -> Case:
        return Case(
            ticket=ticket,
            audience=reading.audience,
            search=reading.search,
            open_ticket=reading.open_ticket,
            words=self._words,
            now=self._clock(),
            agreed_statuses=self._agreed_statuses,
            snapshots=snapshots,
            users_of=reading.users_of,
            read=reading.pulls if snapshots else None,
        )

    def _apply_rules(self, case: Case) -> Checked:
        """Everything that the rules say together. A rule that could not look is an unknown, not a pass."""
        applied: list[Checked] = []
        failed: dict[str, list[str]] = {}
        for rule in self._rules:
            try:
                applied.append(rule.check(case))
            except CoreError as error:
                failed.setdefault(plain_reason(error), []).append(rule.title)
            except ReviewError as error:
                failed.setdefault(str(error), []).append(rule.title)
        return Checked(
            findings=tuple(finding for checked in applied for finding in checked.findings),
            unknowns=(*(unknown for checked in applied for unknown in checked.unknowns), *_not_applied(failed)),
            settled=tuple(sentence for checked in applied for sentence in checked.settled),
            sources=frozenset[str]().union(*(checked.sources for checked in applied)),
        )

    def _ask_model(
        self, ticket: Ticket, reading: Reading, facts: Sequence[Finding], request: str
    ) -> tuple[Judged, str]:
        """The model's judgement, or the rules' findings as they are; and who judged, in plain words."""
        if self._agent is None:
            return Judged(
                tuple(facts)
            ), "rules alone: no model is configured, so the code was not compared with the ticket"
        try:
            judged = self._agent.judge(ticket, reading, facts, request)
        except ModelFailed as error:
            self._metrics.count("crosscheck_review_model_failures_total")
            reading.degrade(f"{error} This is the rules' review.")
            return Judged(tuple(facts)), "rules alone"
        return judged, f"rules and {self._agent.name}"

    def _count(self, steps: "_Steps", facts: Verified, judged: Judged, verified: Verified) -> None:
        """Numbers for logs and metrics. A refused finding of a rule is a mistake in that rule."""
        for finding in facts.refused:
            self._metrics.count("crosscheck_review_refused_total", rule=finding.rule)
        of_model = judged.refused + len(verified.refused)
        self._metrics.count("crosscheck_review_refused_total", of_model, rule="model")
        steps.numbers |= {
            "findings": len(verified.findings),
            "refused": len(facts.refused) + of_model,
        }

    def _write(
        self,
        ticket: Ticket,
        reading: Reading,
        checked: Checked,
        judged: Judged,
        verified: Verified,
        made_by: str,
        numbers: Mapping[str, float],
    ) -> Review:
        cited = [cited.locator.document_id for finding in verified.findings for cited in finding.evidence]
        untold = _not_told(len(verified.findings) - self._budget.findings)
        pulls = reading.pulls
        unexamined = pulls.unexamined() if pulls else ()
        unknowns = (*reading.unknowns, *reading.unread(cited), *unexamined, *checked.unknowns, *untold)
        return Review(
            key=ticket.key,
            title=ticket.summary,
            locator=ticket.locator,
            findings=self._ordered(verified.findings)[: self._budget.findings],
            unknowns=tuple(dict.fromkeys(unknowns)),
            settled=tuple(dict.fromkeys((*checked.settled, *judged.settled))),
            degraded=reading.degraded,
            made_by=made_by,
            audience=reading.audience,
            at=self._clock(),
            rests_on=self._rests_on(reading, checked, verified),
            read_live=reading.live,
            numbers=dict(numbers),
            searches=reading.searches,
            pulls=pulls.seen() if pulls else (),
        )

    def _ordered(self, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        """By priority, then as the rules are listed; what the model adds comes after them."""
        places = {rule.id: place for place, rule in enumerate(self._rules)}
        return tuple(sorted(findings, key=lambda f: (f.priority, places.get(f.rule, len(places)), f.fingerprint)))

    def _rests_on(self, reading: Reading, checked: Checked, verified: Verified) -> frozenset[str]:
        """What a rule says comes from what it cites; a model's words may come from anything that it was shown."""
        if self._agent is not None:
            return reading.register.documents()
        cited = {cited.locator.document_id for finding in verified.findings for cited in finding.evidence}
        return checked.sources | cited


def _not_applied(failed: Mapping[str, Sequence[str]]) -> Iterator[Unknown]:
    """One unknown a reason, so that an index out of use is not told once a rule."""
    for reason, titles in failed.items():
        yield Unknown(f"Could not be applied, since {reason}: {'; '.join(titles)}.", "Asking again when it works.")


def _not_told(more: int) -> Iterator[Unknown]:
    if more > 0:
        yield Unknown(
            f"{more} further findings, not more urgent than these, are not told here.", "Settling these first."
        )


@dataclass(slots=True)
class _Steps:
    """Seconds by step."""

    metrics: Metrics
    numbers: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def time(self, step: str) -> Iterator[None]:
        started = perf_counter()
        try:
            yield
        finally:
            self.numbers[f"{step}_seconds"] = seconds = perf_counter() - started
            self.metrics.observe("crosscheck_review_step_seconds", seconds, step=step)
