"""An outcome beside the baseline, the best arm and other systems, in numbers and as a table."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from rich.table import Table

from bots.text import one_line
from evals.harness.intervals import Interval, difference
from evals.harness.types import Counted, Failure, Measurement
from evals.retrieval.metrics import described, mean, measured
from evals.retrieval.run import Outcome
from evals.retrieval.types import RetrievalSet, Run, Values

SEARCH, BM25, ARM = "search", "BM25", "best arm"
"""The product, and what it is held against in every run."""
_NAME = 24  # characters of another system's name in the table
_ALONE = (
    "An arm ranks code and other documents apart; alone it is taken from both in turns, as far as search kept what it "
    "found among its candidates."
)


@dataclass(frozen=True, slots=True)
class Beside:
    """Another way on the same questions."""

    value: float
    to: Interval | None
    """Search less this way, paired."""


@dataclass(frozen=True, slots=True)
class Row:
    """One metric, from 0 to 1, over the questions that it is defined for."""

    metric: str
    questions: int
    measured: float
    others: Mapping[str, Beside]
    """By way."""


@dataclass(frozen=True, slots=True)
class Result:
    """What was measured of a set."""

    set: str
    shape: str
    questions: int
    answered: int
    ways: Mapping[str, Values]
    """Search first; none if nobody says what the right answers are."""
    rows: tuple[Row, ...]
    """The metrics that count first."""
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
    made_with: Mapping[str, str]
    others: Mapping[str, int]
    """How many of the questions that have a right answer other systems' runs answer, by way."""

    def to_json(self) -> dict[str, Any]:
        """Without what its ways found."""
        return {
            "set": self.set,
            "shape": self.shape,
            "questions": self.questions,
            "answered": self.answered,
            "best_arm": self.best_arm,
            "arms": dict(self.arms),
            "documents": self.documents,
            "chunks": self.chunks,
            "indexing_seconds": self.indexing_seconds,
            "search_ms": self.search_ms,
            "degraded": dict(self.degraded),
            "unasked": dict(self.unasked),
        }


def result_of(chosen: RetrievalSet, outcome: Outcome, others: Mapping[str, Run] | None = None) -> Result:
    """`others` are runs of other systems by the names that they go by."""
    ours = measured(outcome.run, chosen.relevant)
    counting = [metric for metric in chosen.headline if metric in ours]
    metrics = [*counting, *(metric for metric in ours if metric not in counting)]
    by_arm = {name: measured(run, chosen.relevant) for name, run in sorted(outcome.arms.items())}
    arms = {name: mean(values[metrics[0]]) for name, values in by_arm.items() if metrics}
    best = max(arms, key=lambda name: arms[name], default=None)
    ways = {SEARCH: ours}
    if outcome.baseline:
        ways[BM25] = measured(outcome.baseline, chosen.relevant)
    if best:
        ways[ARM] = by_arm[best]
    ways |= {name: measured(run, chosen.relevant) for name, run in (others or {}).items()}
    return Result(
        set=chosen.name,
        shape=chosen.shape,
        questions=chosen.questions,
        answered=len(outcome.run),
        ways=ways if metrics else {},
        rows=tuple(_row(metric, ways) for metric in metrics),
        best_arm=best,
        arms=arms,
        documents=outcome.documents,
        chunks=outcome.chunks,
        indexing_seconds=round(outcome.indexing, 1),
        search_ms=round(1000 * median(outcome.searching), 1) if outcome.searching else 0.0,
        degraded=dict(outcome.degraded),
        unasked=dict(outcome.unasked),
        made_with={"questions": _digest(chosen), **outcome.made_with},
        others={name: len(run.keys() & chosen.relevant.keys()) for name, run in (others or {}).items()},
    )


def measurements(result: Result, notes: Iterable[str] = ()) -> tuple[Measurement, ...]:
    """One for each way, search first. `notes` are about the set, beside what the result says of itself."""
    return tuple(_measurement(result, way, values, tuple(notes)) for way, values in result.ways.items())


def _measurement(result: Result, way: str, values: Values, notes: tuple[str, ...]) -> Measurement:
    made_with = dict(result.made_with)
    failures: tuple[Failure, ...] = ()
    if way == SEARCH:
        notes = (*about(result), *notes)
        failures = tuple(Failure(case, "task", reason) for case, reason in sorted(result.unasked.items()))
    elif way == ARM and result.best_arm:
        made_with["arm"] = result.best_arm
        notes = (_ALONE, *notes)
    else:
        made_with = {"questions": made_with["questions"]}
        notes = (*_answered(result, way), *notes)
    return Measurement(
        part="retrieval",
        set=result.set,
        way=way,
        metrics=tuple(described(row.metric) for row in result.rows),
        values={row.metric: counted(values[row.metric]) for row in result.rows},
        failures=failures,
        notes=notes,
        made_with=made_with,
    )


def _answered(result: Result, way: str) -> Iterable[str]:
    """Of another system that was not asked all questions."""
    asked = len(next(iter(result.ways[SEARCH].values())))
    if result.others.get(way, asked) < asked:
        yield f"It answers {result.others[way]} of {asked} questions; each of the others counts 0."


def counted(values: Mapping[str, float]) -> dict[str, Counted]:
    """Values of cases as the harness has them."""
    return {case: Counted(value) for case, value in values.items()}


def _row(metric: str, ways: Mapping[str, Values]) -> Row:
    ours = ways[SEARCH][metric]
    others = {
        way: Beside(mean(values[metric]), difference(counted(ours), counted(values[metric])))
        for way, values in ways.items()
        if way != SEARCH
    }
    return Row(metric, len(ours), mean(ours), others)


def table_of(result: Result) -> Table:
    """Search beside each other way, with the paired difference and its interval."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for head in ("metric", SEARCH, "beside", "there", "search less it, 95 %"):
        table.add_column(head, no_wrap=head != "beside", overflow="fold")
    for row in result.rows:
        name, ours = row.metric, _shown(row.measured)
        for way, other in row.others.items():
            table.add_row(name, ours, one_line(way, _NAME), _shown(other.value), _interval(other.to))
            name = ours = ""
    return table


def about(result: Result) -> Iterable[str]:
    """What the table does not say, a sentence each."""
    indexed = (
        f"{result.documents:,} documents, {result.chunks:,} chunks indexed in {result.indexing_seconds:,.0f} s, "
        if result.documents
        else ""
    )
    yield (
        f"{result.set} ({result.shape}): {result.answered} of {result.questions} questions answered, "
        f"{indexed}{result.search_ms:.0f} ms a search (median)."
    )
    if result.best_arm:
        yield f"The best arm alone: {result.best_arm}."
    if not result.rows:
        yield "The set does not say what the right answers are, so nothing is measured."
    for sentence, count in sorted(result.degraded.items()):
        yield f"{count} searches: {sentence}"


def _digest(chosen: RetrievalSet) -> str:
    """Of the right answers, which say what the questions are, too."""
    told = {query: sorted((key, *one) for key, one in wanted.items()) for query, wanted in chosen.relevant.items()}
    return hashlib.blake2b(json.dumps(told, sort_keys=True).encode(), digest_size=6).hexdigest()


def _shown(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def _interval(paired: Interval | None) -> str:
    if paired is None:
        return "-"
    value, low, high = (f"{number:+.3f}".replace("0.", ".", 1) for number in (paired.value, paired.low, paired.high))
    return f"{value} ({low} {high})"
