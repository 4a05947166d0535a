"""Who takes part in an accuracy run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosscheck.settings import Secrets
from crosscheck.settings_evaluating import Eval
from evals.accuracy.asking import Asked, by_settings
from evals.accuracy.judging import both, three
from evals.accuracy.models import Candidate, candidate
from evals.accuracy.types import Task
from evals.harness.errors import EvalError


@dataclass(frozen=True, slots=True)
class Cast:
    candidates: tuple[Candidate, ...]
    names: Mapping[str, str]
    """Of the candidates' models, by label."""
    writer: Asked
    judges: tuple[Asked, ...]
    notes: tuple[str, ...] = ()

    def models(self) -> dict[str, str]:
        """Names by labels, of all."""
        return {**self.names, **{one.label: one.name for one in (self.writer, *self.judges)}}


Casting = Callable[[Sequence[Task], Mapping[str, Path]], Cast]
"""Makes it for tasks that come from these repositories, by name."""


def of_settings(chosen: Eval, secrets: Secrets, labels: Sequence[str] = ()) -> Casting:
    """As [eval] says, whatever the tasks; of the candidates those with the labels, all where none is given.

    Raises EvalError where it does not say enough, and ModelNotKnown.
    """
    if not chosen.candidates:
        raise EvalError(
            "[eval] names no candidate. Write an [[eval.candidates]] table for each model that is to implement "
            "tickets, or use --scripted, which needs none."
        )
    three(chosen)
    known = {one.label: one for one in chosen.candidates}
    if missing := [label for label in labels if label not in known]:
        raise EvalError(f"[eval] has no candidate {missing[0]!r}; there is {', '.join(known)}.")
    picked = [known[label] for label in labels] if labels else list(chosen.candidates)
    cast = Cast(
        tuple(candidate(one, secrets) for one in picked),
        {one.label: one.name for one in picked},
        by_settings(chosen.writer or chosen.judges[0], secrets),
        tuple(by_settings(one, secrets) for one in chosen.judges),
        tuple(both(chosen)),
    )
    return lambda _tasks, _repositories: cast
