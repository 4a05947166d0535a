"""The make-believe company's shipped tickets, with its trackers and repositories on loopback."""

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from evals.accuracy.cast import Cast
from evals.accuracy.finding import History
from evals.accuracy.places import Repository, Sources
from evals.accuracy.scripted import candidate as scripted
from evals.accuracy.scripted.judges import judges
from evals.accuracy.scripted.writer import writer
from evals.accuracy.types import Task
from evals.planted import setup
from evals.planted.load import OVERLAY, company
from evals.playground import secrets_of
from sandbox.repos import build
from sandbox.server import Sandbox

_ENOUGH = 5  # tasks

NAME = "sandbox"
"""What its results are called."""
SHIPPED = Path(__file__).with_name("company")
"""Further tickets that were shipped, so that there are more than ten."""


def cast(tasks: Sequence[Task], repositories: Mapping[str, Path]) -> Cast:
    """Everybody by script. Where there are enough tasks, one judge refuses to judge one of them."""
    candidate = scripted.candidate(tasks, repositories)
    times = Counter(task.title for task in tasks)
    alone = sorted(task.title for task in tasks if times[task.title] == 1)
    refused = alone[len(alone) // 2] if len(alone) >= _ENOUGH else ""
    note = (
        "Candidate, writer and judges follow scripts, and their prices are made up: the numbers show that the "
        "measurement works, and say nothing of Crosscheck's worth."
    )
    return Cast((candidate,), {candidate.label: f"script:{candidate.label}"}, writer(), judges(refused), (note,))


@contextmanager
def playground() -> Iterator[tuple[Repository, ...]]:
    """The company's repositories, for as long as the block runs."""
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        made = company(home / "company", OVERLAY, SHIPPED)
        repos = build(made, home / "repos")
        box = stack.enter_context(Sandbox.start(made))
        box.repos.update(repos)
        chosen = setup.settings(made, box, repos, home, {})
        sources = Sources(NAME, chosen, secrets_of(box), setup.audience(made), tracked=True)
        yield tuple(Repository(History(name, path), sources) for name, path in repos.items())
