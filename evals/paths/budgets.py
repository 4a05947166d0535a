"""What each path may take. One place for all, with where each number is from."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rich.table import Table

from crosscheck.settings_reviewing import Model
from evals.harness.types import Measurement, Values
from evals.paths import paths as ways

What = Literal["own p50", "acknowledged", "calls", "calls in a row", "tokens in", "tokens out", "tokens"]


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that one thing may be."""

    what: What
    most: float
    """Milliseconds, calls or tokens, as what it is of."""
    why: str
    """Where the number is from, in a sentence."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A budget beside what was measured."""

    path: str
    budget: Budget
    measured: float

    @property
    def over(self) -> bool:
        return self.measured > self.budget.most

    @property
    def sentence(self) -> str:
        told, allowed = self.shown(self.measured), self.shown(self.budget.most)
        return f"Over its budget: {self.budget.what}, {told} where {allowed} are allowed."

    def shown(self, number: float) -> str:
        return f"{number:,.1f} ms" if self.budget.what in {"own p50", "acknowledged"} else f"{number:,.0f}"


_QUESTION = "Asked of every question, from when it is asked to its answer."
_SPEED = "Asked by `python -m evals.bench speed`, of 50,000 chunks."
_FIRST = "At most twice the processor time that it took when this was written, the sandbox's share included."
_PROMPTS = "Half above what the company's tickets and questions took when this was written."
_SETTINGS = "The settings' default for one review."
_WAITS = "Asked of every path with a model, since each further call is waited for."
_CALLS = "One for each thing that the path has to ask."
_RULES = "No model is configured."


def _of(model: str) -> int:
    """A default of the settings' [model]."""
    return int(Model.model_fields[model].default)


def _ruled(own: float, why: str) -> tuple[Budget, ...]:
    """Of a path without a model."""
    return Budget("own p50", own, why), Budget("calls", 0, _RULES)


def _asking(calls: int, tokens_in: int, tokens_out: int) -> tuple[Budget, ...]:
    """Of a path with a model whose calls are known."""
    return (
        Budget("calls", calls, _CALLS),
        Budget("calls in a row", 3, _WAITS),
        Budget("tokens in", tokens_in, _PROMPTS),
        Budget("tokens out", tokens_out, _PROMPTS),
    )


BUDGETS: Mapping[str, tuple[Budget, ...]] = {
    ways.LOOKUP: (Budget("own p50", 3, _SPEED),),
    ways.SEARCH: (Budget("own p50", 60, _SPEED),),
    ways.MCP_SEARCH: (Budget("own p50", 120, "A search, and as much again for HTTP and the answer's text."),),
    ways.ASK: _ruled(300, _QUESTION),
    ways.ASK_MODEL: (Budget("own p50", 300, _QUESTION), *_asking(1, 5_000, 150)),
    ways.ASK_FILTER: (Budget("own p50", 300, _QUESTION), *_asking(2, 7_000, 160)),
    ways.REVIEW: _ruled(1_000, _FIRST),
    ways.REVIEW_MODEL: (
        Budget("own p50", 1_500, _FIRST),
        Budget("calls", _of("calls"), _SETTINGS),
        Budget("calls in a row", 3, _WAITS),
        Budget("tokens", _of("tokens"), _SETTINGS),
        Budget("tokens in", 90_000, _PROMPTS),
    ),
    ways.CASES: _ruled(500, _FIRST),
    ways.CASES_MODEL: (Budget("own p50", 600, _FIRST), *_asking(1, 14_000, 750)),
    ways.PLAN: _ruled(400, _FIRST),
    ways.PLAN_MODEL: (Budget("own p50", 500, _FIRST), *_asking(2, 9_000, 380)),
    ways.COMMENT: (
        *_ruled(1_200, _FIRST),
        Budget("acknowledged", 1_000, "Asked of each delivery by `python -m evals.bench mentions`."),
    ),
}
"""By path. `own p50` is of the middle of the cases, all else of the worst."""


def most(path: str, what: What) -> float | None:
    """None where there is no such budget."""
    return next((one.most for one in BUDGETS.get(path, ()) if one.what == what), None)


def kept(path: str, values: Mapping[str, Values]) -> tuple[Kept, ...]:
    """The path's budgets beside its metrics, by name; what was not measured is left out."""
    found = ((budget, _measured(budget.what, values)) for budget in BUDGETS.get(path, ()))
    return tuple(Kept(path, budget, measured) for budget, measured in found if measured is not None)


def kept_in(measured: Iterable[Measurement]) -> tuple[Kept, ...]:
    """Of all paths, in their order."""
    return tuple(one for measurement in measured for one in kept(measurement.way, measurement.values))


def _measured(what: What, values: Mapping[str, Values]) -> float | None:
    """The middle of the cases' own times, or what the worst case took."""
    if what == "own p50":
        times = [counted.part for counted in values.get("own", {}).values()]
        return statistics.median(times) if times else None
    read, written = values.get("tokens in", {}), values.get("tokens out", {})
    if what == "tokens":
        return max((read[case].part + written[case].part for case in read), default=None)
    return max((counted.part for counted in values.get(what, {}).values()), default=None)


def table(every: Sequence[Kept]) -> Table:
    """What is over its budget is red. The last column is a number of `reasons`."""
    made = Table(box=None, padding=(0, 2, 0, 0), title="Budgets", title_justify="left")
    for head in ("path", "what", "measured", "at most", "", "from"):
        made.add_column(head, overflow="fold")
    numbers = {why: number for number, why in enumerate(reasons(every), start=1)}
    for one in every:
        made.add_row(
            one.path,
            one.budget.what,
            *(one.shown(number) for number in (one.measured, one.budget.most)),
            "over" if one.over else "within",
            f"[{numbers[one.budget.why]}]",
            style="bold red" if one.over else None,
        )
    return made


def reasons(every: Iterable[Kept]) -> tuple[str, ...]:
    """Where the numbers are from, each sentence once."""
    return tuple(dict.fromkeys(one.budget.why for one in every))
