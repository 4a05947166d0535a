"""What a ticket's change must do, written once from the ticket and the change that was merged."""

import re
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, Field

from core.mirror.process import PLAIN, Git
from evals.accuracy.asking import Asked, Question, ask
from evals.accuracy.history import git_folder, readable
from evals.accuracy.types import Criterion, Spent, Task
from evals.harness.errors import EvalError
from review.agents.fence import Fence
from review.agents.templates import rendered

FEWEST, MOST = 3, 8
TEXT = 20_000
"""Characters of a ticket that are shown."""
CHANGE = 60_000
"""Characters of the merged change that are shown."""
_BYTES = 4  # of a character, at most
_GIT_SECONDS = 60.0
_PLAIN = ("--no-color", "--no-ext-diff", "--no-textconv", "--no-renames")
_SHORTEST, _LONGEST = 12, 400  # characters of a criterion

_INSTRUCTIONS = f"""\
You write down what a software team's ticket asks for, so that others can judge how far any change fulfils it. You are \
given the ticket and the change that was merged for it. The change shows how the team understood the ticket; it is one \
way of many to do it.

Write {FEWEST} to {MOST} criteria:

- Each says one thing that somebody who uses or tests the software would see: what it does, for whom, within which \
limit, what it says, what it refuses. Take values as the ticket and the change have them.
- Each can be checked by reading a change alone, without running it, and whether it holds must be clear.
- Nothing of how it is built: no names of files, classes, functions or libraries, unless other programs see them (an \
address, a field, a command, a column, a setting).
- Nothing that the code did before the change, and nothing that neither the ticket nor the change says.
- Of what the ticket asks and the merged change leaves out, nothing. Tests and documents count only where the ticket \
asks for them.
- No two say the same. A sentence or two each, in the ticket's language.
"""


class Written(BaseModel):
    """The writer's answer."""

    criteria: list[str] = Field(description=f"{FEWEST} to {MOST}, one thing each.")


def write(task: Task, change: str, writer: Asked) -> tuple[tuple[Criterion, ...], Spent]:
    """Criteria for a task from its text and the merged change, a unified diff. Raises NotAnswered."""
    fence = Fence()
    question = Question(
        name="criteria",
        instructions=f"{_INSTRUCTIONS}\n{rendered('fence', mark=fence.mark)}",
        prompt=f"# The ticket\n\n{ticket(task, fence)}\n\n# The merged change\n\n{fence.text(change, CHANGE)}",
        says="Gives the criteria. Ends the work.",
    )
    answer, spent = ask(writer, question, Written, lambda it: fault(it.criteria))
    return numbered(answer.criteria), spent


def change_of(task: Task, repository: Path) -> str:
    """The merged change as a unified diff, cut where it is longer than is shown. Raises EvalError."""
    with readable(task.repo):
        git = Git(git_folder(repository), str(repository), "git", _GIT_SECONDS)
        with git.stream("diff", *_PLAIN, task.base, task.tip, environment=PLAIN) as (_, answer):
            found = answer.read(_BYTES * CHANGE)
    return found.decode("utf-8", "replace")


def ticket(task: Task, fence: Fence) -> str:
    """What was asked for, as data."""
    return fence.text(f"{task.title}\n\n{task.text}", TEXT)


def numbered(texts: Sequence[str]) -> tuple[Criterion, ...]:
    return tuple(Criterion(f"C{number}", " ".join(text.split())) for number, text in enumerate(texts, start=1))


def checked(criteria: Sequence[Criterion], place: str) -> tuple[Criterion, ...]:
    """Criteria that people may have edited. Raises EvalError, which names the place."""
    ids = [one.id for one in criteria]
    wrong = fault([one.text for one in criteria])
    if not wrong and (len(set(ids)) < len(ids) or not all(ids)):
        wrong = "Each needs an id of its own."
    if wrong:
        raise EvalError(f"{place}: these are no criteria. {wrong}")
    return tuple(criteria)


def fault(texts: Sequence[str]) -> str:
    """What is wrong with them, in a sentence; empty where nothing is."""
    if not FEWEST <= len(texts) <= MOST:
        return f"There must be {FEWEST} to {MOST} criteria, and these are {len(texts)}."
    known: set[str] = set()
    for number, text in enumerate(texts, start=1):
        length = len(" ".join(text.split()))
        if not _SHORTEST <= length <= _LONGEST:
            return f"Criterion {number} has {length} characters; it must have {_SHORTEST} to {_LONGEST}."
        plain = " ".join(re.findall(r"\w+", text.casefold()))
        if plain in known:
            return f"Criterion {number} says the same as one before it."
        known.add(plain)
    return ""
