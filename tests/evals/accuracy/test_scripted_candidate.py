"""The scripted candidate over the sandbox's shipped tickets, with the product's own operations over real MCP."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from core.types import Audience
from crosscheck.operations import Local, Operations
from crosscheck.settings_evaluating import Eval
from evals.accuracy.arms import serving
from evals.accuracy.attempt import attempted
from evals.accuracy.finding import by_tickets
from evals.accuracy.history import History
from evals.accuracy.scripted.candidate import candidate
from evals.accuracy.tickets import TicketsAt
from evals.accuracy.types import ARMS, Arm, Attempt, Task
from evals.planted.load import company
from evals.planted.setup import audience, playground
from sandbox.git import git
from tests.evals.accuracy.making import task as any_task
from tests.evals.accuracy.repository import Repository

LIMITS = Eval(calls=30)


class Silent:
    """Operations that find nothing, as of an arm that is broken."""

    def run(
        self, name: str, _arguments: Mapping[str, Any], _report: Callable[[dict[str, Any]], None]
    ) -> dict[str, Any]:
        answers: dict[str, dict[str, Any]] = {
            "search": {"evidence": [], "notes": [], "degraded": []},
            "plan": {"sources": [], "checks": [], "notes": [], "unknowns": [], "degraded": []},
        }
        return answers[name]


@dataclass
class Ran:
    tasks: tuple[Task, ...]
    repositories: dict[str, Path]
    readers: Audience
    attempts: dict[tuple[str, Arm], Attempt]

    def attempt(self, task: Task, arm: Arm, operations: Operations) -> Attempt:
        made = candidate(self.tasks, self.repositories)
        with serving(operations, self.readers) as served:
            return attempted(task, made, arm, self.repositories[task.repo], served, LIMITS)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    """All tasks of the sandbox's two repositories, attempted in both arms."""
    folder = tmp_path_factory.mktemp("accuracy")
    sandbox = company(folder / "company")
    readers = audience(sandbox)
    with playground(sandbox, folder / "home") as program:
        repositories = {one.name: folder / "home" / "repos" / f"{one.name}.git" for one in sandbox.repos}
        tickets = TicketsAt(lambda _moment: program.subjects, readers)
        tasks = tuple(
            task
            for name, path in repositories.items()
            for task in by_tickets(History(name, path), frozenset({"BKG", "GATE"}), tickets).tasks
        )
        made = candidate(tasks, repositories)
        with serving(Local(program), readers) as served:
            attempts = {
                (task.id, arm): attempted(task, made, arm, repositories[task.repo], served, LIMITS)
                for task in tasks
                for arm in ARMS
            }
        yield Ran(tasks, repositories, readers, attempts)


def added(attempt: Attempt) -> int:
    return sum(line.startswith("+") and not line.startswith("+++") for line in attempt.patch.splitlines())


def test_ten_tickets_are_attempted_in_both_arms(ran):
    assert len(ran.tasks) >= 10
    assert all(attempt.patch for attempt in ran.attempts.values())
    assert all(attempt.spent.requests and attempt.spent.dollars for attempt in ran.attempts.values())


def test_each_patch_applies_to_the_tree_before_the_change(ran, tmp_path):
    for number, ((name, _arm), attempt) in enumerate(ran.attempts.items()):
        task = next(one for one in ran.tasks if one.id == name)
        target = tmp_path / str(number)
        git(ran.repositories[task.repo], "worktree", "add", "--quiet", "--detach", str(target), task.base)
        git(target, "apply", "--whitespace=nowarn", stream=attempt.patch.encode())


def test_with_answers_of_use_more_of_the_change_is_made(ran):
    ended = [task for task in ran.tasks if all(ran.attempts[task.id, arm].ended == "done" for arm in ARMS)]
    assert len(ended) >= 8
    more = [added(ran.attempts[one.id, "crosscheck"]) > added(ran.attempts[one.id, "baseline"]) for one in ended]
    assert sum(more) >= len(ended) - 1
    for task in ran.tasks:
        assert {"search", "check_plan"} <= ran.attempts[task.id, "crosscheck"].calls.keys()
        assert not {"search", "check_plan", "open_source"} & ran.attempts[task.id, "baseline"].calls.keys()


def test_answers_that_say_nothing_bring_nothing(ran):
    task = next(one for one in ran.tasks if one.key == "BKG-97")
    attempt = ran.attempt(task, "crosscheck", Silent())
    assert attempt.calls["search"] == attempt.calls["check_plan"] == 1
    assert attempt.patch == ran.attempts[task.id, "baseline"].patch != ran.attempts[task.id, "crosscheck"].patch


def test_one_task_fails_one_hits_a_limit_and_one_names_crosscheck(ran):
    for arm in ARMS:
        of_arm = [attempt for (_, one), attempt in ran.attempts.items() if one == arm]
        assert sorted(attempt.ended for attempt in of_arm if attempt.ended != "done") == [
            "30 requests",
            "The model gave no usable answer: its provider reported an error.",
        ]
    named = [key for key, attempt in ran.attempts.items() if "crosscheck" in attempt.patch.lower()]
    assert [arm for _, arm in named] == ["crosscheck"]


def test_the_same_is_made_at_every_run(ran):
    task = ran.tasks[-1]
    again = ran.attempt(task, "baseline", Silent())
    before = ran.attempts[task.id, "baseline"]
    assert replace(again, spent=before.spent) == before


def test_changed_new_and_removed_files_are_all_parts_of_the_change(tmp_path):
    made = Repository(tmp_path / "shop")
    lines = [f"LINE_{number} = {number}\n" for number in range(60)]
    base = made.commit("Start", {"src/a.py": "".join(lines), "src/gone.py": "G = 1\n", "src/same.py": "x\n" * 40})
    lines[5], lines[50] = "LINE_5 = 55\n", "LINE_50 = 5\n"
    same = "x\n" * 20 + "y\n" + "x\n" * 20
    tip = made.commit("T-1", {"src/a.py": "".join(lines), "src/gone.py": None, "src/same.py": same, "src/n.py": "n\n"})
    task = any_task(repo="shop", base=base, tip=tip, files=("src/a.py", "src/gone.py", "src/n.py", "src/same.py"))
    sizes = set()
    for number in range(12):
        one = replace(task, id=f"T-{number}")
        attempt = attempted(one, candidate([one], {"shop": made.folder}), "baseline", made.folder, None, LIMITS)
        assert attempt.ended == "done"
        sizes.add(attempt.said)
    assert {said.partition(" of ")[2] for said in sizes} == {"5 changes."}
    assert len(sizes) > 1
