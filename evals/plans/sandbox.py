"""The plans of `plans.toml` on the sandbox's company."""

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from core.types import Audience, Query, SearchResult
from crosscheck.demo import playground
from evals.plans.load import plans
from evals.plans.run import judge
from evals.plans.types import Judged
from evals.planted.load import company
from evals.questions.names import Names

Progress = Callable[[str], None]


def measured(parts: Iterable[str], report: Progress) -> dict[str, list[Judged]]:
    """By part, by the program's own check, with the company's environments and databases.

    Raises PlansError, PlantedError, CompanyError.
    """
    with tempfile.TemporaryDirectory() as folder:
        made = company(Path(folder) / "company")
        every, names, readers = plans(made), Names(made), Audience(frozenset(made.open_to_all))
        with playground(made, Path(folder) / "home", fixed_ports=False) as (_, program):
            for source in program.sources.names([]):
                program.sources.sync(source, True, lambda _message: None)

            def search(query: Query) -> SearchResult:
                return program.searcher.search(query, readers)

            by_part: dict[str, list[Judged]] = {}
            for part in parts:
                report(part)
                own = [plan for plan in every if plan.part == part]
                by_part[part] = [judge(plan, program.plan_checker, search, readers, names.of) for plan in own]
            return by_part
