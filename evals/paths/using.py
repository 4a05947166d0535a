"""Uses of the paths, in rounds, each beside the reference piece of work."""

import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from evals.harness.cases import score
from evals.harness.types import Failure
from evals.paths.accounting import Call, Use, use_of
from evals.paths.errors import Unanswered
from evals.paths.paths import Path, Used
from sandbox.model_replies import Rule

ROUNDS = 3
"""How often each case is used. All paths go through a round before the next one begins, so that what else the machine
does for some seconds falls on one use of a case at most.
"""


class Model(Protocol):
    """The scripted server, as far as it is counted here."""

    @property
    def spans(self) -> Sequence[Call]: ...
    @property
    def requests(self) -> Sequence[Any]: ...
    def answer_by(self, rule: Rule) -> None: ...


@dataclass(frozen=True, slots=True)
class Timed:
    """One use, and how fast the machine was around it."""

    use: Use
    reference: float
    """Milliseconds of the reference piece of work: the mean of right before and right after."""
    acknowledged: float | None = None
    """Milliseconds; None where nothing is acknowledged."""


@dataclass(frozen=True, slots=True)
class Times:
    """One path's uses."""

    path: str
    asks: bool
    timed: Mapping[str, Sequence[Timed]]
    """By case, one a round. A case that failed in any round is not there."""
    failures: tuple[Failure, ...]

    def each(
        self, value: Callable[[Timed], float], of_rounds: Callable[[Iterable[float]], float] = statistics.median
    ) -> dict[str, float]:
        """By case, the median over its rounds, or what else is made of them."""
        return {case: of_rounds(map(value, timed)) for case, timed in self.timed.items()}


def used(
    paths: Sequence[Path],
    model: Model,
    rule: Rule,
    reference: Callable[[], float],
    report: Callable[[str], None],
    *,
    rounds: int = ROUNDS,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[Times, ...]:
    """Every case of every path, `rounds` times. `reference` does its work and gives the milliseconds that it took;
    `clock` is the one that the model's spans and `Done.at` are told by.
    """
    once = partial(_timed, model=model, rule=rule, reference=reference, clock=clock)
    for path in paths:  # opens what is opened once; what fails here fails again below
        score(dict(list(path.cases.items())[:1]), partial(once, asks=path.asks), {})
    timed: dict[str, dict[str, list[Timed]]] = {path.name: {case: [] for case in path.cases} for path in paths}
    failures: dict[str, list[Failure]] = {path.name: [] for path in paths}
    for number in range(1, rounds + 1):
        for path in paths:
            report(f"round {number} of {rounds}: {path.name}")
            cases = {case: path.cases[case] for case in timed[path.name]}
            found = score(cases, partial(once, asks=path.asks), {})
            for case, one in found.outputs.items():
                timed[path.name][case].append(one)
            for failure in found.failures:
                failures[path.name].append(failure)
                del timed[path.name][failure.case]
    return tuple(Times(path.name, path.asks, timed[path.name], tuple(failures[path.name])) for path in paths)


def _timed(
    use: Used,
    *,
    asks: bool,
    model: Model,
    rule: Rule,
    reference: Callable[[], float],
    clock: Callable[[], float],
) -> Timed:
    """Raises what the use raises, and Unanswered where a model was to be asked and was not, or gave no answer."""
    before = reference()
    model.answer_by(rule)
    started = clock()
    done = use()
    taken = use_of(started, done.at, model.spans, len(model.requests))
    if asks and not taken.calls:
        raise Unanswered("No model was asked.")
    return Timed(taken, (before + reference()) / 2, done.acknowledged_ms)
