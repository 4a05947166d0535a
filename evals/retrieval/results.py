"""An outcome beside the baseline and the best arm, in numbers and as a table."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from rich.table import Table

from evals.retrieval.bootstrap import Difference, paired
from evals.retrieval.metrics import mean
from evals.retrieval.run import Outcome
from evals.retrieval.types import RetrievalSet, Values


@dataclass(frozen=True, slots=True)
class Row:
    """One metric, from 0 to 1, over the questions that it is defined for."""

    metric: str
    questions: int
    baseline: float
    arm: float | None
    measured: float
    to_baseline: Difference
    to_arm: Difference | None


@dataclass(frozen=True, slots=True)
class Result:
    """What was measured of a set."""

    set: str
    shape: str
    questions: int
    answered: int
    rows: tuple[Row, ...]
    """The metrics that count first; none if nobody says what the right answers are."""
    best_arm: str | None
    """By the first row; None if searches were not traced."""
    arms: Mapping[str, float]
    """Each arm alone, by the first row's metric."""
    documents: int
    chunks: int
    indexing_seconds: float
    search_ms: float
    """Median."""
    degraded: Mapping[str, int]
    unasked: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def result_of(chosen: RetrievalSet, outcome: Outcome) -> Result:
    measured = chosen.measure(outcome.run, chosen.relevant)
    counting = [metric for metric in chosen.headline if metric in measured]
    metrics = [*counting, *(metric for metric in measured if metric not in counting)]
    by_arm = {name: chosen.measure(run, chosen.relevant) for name, run in sorted(outcome.arms.items())}
    arms = {name: mean(values[metrics[0]]) for name, values in by_arm.items() if metrics}
    best = max(arms, key=lambda name: arms[name], default=None)
    baseline = chosen.measure(outcome.baseline, chosen.relevant)
    return Result(
        set=chosen.name,
        shape=chosen.shape,
        questions=chosen.questions,
        answered=len(outcome.run),
        rows=tuple(_row(metric, measured, baseline, by_arm[best] if best else None) for metric in metrics),
        best_arm=best,
        arms=arms,
        documents=outcome.documents,
        chunks=outcome.chunks,
        indexing_seconds=round(outcome.indexing, 1),
        search_ms=round(1000 * median(outcome.searching), 1) if outcome.searching else 0.0,
        degraded=dict(outcome.degraded),
        unasked=dict(outcome.unasked),
    )


def _row(metric: str, measured: Values, baseline: Values, arm: Values | None) -> Row:
    return Row(
        metric=metric,
        questions=len(measured[metric]),
        baseline=mean(baseline[metric]),
        arm=mean(arm[metric]) if arm else None,
        measured=mean(measured[metric]),
        to_baseline=paired(measured[metric], baseline[metric]),
        to_arm=paired(measured[metric], arm[metric]) if arm else None,
    )


def table_of(result: Result) -> Table:
    heads = ("metric", "BM25", "arm", "search", "to BM25, 95 %", "to the arm, 95 %")
    table = Table(box=None, padding=(0, 2, 0, 0))
    for head in heads:
        table.add_column(head, no_wrap=True)
    for row in result.rows:
        values = map(_shown, (row.baseline, row.arm, row.measured))
        table.add_row(row.metric, *values, _interval(row.to_baseline), _interval(row.to_arm))
    return table


def about(result: Result) -> Iterable[str]:
    """What the table does not say, a sentence each."""
    yield (
        f"{result.set} ({result.shape}): {result.answered} of {result.questions} questions answered, "
        f"{result.documents:,} documents, {result.chunks:,} chunks indexed in {result.indexing_seconds:,.0f} s, "
        f"{result.search_ms:.0f} ms a search (median)."
    )
    if result.best_arm:
        yield f"The best arm alone: {result.best_arm}."
    if not result.rows:
        yield "The set does not say what the right answers are, so nothing is measured."
    for sentence, count in sorted(result.degraded.items()):
        yield f"{count} searches: {sentence}"
    for question, reason in sorted(result.unasked.items()):
        yield f"Not asked: {question}: {reason}"


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}".removeprefix("0")


def _interval(difference: Difference | None) -> str:
    if difference is None:
        return "-"
    numbers = (difference.mean, difference.low, difference.high)
    mean_, low, high = (f"{number:+.3f}".replace("0.", ".", 1) for number in numbers)
    return f"{mean_} ({low} {high})"
