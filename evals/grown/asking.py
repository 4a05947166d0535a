"""Asks a grown set of the installation's own index, as the audience that it was grown for."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from crosscheck.operations import Operations, Report
from crosscheck.tune import FEWEST
from evals.grown.files import SLICES, Grown, GrownQuestion, Slice
from evals.harness.types import Counted, Failure, Measurement, Metric
from evals.retrieval.metrics import distinct
from evals.retrieval.results import measurements, result_of
from evals.retrieval.run import Outcome
from evals.retrieval.types import RetrievalSet

_LIMIT = 150  # fifty documents of three pieces each
_AT_ONCE = 50  # questions in a command
_HEADLINE = {"tickets": ("code-and-doc hit@10", "recall@10", "MRR"), "liked": ("recall@5", "nDCG@10")}

AGAIN = (
    Metric("first again", "Questions whose first document is one of those that people said do not answer", "less"),
    Metric("again@5", "Documents that people said do not answer which are still among the first five", "less"),
)
_NOTES: dict[Slice, tuple[str, ...]] = {
    "tickets": (
        "Asked as of a minute before a ticket's first commit, without the ticket, what belongs to it and its commits.",
        "Code is found by what it says today under its present name, since an index holds no earlier state of it.",
    ),
    "liked": ("Asked as of today; right is what the answers cited that people liked.",),
    "disliked": ("Asked as of today; counted is what the answers cited that people did not like.",),
}


def measured(operations: Operations, grown: Grown, report: Report) -> Iterator[Measurement]:
    """Each slice of the set that has questions: search, and the best arm.

    Raises what operations raise.
    """
    for slice_ in SLICES:
        questions = [one for one in grown.of(slice_) if grown.right.get(one.id)]
        if questions:
            outcome = _asked(operations, grown.audience, questions, report)
            make = _again if slice_ == "disliked" else _found
            yield from make(grown, slice_, questions, outcome)


def _asked(operations: Operations, audience: str, questions: Sequence[GrownQuestion], report: Report) -> Outcome:
    outcome, rest = Outcome(), iter(questions)
    while some := list(islice(rest, _AT_ONCE)):
        plain = [{"text": one.text, "as_of": one.as_of, "without": list(one.without)} for one in some]
        told = operations.run("own_search", {"questions": plain, "audience": audience, "limit": _LIMIT}, report)
        for one, answer in zip(some, told.pop("answers"), strict=True):
            _take(outcome, one.id, answer)
        outcome.made_with = {"audience": audience, **told}
    return outcome


def _take(outcome: Outcome, question: str, answer: dict[str, Any]) -> None:
    if "refused" in answer:
        outcome.unasked[question] = answer["refused"]
        return
    outcome.run[question] = answer["documents"]
    outcome.searching.append(answer["seconds"])
    for arm, found in answer["arms"].items():
        outcome.arms[arm][question] = found
    for sentence in answer["degraded"]:
        outcome.degraded[sentence] += 1


def _found(grown: Grown, slice_: Slice, questions: Sequence[GrownQuestion], outcome: Outcome) -> Iterable[Measurement]:
    chosen = RetrievalSet(
        name=_name(grown, slice_),
        shape="grown",
        questions=len(questions),
        relevant={one.id: grown.right[one.id] for one in questions},
        headline=_HEADLINE[slice_],
        corpora=lambda: iter(()),
    )
    return measurements(result_of(chosen, outcome), _notes(grown, slice_, questions))


def _again(grown: Grown, slice_: Slice, questions: Sequence[GrownQuestion], outcome: Outcome) -> Iterable[Measurement]:
    """Of answers that were not liked: whether search would show the same again. Less is better, so a question that
    could not be asked counts nothing.
    """
    found = {one.id: distinct(outcome.run[one.id]) for one in questions if one.id in outcome.run}
    refuted = {key: grown.right[key].keys() for key in found}
    first = {key: Counted(bool(found[key]) and found[key][0] in refuted[key]) for key in found}
    again = {key: Counted(len(refuted[key] & set(found[key][:5])), len(refuted[key])) for key in found}
    yield Measurement(
        part="retrieval",
        set=_name(grown, slice_),
        way="search",
        metrics=AGAIN,
        values={AGAIN[0].name: first, AGAIN[1].name: again},
        failures=tuple(Failure(case, "task", reason) for case, reason in sorted(outcome.unasked.items())),
        notes=_notes(grown, slice_, questions),
        made_with=outcome.made_with,
    )


def _notes(grown: Grown, slice_: Slice, questions: Sequence[GrownQuestion]) -> tuple[str, ...]:
    few = f"{len(questions)} questions, fewer than {FEWEST}, tell little: the intervals are wide."
    left_out = [f"Left out of the set: {count} {reason}." for reason, count in sorted(grown.left_out.items())]
    about = [one for one in left_out if ("tickets" in one) == (slice_ == "tickets")]
    return (*_NOTES[slice_], *([few] if len(questions) < FEWEST else []), *about)


def _name(grown: Grown, slice_: Slice) -> str:
    return f"{grown.name}, {slice_}"
