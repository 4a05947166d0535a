"""Grows a set from what an installation knows: tickets that were closed, and answers that people rated."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from crosscheck.operations import Operations, Report
from crosscheck.tune import FEWEST
from evals.grown.files import Grown, GrownQuestion, Slice
from evals.retrieval.errors import BadSet
from evals.retrieval.types import Judgement

_ASKED: Mapping[str, str] = {"own_tickets": "tickets", "own_verdicts": "rated answers"}
"""What each operation tells of."""


def grow(operations: Operations, audience: str, name: str, now: datetime, report: Report) -> Grown:
    """What this audience may read of it. Raises BadSet if nothing makes a question, and what operations raise."""
    questions: list[GrownQuestion] = []
    right: dict[str, dict[str, Judgement]] = {}
    left_out: dict[str, int] = {}
    for operation, what in _ASKED.items():
        told = operations.run(operation, {"audience": audience}, report)
        for one in told["questions"]:
            questions.append(_question(one, _slice(operation, one)))
            right[one["id"]] = {document: Judgement(1, source) for document, source in one["right"].items()}
        left_out |= {f"{what} {reason}": count for reason, count in told["left_out"].items()}
    if not questions:
        counted = "; ".join(f"{count} {reason}" for reason, count in sorted(left_out.items()))
        raise BadSet(
            f"Nothing that {audience} may read makes a question{f' ({counted})' if counted else ''}. It helps to name "
            "tickets' keys in commit messages, to index more commits (`commits` of a [[git]] table), and to give more "
            "labels with --as."
        )
    return Grown(name, audience, now.isoformat(timespec="seconds"), tuple(questions), right, left_out)


def about(grown: Grown) -> Iterable[str]:
    """What is in the set, and what is not, a sentence each."""
    counts = {what: len(grown.of(slice_)) for slice_, what in _SLICES.items()}
    yield f"Questions: {', '.join(f'{count} from {what}' for what, count in counts.items())}."
    for what, count in counts.items():
        if 0 < count < FEWEST:
            yield f"Fewer than {FEWEST} from {what} tell little: the intervals are wide."
    for reason, count in sorted(grown.left_out.items()):
        yield f"Left out: {count} {reason}."


_SLICES: Mapping[Slice, str] = {"tickets": "closed tickets", "liked": "liked answers", "disliked": "disliked answers"}


def _slice(operation: str, one: Mapping[str, Any]) -> Slice:
    if operation == "own_tickets":
        return "tickets"
    return "liked" if one["liked"] else "disliked"


def _question(one: Mapping[str, Any], slice_: Slice) -> GrownQuestion:
    return GrownQuestion(one["id"], one["text"], slice_, one["as_of"], tuple(one["without"]))
