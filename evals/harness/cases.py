"""Runs cases and judges what comes of them. What fails is written down, and the run goes on."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, TypeVar

from bots.text import one_line
from evals.harness.types import Counted, Failure, Values

In = TypeVar("In")
Out = TypeVar("Out")
Scorer = Callable[[In, Out], Mapping[str, Counted | float]]
"""Metrics of one case, by name, from what went in and what came out; a number is a part of 1. A metric that is not
defined for the case is left out."""
Progress = Callable[[int, int, str], None]
"""Told how many of how many cases are done, and which was the last."""

_REASON = 300  # characters


@dataclass(frozen=True, slots=True)
class Scored(Generic[Out]):
    """What came of the cases."""

    values: Mapping[str, Values]
    """By metric."""
    outputs: Mapping[str, Out]
    """By case, without those that failed."""
    failures: tuple[Failure, ...]


def score(
    cases: Mapping[str, In],
    task: Callable[[In], Out],
    scorers: Mapping[str, Scorer[In, Out]],
    progress: Progress = lambda _done, _total, _name: None,
    *,
    at_once: int = 1,
) -> Scored[Out]:
    """Every case through the task, and what comes out through every scorer. `at_once` cases run beside each other."""
    outputs: dict[str, Out] = {}
    values: dict[str, dict[str, Counted]] = {}
    failures: list[Failure] = []

    def tried(name: str) -> Out | Failure:
        try:
            return task(cases[name])
        except Exception as error:  # noqa: BLE001  whatever a case raises costs that case alone
            return _failure(name, "task", error)

    with ThreadPoolExecutor(at_once) as pool:
        for done, (name, output) in enumerate(zip(cases, pool.map(tried, cases), strict=True), 1):
            if isinstance(output, Failure):
                failures.append(output)
            else:
                outputs[name] = output
                for called, scorer in scorers.items():
                    try:
                        found = scorer(cases[name], output)
                    except Exception as error:  # noqa: BLE001  a scorer that crashes is data
                        failures.append(_failure(name, called, error))
                        continue
                    for metric, value in found.items():
                        counted = value if isinstance(value, Counted) else Counted(float(value))
                        values.setdefault(metric, {})[name] = counted
            progress(done, len(cases), name)
    return Scored(values, outputs, tuple(failures))


def _failure(case: str, what: str, error: Exception) -> Failure:
    return Failure(case, what, one_line(f"{type(error).__name__}: {error}", _REASON))
