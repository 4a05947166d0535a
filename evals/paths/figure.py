"""Where a use's time goes, as data for the report."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from evals.harness.types import Figure

KIND = "latency"


@dataclass(frozen=True, slots=True)
class Bar:
    """One path. Times are milliseconds, each the median over its cases, so own and model need not make the whole."""

    path: str
    n: int
    """Cases."""
    whole_ms: float
    own_ms: float
    """The whole less what a model took."""
    model_ms: float
    """0 where no model is asked."""
    own_most_ms: float | None
    """The budget of `own_ms`; None where there is none."""


def figure(bars: Iterable[Bar], first: float, per_second: float) -> Figure:
    """A bar a path, in the order in which people should read them: `own_ms`, then `model_ms`; a mark at `own_most_ms`.

    The figure's kind is `latency`, and its data:

        {"first_s": 0.5, "per_second": 60.0,
         "paths": [{"path": "ask, model", "n": 10, "whole_ms": 2365.1, "own_ms": 64.7, "model_ms": 2301.0,
                    "own_most_ms": 300.0}, ...]}

    `first_s` are the seconds to the first token of the scripted model, `per_second` its tokens a second, 0 for all at
    once.
    """
    data = {"first_s": first, "per_second": per_second, "paths": [asdict(bar) for bar in bars]}
    return Figure(KIND, "Where the time of a use goes", data)
