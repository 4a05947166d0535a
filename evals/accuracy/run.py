"""A whole accuracy run: for each task what was known, criteria, attempts in both arms, verdicts; whatever is there is
not made again.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from bots.text import one_line
from crosscheck.operations import EXPECTED
from crosscheck.settings_evaluating import Eval
from evals.accuracy.arms import Served
from evals.accuracy.asking import Asked, NotAnswered
from evals.accuracy.attempt import attempted
from evals.accuracy.cast import Cast, Casting
from evals.accuracy.criteria import change_of, checked, write
from evals.accuracy.finding import Found, History
from evals.accuracy.judging import Pair, judged
from evals.accuracy.models import Candidate
from evals.accuracy.scores import Ticket
from evals.accuracy.store import Begun, Known, Store
from evals.accuracy.store import History as Searched
from evals.accuracy.types import ARMS, Arm, Criterion, Task
from evals.harness.errors import EvalError
from evals.harness.types import Failure

_REASON = 300  # characters

Report = Callable[[dict[str, Any]], None]
"""Told of progress: `step`, `done`, `total`, and `seconds` since the run began."""
Say = Callable[[str], None]
"""Told sentences for the person who waits."""


class Leaked(EvalError):
    """Something that is later than the task's moment is in what the arm with Crosscheck would know."""


@dataclass(frozen=True, slots=True)
class Knowing:
    """Crosscheck as of a task's moment, ready to be asked."""

    served: Served
    notes: tuple[str, ...]


class Place(Protocol):
    """A repository with what is known around it."""

    @property
    def history(self) -> History: ...

    @property
    def set(self) -> str:
        """What its results are called: of all repositories of one tracker together, or of one repository."""
        ...

    def find(self, most: int) -> Found:
        """Raises EvalError and what reading the sources raises."""
        ...

    def knowing(self, task: Task, store: Store) -> AbstractContextManager[Knowing]:
        """Raises Leaked where a later fact is in it, else what reading the sources raises."""
        ...


@dataclass(frozen=True, slots=True)
class Failed:
    """Something that came to nothing. `candidate` is None where it concerns all of them."""

    set: str
    candidate: str | None
    failure: Failure


@dataclass(frozen=True, slots=True)
class Outcome:
    """What there is after a run, also where it was stopped."""

    cast: Cast
    tasks: Mapping[str, tuple[Task, ...]]
    """By the sets that they belong to."""
    tickets: Mapping[tuple[str, str], tuple[Ticket, ...]]
    """By set and candidate: tasks that were attempted in both arms, with the verdicts that there are."""
    failed: tuple[Failed, ...]
    stopped: str = ""
    """Why the run ended before its end, in a sentence."""


class _Stopped(Exception):
    """All that may be spent is spent."""


def run(
    places: Sequence[Place],
    casting: Casting,
    store: Store,
    limits: Eval,
    *,
    seed: int,
    most: int,
    given: Sequence[Task] | None = None,
    report: Report = lambda _message: None,
    say: Say = lambda _sentence: None,
) -> Outcome:
    """Find the tasks, unless they are `given` or there already, and do with each what was not done before.

    A task that comes to nothing is data. Raises EvalError where there is no task, or the folder is of another run.
    """
    by_repo = {place.history.name: place for place in places}
    tasks = _tasks(places, store, most, given, say)
    cast = casting(tasks, {name: place.history.folder for name, place in by_repo.items()})
    store.begin(Begun(seed, cast.models(), limits_of(limits)))
    for sentence in costs(cast, len(tasks), limits, store.dollars()):
        say(sentence)
    work = _Work(store, cast, limits, seed, report, len(tasks), {name: it.set for name, it in by_repo.items()})
    stopped = ""
    try:
        for number, task in enumerate(tasks):
            work.task(task, by_repo[task.repo], number)
    except _Stopped:
        stopped = (
            f"The run was stopped when {store.dollars():.2f} $ were spent, since [eval].dollars is {limits.dollars:g}. "
            "The same command goes on once it is raised."
        )
    sets = {place.set: tuple(task for task in tasks if work.sets[task.repo] == place.set) for place in places}
    return Outcome(cast, sets, work.tickets(sets), tuple(work.failed), stopped)


def limits_of(limits: Eval) -> str:
    """Of each attempt."""
    return f"{limits.calls} calls, {limits.tokens:,} tokens, {limits.seconds:g} seconds"


def costs(cast: Cast, tasks: int, limits: Eval, spent: float) -> Iterator[str]:
    """What a run can take, before it begins."""
    attempts, judgements = tasks * len(cast.candidates) * len(ARMS), tasks * len(cast.candidates) * len(cast.judges)
    yield (
        f"{tasks} tasks: at most {attempts} attempts of {limits.calls} calls, {limits.tokens:,} tokens and "
        f"{limits.seconds / 60:g} minutes each, and {judgements} judgements. What is there already is not made again."
    )
    dearest = [max(one.price) for one in cast.candidates if one.price]
    most = f"; attempts alone take at most {attempts * limits.tokens * max(dearest) / 1e6:,.0f} $" if dearest else ""
    yield f"It stops at {limits.dollars:g} $ ([eval].dollars), of which {spent:.2f} $ are spent{most}."


def _tasks(places: Sequence[Place], store: Store, most: int, given: Sequence[Task] | None, say: Say) -> list[Task]:
    """Set by set, in the order of their moments, so that each needs only what came since the one before to be read."""
    sets = {place.history.name: place.set for place in places}
    if given is not None:
        store.add_tasks(given)
    else:
        for place in places:
            name = place.history.name
            if searched := store.found().get(name):
                say(f"{name} has its {searched.tasks} tasks from before. Another --most needs another --out.")
            else:
                say(f"Looking for tasks in the history of {name}.")
                found = place.find(most)
                store.add_tasks(found.tasks)
                store.add_found(name, Searched(found.changes, len(found.tasks), dict(found.skipped)))
    wanted = {one.id for one in given} if given is not None else None
    chosen = [one for one in store.tasks() if one.repo in sets and (wanted is None or one.id in wanted)]
    if not chosen:
        raise EvalError(
            f"There is no task in {', '.join(sets)}. A task is a merged change that names a ticket, or, without a "
            "tracker, a commit with code, tests and a message that says what was asked for."
        )
    order = list(dict.fromkeys(sets.values()))
    return sorted(chosen, key=lambda one: (order.index(sets[one.repo]), one.moment, one.id))


@dataclass(slots=True)
class _Work:
    """What is done, and what came to nothing."""

    store: Store
    cast: Cast
    limits: Eval
    seed: int
    report: Report
    tasks: int
    sets: Mapping[str, str]
    """By repository."""
    failed: list[Failed] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)
    done: dict[str, int] = field(default_factory=dict)

    def task(self, task: Task, place: Place, number: int) -> None:
        """All of one task. Raises _Stopped."""
        criteria = self._criteria(task, place)
        if criteria:
            self._attempts(task, place, number)
            for pair in self.pairs(task):
                with ThreadPoolExecutor(len(self.cast.judges)) as pool:
                    list(pool.map(lambda judge, pair=pair: self._verdicts(pair, judge), self.cast.judges))
        self._tick("tasks", self.tasks)

    def pairs(self, task: Task) -> Iterator[Pair]:
        """Of each candidate that attempted the task in both arms."""
        with self._data(task, "criteria"):
            criteria = self._known_criteria(task)
            for candidate in self.cast.candidates if criteria else ():
                made = {arm: self.store.attempt(task, candidate.label, arm) for arm in ARMS}
                attempts = {arm: attempt for arm, attempt in made.items() if attempt}
                if criteria and len(attempts) == len(ARMS):
                    yield Pair(task, criteria, attempts)

    def tickets(self, sets: Mapping[str, Sequence[Task]]) -> dict[tuple[str, str], tuple[Ticket, ...]]:
        """What there is, by set and candidate."""
        return {
            (name, candidate.label): tuple(
                self._ticket(pair) for task in own for pair in self.pairs(task) if pair.of == candidate.label
            )
            for name, own in sets.items()
            for candidate in self.cast.candidates
        }

    def _ticket(self, pair: Pair) -> Ticket:
        found = [self.store.verdicts(pair, judge.label) for judge in self.cast.judges]
        given = [one for one in found if one]
        verdicts = {arm: tuple(one[at] for one in given) for at, arm in enumerate(ARMS)}
        return Ticket(pair.task, pair.criteria, pair.attempts, verdicts)

    # Steps

    def _known_criteria(self, task: Task) -> tuple[Criterion, ...] | None:
        known = self.store.criteria(task)
        return known and checked(known, str(self.store.criteria_file(task)))

    def _criteria(self, task: Task, place: Place) -> tuple[Criterion, ...] | None:
        """None where there are none."""
        criteria = None
        with self._data(task, "criteria"):
            criteria = self._known_criteria(task)
            if not criteria:
                self._afford()
                writer = self.cast.writer
                with self._paid("criteria", task, writer.label):
                    criteria, spent = write(task, change_of(task, place.history.folder), writer)
                self.store.spend("criteria", task, writer.label, spent)
                self.store.keep_criteria(task, criteria)
        return criteria

    def _attempts(self, task: Task, place: Place, number: int) -> None:
        """Those that are missing, in an order that alternates. A task of which something later is known is left."""
        wanted = [
            (candidate, arm)
            for at, candidate in enumerate(self.cast.candidates)
            for arm in (ARMS if (number + at) % 2 == 0 else reversed(ARMS))
        ]
        missing = [one for one in wanted if self.store.attempt(task, one[0].label, one[1]) is None]
        for _ in range(len(wanted) - len(missing)):
            self._tick("attempts", self.tasks * len(wanted))
        if not missing:
            return
        self._afford()
        with self._data(task, "knowledge"), place.knowing(task, self.store) as known:
            self.store.keep_known(task, Known(task.moment, known.notes))
            for candidate, arm in missing:
                self._afford()
                with self._data(task, f"attempt, {arm}", candidate.label):
                    self._attempt(task, candidate, arm, place, known.served)
                self._tick("attempts", self.tasks * len(wanted))

    def _attempt(self, task: Task, candidate: Candidate, arm: Arm, place: Place, served: Served) -> None:
        """Raises EvalError where the model never answered: that says nothing of it."""
        with self._paid(f"attempt, {arm}", task, candidate.label):
            made = attempted(task, candidate, arm, place.history.folder, served, self.limits)
        self.store.spend(f"attempt, {arm}", task, candidate.label, made.spent)
        if not made.spent.requests:
            raise EvalError(f"{candidate.label} never answered: {made.ended}")
        self.store.keep_attempt(task, made)

    def _verdicts(self, pair: Pair, judge: Asked) -> None:
        with self._data(pair.task, f"judge {judge.label}", pair.of):
            if self.store.verdicts(pair, judge.label) is None:
                self._afford()
                with self._paid("verdicts", pair.task, judge.label):
                    verdicts = judged(pair, judge, self.seed)
                for one in verdicts:
                    self.store.spend(f"verdicts, {one.arm}", pair.task, judge.label, one.spent)
                self.store.keep_verdicts(pair, judge.label, verdicts)
            self._tick("judgements", self.tasks * len(self.cast.candidates) * len(self.cast.judges))

    # What every step shares

    def _afford(self) -> None:
        spent = self.store.dollars()
        if spent and spent >= self.limits.dollars:
            raise _Stopped

    @contextmanager
    def _paid(self, what: str, task: Task, label: str) -> Iterator[None]:
        """What came to nothing is paid for all the same."""
        try:
            yield
        except NotAnswered as error:
            self.store.spend(what, task, label, error.spent)
            raise

    @contextmanager
    def _data(self, task: Task, what: str, candidate: str | None = None) -> Iterator[None]:
        """What fails costs itself alone."""
        try:
            yield
        except EXPECTED as error:
            what = "leak" if isinstance(error, Leaked) else what
            failure = Failure(task.id, what, one_line(str(error), _REASON))
            if (failed := Failed(self.sets[task.repo], candidate, failure)) not in self.failed:
                self.failed.append(failed)

    def _tick(self, step: str, total: int) -> None:
        self.done[step] = self.done.get(step, 0) + 1
        seconds = time.monotonic() - self.began
        self.report({"step": step, "done": self.done[step], "total": total, "seconds": round(seconds, 1)})
