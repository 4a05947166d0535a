"""Reviews the tickets of the set, each as often as is asked for."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from time import perf_counter

from core.types import Audience
from crosscheck.wiring import Program
from evals.harness.cases import Scored, score
from evals.planted.matching import judged
from evals.planted.scores import SCORERS, Rows, Scorer, shown
from evals.planted.types import Planted, Reviewed
from review.types import Review
from sandbox.records import Company

Progress = Callable[[str], None]
Reviews = Callable[[str], Reviewed]
"""What a review of the ticket with this key tells."""


@dataclass(frozen=True, slots=True)
class Watched:
    """What must not be in a review."""

    restricted: tuple[str, ...] = ()
    """Words that stand only where its readers may not look."""
    forbidden: tuple[str, ...] = ()
    """Strings that nobody may be shown."""


def run(
    tickets: Mapping[str, Planted],
    reviews: Reviews,
    report: Progress,
    *,
    runs: int = 1,
    watched: Watched = Watched(),
    more: Mapping[str, Scorer] | None = None,
) -> Scored[Rows]:
    """Review each ticket, by its case's name, so many times, and count. `more` are scorers of this way of reviewing."""

    def rows(planted: Planted) -> Rows:
        made = (reviews(planted.key) for _ in range(runs))
        return tuple(judged(planted, one, watched.restricted, watched.forbidden) for one in made)

    def progress(done: int, total: int, name: str) -> None:
        report(f"{name}, {done} of {total}")

    words = {"words": shown} if watched.restricted else {}
    return score(tickets, rows, {**SCORERS, **words, **(more or {})}, progress)


def by_program(program: Program, readers: Audience) -> Reviews:
    """Reviews by a program of this process, for these readers."""

    def reviewed(key: str) -> Reviewed:
        started = perf_counter()
        review = program.reviewer.review(key, readers)
        return told(review, perf_counter() - started)

    return reviewed


def hidden_from(readers: Audience, company: Company) -> tuple[str, ...]:
    """Words that stand only where these readers may not look."""
    return tuple(one.word for one in company.markers if not readers.covers(Audience(frozenset(one.labels))))


def told(review: Review, seconds: float = 0.0) -> Reviewed:
    return Reviewed(review.key, review.findings, review.degraded, "\n".join(_texts(review)), seconds)


def _texts(review: Review) -> Iterator[str]:
    yield from (review.title, *review.degraded, review.made_by)
    for finding in review.findings:
        yield from (finding.statement, finding.why, finding.question)
        yield from (f"{cited.locator.title} {cited.quote} {cited.looked_for}" for cited in finding.evidence)
    for unknown in review.unknowns:
        yield from (unknown.what, unknown.settled_by)
    for settled in review.settled:
        yield settled.what
        yield from (f"{cited.locator.title} {cited.quote}" for cited in settled.evidence)
    for pull in review.pulls:
        yield from (pull.locator.title, *pull.says)
