"""What the review loses of a model's true findings, and lets pass of its false ones."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path

from pydantic_ai.models import Model
from pydantic_ai.models.function import FunctionModel

from crosscheck.settings import Secrets, Settings
from crosscheck.wiring import Program
from evals.planted.lies import Lie
from evals.planted.run import Ran
from evals.planted.script import Script
from evals.planted.setup import playground
from evals.planted.types import Reviewed
from review.merge import MODEL
from sandbox.records import Company

# Nobody is asked at this address: the script stands in its place. The limits are never to be the reason.
_TABLE = {"model": {"name": "openai:script", "base_url": "http://127.0.0.1:9", "tokens": 10**7, "day_tokens": 10**9}}


class Scripted(Program):
    """A program whose model is a script."""

    def __init__(self, script: Script, settings: Settings, secrets: Secrets, *, clock: Callable[[], datetime]) -> None:
        super().__init__(settings, secrets, clock=clock)
        self._script = script

    @cached_property
    def model(self) -> Model:
        return FunctionModel(self._script, model_name="script")


@contextmanager
def scripted(company: Company, home: Path, script: Script) -> Iterator[Program]:
    with playground(company, home, partial(Scripted, script), _TABLE) as program:
        yield program


@dataclass(frozen=True, slots=True)
class Passed:
    """Lies of one kind: how many were told, and how many the review told on."""

    told: int
    kept: int


def passed(lies: Mapping[str, Sequence[Lie]], ran: Ran) -> dict[str, Passed]:
    told = Counter(str(lie.kind) for row in ran.reviews for lie in lies[row.key])
    kept = Counter(str(lie.kind) for row in ran.reviews for lie in lies[row.key] if _is_told(lie, row))
    return {kind: Passed(count, kept[kind]) for kind, count in sorted(told.items())}


def _is_told(lie: Lie, reviewed: Reviewed) -> bool:
    return any(finding.rule == MODEL and finding.statement == lie.statement for finding in reviewed.findings)
