"""One review by models: choose what matters, ask the agents side by side, ask the supervisor."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic_ai.exceptions import AgentRunError, FallbackExceptionGroup

from core.pulls.types import Snapshot
from core.tickets import Ticket
from review import merge
from review.agents import relevance
from review.agents.answer import Answer, Found
from review.agents.asking import Asker, Prepared, Question
from review.agents.audit import Audit
from review.agents.choosing import View, cited_by
from review.agents.code_tools import CodeTools, PullTools, name_of
from review.agents.desk import Desk
from review.agents.failures import reason
from review.agents.fence import Fence
from review.agents.meter import Meter, Stage, Usage
from review.agents.prompt import Matter, build, own_documents
from review.agents.scope import CODE, AgentScope
from review.agents.templates import rendered
from review.agents.veil import Veil
from review.budget import Budget
from review.errors import ModelFailed
from review.merge import Judged, Seen
from review.reading import Reading
from review.register import Passage
from review.tools import Tools
from review.types import Finding, Unknown

SUPERVISOR = AgentScope("supervisor", "documents", "")

CHOOSING_ENDS, AGENTS_END = 0.25, 0.7
"""Shares of a review's seconds; the agents' also of its tokens. The rest is the supervisor's."""
OF_SUPERVISOR = 2
"""Requests that are kept for the supervisor."""


class Failed(ModelFailed):
    """No review came about; nothing is wrong with the program."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one agent gave."""

    findings: tuple[Finding, ...] = ()
    refused: int = 0
    uncut: frozenset[str] = frozenset()
    """Ids of what it was shown in full."""
    failure: str = ""
    """Ends a sentence; empty: it answered."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is reviewed."""

    ticket: Ticket
    facts: Sequence[Finding]
    """The rules' findings."""
    request: str
    """The text that asked for the review."""
    language: str
    snapshots: Sequence[Snapshot]
    marked: str = ""
    """The text of it that is meant first, if one is."""

    @property
    def noun(self) -> str:
        return self.ticket.kind


class Judging:
    """Made for one review; runs on the event loop of the process."""

    def __init__(
        self,
        asker: Asker,
        budget: Budget,
        veil: Veil,
        meter: Meter,
        reading: Reading,
        subject: Subject,
    ) -> None:
        self.audit = Audit()
        self._asker = asker
        self._budget = budget
        self._veil = veil
        self._meter = meter
        self._reading = reading
        self._subject = subject
        self._in_a_row = 0
        self._dropped: frozenset[str] = frozenset()
        hidden = [one for one in subject.facts if veil.hides_finding(one, reading.register)]
        self._untouched = tuple(hidden)
        facts = tuple(one for one in subject.facts if one not in hidden)
        self._matter = Matter(
            subject.ticket, reading.register, facts, subject.request, subject.language, Fence(), budget, subject.marked
        )

    @property
    def usage(self) -> Usage:
        """What was used so far."""
        return self._meter.usage(self._in_a_row)

    async def judge(self, agents: Sequence[AgentScope], *, filtering: bool) -> Judged:
        """Raises Failed, AgentRunError, FallbackExceptionGroup."""
        started = asyncio.get_running_loop().time()
        own = self._own_texts()
        if not own:
            raise Failed(f"The settings do not let this {self._subject.noun} be shown to a model.")
        self.audit.request(self._subject.request, self._subject.marked)
        if filtering:
            await self._choose(own, started)
        outcomes = await self._ask_agents([one for one in agents if self._has_work(one)], started, filtering)
        return await self._ask_supervisor(outcomes, started)

    def _own_texts(self) -> list[Passage]:
        """The text of the ticket or page itself, unless it is withheld."""
        of_ticket = self._reading.register.of(self._subject.ticket.document_id)
        return [one for one in of_ticket if one.kind == self._subject.noun and not self._veil.hides(one)]

    # The choice

    async def _choose(self, own: Sequence[Passage], started: float) -> None:
        """Leave out evidence that does not matter. What the ticket says and the rules cite stays; if the choice fails,
        everything does.
        """
        needed = {passage.id for passage in cited_by(self._matter.facts, self._reading.register)}
        documents = own_documents(self._subject.ticket)
        choice = [
            one
            for one in self._reading.register
            if one.locator.document_id not in documents
            and one.id not in needed
            and one.kind not in ("link", "comment", "pull")
            if not self._veil.hides(one)
        ]
        if len(choice) < relevance.FEWEST:
            return
        stage = self._stage(CHOOSING_ENDS, 1, started)
        question = relevance.question(self._matter, own, choice)
        self.audit.sent(relevance.NAME, [*own, *choice])
        try:
            chosen = await self._asker.ask(question, stage, self._ending())
        except (AgentRunError, FallbackExceptionGroup) as error:
            self.audit.failure(relevance.NAME, reason(error))
        else:
            self.audit.answer(relevance.NAME, chosen)
            self._dropped = relevance.dropped(choice, chosen)
        self._in_a_row += stage.sent

    # The agents

    def _has_work(self, scope: AgentScope) -> bool:
        """Whether there is something for an agent; an agent for code has nothing where no code was found."""
        if scope.kind == "documents" or scope.repos or self._subject.snapshots:
            return True
        if any(one.kind in CODE and not self._veil.hides(one) for one in self._reading.register):
            return True
        what = f"No code was found for this {self._subject.noun}, so none was compared with it."
        others = "A pull request that is linked to the ticket, or code" if self._subject.noun == "ticket" else "Code"
        self._reading.note([Unknown(what, f"{others} in the index.")])
        return False

    async def _ask_agents(self, agents: Sequence[AgentScope], started: float, filtering: bool) -> list[Outcome]:
        """What each agent found. Raises Failed if none of them answered."""
        each = max(1, (self._budget.requests - OF_SUPERVISOR - filtering) // max(1, len(agents)))
        stages = [self._stage(AGENTS_END, each, started, AGENTS_END) for _ in agents]
        tasks = [asyncio.create_task(self._ask_agent(*one)) for one in zip(agents, stages, strict=True)]
        try:
            given = await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
        self._in_a_row += max((stage.sent for stage in stages), default=0)
        failures = [outcome.failure for outcome in given if outcome.failure]
        if failures and len(failures) == len(given):
            raise Failed(f"The model gave no usable answer: {failures[0]}.")
        return given

    async def _ask_agent(self, scope: AgentScope, stage: Stage) -> Outcome:
        """One agent's work. Nothing of a failed one is used."""
        desk = Desk(scope, self._reading, self._matter.fence, self._budget, self._veil, self.audit, stage)
        try:
            async with asyncio.timeout(stage.seconds):
                found = await self._asker.ask(self._question(desk), stage, self._ending())
        except (AgentRunError, FallbackExceptionGroup, TimeoutError) as error:
            self.audit.failure(scope.name, reason(error))
            undone = (
                f"The {scope.name} agent gave no usable answer: {reason(error)}. Its part was not looked at by a model."
            )
            self._reading.degrade(undone)
            return Outcome(failure=reason(error))
        self.audit.answer(scope.name, found.model_dump(mode="json"))
        findings, refused = merge.proposed(found.findings, self._reading.register, self._seen(desk))
        return Outcome(findings, refused, frozenset(desk.uncut))

    def _question(self, desk: Desk) -> Question[Found]:
        pulls = [name_of(snapshot) for snapshot in self._snapshots(desk.scope)]
        view = View(self._allowed(desk.scope), CODE if desk.scope.kind == "code" else frozenset())

        def prepare(share: float) -> Prepared:
            prompt = build(self._matter, view, pulls=pulls, share=share)
            desk.lay(prompt)
            return Prepared(prompt.case, self._tools(desk).all())

        instructions = rendered(desk.scope.kind, about=desk.scope.about)
        return Question(desk.scope.name, instructions, Found, "Gives the findings. Ends the work.", prepare)

    def _tools(self, desk: Desk) -> Tools:
        if desk.scope.kind == "documents":
            return Tools(desk)
        snapshots, pulls = self._snapshots(desk.scope), self._reading.pulls
        return PullTools(desk, pulls, snapshots) if snapshots and pulls else CodeTools(desk, snapshots)

    def _snapshots(self, scope: AgentScope) -> list[Snapshot]:
        """The pull requests that an agent reads in."""
        if scope.kind == "documents":
            return []
        return [one for one in self._subject.snapshots if not scope.repos or one.ref.repo in scope.repos]

    def _allowed(self, scope: AgentScope) -> Callable[[Passage], bool]:
        """What an agent is shown unasked: the ticket's own, what the rules cite, evidence of its kind and sources."""
        own = own_documents(self._subject.ticket)
        cited = {passage.id for passage in cited_by(self._matter.facts, self._reading.register)}
        within = scope.sources | scope.repos

        def allowed(passage: Passage) -> bool:
            if not self._open(passage):
                return False
            if passage.locator.document_id in own or passage.id in cited:
                return True
            return (scope.kind == "code" or passage.kind not in CODE) and (not within or passage.source in within)

        return allowed

    def _open(self, passage: Passage) -> bool:
        return passage.id not in self._dropped and not self._veil.hides(passage)

    # The supervisor

    async def _ask_supervisor(self, outcomes: Sequence[Outcome], started: float) -> Judged:
        """The last word on everything that was found."""
        candidates = self._candidates(outcomes)
        register, stage = self._reading.register, self._stage(1.0, OF_SUPERVISOR + 1, started)
        desk = Desk(SUPERVISOR, self._reading, self._matter.fence, self._budget, self._veil, self.audit, stage)
        desk.uncut.update(*(outcome.uncut for outcome in outcomes))
        answer, refused = Answer(), 0
        added: tuple[Finding, ...] = ()
        if candidates or self._matter.facts:
            answer = await self._asker.ask(self._last_question(desk, candidates), stage, self._ending())
            self._in_a_row += stage.sent
            self.audit.answer(SUPERVISOR.name, answer.model_dump(mode="json"))
            added, refused = merge.proposed(answer.findings, register, self._seen(desk))
        judged = merge.judge(self._matter.facts, candidates, answer, added)
        self._note_unseen(desk.uncut)
        return replace(
            judged,
            findings=(*self._untouched, *judged.findings),
            refused=judged.refused + refused + sum(outcome.refused for outcome in outcomes),
            by=" and ".join(self._meter.answered),
            usage=self.usage,
            audit=self.audit.entries(),
        )

    def _candidates(self, outcomes: Sequence[Outcome]) -> dict[str, Finding]:
        """The agents' findings by the ids that the supervisor knows them by, each thing once."""
        found = {one.fingerprint: one for outcome in outcomes for one in outcome.findings}
        return {f"C{number}": one for number, one in enumerate(found.values(), start=1)}

    def _last_question(self, desk: Desk, candidates: Mapping[str, Finding]) -> Question[Answer]:
        def prepare(share: float) -> Prepared:
            prompt = build(self._matter, View(self._open), candidates, share=share)
            desk.lay(prompt)
            return Prepared(prompt.case)

        return Question(SUPERVISOR.name, rendered("supervisor"), Answer, "Gives the review. Ends the work.", prepare)

    def _note_unseen(self, uncut: set[str]) -> None:
        """Say what no model was shown."""
        register = self._reading.register
        self._reading.note(self._veil.unknowns(register))
        own = own_documents(self._subject.ticket)
        of_ticket = (one for one in register if one.locator.document_id in own and not self._veil.hides(one))
        unseen = [one for one in of_ticket if one.id not in uncut]
        if unseen:
            of_it = f"{len(unseen)} of this {self._subject.noun}'s texts and changes"
            what = f"The model was not shown {of_it}, or not in full; the rules read all."
            self._reading.note([Unknown(what, f"A shorter {self._subject.noun}, or reading those texts oneself.")])

    def _seen(self, desk: Desk) -> Seen:
        """What an agent may speak of. Only the ticket's own texts can be said to lack something, if shown in full, each
        with all its pieces.
        """
        register, kinds = self._reading.register, (self._subject.noun, "comment")
        texts = [one for name in own_documents(self._subject.ticket) for one in register.of(name) if one.kind in kinds]
        live = [one for one in texts if not one.chunk]
        partly = {one.locator.document_id for one in live if one.id not in desk.uncut}
        return Seen(frozenset(desk.shown), frozenset(one.id for one in live if one.locator.document_id not in partly))

    def _stage(self, ends: float, requests: int, started: float, tokens: float = 1.0) -> Stage:
        budget = self._budget
        return Stage(
            self._meter,
            requests,
            int(self._meter.tokens * tokens),
            started + budget.seconds * ends,
            budget.request_seconds,
        )

    def _ending(self) -> str:
        return rendered("fence", mark=self._matter.fence.mark)
