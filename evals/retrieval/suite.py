"""What `crosscheck eval all` measures of retrieval: the make-believe company's questions, and its own tickets."""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from core.types import Audience, Query
from crosscheck.errors import CrosscheckError
from crosscheck.generation import Generation
from crosscheck.map_data import asked
from crosscheck.map_projection import check_installed
from crosscheck.operations import Local
from evals.grown import asking
from evals.grown.growing import grow
from evals.harness.types import Measurement
from evals.planted.load import company
from evals.planted.setup import NOW, audience, playground
from evals.questions.load import questions
from evals.questions.names import Names
from evals.questions.types import PARTS
from evals.report.figures import flow_figure, map_figure
from evals.retrieval import sandbox
from evals.retrieval.results import measurements as of_result
from evals.retrieval.results import result_of

SHOWN = "cross-failed-sign-ins"
"""The question of the open part whose way is drawn."""
_NOTE = "Right is one document of each group that a question names; a ticket counts with its comments."


def measurements(report: Callable[[str], None]) -> Iterator[Measurement]:
    """Raises QuestionsError, PlantedError, CompanyError."""
    with tempfile.TemporaryDirectory() as folder:
        made = company(Path(folder) / "company")
        every, readers = questions(made), audience(made)
        with playground(made, Path(folder) / "home") as program:
            report("retrieval: the company is indexed")
            with program.index.searched() as generation:
                known = sandbox.named(generation.store, readers, Names(made))
                for part in PARTS:
                    cases = sandbox.cases(every, part)
                    outcome = sandbox.outcome_of(cases, generation, known, readers, report)
                    search, *others = of_result(result_of(sandbox.set_of(cases, part), outcome), [_NOTE])
                    yield _drawn(search, cases[SHOWN].text, generation, readers, report) if SHOWN in cases else search
                    yield from others
            own = f"={','.join(sorted(readers.labels))}"
            grown = grow(Local(program), own, "sandbox", NOW, lambda _message: None)
            report("retrieval: the company's own tickets")
            yield from asking.measured(Local(program), grown, lambda _message: None)


def _drawn(
    measured: Measurement, question: str, generation: Generation, readers: Audience, report: Callable[[str], None]
) -> Measurement:
    """With the question's way through search, and with a map of the index where the extra for it is installed."""
    report("retrieval: figures")
    found = generation.searcher.search(Query(question), readers).evidence
    flow = flow_figure(generation.searcher, question, readers)
    try:
        check_installed()
    except CrosscheckError as error:
        return replace(measured, figures=(flow,), notes=(*measured.notes, f"There is no map. {error}"))
    marked = asked(question, [one.id for one in found], generation.embedders)
    drawn = map_figure(generation.store, readers, generation.embedders, marked)
    return replace(measured, figures=(flow, drawn))
