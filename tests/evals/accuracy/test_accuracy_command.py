"""`crosscheck eval accuracy`, as a person gives it: from a history to numbers, without a key."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from crosscheck.cli import app
from crosscheck.errors import CrosscheckError
from tests.evals.accuracy.repository import Repository

CANDIDATE = '[[eval.candidates]]\nlabel = "small"\nname = "openai:small"\nbase_url = "http://127.0.0.1:9"\n'
WORDS = ("amber", "birch", "cedar")


def judge(label: str) -> str:
    return f'[[eval.judges]]\nlabel = "{label}"\nname = "openai:{label}"\nbase_url = "http://127.0.0.1:9"\n'


def given(*arguments: object, settings: Path | None = None) -> Result:
    before = ["--config", str(settings)] if settings else []
    return CliRunner().invoke(
        app, [*before, "eval", "accuracy", *map(str, arguments)], catch_exceptions=False, env={"COLUMNS": "200"}
    )


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three commits that each add code and a test of it."""
    made = Repository(tmp_path_factory.mktemp("history") / "shop")
    made.commit("Start", {"README.md": "A shop.\n"})
    for word in WORDS:
        body = "".join(f"def {word}_{step}(price):\n    return price * {step} + {len(word)}\n\n\n" for step in range(9))
        test = f"def test_{word}():\n    assert {word}_0(2) == {len(word)}\n"
        files = {f"src/{word}.py": body, f"tests/test_{word}.py": test}
        made.commit(f"Goods of {word} have nine prices\n\nEach step multiplies what goods of {word} cost.", files)
    return made.folder


def test_a_repository_by_its_path_is_measured_from_history_to_numbers(shop: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = ("--scripted", "--repo", shop, "--out", tmp_path / "run", "--results", tmp_path / "results")
    first = given(*arguments)
    assert first.exit_code == 0
    assert "Looking for tasks in the history of shop." in first.stderr
    assert "3 tasks: at most 6 attempts of 40 calls, 400,000 tokens and 30 minutes each, and 9" in first.stderr
    assert "shop, scripted: tickets" in first.stdout
    assert "3 of 3 tasks are told by their commit's message, written when the work was done." in first.stdout
    assert "the numbers show that the measurement works, and say nothing of Crosscheck's worth" in first.stdout
    assert "Failed" not in first.stdout
    page = (tmp_path / "run" / "report" / "index.html").read_text()
    assert f"The report: {tmp_path}/run/report/index.html" in first.stderr
    assert "output tokens, crosscheck" in page
    again = given(*arguments)
    assert "Nothing is worse than" in again.stdout
    assert "the same" in again.stdout
    (kept,) = (tmp_path / "results").glob("*-accuracy-scripted-shop.json")
    (measured,) = json.loads(kept.read_text())["measurements"]
    assert (measured["part"], measured["set"], measured["way"]) == ("accuracy", "shop", "scripted")
    assert measured["metrics"]["gain"]["n"] == 3
    assert measured["failures"] == []


def test_json_is_the_run_and_nothing_else(shop: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    answer = given("--scripted", "--repo", shop, "--out", tmp_path / "run", "--most", 1, "--json")
    assert answer.stderr == ""
    (measured,) = json.loads(answer.stdout)["measurements"]
    assert measured["metrics"]["score, baseline"]["n"] == 1
    task = (tmp_path / "run" / "tasks.jsonl").read_text()
    other = given("--scripted", "--repo", shop, "--out", tmp_path / "other", "--tasks", tmp_path / "run/tasks.jsonl")
    assert other.exit_code == 0
    assert (tmp_path / "other" / "tasks.jsonl").read_text() == task


def test_the_make_believe_companys_tickets_are_measured(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    answer = given("--scripted", "--out", tmp_path / "run", "--most", 1, "--json")
    (measured,) = json.loads(answer.stdout)["measurements"]
    assert measured["set"] == "sandbox"
    assert measured["metrics"]["score, crosscheck"]["n"] == 2
    assert measured["failures"] == []
    (one, other) = map(json.loads, (tmp_path / "run" / "tasks.jsonl").read_text().splitlines())
    assert {one["repo"], other["repo"]} == {"booking-api", "gate-app"}
    assert {one["told_by"], other["told_by"]} == {"ticket"}


@pytest.mark.parametrize(
    ("tables", "arguments", "said"),
    [
        ("", [], r"\[eval\] names no candidate\. Write an \[\[eval\.candidates\]\] table"),
        (CANDIDATE, [], r"\[eval\] names 0 judges, and an accuracy run needs exactly 3"),
        (CANDIDATE + judge("ada") + judge("bo"), [], r"names 2 judges, and an accuracy run needs exactly 3"),
        (CANDIDATE + "".join(map(judge, "abc")), ["--candidate", "large"], "no candidate 'large'; there is small"),
        (CANDIDATE + "".join(map(judge, "abc")), [], r"The settings have no \[\[git\]\] table\. Add one"),
        (CANDIDATE + "".join(map(judge, "abc")), ["--repo", "shop"], "'shop' is neither a repository of the settings"),
        (CANDIDATE + judge("a") + judge("small") + judge("b"), [], "two models of .eval. have the label small"),
        ("", ["--scripted", "--candidate", "small"], "--scripted brings its own candidate"),
        ("", ["--scripted", "--tasks", "none.jsonl"], r"none\.jsonl has no task"),
        ("", ["--scripted", "--repo", "."], r"is no Git repository\. Give the path"),
    ],
)
def test_what_cannot_be_run_is_said_before_anything_is_spent(
    tmp_path: Path, monkeypatch, tables: str, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = tmp_path / "crosscheck.toml"
    settings.write_text(tables)
    with pytest.raises(CrosscheckError, match=said):
        given("--out", tmp_path / "run", *arguments, settings=settings)
    assert not (tmp_path / "run" / "spent.jsonl").exists()


def test_two_repositories_of_one_name_are_refused(shop: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    other = Repository(tmp_path / "shop")
    other.commit("Start", {"README.md": "Another shop.\n"})
    with pytest.raises(CrosscheckError, match="Two repositories are called shop"):
        given("--scripted", "--repo", shop, "--repo", other.folder, "--out", tmp_path / "run")
