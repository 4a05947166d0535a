"""What one use of a path took, and what of that a model took."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from evals.paths.errors import Unanswered


class Call(Protocol):
    """One answered call of a model. Times are seconds of the clock that the use is measured by."""

    @property
    def started(self) -> float: ...
    @property
    def ended(self) -> float: ...
    @property
    def read(self) -> int: ...
    @property
    def written(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Use:
    """One use of a path. Times are milliseconds."""

    whole: float
    model: float
    """While at least one call was under way."""
    calls: int
    in_a_row: int
    tokens_in: int
    tokens_out: int

    @property
    def own(self) -> float:
        return self.whole - self.model


def use_of(started: float, ended: float, calls: Sequence[Call], sent: int) -> Use:
    """What was done between two moments, with the calls that were answered, of `sent` that were made.

    Raises Unanswered if a call was not answered, since what it took is not known then.
    """
    if sent != len(calls):
        raise Unanswered(f"The model's server answered {len(calls)} of {sent} calls.")
    return Use(
        whole=1000 * (ended - started),
        model=1000 * covered([(max(one.started, started), min(one.ended, ended)) for one in calls]),
        calls=len(calls),
        in_a_row=in_a_row([(one.started, one.ended) for one in calls]),
        tokens_in=sum(one.read for one in calls),
        tokens_out=sum(one.written for one in calls),
    )


def covered(spans: Iterable[tuple[float, float]]) -> float:
    """How long at least one of the spans lasts: where some overlap, that time counts once."""
    total, reached = 0.0, float("-inf")
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total


def in_a_row(spans: Iterable[tuple[float, float]]) -> int:
    """The longest row of spans of which each begins when the one before it has ended.

    Found by taking the earliest end each time (Kleinberg and Tardos, Algorithm Design, 2005, section 4.1). Never fewer
    than those that had to wait for each other; more where one happened to begin after the end of another.
    """
    count, reached = 0, float("-inf")
    for end, start in sorted((end, start) for start, end in spans):
        if start >= reached:
            count, reached = count + 1, end
    return count


def dollars(use: Use, in_price: float, out_price: float) -> float:
    """What the calls of a use cost, by prices in dollars for a million tokens."""
    return (use.tokens_in * in_price + use.tokens_out * out_price) / 1_000_000
