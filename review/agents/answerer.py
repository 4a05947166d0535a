"""The agent that words an answer from what was found. It names sources by their ids; links are the program's."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, Field
from pydantic_ai.exceptions import AgentRunError, FallbackExceptionGroup
from pydantic_ai.models import Model

from review.agents import loop
from review.agents.asking import Asker, Prepared, Question, opened
from review.agents.audit import Audit
from review.agents.failures import failed, reason
from review.agents.fence import Fence
from review.agents.heard import heard
from review.agents.meter import Meter, Stage
from review.agents.purse import Purse, SpendingReached
from review.agents.relevance import EACH, FEWEST, NAME, dropped
from review.agents.supervisor import PAUSE
from review.agents.support import supporting
from review.agents.templates import rendered
from review.agents.veil import Veil
from review.budget import Budget
from review.errors import ModelFailed
from review.follow_up import Entered
from review.reading import Reading
from review.register import Passage
from review.types import Unknown
from review.wording import plain

STATEMENTS = 12
OPEN = 5
LENGTH = 600
"""Statements and open points of an answer, and characters of each."""
CHOICE_ENDS = 0.4
"""Share of the time that the choice may take."""
TRIES = 2
"""Requests for each of the two questions: one, and one more if its answer was malformed."""
UNANSWERED = Unknown(
    "Nothing was found under these words.", "Asking again with other words, or naming a ticket or page."
)


class Sentence(BaseModel):
    """One statement of the answer."""

    text: str = Field(description="One or two plain sentences, without links.")
    sources: list[str] = Field(description="Ids of the sources that say it, such as S3. At least one.")


class Written(BaseModel):
    """The whole answer."""

    statements: list[Sentence] = Field(default_factory=list)
    open: list[str] = Field(default_factory=list, description="What was asked and no source answers, a sentence each.")


@dataclass(frozen=True, slots=True)
class Said:
    """A statement, and the ids of the passages that it rests on."""

    text: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Drafted:
    """An answer before its sources are numbered."""

    statements: tuple[Said, ...]
    unknowns: tuple[Unknown, ...] = ()
    numbers: Mapping[str, float] = field(default_factory=dict)
    audit: tuple[Mapping[str, Any], ...] = ()


class AnswerAgent:
    """Asks models. Holds nothing of a question, so threads may share it."""

    def __init__(
        self,
        model: Model,
        budget: Budget,
        purse: Purse | None,
        withheld: frozenset[str],
        *,
        filtering: bool,
        pause: float = PAUSE,
    ) -> None:
        models = opened(model)
        self._asker = Asker(models, budget.answer_tokens, pause)
        self._budget = budget
        self._purse = purse
        self._veil = Veil(withheld)
        self._hears_itself = not withheld  # its earlier quotes may be of what is withheld
        self._filtering = filtering

    def draft(self, question: str, reading: Reading, said: Sequence[Entered] = ()) -> tuple[Drafted, str]:
        """An answer from what is in the register, and the names of the models that gave it. Two calls in a row at most,
        where nothing goes wrong: the choice of what matters, and the answer. `said` is the thread before the question.

        Raises ModelFailed, SpendingReached.
        """
        left = self._purse.left() if self._purse else self._budget.tokens
        if self._purse and left <= 0:
            raise SpendingReached(self._purse.limit)
        meter = Meter(self._budget.requests, min(self._budget.tokens, left))
        said = [one for one in said if self._shows(one)]
        drafting = _Drafting(self._asker, self._budget, meter, Fence(), question, said)
        in_thread = {one.passage.id for one in said if one.passage}
        shown = [one for one in reading.register if not self._veil.hides(one) and one.id not in in_thread]
        reading.note(self._veil.unknowns(reading.register))
        try:
            drafted, unsaid = loop.run(drafting.draft(shown, filtering=self._filtering), self._budget.seconds)
        except (AgentRunError, FallbackExceptionGroup, TimeoutError) as error:
            raise failed(error) from error
        finally:
            if self._purse:
                self._purse.take(meter.used)
        if unsaid and not (drafted.statements or drafted.unknowns):
            raise ModelFailed("The model gave no usable answer: no source that was read says what it said.")
        if unsaid:
            reading.degrade(_left_out(unsaid))
        return drafted, " and ".join(meter.answered)

    def _shows(self, one: Entered) -> bool:
        return self._hears_itself if one.passage is None else not self._veil.hides(one.passage)


class _Drafting:
    """Made for one question; runs on the event loop of the process."""

    def __init__(
        self, asker: Asker, budget: Budget, meter: Meter, fence: Fence, question: str, said: Sequence[Entered]
    ) -> None:
        self._asker = asker
        self._budget = budget
        self._meter = meter
        self._fence = fence
        self._question = question
        self._said = said
        self._heard: tuple[Passage, ...] = ()
        """What of the thread the last prompt held and can be cited."""
        self._audit = Audit()

    async def draft(self, passages: Sequence[Passage], *, filtering: bool) -> tuple[Drafted, int]:
        """The answer, and how many statements are not in it since no source says so."""
        started = asyncio.get_running_loop().time()
        self._audit.request(self._question)
        if not passages and not any(one.passage for one in self._said):
            return Drafted((), (UNANSWERED,), audit=self._audit.entries()), 0
        in_a_row = 0
        if filtering and len(passages) >= FEWEST:
            stage = self._stage(CHOICE_ENDS, started)
            passages = await self._chosen(passages, stage)
            in_a_row += stage.sent
        stage = self._stage(1.0, started)
        self._audit.sent("answer", [*heard(self._said, self._fence, 1.0)[1], *passages])
        written = await self._asker.ask(self._answer(passages), stage, self._ending())
        self._audit.answer("answer", written.model_dump(mode="json"))
        return self._checked(written, {one.id: one for one in (*self._heard, *passages)}, in_a_row + stage.sent)

    async def _chosen(self, passages: Sequence[Passage], stage: Stage) -> Sequence[Passage]:
        """The passages that the model says matter, by number alone; all of them if it names none."""
        self._audit.sent(NAME, passages)

        def prepare(share: float) -> Prepared:
            each = int(EACH * share)
            numbered = [f"{n}\n{self._fence.passage(one, each)}" for n, one in enumerate(passages, start=1)]
            return Prepared("\n\n".join([*self._context(share), "# Passages", *numbered]))

        question = Question(
            NAME,
            rendered("relevance_answer"),
            list[int],
            "Gives the numbers of the passages that matter. Ends the work.",
            prepare,
        )
        try:
            chosen = await self._asker.ask(question, stage, self._ending())
        except (AgentRunError, FallbackExceptionGroup) as error:
            self._audit.failure(NAME, reason(error))
            return passages
        self._audit.answer(NAME, chosen)
        without = dropped(passages, chosen)
        return [one for one in passages if one.id not in without] or passages

    def _answer(self, passages: Sequence[Passage]) -> Question[Written]:
        def prepare(share: float) -> Prepared:
            each = int(self._budget.source_characters * share)
            shown = [self._fence.passage(one, each) for one in _in_order(passages)]
            return Prepared("\n\n".join([*self._context(share), "# Sources", *shown]))

        return Question("answer", rendered("answer"), Written, "Gives the answer. Ends the work.", prepare)

    def _context(self, share: float) -> list[str]:
        """The question, and before it the thread."""
        asked = ["# Question", self._fence.text(self._question, self._budget.source_characters)]
        if not self._said:
            return asked
        told, self._heard = heard(self._said, self._fence, share)
        return ["# Thread before the question", told, *asked]

    def _ending(self) -> str:
        return rendered("fence", mark=self._fence.mark)

    def _stage(self, ends: float, started: float) -> Stage:
        budget = self._budget
        return Stage(self._meter, TRIES, self._meter.tokens, started + budget.seconds * ends, budget.request_seconds)

    def _checked(self, written: Written, shown: Mapping[str, Passage], in_a_row: int) -> tuple[Drafted, int]:
        """Statements as plain words, without those that no source that was shown and is named says."""
        said, unsaid = [], 0
        for sentence in written.statements[:STATEMENTS]:
            text = plain(sentence.text, LENGTH)
            cited = [shown[one] for one in dict.fromkeys(sentence.sources) if one in shown]
            if text and (sources := supporting(text, cited, self._question)):
                said.append(Said(text, tuple(one.id for one in sources)))
            else:
                unsaid += 1
        unknowns = [Unknown(text, "Asking who knows.") for one in written.open[:OPEN] if (text := plain(one, LENGTH))]
        if not said and not unknowns and not unsaid:
            unknowns = [UNANSWERED]
        numbers = {
            "refused": unsaid + len(written.statements[STATEMENTS:]),
            "calls": self._meter.sent,
            "calls_in_a_row": in_a_row,
            "tokens_in": self._meter.read,
            "tokens_out": self._meter.written,
        }
        return Drafted(tuple(said), tuple(unknowns), numbers, self._audit.entries()), unsaid


def _left_out(number: int) -> str:
    """Says that statements were left out."""
    number_of = "A statement of the model was" if number == 1 else f"{number} statements of the model were"
    return f"{number_of} left out: no source that was read says so."


def _in_order(passages: Sequence[Passage]) -> list[Passage]:
    """Documents in the order in which the best of them were found, each in its own order; each text once."""
    documents = {one.locator.document_id: number for number, one in reversed(list(enumerate(passages)))}
    texts = {one.text: one for one in reversed(passages)}
    return sorted(texts.values(), key=lambda one: (documents[one.locator.document_id], one.place))
