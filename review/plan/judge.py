"""Models that judge what the rules found for a plan: what of it could change the plan, and what else does."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import BaseModel, Field
from pydantic_ai.exceptions import AgentRunError, FallbackExceptionGroup

from review.agents import loop
from review.agents.asking import Asker, Prepared, Question, opened
from review.agents.failures import failed, reason
from review.agents.fence import Fence
from review.agents.meter import Meter, Stage
from review.agents.purse import SpendingReached
from review.agents.scope import CODE
from review.agents.supervisor import PAUSE
from review.agents.templates import rendered
from review.agents.veil import Veil
from review.budget import Budget
from review.errors import ModelFailed
from review.merge import SHORTEST_REASON
from review.plan.matter import Matter
from review.plan.sources import judged_by, source_of
from review.plan.types import MOST_CHECKS, MOST_SOURCES, Category, PlanCheck, PlanSource
from review.register import Passage
from review.service import Models
from review.types import Cited, Priority, Unknown
from review.wording import plain

CANDIDATES = 10
"""Documents that one agent is shown, the likeliest first."""
PLAN = 20_000
"""Characters of the plan that are shown."""
LENGTH = 400
_PROVEN: frozenset[Category] = frozenset({"requirement or policy", "deployed or migrated"})
"""Categories of rules' checks that quote a contradiction."""
TRIES = 2
"""Requests of an agent: one, and one more if its answer was malformed."""


class NamedSource(BaseModel):
    """A source that could change the plan."""

    source: str = Field(description="The id of a source that was given, such as S3.")
    why: str = Field(description="Why it could change the plan, one sentence.")


class Quoted(BaseModel):
    """A literal quote."""

    source: str = Field(description="The id of the source, such as S3.")
    quote: str = Field(description="Copied literally from it.")


class NamedCheck(BaseModel):
    """Something to look at before or while the plan is carried out."""

    category: Category
    priority: Literal["P0", "P1", "P2", "P3"]
    statement: str = Field(description="What to check, one sentence that an engineer can act on.")
    why: str = Field(description="Why it could change the plan, one sentence.")
    citations: list[Quoted] = Field(description="At least one.")


class Dropped(BaseModel):
    """A check of the rules that should not be told."""

    check: str = Field(description="Its id, such as C2.")
    reason: str = Field(description="How the plan settles it, or why it misses the plan, one sentence.")


class Opinion(BaseModel):
    """What one agent thinks. All empty: nothing of what it was given could change the plan."""

    sources: list[NamedSource] = Field(default_factory=list, description="The most important first, at most three.")
    checks: list[NamedCheck] = Field(default_factory=list, description="The most important first, at most five.")
    dropped: list[Dropped] = Field(
        default_factory=list, description="The rules' checks that the plan settles or that miss it."
    )


@dataclass(frozen=True, slots=True)
class Judged:
    sources: tuple[PlanSource, ...]
    checks: tuple[PlanCheck, ...]
    by: str
    """Names of the models that answered."""


class PlanJudge:
    """Asks a documents and a code agent side by side, one call each. Holds nothing of a plan."""

    def __init__(self, models: Models, budget: Budget, *, pause: float = PAUSE) -> None:
        self._asker = Asker(opened(models.model), budget.answer_tokens, pause)
        self._budget = budget
        self._purse = models.purse
        self._veil = Veil(models.withheld)

    def judge(self, matter: Matter, sources: Sequence[PlanSource], checks: Sequence[PlanCheck]) -> Judged:
        """What the agents leave of the rules' result, with what they add that stands on what they were shown.

        Raises ModelFailed, SpendingReached.
        """
        left = self._purse.left() if self._purse else self._budget.tokens
        if self._purse and left <= 0:
            raise SpendingReached(self._purse.limit)
        meter = Meter(self._budget.requests, min(self._budget.tokens, left))
        matter.reading.note(self._veil.unknowns(matter.reading.register))
        judging = _Judging(self._asker, self._budget, self._veil, meter, matter, sources, checks)
        try:
            return loop.run(judging.judge(), self._budget.seconds)
        except (AgentRunError, FallbackExceptionGroup, TimeoutError) as error:
            raise failed(error) from error
        finally:
            if self._purse:
                self._purse.take(meter.used)


class _Judging:
    """Made for one plan; runs on the event loop of the process."""

    def __init__(
        self,
        asker: Asker,
        budget: Budget,
        veil: Veil,
        meter: Meter,
        matter: Matter,
        sources: Sequence[PlanSource],
        checks: Sequence[PlanCheck],
    ) -> None:
        self._asker = asker
        self._budget = budget
        self._meter = meter
        self._matter = matter
        self._sources = tuple(sources)
        self._fence = Fence()
        self._known = {f"C{number}": one for number, one in enumerate(checks, start=1)}
        self._shown = {one.id: one for one in self._candidates(veil)}
        hidden = [name for name, one in self._known.items() if not self._cited(one)]
        self._untouched = tuple(self._known.pop(name) for name in hidden)

    def _candidates(self, veil: Veil) -> list[Passage]:
        """What the rules' checks cite, then the likeliest passages that the plan does not know; nothing withheld."""
        register = self._matter.reading.register
        cited = [register.standing(one) for check in self._known.values() for one in check.evidence]
        found = [register.add_evidence(one) for one, _ in judged_by(self._matter)[: 2 * CANDIDATES]]
        return [one for one in dict.fromkeys((*cited, *found)) if one and not veil.hides(one)]

    def _cited(self, check: PlanCheck) -> list[str]:
        """Ids of what a check cites; none if a part of it is not shown, for then no model may judge it."""
        passages = [self._matter.reading.register.standing(one) for one in check.evidence]
        ids = [one.id for one in passages if one and one.id in self._shown]
        return ids if len(ids) == len(check.evidence) else []

    async def judge(self) -> Judged:
        parts = {
            "documents": [one for one in self._shown.values() if one.kind not in CODE],
            "code": [one for one in self._shown.values() if one.kind in CODE],
        }
        asked = {name: passages[:CANDIDATES] for name, passages in parts.items() if passages}
        if not asked:
            raise ModelFailed("There was nothing to show to a model.")
        tasks = [asyncio.create_task(self._ask(name, passages)) for name, passages in asked.items()]
        try:
            given = await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            for task in tasks:
                task.cancel()
        return self._merged(asked, given)

    async def _ask(self, name: str, passages: Sequence[Passage]) -> Opinion:
        started = asyncio.get_running_loop().time()
        budget = self._budget
        stage = Stage(self._meter, TRIES, self._meter.tokens, started + budget.seconds, budget.request_seconds)
        ids = {one.id for one in passages}
        known = [(key, one) for key, one in self._known.items() if ids & set(self._cited(one))]

        def prepare(share: float) -> Prepared:
            each = int(budget.source_characters * share)
            told = [self._told(key, one) for key, one in known]
            sources = [self._fence.passage(one, each) for one in passages]
            plan = self._fence.text(self._matter.given.text, int(PLAN * share))
            return Prepared(rendered("plan_case", plan=plan, sources=sources, checks=told))

        question = Question(name, rendered("plan", kind=name), Opinion, "Gives the opinion. Ends the work.", prepare)
        return await self._asker.ask(question, stage, rendered("fence", mark=self._fence.mark))

    def _told(self, key: str, check: PlanCheck) -> str:
        cited = ", ".join(self._cited(check))
        text = self._fence.text(f"{check.statement}\nWhy: {check.why}", LENGTH * 2)
        return f"{key}, {check.priority.name}, {check.category}, from {cited}\n{text}"

    def _merged(self, asked: Mapping[str, Sequence[Passage]], given: Sequence[Opinion | BaseException]) -> Judged:
        """The agents' sources before the rules'; a part whose agent failed stays as the rules have it."""
        opinions: list[tuple[Opinion, set[str]]] = []
        kept: list[PlanSource] = []
        for (name, passages), opinion in zip(asked.items(), given, strict=True):
            if isinstance(opinion, Opinion):
                opinions.append((opinion, {one.id for one in passages}))
            elif isinstance(opinion, (AgentRunError, FallbackExceptionGroup, TimeoutError)):
                undone = f"The {name} agent gave no usable answer: {reason(opinion)}. Its part is what the rules found."
                self._matter.reading.degrade(undone)
                documents = {one.locator.document_id for one in passages}
                kept += [one for one in self._sources if one.locator.document_id in documents]
            else:
                raise opinion
        if not opinions:
            raise next(one for one in given if isinstance(one, BaseException))
        unshown = {one.locator.document_id for one in self._shown.values()}
        kept += [one for one in self._sources if one.locator.document_id not in unshown]
        dropped = self._dropped(opinions)
        rules = [one for name, one in self._known.items() if name not in dropped]
        added = [one for opinion, ids in opinions for one in self._added(opinion, ids)]
        sources = {one.locator.document_id: one for one in (*reversed(kept), *reversed(self._named(opinions)))}
        return Judged(
            tuple(reversed(sources.values()))[:MOST_SOURCES],
            (*self._untouched, *rules, *added),
            " and ".join(self._meter.answered),
        )

    def _dropped(self, opinions: Sequence[tuple[Opinion, set[str]]]) -> frozenset[str]:
        """The rules' checks that go. None goes without a reason, or by an agent that was shown nothing of what it
        cites. What quotes a contradiction stays; of what else is urgent it is said that it went.
        """
        gone = set()
        for opinion, ids in opinions:
            for one in opinion.dropped:
                check, because = self._known.get(one.check), plain(one.reason, LENGTH)
                if check is None or len(because) < SHORTEST_REASON or ids.isdisjoint(self._cited(check)):
                    continue
                if check.priority <= Priority.P1 and check.category in _PROVEN:
                    continue
                gone.add(one.check)
                if check.priority <= Priority.P1:
                    what = f"Set aside by the model: {check.statement} Its reason: {because}"
                    self._matter.reading.note([Unknown(what, f"Reading “{check.evidence[0].locator.title}”.")])
        return frozenset(gone)

    def _named(self, opinions: Sequence[tuple[Opinion, set[str]]]) -> list[PlanSource]:
        """The sources that the agents name, of what they were shown, by turns."""
        evidence = {one.document_id: (one, concern) for one, concern in judged_by(self._matter)}
        turns: list[tuple[int, PlanSource]] = []
        for opinion, ids in opinions:
            for place, named in enumerate(opinion.sources[:MOST_SOURCES]):
                passage = self._shown.get(named.source) if named.source in ids else None
                found = evidence.get(passage.locator.document_id) if passage else None
                why = plain(named.why, LENGTH)
                if found and why:
                    turns.append((place, replace(source_of(self._matter, *found), why=why)))
        return [source for _, source in sorted(turns, key=lambda turn: turn[0])]

    def _added(self, opinion: Opinion, ids: set[str]) -> list[PlanCheck]:
        checks = []
        for one in opinion.checks[:MOST_CHECKS]:
            cited = [(self._shown[quote.source], quote.quote) for quote in one.citations if quote.source in ids]
            statement, why = plain(one.statement, LENGTH), plain(one.why, LENGTH)
            quotes = tuple(
                Cited(passage.locator, passage.labels, quote=quote) for passage, quote in cited if quote.strip()
            )
            if statement and why and quotes and len(quotes) == len(one.citations):
                checks.append(PlanCheck(one.category, Priority[one.priority], statement, why, quotes))
        return checks
