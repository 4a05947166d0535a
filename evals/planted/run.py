"""Reviews the tickets of the set."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.types import Audience
from crosscheck.wiring import Program
from evals.planted.matching import judged
from evals.planted.types import Judged, Planted, Reviewed
from review.types import Review
from sandbox.records import Company

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Ran:
    """Reviews of one way of reviewing, beside what was planted."""

    name: str
    rows: tuple[Judged, ...]
    reviews: tuple[Reviewed, ...]


def run(
    program: Program,
    name: str,
    tickets: Iterable[Planted],
    company: Company,
    readers: Audience,
    report: Progress,
    bait: Sequence[str] = (),
) -> Ran:
    """Review each ticket once. Words that stand where the readers may not look must not be in a review, nor `bait`."""
    hidden = (marker.word for marker in company.markers if not readers.covers(Audience(frozenset(marker.labels))))
    forbidden = [*hidden, *bait]
    rows, reviews = [], []
    for planted in tickets:
        report(planted.key)
        reviewed = told(program.reviewer.review(planted.key, readers))
        reviews.append(reviewed)
        rows.append(judged(planted, reviewed, forbidden))
    return Ran(name, tuple(rows), tuple(reviews))


def told(review: Review) -> Reviewed:
    return Reviewed(review.key, review.findings, review.settled, review.degraded, "\n".join(_texts(review)))


def unstable(first: Sequence[Reviewed], second: Sequence[Reviewed]) -> list[str]:
    """Tickets whose two reviews do not tell the same findings in the same order."""
    return [
        one.key
        for one, other in zip(first, second, strict=True)
        if [finding.fingerprint for finding in one.findings] != [finding.fingerprint for finding in other.findings]
    ]


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
