"""Answers a question for one audience, from tickets, policies, code and commits together. Reads only."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from time import perf_counter
from typing import Any

from core.errors import CoreError, SourceGone
from core.tickets import Ticket
from core.types import Audience, Evidence, Freshness, Metrics, Query
from review import gather
from review.agents.answerer import AnswerAgent, Drafted
from review.budget import Budget
from review.errors import ModelFailed
from review.extract import telling
from review.reading import Reading, Searcher, plain_reason
from review.register import Passage
from review.service import Models
from review.types import Cited, Searched, Unknown

EVIDENCE = 14
"""Passages that are found for one question: what a model reads at once, in a few thousand tokens."""
QUESTION = 2_000
"""Characters of a question that are looked at."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence or two of an answer, and the numbers of the sources that it rests on."""

    text: str
    sources: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """A numbered source."""

    number: int
    kind: str
    cited: Cited
    updated: datetime | None
    """When it was last changed; None for what the index does not say it of."""


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer whose every statement names its sources."""

    question: str
    statements: tuple[Statement, ...]
    references: tuple[Reference, ...]
    """In the order of their numbers, from 1."""
    unknowns: tuple[Unknown, ...]
    degraded: tuple[str, ...]
    made_by: str
    audience: Audience
    at: datetime
    rests_on: frozenset[str] = frozenset()
    """Ids of all documents whose words may stand in it."""
    numbers: Mapping[str, float] = field(default_factory=dict)
    searches: tuple[Searched, ...] = ()
    audit: tuple[Mapping[str, Any], ...] = ()
    """What models were shown and said, for the record; nothing of it is for the reply."""


class Answerer:
    """Makes answers. Holds nothing of any one question, so threads may share it."""

    def __init__(
        self,
        searcher: Searcher,
        freshness: Callable[[Audience], Sequence[Freshness]],
        *,
        models: Models | None,
        clock: Callable[[], datetime],
        metrics: Metrics,
        budget: Budget | None = None,
    ) -> None:
        self._searcher = searcher
        self._freshness = freshness
        self._budget = budget or Budget()
        self._agent = _agent(models, self._budget) if models else None
        self._clock = clock
        self._metrics = metrics

    def answer(self, question: str, audience: Audience, *, closed: frozenset[str] = frozenset()) -> Answered:
        """What the sources that this audience may read say to a question. `closed` are documents to leave out.

        Never raises for what a source or a model does: that is an unknown, or said in `degraded`.
        """
        started = perf_counter()
        question = question[:QUESTION].strip()
        reading = Reading(_NoTickets(), self._searcher, audience, self._budget, self._metrics, closed)
        gather.note_stale_sources(self._freshness(audience), reading)
        found = self._find(question, reading)
        searched = perf_counter()
        drafted, made_by = self._draft(question, reading, found)
        numbers = {"search_seconds": searched - started, "model_seconds": perf_counter() - searched, **drafted.numbers}
        return self._attach(question, drafted, reading, found, made_by, numbers)

    def _find(self, question: str, reading: Reading) -> tuple[Evidence, ...]:
        try:
            result = reading.search(Query(question, limit=EVIDENCE))
        except CoreError as error:
            reading.note([Unknown(f"Nothing was searched: {plain_reason(error)}.", "Asking again when it works.")])
            return ()
        reading.note(Unknown(note, "Asking with another name.") for note in result.notes)
        return result.evidence

    def _draft(self, question: str, reading: Reading, found: Sequence[Evidence]) -> tuple[Drafted, str]:
        """The model's draft, or what the best passages say themselves; and who made it, in plain words."""
        if self._agent is None:
            return telling(
                question, reading.register, found
            ), "search alone: no model is configured, so these are quotes"
        try:
            return self._agent.draft(question, reading)
        except ModelFailed as error:
            self._metrics.count("crosscheck_answer_model_failures_total")
            reading.degrade(f"{error} These are quotes of what was found.")
            return telling(question, reading.register, found), "search alone"

    def _attach(
        self,
        question: str,
        drafted: Drafted,
        reading: Reading,
        found: Sequence[Evidence],
        made_by: str,
        numbers: Mapping[str, float],
    ) -> Answered:
        """Number the sources in the order in which they are used; a place that is cited twice has one number."""
        updated = {one.document_id: one.updated for one in found}
        references: dict[str, Reference] = {}
        statements = []
        for said in drafted.statements:
            cited = [reading.register[source] for source in said.sources if source in reading.register]
            places = [_reference(passage, references, updated) for passage in cited]
            statements.append(Statement(said.text, tuple(dict.fromkeys(place.number for place in places))))
        every = tuple(references.values())
        return Answered(
            question=question,
            statements=tuple(statements),
            references=every,
            unknowns=(
                *reading.unknowns,
                *reading.unread(one.cited.locator.document_id for one in every),
                *drafted.unknowns,
            ),
            degraded=reading.degraded,
            made_by=made_by,
            audience=reading.audience,
            at=self._clock(),
            rests_on=reading.register.documents(),
            numbers=dict(numbers),
            searches=reading.searches,
            audit=drafted.audit,
        )


class _NoTickets:
    """Answers rest on the index alone."""

    def ticket(self, key: str) -> Ticket:
        raise SourceGone(f"{key} is not read live here")


def _agent(models: Models, budget: Budget) -> AnswerAgent:
    return AnswerAgent(models.model, budget, models.purse, models.withheld, filtering=models.filtering)


def _reference(passage: Passage, known: dict[str, Reference], updated: Mapping[str, datetime]) -> Reference:
    place = passage.locator.url or passage.id
    if place not in known:
        cited = Cited(passage.locator, passage.labels)
        changed = updated.get(passage.locator.document_id)
        known[place] = Reference(len(known) + 1, passage.kind, cited, changed)
    return known[place]
