"""Latency, as `crosscheck eval all` measures it: few cases and a fast model, since its own time does not count."""

from collections.abc import Callable, Iterator

from evals.harness.types import Measurement
from evals.paths.measure import Chosen, measure

SMALL = Chosen(first=0.05, per_second=2_000, cases=3)


def measurements(report: Callable[[str], None]) -> Iterator[Measurement]:
    """One for each path, and one of what stands between them. A case that fails is in them as a failure."""
    yield from measure(SMALL, report)
