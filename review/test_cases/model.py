"""The agent that adds test cases to those of the rules. It names sources by their ids; references are the program's."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_ai.exceptions import AgentRunError, FallbackExceptionGroup

from core.tickets import Ticket
from review.agents import loop
from review.agents.asking import Asker, Prepared, Question, opened
from review.agents.audit import Audit
from review.agents.choosing import View, choose
from review.agents.failures import failed
from review.agents.fence import Fence
from review.agents.language import tag
from review.agents.meter import Meter, Stage
from review.agents.purse import SpendingReached
from review.agents.supervisor import PAUSE
from review.agents.templates import rendered
from review.agents.veil import Veil
from review.budget import Budget
from review.reading import Reading
from review.register import Passage, Register
from review.service import Models
from review.test_cases.proposed import NewCase, Proposed
from review.test_cases.types import DraftedCase, Step
from review.text import language_of, stem_words
from review.types import Cited
from review.verify import proven_citation
from review.wording import plain

CASES = 15
PRECONDITIONS = 6
STEPS = 12
SOURCES = 4
TEXT = 300
TITLE = 200
"""Of one model: cases; of one case: preconditions, steps, sources, and characters of its texts."""
WISH = 1_000
"""Characters of a wish that are shown."""
TRIES = 2
"""Requests: one, and one more if its answer was malformed."""


@dataclass(frozen=True, slots=True)
class Added:
    """The model's cases that stand."""

    cases: tuple[DraftedCase, ...]
    dropped: int
    by: str
    """Names of the models that answered."""
    numbers: Mapping[str, float]
    audit: tuple[Mapping[str, Any], ...]


class CaseAgent:
    """Asks models. Holds nothing of a draft, so threads may share it."""

    def __init__(self, models: Models, budget: Budget, *, pause: float = PAUSE) -> None:
        self._asker = Asker(opened(models.model), budget.answer_tokens, pause)
        self._budget = budget
        self._purse = models.purse
        self._veil = Veil(models.withheld)

    def add(
        self, ticket: Ticket, reading: Reading, drafted: Sequence[DraftedCase], language: str, wish: str = ""
    ) -> Added:
        """Cases beside those that are drafted, in one call; with a `wish` only such as it asks for. What no model was
        shown is noted as unknown.

        Raises ModelFailed, SpendingReached.
        """
        meter = self._meter()
        reading.note(self._veil.unknowns(reading.register))
        try:
            told = [one for one in drafted if self._may_be_told(one, reading.register)]
            brief = _Brief(ticket, told, language, wish)
            return loop.run(self._add(brief, reading.register, meter), self._budget.seconds)
        except (AgentRunError, FallbackExceptionGroup, TimeoutError) as error:
            raise failed(error) from error
        finally:
            if self._purse:
                self._purse.take(meter.used)

    def _meter(self) -> Meter:
        left = self._purse.left() if self._purse else self._budget.tokens
        if self._purse and left <= 0:
            raise SpendingReached(self._purse.limit)
        return Meter(self._budget.requests, min(self._budget.tokens, left))

    async def _add(self, brief: "_Brief", register: Register, meter: Meter) -> Added:
        budget, fence, audit = self._budget, Fence(), Audit()
        view = View(lambda passage: not self._veil.hides(passage), first=frozenset({"thread"}))
        each = budget.source_characters
        shown = choose(brief.ticket, register, (), view, characters=budget.prompt_characters, each=each)

        def prepare(share: float) -> Prepared:
            return Prepared(_prompt(brief, shown, fence, int(each * share)))

        question = Question(
            "test cases", rendered("test_cases"), Proposed, "Gives the test cases. Ends the work.", prepare
        )
        ends = asyncio.get_running_loop().time() + budget.seconds
        stage = Stage(meter, TRIES, meter.tokens, ends, budget.request_seconds)
        audit.sent(question.name, shown)
        proposed = await self._asker.ask(question, stage, rendered("fence", mark=fence.mark))
        audit.answer(question.name, proposed.model_dump(mode="json"))
        readable = {passage.id: passage for passage in shown}
        standing = [_standing(one, readable, register) for one in proposed.cases[:CASES]]
        cases = tuple(one for one in standing if one is not None)
        numbers = {"model_requests": meter.sent, "model_tokens_in": meter.read, "model_tokens_out": meter.written}
        by = " and ".join(meter.answered)
        return Added(cases, len(proposed.cases) - len(cases), by, numbers, audit.entries())

    def _may_be_told(self, drafted: DraftedCase, register: Register) -> bool:
        """Whether nothing that a case rests on is withheld."""
        passages = [register.standing(cited) for cited in drafted.sources]
        return not any(passage is None or self._veil.hides(passage) for passage in passages)


@dataclass(frozen=True, slots=True)
class _Brief:
    """What is asked of a model."""

    ticket: Ticket
    told: Sequence[DraftedCase]
    """Cases that are there already."""
    language: str
    wish: str


def _prompt(brief: _Brief, shown: Sequence[Passage], fence: Fence, each: int) -> str:
    titles = [fence.text(f"{one.kind}: {one.title}", TITLE + 20) for one in brief.told]
    return "\n\n".join(
        [
            _heading(brief.ticket),
            f"Write in the language with the tag `{tag(brief.language)}`.",
            *(["# What is asked for", fence.text(brief.wish, WISH)] if brief.wish else []),
            "# Sources",
            *(fence.passage(passage, each) for passage in shown),
            "# Cases that are there",
            *(titles or ["None."]),
        ]
    )


def _heading(ticket: Ticket) -> str:
    """A page's title is others' text, and stands in its source."""
    return "# The page" if ticket.kind == "page" else f"# The {ticket.kind}: {ticket.key}"


def _standing(new: NewCase, readable: Mapping[str, Passage], register: Register) -> DraftedCase | None:
    """The case as plain text with references; None without a source that stands, or without anything to do."""
    sources = tuple(dict.fromkeys(filter(None, (_cited(q.source, q.quote, readable, register) for q in new.sources))))
    steps = tuple(
        Step(action, plain(step.expected, TEXT)) for step in new.steps[:STEPS] if (action := plain(step.action, TEXT))
    )
    title, expected = plain(new.title, TITLE), plain(new.expected, TEXT)
    if not (sources and steps and title and expected):
        return None
    preconditions = (plain(one, TEXT) for one in new.preconditions[:PRECONDITIONS])
    return DraftedCase(
        kind=new.kind,
        title=title,
        preconditions=tuple(one for one in preconditions if one),
        steps=steps,
        expected=expected,
        urgency=new.priority,
        reason=plain(new.reason, TEXT) or "The model that proposed it gave no reason.",
        sources=sources[:SOURCES],
        condition=f"proposed {_condition(title)}",
        by_model=True,
    )


def _cited(source: str, quote: str, readable: Mapping[str, Passage], register: Register) -> Cited | None:
    """The quote where it stands, if it stands in the very source that was named."""
    passage = readable.get(source)
    if passage is None or not quote.strip():
        return None
    proven = proven_citation(Cited(passage.locator, passage.labels, quote=quote), register)
    return proven if proven and proven.locator.document_id == passage.locator.document_id else None


def _condition(title: str) -> str:
    """Titles that say the same in another order of words compare equal."""
    words = [word for word in "".join(c if c.isalnum() else " " for c in title).split() if word]
    return " ".join(sorted(set(stem_words(words, language_of(title)))))
