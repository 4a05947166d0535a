"""The common ways through the program, measured: what each takes, of its own and of a model's, and what that costs."""

import statistics
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from evals.harness.types import Better, Counted, Measurement, Metric, Unit, Values
from evals.paths import paths as ways
from evals.paths.accounting import dollars
from evals.paths.budgets import kept, most
from evals.paths.figure import Bar, figure
from evals.paths.reference import NAME, STEADY, Reference, unsteady
from evals.paths.replies import reply
from evals.paths.using import Timed, Times, used
from evals.paths.workplace import workplace
from sandbox.model_replies import Pace

PART, SET = "latency", "sandbox"
BESIDE = "side by side"
"""The way of what is measured between paths."""
NOISE = 0.2
"""Of ratios of times, from run to run on one machine."""
OWN_RATIO, DOLLARS = f"own to {NAME}", "dollars per 1,000 uses"
COMPARED = (
    ("MCP over HTTP to search", ways.MCP_SEARCH, ways.SEARCH),
    ("ask, filter to no filter", ways.ASK_FILTER, ways.ASK_MODEL),
    ("ask, model to search alone", ways.ASK_MODEL, ways.ASK),
    ("review, model to rules", ways.REVIEW_MODEL, ways.REVIEW),
    ("test cases, model to rules", ways.CASES_MODEL, ways.CASES),
    ("plan check, model to rules", ways.PLAN_MODEL, ways.PLAN),
)
"""Paths whose own times are set in relation, over the cases that both have."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """How it is measured."""

    first: float = 0.5
    """Seconds to the model's first token."""
    per_second: float = 60.0
    """Tokens a second; 0 for all at once."""
    cases: int = 5
    """Of each path."""
    in_price: float = 3.0
    out_price: float = 15.0
    """Dollars for a million tokens. Examples: real prices differ by model, and change."""

    @property
    def model(self) -> str:
        return f"scripted, {self.first:g} s to the first token, {self.per_second:g} tokens a second"

    @property
    def prices(self) -> str:
        return f"{self.in_price:g} $ for a million tokens in, {self.out_price:g} $ out"


def measure(chosen: Chosen, report: Callable[[str], None]) -> tuple[Measurement, ...]:
    """One measurement for each path, and one of what stands between them."""
    with tempfile.TemporaryDirectory() as folder:
        report("indexing the company")
        with (
            workplace(Path(folder) / "company", Pace(chosen.first, chosen.per_second)) as at,
            closing(Reference(Path(folder))) as reference,
        ):
            times = used(ways.paths(at, chosen.cases), at.box.model, reply, reference, report)
    return tuple(measurements(times, reference.seconds, chosen))


def measurements(times: Sequence[Times], reference: Sequence[float], chosen: Chosen) -> Iterator[Measurement]:
    """From what was timed. `reference` are the seconds of the reference piece of work, each time."""
    steady = unsteady(reference) <= STEADY
    for one in times:
        yield _of_path(one, chosen, steady=steady)
    yield _beside(times, reference, chosen, steady=steady)


@dataclass(frozen=True, slots=True)
class _Told:
    """One thing that is told of a path."""

    metric: Metric
    value: Callable[[Timed], float]
    """Of one use."""
    of_rounds: Callable[[Iterable[float]], float] = statistics.median
    """What the uses of a case come to."""


def _of_path(times: Times, chosen: Chosen, *, steady: bool) -> Measurement:
    told = [one for one in _every(chosen, steady=steady) if _tells(one.metric, times)]
    counted = {one.metric.name: _counted(times, one) for one in told}
    values = {name: of_cases for name, of_cases in counted.items() if of_cases}
    asked = {"model": chosen.model, "prices": chosen.prices} if times.asks else {}
    return Measurement(
        part=PART,
        set=SET,
        way=times.path,
        metrics=tuple(one.metric for one in told),
        values=values,
        failures=times.failures,
        notes=tuple(one.sentence for one in kept(times.path, values) if one.over),
        made_with={"reference": NAME, **asked},
    )


def _counted(times: Times, told: _Told) -> Values:
    return {case: Counted(number) for case, number in times.each(told.value, told.of_rounds).items()}


def _every(chosen: Chosen, *, steady: bool) -> Iterator[_Told]:
    """What is told of paths. Milliseconds are of this machine, so neither more nor less of them is better elsewhere."""

    def cost(one: Timed) -> float:
        return 1000 * dollars(one.use, chosen.in_price, chosen.out_price)

    def told(name: str, about: str, better: Better, unit: Unit, value: Callable[[Timed], float]) -> _Told:
        return _Told(Metric(name, about, better, unit), value)

    about = "Own time over that of a fixed piece of work right before and after"
    yield _Told(_ratio(OWN_RATIO, about, steady=steady), _relative)
    yield told("whole", "From the request to the result", "neither", "ms", lambda one: one.use.whole)
    yield told("own", "The whole less what the model took", "neither", "ms", lambda one: one.use.own)
    yield told("model", "While the model was at work", "neither", "ms", lambda one: one.use.model)
    yield told("acknowledged", "From the webhook to its answer", "neither", "ms", lambda one: one.acknowledged or 0.0)
    yield told("calls", "Calls of a model", "less", "calls", lambda one: one.use.calls)
    # A row that is seen is never shorter than the true one, so the least of the rounds is the nearest.
    row = Metric("calls in a row", "Of which each waits for the one before", "less", "calls")
    yield _Told(row, lambda one: one.use.in_a_row, min)
    yield told("tokens in", "That the model reads", "less", "tokens", lambda one: one.use.tokens_in)
    yield told("tokens out", "That the script writes", "neither", "tokens", lambda one: one.use.tokens_out)
    yield told(DOLLARS, f"At example prices, {chosen.prices}; real prices differ", "neither", "dollars", cost)


def _tells(metric: Metric, times: Times) -> bool:
    """Of a path that asks no model it is told only that it does not."""
    if metric.name == "acknowledged":
        return any(one.acknowledged is not None for timed in times.timed.values() for one in timed)
    return times.asks or metric.name not in {"model", "calls in a row", "tokens in", "tokens out", DOLLARS}


def _relative(one: Timed) -> float:
    return one.use.own / one.reference


def _ratio(name: str, about: str, *, steady: bool) -> Metric:
    """Where the machine was not steady it has another name and no better side, so it makes nothing worse."""
    return Metric(name if steady else f"{name}, uneven", about, "less" if steady else "neither", "ratio", NOISE)


# Between paths


def _beside(times: Sequence[Times], reference: Sequence[float], chosen: Chosen, *, steady: bool) -> Measurement:
    by_path = {one.path: one for one in times}
    ratios = {
        _ratio(name, f"Own time: {one}, over {other}", steady=steady): _between(by_path[one], by_path[other])
        for name, one, other in COMPARED
        if one in by_path and other in by_path
    }
    middle, spread = 1000 * statistics.median(reference), unsteady(reference)
    of_machine = {
        Metric(NAME, "The fixed piece of work, here", "neither", "ms"): {"all": Counted(middle)},
        Metric(f"{NAME}, p90 to p50", "How unevenly this machine worked", "neither", "ratio"): {"all": Counted(spread)},
    }
    every = {**ratios, **of_machine}
    return Measurement(
        part=PART,
        set=SET,
        way=BESIDE,
        metrics=tuple(every),
        values={metric.name: values for metric, values in every.items() if values},
        notes=tuple(_notes(len(reference), middle, spread, chosen, steady=steady)),
        made_with={"reference": NAME, "model": chosen.model},
        figures=(figure(map(_bar, times), chosen.first, chosen.per_second),),
    )


def _between(one: Times, other: Times) -> Values:
    """A case's own time on the one path as a part of that on the other."""
    ours, theirs = (times.each(lambda timed: timed.use.own) for times in (one, other))
    return {case: Counted(ours[case], theirs[case]) for case in ours if case in theirs}


def _notes(count: int, middle: float, spread: float, chosen: Chosen, *, steady: bool) -> Iterator[str]:
    yield (
        f"Own times are compared as ratios to {NAME}, a fixed piece of work that took {middle:.1f} ms here (p50 of "
        f"{count}; p90 is {spread:.2f} times that). Milliseconds are this machine's."
    )
    if not steady:
        yield f"That is above {STEADY}: the machine did other things meanwhile, so this run's ratios are not compared."
    yield "The sandbox is in the same process: what it does for Jira and the like is in the own times."
    yield f"Prices are an example ({chosen.prices}); real ones differ by model, and change."


def _bar(times: Times) -> Bar:
    whole, own, model = (
        statistics.median(times.each(value).values()) if times.timed else 0.0
        for value in (lambda one: one.use.whole, lambda one: one.use.own, lambda one: one.use.model)
    )
    return Bar(
        times.path, len(times.timed), round(whole, 1), round(own, 1), round(model, 1), most(times.path, "own p50")
    )
