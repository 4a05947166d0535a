"""What came of an accuracy run, as measurements and as a table of tickets."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.table import Table

from bots.text import one_line
from crosscheck.settings_evaluating import Eval
from evals.accuracy.blinding import blinded
from evals.accuracy.judging import PATCH
from evals.accuracy.measure import measurement
from evals.accuracy.run import Outcome, limits_of
from evals.accuracy.scores import Ticket, gain, of_arm
from evals.accuracy.store import Store
from evals.accuracy.types import ARMS, Task
from evals.harness.types import Measurement

_NAME = 40  # characters


def measurements(outcome: Outcome, store: Store, limits: Eval, seed: int) -> tuple[Measurement, ...]:
    """One a set and candidate."""
    judges = [judge.label for judge in outcome.cast.judges]
    found = (
        measurement(
            name,
            candidate,
            tickets,
            judges,
            failures=[one.failure for one in outcome.failed if one.set == name and one.candidate in (None, candidate)],
            notes=tuple(_notes(outcome, store, name, tickets)),
            made_with=_made_with(outcome, name, candidate, limits, seed),
        )
        for (name, candidate), tickets in outcome.tickets.items()
    )
    first = (outcome.stopped,) if outcome.stopped else ()
    return tuple(replace(one, notes=(*first, *one.notes)) for one in found)


def table_of(tickets: Sequence[Ticket], judges: Sequence[str]) -> Table:
    """A line a ticket, the largest gain first, with each judge's own; what is not compared last, without numbers."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("ticket", no_wrap=True)
    for head in (*ARMS, "gain", *judges, *(f"tokens, {arm}" for arm in ARMS)):
        table.add_column(head, justify="right")
    whole = [ticket for ticket in tickets if ticket.whole(judges)]
    for ticket in sorted(whole, key=lambda it: (-gain(it), it.task.id)):
        table.add_row(
            one_line(ticket.task.id, _NAME),
            *(f"{of_arm(ticket, arm):.2f}" for arm in ARMS),
            f"{gain(ticket):+.2f}",
            *(f"{gain(ticket, judge):+.2f}" for judge in judges),
            *(f"{ticket.attempts[arm].spent.tokens_out:,}" for arm in ARMS),
        )
    for ticket in tickets:
        if ticket not in whole:
            table.add_row(one_line(ticket.task.id, _NAME), *["-"] * (3 + len(judges)))
    return table


def _notes(outcome: Outcome, store: Store, name: str, tickets: Sequence[Ticket]) -> Iterator[str]:
    tasks = outcome.tasks[name]
    yield from _found(store, tasks)
    yield f"{len(tickets)} of {len(tasks)} tasks were attempted in both arms."
    yield from outcome.cast.notes
    if cut := sum(len(blinded(it.attempts[arm].patch)) > PATCH for it in tickets for arm in ARMS):
        yield f"Of {cut} patches judges were shown the first {PATCH:,} characters alone."
    said = Counter(note for task in tasks if (known := store.known(task)) for note in known.notes)
    yield from (f"Knowledge of {many} of {len(tasks)} moments: {note}" for note, many in sorted(said.items()))


def _found(store: Store, tasks: Sequence[Task]) -> Iterator[str]:
    by_message = sum(task.told_by == "commit message" for task in tasks)
    if by_message:
        yield f"{by_message} of {len(tasks)} tasks are told by their commit's message, written when the work was done."
    for repo in dict.fromkeys(task.repo for task in tasks):
        if searched := store.found().get(repo):
            why = ", ".join(f"{reason}: {many}" for reason, many in searched.skipped.items())
            yield (
                f"{repo} has {searched.changes} changes, of which {searched.tasks} were taken as tasks"
                f"{f'. Looked at and left: {why}' if why else ''}."
            )
    yield from (f"{task.id}: {' '.join(task.remarks)}" for task in tasks if task.remarks)


def _made_with(outcome: Outcome, name: str, candidate: str, limits: Eval, seed: int) -> dict[str, str]:
    names = outcome.cast.models()
    ids = sorted(f"{task.id} {task.base} {task.tip}" for task in outcome.tasks[name])
    return {
        "candidate": names[candidate],
        "writer": outcome.cast.writer.name,
        "judges": ", ".join(f"{judge.label} = {judge.name}" for judge in outcome.cast.judges),
        "limits": limits_of(limits),
        "seed": str(seed),
        "tasks": hashlib.sha256("\n".join(ids).encode()).hexdigest()[:12],
    }
