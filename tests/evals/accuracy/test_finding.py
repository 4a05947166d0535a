"""Tasks are found in real repositories."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.errors import SourceGone
from core.tickets import Field, Ticket
from core.types import Audience, Locator
from evals.accuracy.finding import Found, Told, by_messages, by_tickets, spread
from evals.accuracy.history import History
from evals.accuracy.tickets import TicketsAt
from evals.harness.errors import EvalError
from evals.planted.load import company
from sandbox.git import git, line
from sandbox.repos import build
from tests.evals.accuracy.repository import DAY, START, Repository

SECOND = timedelta(seconds=1)
ROOT = Path(__file__).parents[3]


@pytest.fixture
def made(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "shop")
    repository.commit("Start", {"README.md": "Shop\n", "src/shop.py": "PRICE = 1\n"})
    return repository


def found(made: Repository, tickets: Callable[[str, datetime], Told | None] | None = None, most: int = 20) -> Found:
    asked = tickets or (lambda key, _moment: Told(f"Title of {key}", "What is wanted."))
    return by_tickets(History("shop", made.folder), frozenset({"SHOP"}), asked, most)


def test_a_single_commit_is_a_task_from_its_parent_and_the_moment_is_just_before_it(made):
    base = made.head()
    tip = made.commit("SHOP-1 Raise the price", {"src/shop.py": "PRICE = 2\n", "tests/test_shop.py": "assert True\n"})
    asked = []
    result = found(made, lambda key, moment: asked.append((key, moment)) or Told("Raise it", "To 2."))
    (task,) = result.tasks
    assert (task.id, task.repo, task.key) == ("shop-SHOP-1", "shop", "SHOP-1")
    assert (task.base, task.tip) == (base, tip)
    assert task.moment == START + 2 * DAY - SECOND
    assert asked == [("SHOP-1", task.moment)]
    assert (task.title, task.text, task.told_by) == ("Raise it", "To 2.", "ticket")
    assert task.files == ("src/shop.py", "tests/test_shop.py")
    assert task.remarks == ()
    assert result.skipped == {}
    assert result.changes == 1


def test_the_moment_is_before_an_author_date_that_is_older_but_not_before_the_base(made):
    made.commit("SHOP-1 Early", {"src/a.py": "A = 1\n"}, authored=START + 1.5 * DAY)
    made.commit("SHOP-2 Rebased", {"src/b.py": "B = 1\n"}, authored=START)
    tasks = {task.key: task for task in found(made).tasks}
    assert tasks["SHOP-1"].moment == START + 1.5 * DAY - SECOND
    assert tasks["SHOP-2"].moment == START + 2 * DAY
    assert tasks["SHOP-1"].remarks == ()
    assert tasks["SHOP-2"].remarks == (
        "Work on it began on 2026-03-02, before its base was there; what was said until 2026-03-04 is known.",
    )


def test_what_a_merged_branch_takes_back_is_no_task(made):
    """As hosts do it: the revert is a commit of a branch of its own, so it is not on the baseline's first line."""
    made.branch("SHOP-1-price")
    made.commit("Work", {"src/price.py": "P = 1\n"})
    made.switch("main")
    merge = made.merge("SHOP-1-price")
    made.branch("revert-1-SHOP-1-price")
    made.commit(f"Revert \"Merge branch 'SHOP-1-price'\"\n\nThis reverts commit {merge}.", {"src/price.py": None})
    made.switch("main")
    made.merge("revert-1-SHOP-1-price")
    result = found(made)
    assert result.tasks == ()
    assert result.skipped == {"was taken back later": 1}


def test_work_without_a_commit_between_is_one_task_and_what_comes_again_is_told(made):
    base = made.head()
    made.commit("SHOP-1 One", {"src/a.py": "A = 1\n"})
    tip = made.commit("SHOP-1 Two", {"src/b.py": "B = 1\n"})
    made.commit("Something else", {"src/c.py": "C = 1\n"})
    later = made.commit("SHOP-1 Three", {"src/d.py": "D = 1\n"})
    (task,) = found(made).tasks
    assert (task.base, task.tip) == (base, tip)
    assert task.files == ("src/a.py", "src/b.py")
    assert task.remarks == (f"What came later for SHOP-1, from 2026-03-07 on, is not in it: {later[:10]}.",)


@pytest.mark.parametrize(
    ("branch", "message", "said"),
    [
        ("feature/shop-7-basket", None, "Basket"),
        ("basket", "SHOP-7 Basket", "Basket"),
        ("basket", None, "Basket\n\nRefs SHOP-7"),
    ],
)
def test_a_merge_is_known_by_its_branch_its_message_or_what_it_brought(made, branch, message, said):
    base = made.head()
    made.branch(branch)
    made.commit(said, {"src/basket.py": "B = 1\n"})
    tip = made.commit("Test it", {"tests/test_basket.py": "assert True\n"})
    made.switch("main")
    made.commit("Meanwhile", {"src/other.py": "O = 1\n"})
    made.merge(branch, message=message)
    (task,) = found(made).tasks
    assert (task.key, task.base, task.tip) == ("SHOP-7", base, tip)
    assert task.files == ("src/basket.py", "tests/test_basket.py")
    assert task.moment == START + 2 * DAY - SECOND


def test_what_the_merge_itself_changed_belongs_to_it_where_nothing_came_between(made):
    base = made.head()
    made.branch("SHOP-3-tax")
    made.commit("Tax", {"src/tax.py": "T = 1\n"})
    made.switch("main")
    git(made.folder, "merge", "--quiet", "--no-ff", "--no-commit", "SHOP-3-tax")
    merge = made.commit("Merge branch 'SHOP-3-tax'", {"src/tax.py": "T = 2\n"})
    (task,) = found(made).tasks
    assert (task.base, task.tip) == (base, merge)


def test_what_is_no_task_is_counted_by_its_reason(made):
    def branch(name: str, files: dict[str, str]) -> None:
        made.branch(name)
        made.commit("Work", files)
        made.switch("main")

    made.commit("SHOP-1 Words", {"docs/a.md": "A\n", "tests/test_a.py": "1\n", "poetry.lock": "x\n"})
    made.commit("SHOP-2 Much", {f"src/{number}.py": "1\n" for number in range(41)})
    made.commit("SHOP-3 Long", {"src/long.py": "1\n" * 2_001})
    made.commit("SHOP-4 and SHOP-5", {"src/two.py": "1\n"})
    taken = made.commit("SHOP-6 Wrong", {"src/wrong.py": "1\n"})
    made.commit(f'Revert "SHOP-6 Wrong"\n\nThis reverts commit {taken}.', {"src/wrong.py": None})
    branch("SHOP-8-one", {"src/one.py": "1\n"})
    branch("other", {"src/more.py": "1\n"})
    made.merge("SHOP-8-one", "other")
    branch("SHOP-9-long", {"src/nine.py": "1\n"})
    made.commit("Meanwhile", {"src/mean.py": "1\n"})
    made.switch("SHOP-9-long")
    made.merge("main")
    made.commit("More", {"src/ten.py": "1\n"})
    made.switch("main")
    made.merge("SHOP-9-long")
    made.commit("SHOP-10 Later", {"src/eleven.py": "1\n"})
    result = found(made, lambda key, _moment: None if key == "SHOP-10" else Told(key, ""))
    assert result.tasks == ()
    assert result.skipped == {
        "changes no code": 1,
        "its ticket was not there yet, or cannot be read": 1,
        "merges several branches at once": 1,
        "more than 40 files or 2,000 lines": 2,
        "names several tickets": 1,
        "takes something back": 1,
        "the branch took in other work on its way": 1,
        "was taken back later": 1,
    }


def test_the_first_commit_has_no_state_before_it(tmp_path):
    made = Repository(tmp_path / "shop")
    made.commit("SHOP-1 Start", {"src/shop.py": "PRICE = 1\n"})
    assert found(made).skipped == {"the first commit of the repository": 1}


def test_keys_of_other_projects_and_longer_words_are_none(made):
    made.commit("XSHOP-1 SHOP-0 SHOPS-2 UTF-8", {"src/a.py": "1\n"})
    assert found(made).changes == 0


def test_of_many_tasks_those_that_are_wanted_are_spread_over_the_history(made):
    for number in range(1, 17):
        made.commit(f"SHOP-{number} Step", {"src/shop.py": f"PRICE = {number + 1}\n"})
    result = found(made, most=4)
    assert [task.key for task in result.tasks] == ["SHOP-16", "SHOP-12", "SHOP-8", "SHOP-4"]
    assert result.changes == 16
    assert found(made, most=4) == result


@pytest.mark.parametrize("size", [0, 1, 2, 5, 8, 100])
def test_spreading_loses_nothing(size):
    assert sorted(spread(range(size))) == list(range(size))


def test_a_commit_message_says_what_was_asked_for_without_trailers_and_ids(made):
    base = made.head()
    message = (
        "shop: take the price in cents (#12)\n\nFloats lose cents, as 0f3e2d1c9a showed.\n\n"
        "Signed-off-by: Ada <ada@example.org>\nReviewed-by: Bob <bob@example.org>"
    )
    files = {"src/shop.py": "CENTS = 100\nNAME = 1\n", "tests/test_shop.py": "assert True\nassert 1\n"}
    tip = made.commit(message, files)
    result = by_messages(History("shop", made.folder))
    (task,) = result.tasks
    assert (task.key, task.id, task.base, task.tip) == (tip[:10], f"shop-{tip[:10]}", base, tip)
    assert task.title == "shop: take the price in cents"
    assert task.text == "Floats lose cents, as showed."
    assert task.told_by == "commit message"
    assert result.skipped == {"its message says too little": 1}


def test_commits_that_tell_or_test_too_little_are_no_tasks(made):
    code, tests = {"src/a.py": "A = 1\n" * 5}, {"tests/test_a.py": "1\n" * 5}
    made.commit("Fix it", {**code, **tests})
    made.commit("Let the shop open earlier", {"src/b.py": "B = 1\n" * 9})
    made.commit("Let the shop close later", {"src/c.py": "C = 1\n", "tests/test_c.py": "1\n"})
    made.commit("Let the shop sell everything", {"src/d.py": "D = 1\n" * 700, "tests/test_d.py": "1\n"})
    result = by_messages(History("shop", made.folder))
    assert result.tasks == ()
    assert result.skipped == {
        "changes no tests": 1,
        "fewer than 5 lines": 1,
        "its message says too little": 2,
        "more than 12 files or 600 lines": 1,
    }


def test_a_branch_and_a_worktree_can_be_named_and_what_is_no_repository_is_told(made, tmp_path):
    made.branch("release")
    made.commit("SHOP-1 Only here", {"src/a.py": "1\n"})
    made.switch("main")
    asked = (frozenset({"SHOP"}), lambda key, _moment: Told(key, ""))
    assert by_tickets(History("shop", made.folder), *asked).tasks == ()
    assert len(by_tickets(History("shop", made.folder, "release"), *asked).tasks) == 1
    git(made.folder, "worktree", "add", "--quiet", str(tmp_path / "tree"), "release")
    assert len(by_tickets(History("shop", tmp_path / "tree"), *asked).tasks) == 1
    with pytest.raises(EvalError, match="is no Git repository"):
        by_tickets(History("shop", tmp_path), *asked)
    with pytest.raises(EvalError, match="The history of shop cannot be read"):
        by_tickets(History("shop", made.folder, "gone"), *asked)


def ticket(**more: object) -> Ticket:
    values = {
        "id": "1",
        "key": "SHOP-1",
        "project": "SHOP",
        "summary": "Raise the price ",
        "description": "To two.\n",
        "type": "Story",
        "status": "To Do",
        "done": False,
        "resolution": None,
        "reporter": None,
        "assignee": None,
        "created": START,
        "updated": START,
        "labels": frozenset({"jira:SHOP"}),
        "locator": Locator("jira:1", "SHOP-1", "https://jira.example/SHOP-1"),
        "fields": (Field("1", "Acceptance criteria", "- It costs two.\n- It says so."), Field("2", "Priority", "High")),
    }
    return Ticket(**{**values, **more})


class Shelf:
    """One ticket at every moment."""

    def __init__(self, one: Ticket) -> None:
        self.one = one

    def ticket(self, key: str) -> Ticket:
        if key != self.one.key:
            raise SourceGone("no such ticket")
        return self.one


def test_a_ticket_is_told_with_its_criteria_if_it_was_there_and_may_be_read():
    readers = Audience(frozenset({"jira:SHOP"}))
    tickets = TicketsAt(lambda _moment: Shelf(ticket()), readers)
    told = tickets("SHOP-1", START)
    assert told == Told("Raise the price", "To two.\n\n## Acceptance criteria\n\n- It costs two.\n- It says so.")
    assert tickets("SHOP-2", START) is None
    assert tickets("SHOP-1", START - SECOND) is None
    assert TicketsAt(lambda _moment: Shelf(ticket()), Audience(frozenset({"org"})))("SHOP-1", START) is None


def test_the_sandboxs_repositories_have_ten_tasks(tmp_path):
    made = company(tmp_path / "company")
    created = {one.key: one.created for one in made.tickets}

    def tickets(key: str, moment: datetime) -> Told | None:
        return Told(key, "") if key in created and created[key] <= moment else None

    tasks = [
        task
        for name, folder in build(made, tmp_path / "repos").items()
        for task in by_tickets(History(name, folder), frozenset({"BKG", "GATE"}), tickets).tasks
    ]
    assert len(tasks) >= 10
    assert all(task.moment.tzinfo is UTC and created[task.key] <= task.moment for task in tasks)


def test_this_projects_own_history_has_ten_tasks():
    if not (ROOT / ".git").exists() or line(ROOT, "rev-parse", "--is-shallow-repository") == "true":
        pytest.skip("this is no checkout with its history")
    result = by_messages(History("crosscheck", ROOT), most=10)
    assert len(result.tasks) == 10
