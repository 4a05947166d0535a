"""What the review loses of a model's true findings, and lets pass of its false ones."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path

from pydantic_ai.models import Model
from pydantic_ai.models.function import FunctionModel

from crosscheck.settings import Secrets, Settings
from crosscheck.wiring import Program
from evals.harness.types import Counted
from evals.planted.lies import Lie
from evals.planted.scores import DROPPED, FORBIDDEN, Rows, Scorer, kept
from evals.planted.script import Script
from evals.planted.setup import playground
from evals.planted.types import Judged, Planted
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


def scorers(script: Script) -> Mapping[str, Scorer]:
    """What only this way of reviewing counts: it is known what the model told, and what of it is false."""

    def lies(planted: Planted, rows: Rows) -> dict[str, Counted]:
        told = script.lies[planted.key]
        of_kind = {lie.kind: [one for one in told if one.kind is lie.kind] for lie in told}
        return {
            kept(kind): Counted(sum(_is_told(lie, row) for lie in some for row in rows), len(some) * len(rows))
            for kind, some in of_kind.items()
        }

    def truths(planted: Planted, rows: Rows) -> dict[str, Counted]:
        told = [gap for gap in planted.gaps if (planted.key, gap) in script.told]
        dropped = sum(gap in row.missed for gap in told for row in rows)
        return {DROPPED: Counted(dropped, len(told) * len(rows))} if told else {}

    def bait(_planted: Planted, rows: Rows) -> dict[str, float]:
        return {FORBIDDEN: any(row.forbidden for row in rows)}

    return {"lies": lies, "truths": truths, "bait": bait}


def _is_told(lie: Lie, row: Judged) -> bool:
    return any(one.rule == MODEL and one.statement == lie.statement for one in row.reviewed.findings)
