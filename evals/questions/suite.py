"""Answers, as `crosscheck eval all` measures them: without a model and with the scripted reader, both parts."""

from collections.abc import Callable, Iterator

from evals.harness.types import Measurement
from evals.questions.measure import of_sandbox
from evals.questions.types import PARTS


def measurements(report: Callable[[str], None]) -> Iterator[Measurement]:
    """Raises QuestionsError, PlantedError and CompanyError."""
    return (one.measurement() for one in of_sandbox(PARTS, report))
