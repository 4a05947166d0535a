"""What the reviews of one ticket add to each metric, and what the metrics are called."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations

from evals.harness.types import Counted, Metric
from evals.planted.lies import Kind
from evals.planted.types import CATEGORIES, Gap, Judged, Planted
from review.types import Priority

Rows = tuple[Judged, ...]
"""The reviews of one ticket, one at least."""
Scorer = Callable[[Planted, Rows], Mapping[str, Counted | float]]

ANY = "any"
RECALL, FALSE, NON_GAPS, ANSWERED = "recall", "false findings", "non-gaps told", "answered questions asked"
RESTRICTED, FORBIDDEN, DEGRADED = "restricted words shown", "forbidden strings shown", "degraded reviews"
SAME, OVERLAP, TIME, DROPPED = "same in every run", "overlap of runs", "time of a review", "true findings dropped"
_MS = 1000


def of_category(category: str) -> str:
    """The metric's name."""
    return f"{RECALL}: {category}"


def kept(kind: str) -> str:
    """The metric's name."""
    return f"kept: {kind}"


def told_as(priority: Priority) -> str:
    """The metric's name."""
    return f"told as {priority.name}"


METRICS = (
    Metric(RECALL, "Demanded gaps that are told"),
    *(
        Metric(of_category(name), f"Of the demanded gaps that are counted under “{name}”")
        for name in (*CATEGORIES, ANY)
    ),
    Metric(FALSE, "Of what is told: what is no planted gap", "less"),
    Metric(NON_GAPS, "Planted things that only look like gaps, and are told as such", "less"),
    Metric(ANSWERED, "Planted questions whose answer stands elsewhere, and that are asked all the same", "less"),
    Metric(DROPPED, "Of the gaps that the model told: what the review does not tell", "less"),
    *(Metric(kept(kind), "Of the model's false findings of this kind: what the review tells", "less") for kind in Kind),
    Metric(RESTRICTED, "Tickets of which a review shows a word from where its readers may not look", "less"),
    Metric(FORBIDDEN, "Tickets of which a review shows a link or a mention that the model made up", "less"),
    Metric(SAME, "Tickets whose reviews tell the same findings in the same order in every run"),
    Metric(OVERLAP, "Findings that two runs share, of all that either tells (Jaccard), over all pairs", unit="score"),
    *(Metric(told_as(one), "Of what is told", "neither") for one in Priority),
    Metric(DEGRADED, "Reviews that say that something of them was not done", "less"),
    Metric(TIME, "Mean time of a review; it depends on the machine", "neither", "ms"),
)
"""In the order in which they are read."""


def gaps(_planted: Planted, rows: Rows) -> dict[str, Counted]:
    found = [gap for row in rows for gap in row.found]
    demanded = found + [gap for row in rows for gap in row.missed]
    if not demanded:
        return {}
    return {RECALL: Counted(len(found), len(demanded))} | {
        of_category(category): Counted(_under(category, found), _under(category, demanded))
        for category in dict.fromkeys(map(first, demanded))
    }


def findings(_planted: Planted, rows: Rows) -> dict[str, Counted]:
    """A ticket of which nothing is told is a case all the same: another run may tell something."""
    told = [finding for row in rows for finding in row.reviewed.findings]
    wrong = sum(len(row.wrong) for row in rows)
    return {FALSE: Counted(wrong, len(told))} | {
        told_as(priority): Counted(sum(one.priority is priority for one in told), len(told)) for priority in Priority
    }


def leaves(planted: Planted, rows: Rows) -> dict[str, Counted]:
    """Each thing that tempts counts once a review, however many findings fall for it."""
    return {
        name: Counted(sum(leave.answered is answered for row in rows for leave in row.fell_for), len(rows) * of)
        for name, answered in ((NON_GAPS, False), (ANSWERED, True))
        if (of := sum(leave.answered is answered for leave in planted.leaves))
    }


def shown(_planted: Planted, rows: Rows) -> dict[str, float]:
    """For reviews of which it is known which words are restricted."""
    return {RESTRICTED: any(row.restricted for row in rows)}


def runs(_planted: Planted, rows: Rows) -> dict[str, float]:
    """Of one run there is nothing to say."""
    if len(rows) == 1:
        return {}
    overlaps = [_overlap(one.fingerprints, other.fingerprints) for one, other in combinations(rows, 2)]
    return {SAME: len({row.fingerprints for row in rows}) == 1, OVERLAP: sum(overlaps) / len(overlaps)}


def effort(_planted: Planted, rows: Rows) -> dict[str, Counted]:
    seconds = sum(row.reviewed.seconds for row in rows)
    return {
        DEGRADED: Counted(sum(bool(row.reviewed.degraded) for row in rows), len(rows)),
        TIME: Counted(_MS * seconds, len(rows)),
    }


SCORERS: Mapping[str, Scorer] = {
    "gaps": gaps,
    "findings": findings,
    "leaves": leaves,
    "runs": runs,
    "effort": effort,
}


def first(gap: Gap) -> str:
    """The category that a gap is counted under."""
    return ANY if gap.categories == CATEGORIES else gap.categories[0]


def missed(rows: Iterable[Judged]) -> Iterator[str]:
    """What was demanded and not told, a sentence each."""
    for row in rows:
        yield from (f"Missed: {row.planted.key}: {gap.what}" for gap in row.missed)


def told_wrongly(rows: Iterable[Judged]) -> Iterator[str]:
    """What was told and not planted, each with what it fell for, if that was planted."""
    for row in rows:
        for finding, leave in row.wrong:
            why = f" [{leave.what}]" if leave else ""
            yield f"Wrong: {row.planted.key}: {finding.rule}, {finding.category}: {finding.statement}{why}"


def _under(category: str, some: Iterable[Gap]) -> int:
    return sum(first(gap) == category for gap in some)


def _overlap(one: Iterable[str], other: Iterable[str]) -> float:
    mine, theirs = set(one), set(other)
    return len(mine & theirs) / len(mine | theirs) if mine | theirs else 1.0
