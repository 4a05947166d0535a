"""The program under test: the product's own parts, without an index; what it says is what it read."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

from bots.outline import Code
from core.types import Audience
from crosscheck.replies import Asked, Replies, Reply
from crosscheck.settings import Secrets, Settings
from crosscheck.subjects import Subjects
from crosscheck.wiring import Program
from evals.playground import NothingFound, quickly
from review.answer import Answered, Reference, Statement
from review.discussion import Discussion, Say, discussion_of, silent
from review.types import Cited, Finding, Priority, Review
from tests.fakes import Tally

MADE_BY = "somebody who repeats"


class Moved:
    """The time, or later."""

    def __init__(self) -> None:
        self._ahead = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self._ahead

    def forward(self, **span: float) -> None:
        self._ahead += timedelta(**span)


class Parrot:
    """Reviews and answers: repeats, word for word, everything that its audience may read of what is talked about, and
    of the tickets and pages `beside` it.
    """

    def __init__(self, subjects: Subjects, clock: Callable[[], datetime]) -> None:
        self._subjects = subjects
        self._clock = clock
        self.beside: tuple[str, ...] = ()
        self.own_words: tuple[str, ...] = ()
        """What it says beside."""
        self.failures: list[Exception] = []
        """What the next ones end in."""

    def answer(
        self,
        question: str,
        audience: Audience,
        *,
        closed: frozenset[str] = frozenset(),
        discussion: Discussion | None = None,
        say: Say = silent,
    ) -> Answered:
        cited = self._cited(discussion, audience, closed)
        numbered = list(enumerate(cited, 1))
        return Answered(
            question=question,
            statements=(
                *(Statement(one.quote, (number,)) for number, one in numbered),
                *(Statement(words, ()) for words in self.own_words),
            ),
            references=tuple(Reference(number, "thread", replace(one, quote=""), None) for number, one in numbered),
            unknowns=(),
            degraded=(),
            made_by=MADE_BY,
            audience=audience,
            at=self._clock(),
            rests_on=frozenset(one.locator.document_id for one in cited),
        )

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
        ticket = self._subjects.ticket(key)
        cited = self._cited(discussion_of(ticket), audience, closed)
        return Review(
            key=key,
            title=ticket.summary,
            locator=ticket.locator,
            findings=tuple(
                Finding("parrot", "conflict", Priority.P1, one.quote, "It is said.", "Is it so?", (one,))
                for one in cited
            ),
            unknowns=(),
            settled=(),
            degraded=(),
            made_by=MADE_BY,
            audience=audience,
            at=self._clock(),
            rests_on=frozenset(one.locator.document_id for one in cited),
            called=ticket.called,
        )

    def _cited(self, around: Discussion | None, audience: Audience, closed: frozenset[str]) -> list[Cited]:
        if self.failures:
            raise self.failures.pop(0)
        beside = [discussion_of(self._subjects.ticket(key)) for key in self.beside]
        told = [one.seen_by(audience) for one in (around, *beside) if one]
        return list(_quotes((one for one in told if one), closed))


def _quotes(told: Iterator[Discussion], closed: frozenset[str]) -> Iterator[Cited]:
    for discussion in told:
        for remark in discussion.by_people:
            if remark.locator.document_id not in closed:
                yield Cited(remark.locator, discussion.labels_of(remark), remark.text)


class Repeating(Replies):
    """Replies that show some code at their end."""

    code: tuple[str, ...] = ()

    def answer(self, question: str, asked: Asked) -> Reply:
        reply = super().answer(question, asked)
        return replace(reply, outline=(*reply.outline, *map(Code, self.code)))


class Talking(Program):
    """Without an index, and without a pause between attempts."""

    pause = posting_pause = staticmethod(quickly)

    def __init__(self, settings: Settings, secrets: Secrets, clock: Moved) -> None:
        super().__init__(settings, secrets, clock=clock, metrics=Tally())
        self.time = clock

    @cached_property
    def searcher(self) -> Any:
        return NothingFound()


class Reading(Talking):
    """Reviews, answers and drafts by the product's own rules."""


class Parroting(Talking):
    """Says what it read, and nothing else."""

    @cached_property
    def parrot(self) -> Parrot:
        return Parrot(self.subjects, self.clock)

    @cached_property
    def reviewer(self) -> Any:
        return self.parrot

    @cached_property
    def answerer(self) -> Any:
        return self.parrot

    @cached_property
    def replies(self) -> Repeating:
        labels = self.slack.labels_now if self.slack else self.sources.labels_now
        return Repeating(
            reviewer=lambda: self.reviewer,
            answerer=lambda: self.answerer,
            drafter=lambda: self.drafter,
            freshness=self.sources.freshness,
            labels_now=labels,
            metrics=self.metrics,
        )
