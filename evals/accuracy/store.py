"""The folder of an accuracy run: what was made is kept as it is made, so that an interrupted run goes on.

run.json                                    with which models, limits and seed it was begun
found.json, tasks.jsonl                     what each history has, and the tasks; editable
knowledge/TASK.json                         what was known at its moment, once no later fact was found in it
criteria/TASK.json                          editable
attempts/TASK/CANDIDATE-ARM.json
verdicts/TASK/CANDIDATE/JUDGE.json
spent.jsonl                                 what every answer took, also those that came to nothing
"""

import fcntl
import hashlib
import json
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from core.mirror.names import is_commit_id
from evals.accuracy.judging import Pair
from evals.accuracy.types import ARMS, Arm, Attempt, Criterion, Spent, Task, Verdict
from evals.harness.errors import EvalError

T = TypeVar("T")

_LARGEST = 20_000_000  # bytes of a file
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,150}")


@dataclass(frozen=True, slots=True)
class Begun:
    """What a run is made with; it goes on with nothing else."""

    seed: int
    models: dict[str, str]
    """Names by labels."""
    limits: str
    """Of an attempt: both arms have the same."""


@dataclass(frozen=True, slots=True)
class History:
    """What a repository's history has."""

    changes: int
    tasks: int
    skipped: dict[str, int]
    """Why changes are no tasks, and how many."""


@dataclass(frozen=True, slots=True)
class Known:
    """What was known at a task's moment. It is there only once it was looked through for later facts."""

    moment: datetime
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Attempted:
    about: str
    """A digest of what was attempted: an edited task is another one."""
    attempt: Attempt


@dataclass(frozen=True, slots=True)
class _Judged:
    about: str
    """A digest of the ticket, criteria and patches that were judged."""
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of what was spent."""

    what: str
    task: str
    label: str
    spent: Spent


class Store:
    """Reads and writes one run's folder. Files are whole or not there; a torn one of somebody else's making is made
    again, but what people may edit is an error that names the file.
    """

    def __init__(self, folder: Path) -> None:
        """Raises EvalError where the folder cannot be made."""
        self.folder = folder
        self._writing = threading.Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EvalError(f"{folder} cannot be used for a run: {error.strerror}.") from error

    @contextmanager
    def alone(self) -> Iterator[None]:
        """While the block runs no other run works in the folder. Raises EvalError where one does."""
        with (self.folder / "run.lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise EvalError(f"Another run works in {self.folder}: wait for it, or use another --out.") from error
            yield

    def begin(self, begun: Begun) -> None:
        """Raises EvalError where the folder is of a run with other models, limits or another seed."""
        path = self.folder / "run.json"
        before = self._read(path, Begun)
        for label, name in begun.models.items():
            was = before.models.get(label, name) if before else name
            if was != name:
                raise EvalError(
                    f"The run in {self.folder} has {was} as {label}, and now it is {name}: use another --out."
                )
        if before and before.seed != begun.seed:
            raise EvalError(
                f"The run in {self.folder} has the seed {before.seed}, not {begun.seed}: use another --out."
            )
        if before and before.limits != begun.limits:
            raise EvalError(
                f"The run in {self.folder} has attempts of {before.limits}, and now they are of {begun.limits}: use "
                "another --out."
            )
        models = {**(before.models if before else {}), **begun.models}
        self._write(path, Begun(begun.seed, models, begun.limits))

    # Tasks

    def tasks(self) -> tuple[Task, ...]:
        """Raises EvalError for a file that is none of tasks."""
        return tasks_in(self.folder / "tasks.jsonl")

    def add_tasks(self, tasks: Iterable[Task]) -> None:
        known = {one.id: one for one in self.tasks()} | {one.id: one for one in tasks}
        self._put(self.folder / "tasks.jsonl", "".join(f"{_line(one)}\n" for one in known.values()))

    def found(self) -> dict[str, History]:
        """By repository."""
        return self._read(self.folder / "found.json", dict[str, History]) or {}

    def add_found(self, repo: str, history: History) -> None:
        self._write(self.folder / "found.json", {**self.found(), repo: history})

    def known(self, task: Task) -> Known | None:
        """None where it is of another moment, too."""
        known = self._read(self._of(task, "knowledge"), Known)
        return known if known and known.moment == task.moment else None

    def keep_known(self, task: Task, known: Known) -> None:
        self._write(self._of(task, "knowledge"), known)

    # Criteria, attempts, verdicts

    def criteria_file(self, task: Task) -> Path:
        return self._of(task, "criteria")

    def criteria(self, task: Task) -> tuple[Criterion, ...] | None:
        """Raises EvalError for a file that was edited into none."""
        return self._read(self._of(task, "criteria"), tuple[Criterion, ...], edited=True)

    def keep_criteria(self, task: Task, criteria: Sequence[Criterion]) -> None:
        self._write(self._of(task, "criteria"), list(criteria))

    def attempt(self, task: Task, candidate: str, arm: Arm) -> Attempt | None:
        """None where the task was another when it was attempted, too."""
        found = self._read(self._attempt(task.id, candidate, arm), _Attempted)
        return found.attempt if found and found.about == _given(task) else None

    def keep_attempt(self, task: Task, attempt: Attempt) -> None:
        self._write(self._attempt(task.id, attempt.candidate, attempt.arm), _Attempted(_given(task), attempt))

    def verdicts(self, pair: Pair, judge: str) -> tuple[Verdict, ...] | None:
        """By arm. None where ticket, criteria or patches were others when the judge saw them, too."""
        found = self._read(self._verdicts(pair, judge), _Judged)
        return found.verdicts if found and found.about == about(pair) else None

    def keep_verdicts(self, pair: Pair, judge: str, verdicts: tuple[Verdict, ...]) -> None:
        self._write(self._verdicts(pair, judge), _Judged(about(pair), verdicts))

    # What was spent

    def spend(self, what: str, task: Task, label: str, spent: Spent) -> None:
        with self._writing, (self.folder / "spent.jsonl").open("a", encoding="utf-8") as ledger:
            ledger.write(f"{_line(Entry(what, task.id, label, spent))}\n")

    def dollars(self) -> float:
        """All that was spent in this folder, as far as prices are known."""
        path, total = self.folder / "spent.jsonl", 0.0
        if not path.is_file():
            return total
        for line in path.read_text("utf-8", "replace").split("\n"):
            try:
                total += TypeAdapter(Entry).validate_json(line).spent.dollars or 0.0
            except ValidationError:  # the line that an end of power cut
                continue
        return total

    def _of(self, task: Task, kind: str) -> Path:
        return self.folder / kind / f"{task.id}.json"

    def _attempt(self, task: str, candidate: str, arm: Arm) -> Path:
        return self.folder / "attempts" / task / f"{candidate}-{arm}.json"

    def _verdicts(self, pair: Pair, judge: str) -> Path:
        return self.folder / "verdicts" / pair.task.id / pair.of / f"{judge}.json"

    def _read(self, path: Path, kind: type[T], *, edited: bool = False) -> T | None:
        try:
            content = _content(path)
            return TypeAdapter(kind).validate_json(content) if content else None
        except ValidationError as error:
            if not edited:
                return None
            raise EvalError(
                f"{path} cannot be read: {_fault(error)}. Mend it, or delete it to have it made again."
            ) from error

    def _write(self, path: Path, value: Any) -> None:
        self._put(
            path, json.dumps(TypeAdapter(type(value)).dump_python(value, mode="json"), indent=1, ensure_ascii=False)
        )

    def _put(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(f"{path.name}.next")
        new.write_text(text, "utf-8", errors="backslashreplace")
        new.replace(path)


def tasks_in(path: Path) -> tuple[Task, ...]:
    """The tasks of a file, a JSON object a line; none where it is not there. Raises EvalError."""
    tasks: dict[str, Task] = {}
    for number, line in enumerate(_content(path).decode("utf-8", "replace").split("\n"), start=1):  # no other end
        if not line.strip():
            continue
        try:
            task = TypeAdapter(Task).validate_json(line)
        except ValidationError as error:
            raise EvalError(f"{path}:{number} is no task: {_fault(error)}.") from error
        if not _SAFE.fullmatch(task.id):
            raise EvalError(f"{path}:{number}: the id {task.id[:50]!r} cannot be the name of a file.")
        if not (is_commit_id(task.base) and is_commit_id(task.tip)):
            raise EvalError(f"{path}:{number}: base and tip must be whole ids of commits.")
        if task.id in tasks:
            raise EvalError(f"{path}:{number}: the id {task.id} is there twice.")
        tasks[task.id] = task
    return tuple(tasks.values())


def about(pair: Pair) -> str:
    """A digest of what a judge is shown."""
    criteria = [[one.id, one.text] for one in pair.criteria]
    return _digest([pair.task.title, pair.task.text, criteria, [pair.attempts[arm].patch for arm in ARMS]])


def _given(task: Task) -> str:
    """A digest of what decides over an attempt."""
    return _digest([task.repo, task.title, task.text, task.base, task.moment.isoformat()])


def _digest(of: list[Any]) -> str:
    return hashlib.sha256(json.dumps(of).encode()).hexdigest()[:16]


def _content(path: Path) -> bytes:
    try:
        if path.stat().st_size > _LARGEST:
            raise EvalError(f"{path} is larger than {_LARGEST // 1_000_000} MB.")
        return path.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise EvalError(f"{path} cannot be read: {error.strerror}.") from error


def _line(value: Any) -> str:
    return json.dumps(TypeAdapter(type(value)).dump_python(value, mode="json"), ensure_ascii=False)


def _fault(error: ValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place}: {first['msg']}" if place else first["msg"]
