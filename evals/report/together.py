"""Several runs as one."""

from collections.abc import Iterable

from evals.harness.errors import EvalError
from evals.harness.types import Run


def together(runs: Iterable[Run]) -> Run:
    """All their measurements; as old as the oldest. At least one run. EvalError where two of them measured the same."""
    some = list(runs)
    measurements = [one for run in some for one in run.measurements]
    keys = [one.key for one in measurements]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice:
        part, name, way = twice
        raise EvalError(
            f"Two of the runs measured {part}: {name}, {way}. Give one of them, and the other with --before."
        )
    return Run(
        commit=", ".join(dict.fromkeys(run.commit for run in some)),
        at=min(run.at for run in some),
        machine=", ".join(dict.fromkeys(run.machine for run in some)),
        measurements=tuple(measurements),
    )
