"""One candidate, one task, one arm."""

from pathlib import Path

from crosscheck.settings_evaluating import Eval
from evals.accuracy.arms import Served
from evals.accuracy.models import Candidate
from evals.accuracy.types import Arm, Attempt, Task


def attempted(
    task: Task, candidate: Candidate, arm: Arm, repository: Path, served: Served | None, limits: Eval
) -> Attempt:
    """What the candidate makes of the task.

    `repository` is a Git repository that has `task.base`. `served` is what Crosscheck knew at `task.moment`: needed in
    its own arm, None in the baseline. What goes beyond `limits` is ended, and what was changed until then counts; so it
    is where the model fails. Neither raises.

    Raises:
        EvalError: the tree at `task.base` cannot be read.

    """
    raise NotImplementedError
