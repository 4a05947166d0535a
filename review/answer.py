"""Answers a question for one audience, from tickets, policies, code and commits together. Reads only."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from time import perf_counter
from typing import Any

from core.errors import CoreError, SourceGone
from core.tickets import Ticket
from core.types import Audience, Evidence, Freshness, Metrics, Query
from review import gather
from review.agents.answerer import AnswerAgent, Drafted
from review.answer_deployed import Knows, deployed
from review.budget import Budget
from review.discussion import Discussion, Say, silent
from review.errors import ModelFailed
from review.extract import telling
from review.follow_up import Asked, Entered, answering, asked_after
from review.nearest import nearest
from review.reading import Reading, Searcher, plain_reason
from review.register import Passage
from review.service import Models
from review.types import Cited, Searched, Unknown

EVIDENCE = 14
"""Passages that are found for one question: what a model reads at once, in a few thousand tokens."""
QUESTION = 2_000
"""Characters of a question that are looked at."""
NAMED = 2
"""Passages that are read of what was named earlier in the thread, of each."""


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
    """When it was last changed, or said; None for what the index does not say it of."""
    stale: bool = False
    """Its source has not been read lately."""
    texts: tuple[str, ...] = ()
    """What was read there and is cited. It is for who checks the answer; the reply links to it."""


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
    read_live: frozenset[str] = frozenset()
    """Of these, the ones that were read from their source, labels and all, and not from the index."""
    nearest: tuple[Reference, ...] = ()
    """Where there is no statement: documents whose titles come nearest to the question."""
    searched: bool = True
    """False if the index could not be searched."""
    numbers: Mapping[str, float] = field(default_factory=dict)
    searches: tuple[Searched, ...] = ()
    audit: tuple[Mapping[str, Any], ...] = ()
    """What models were shown and said, for the record; nothing of it is for the reply."""


@dataclass(frozen=True, slots=True)
class _Run:
    """What one question has come to."""

    asked: Asked
    said: Sequence[Entered]
    reading: Reading
    freshness: Sequence[Freshness]
    found: tuple[Evidence, ...] | None
    runs: tuple[Evidence, ...] = ()
    """Where the matter runs, if that is asked."""

    def quoted(self) -> Drafted:
        """Where it runs, what people said in the thread that answers it, then what the best of the passages say."""
        remarks = [_remark_evidence(*one) for one in answering(self.asked, self.said)]
        return telling(self.asked.text, self.reading.register, [*self.runs, *remarks, *(self.found or ())])


class _Numbering:
    """Numbers places from 1 in the order in which they are first named."""

    def __init__(self, run: _Run) -> None:
        self._stale = {source.source for source in run.freshness if source.stale}
        self._changed = {one.document_id: one.updated for one in (*(run.found or ()), *run.runs)}
        self._said = {one.remark.locator.url: one.remark.at for one in run.said}
        self._known: dict[str, Reference] = {}
        self._texts: dict[str, dict[str, None]] = {}

    def of(self, passage: Passage) -> Reference:
        locator = passage.locator
        place = locator.url or passage.id
        if place not in self._known:
            changed = self._said.get(locator.url) or self._changed.get(locator.document_id)
            number, stale = len(self._known) + 1, passage.source in self._stale
            self._known[place] = Reference(number, passage.kind, Cited(locator, passage.labels), changed, stale)
        self._texts.setdefault(place, {})[passage.text] = None
        return self._known[place]

    def all(self) -> tuple[Reference, ...]:
        return tuple(replace(one, texts=tuple(self._texts[place])) for place, one in self._known.items())


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
        deployments: Knows | None = None,
    ) -> None:
        self._searcher = searcher
        self._freshness = freshness
        self._budget = budget or Budget()
        self._agent = _agent(models, self._budget) if models else None
        self._clock = clock
        self._metrics = metrics
        self._deployments = deployments

    def answer(
        self,
        question: str,
        audience: Audience,
        *,
        closed: frozenset[str] = frozenset(),
        discussion: Discussion | None = None,
        say: Say = silent,
    ) -> Answered:
        """What the sources that this audience may read say to a question. `closed` are documents to leave out;
        `discussion` is the thread in which it was asked, and is left out if the audience may not read it; `say` is told
        what is being done.

        Never raises for what a source or a model does: that is an unknown, or said in `degraded`.
        """
        started = perf_counter()
        question = question[:QUESTION].strip()
        reading = Reading(_NoTickets(), self._searcher, audience, self._budget, self._metrics, closed, say=say)
        freshness = self._freshness(audience)
        gather.note_stale_sources(freshness, reading)
        said = reading.enter_thread(discussion) if discussion else ()
        asked = asked_after(question, [one.remark for one in said if one.passage])
        found = self._find(asked, reading)
        run = _Run(asked, said, reading, freshness, found, self._deployed(asked, found or (), reading))
        searched = perf_counter()
        drafted, made_by = self._draft(run)
        numbers = {"search_seconds": searched - started, "model_seconds": perf_counter() - searched, **drafted.numbers}
        return self._attach(run, drafted, made_by, numbers)

    def _find(self, asked: Asked, reading: Reading) -> tuple[Evidence, ...] | None:
        """What was named earlier, then what is found; None if nothing could be searched."""
        try:
            named = [one for key in asked.keys for one in reading.lookup(key, NAMED)]
            result = reading.search(Query(asked.text, asked.variants, limit=EVIDENCE))
        except CoreError as error:
            reading.note([Unknown(f"Nothing was searched: {plain_reason(error)}.", "Asking again when it works.")])
            return None
        if asked.exact:
            reading.note(Unknown(note, "Asking with another name.") for note in result.notes)
        return tuple({one.id: one for one in (*named, *result.evidence)}.values())

    def _deployed(self, asked: Asked, found: Sequence[Evidence], reading: Reading) -> tuple[Evidence, ...]:
        return deployed(asked.question, asked.keys, found, self._deployments, reading) if self._deployments else ()

    def _draft(self, run: _Run) -> tuple[Drafted, str]:
        """The model's draft, or what the best passages say themselves; and who made it, in plain words."""
        if self._agent is None:
            return run.quoted(), "search alone: no model is configured, so these are quotes"
        run.reading.say("Writing the answer")
        try:
            return self._agent.draft(run.asked.question, run.reading, run.said)
        except ModelFailed as error:
            self._metrics.count("crosscheck_answer_model_failures_total")
            run.reading.degrade(f"{error} These are quotes of what was found.")
            return run.quoted(), "search alone"

    def _attach(self, run: _Run, drafted: Drafted, made_by: str, numbers: Mapping[str, float]) -> Answered:
        """Number the sources in the order in which they are used; a place that is cited twice has one number."""
        reading, register = run.reading, run.reading.register
        numbering = _Numbering(run)
        statements = []
        for said in drafted.statements:
            places = [numbering.of(register[source]) for source in said.sources if source in register]
            statements.append(Statement(said.text, tuple(dict.fromkeys(place.number for place in places))))
        every = numbering.all()
        near = _Numbering(run)
        if not statements:
            for one in nearest(run.asked.text, run.found or ()):
                if passage := register.add_evidence(one):
                    near.of(passage)
        return Answered(
            question=run.asked.question,
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
            rests_on=register.documents() | reading.live,
            read_live=reading.live,
            nearest=near.all(),
            searched=run.found is not None,
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


def _remark_evidence(passage: Passage, at: datetime, text: str) -> Evidence:
    """What a remark says, as if it had been found."""
    where = passage.locator
    return Evidence(
        id=f"{where.document_id}#{passage.id}",
        document_id=where.document_id,
        source=passage.source,
        kind=passage.kind,
        text=text,
        context=passage.title,
        locator=where,
        labels=passage.labels,
        updated=at,
        score=1.0,
        route="read",
    )
