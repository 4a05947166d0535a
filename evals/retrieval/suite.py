"""What `crosscheck eval all` measures of retrieval: the make-believe company's questions, and its own tickets."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from crosscheck.operations import Local
from evals.grown import asking
from evals.grown.growing import grow
from evals.harness.types import Measurement
from evals.planted.load import company
from evals.planted.setup import NOW, audience, playground
from evals.questions.load import questions
from evals.questions.names import Names
from evals.questions.types import PARTS
from evals.retrieval import sandbox
from evals.retrieval.results import measurements as of_result
from evals.retrieval.results import result_of

_NOTE = "Right is one document of each group that a question names; a ticket counts with its comments."


def measurements(report: Callable[[str], None]) -> Iterator[Measurement]:
    """Raises QuestionsError, PlantedError, CompanyError."""
    with tempfile.TemporaryDirectory() as folder:
        made = company(Path(folder) / "company")
        asked, readers = questions(made), audience(made)
        with playground(made, Path(folder) / "home") as program:
            report("retrieval: the company is indexed")
            with program.index.searched() as generation:
                known = sandbox.named(generation.store, readers, Names(made))
                for part in PARTS:
                    cases = sandbox.cases(asked, part)
                    outcome = sandbox.outcome_of(cases, generation, known, readers, report)
                    yield from of_result(result_of(sandbox.set_of(cases, part), outcome), [_NOTE])
            own = f"={','.join(sorted(readers.labels))}"
            grown = grow(Local(program), own, "sandbox", NOW, lambda _message: None)
            report("retrieval: the company's own tickets")
            yield from asking.measured(Local(program), grown, lambda _message: None)
