"""Reviews, as `crosscheck eval all` measures them: by the rules and with the scripted model, both parts of the set."""

from collections.abc import Callable, Iterator

from evals.harness.types import Measurement
from evals.planted.load import PARTS
from evals.planted.measure import measure


def measurements(report: Callable[[str], None]) -> Iterator[Measurement]:
    """Raises PlantedError and CompanyError."""
    return measure(PARTS, report)
