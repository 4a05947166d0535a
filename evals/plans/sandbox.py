"""The plans of `plans.toml` on the sandbox's company."""

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from core.types import Query, SearchResult
from crosscheck.wiring import Program
from evals.plans.load import plans
from evals.plans.run import judge
from evals.plans.types import Judged
from evals.planted.load import company
from evals.planted.setup import audience, playground
from evals.questions.names import Names
from review.plan.check import PlanChecker
from review.words import defaults

Progress = Callable[[str], None]


def measured(parts: Iterable[str], report: Progress) -> dict[str, list[Judged]]:
    """By part. No environment and no database is asked: the company's do not tell what a plan needs.

    Raises PlansError, PlantedError, CompanyError.
    """
    with tempfile.TemporaryDirectory() as folder:
        made = company(Path(folder) / "company")
        every, names, readers = plans(made), Names(made), audience(made)
        with playground(made, Path(folder) / "home") as program:
            checker = _checker(program)

            def search(query: Query) -> SearchResult:
                return program.searcher.search(query, readers)

            by_part: dict[str, list[Judged]] = {}
            for part in parts:
                report(part)
                own = [plan for plan in every if plan.part == part]
                by_part[part] = [judge(plan, checker, search, readers, names.of) for plan in own]
            return by_part


def _checker(program: Program) -> PlanChecker:
    return PlanChecker(
        program.searcher,
        program.sources.freshness,
        words=defaults(),
        clock=program.clock,
        metrics=program.metrics,
        consumers=program.index,
    )
