"""`crosscheck test-cases` over the company, as it is typed."""

import csv
import io

import pytest
from gherkin.parser import Parser
from openpyxl import load_workbook

from crosscheck.test_case_files import xray
from crosscheck.wiring import Program
from sandbox.load import load_company
from tests.crosscheck.commands import Commands
from tests.crosscheck.live import opened

STORY, FIXED, SECRET = "BKG-153", "BKG-97", "GATE-66"
READER = ("--as", "jira:BKG,org")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The company with its index filled once."""
    with opened(load_company(), tmp_path_factory.mktemp("cases")) as done:
        program = Program(done.settings, done.secrets)
        for name in program.sources.names([]):
            program.sources.sync(name, True, lambda _message: None)
        program.close()
        yield done


@pytest.fixture
def run(made, capsys, monkeypatch):
    commands = Commands(capsys, monkeypatch, made.file, made.environment)
    return lambda *arguments: commands("test-cases", *arguments)


def test_a_story_is_drafted_to_read_and_a_second_run_drafts_the_same(run):
    ran = run(STORY, *READER)
    assert ran.code == 0, ran.err
    assert ran.out.startswith(f"**{STORY}: ")
    assert "Drafted by rules alone: no model is configured." in ran.out
    first, second = (run(STORY, *READER, "--json").json for _ in range(2))
    assert first["cases"] == second["cases"]
    assert {"boundary", "exception", "criterion"} <= {case["kind"] for case in first["cases"]}
    assert all(source["quote"] for case in first["cases"] for source in case["sources"])


def test_a_fixed_bug_gets_its_steps_the_fix_and_what_lies_beside_it(run):
    draft = run(FIXED, *READER, "--json").json
    again = draft["cases"][0]
    assert [step["action"] for step in again["steps"]] == [
        "Lock an account by failed sign-in attempts.",
        "Follow the e-mail link.",
        "Reset the password.",
        "Sign in with the new password.",
    ]
    assert draft["plan"]["intent"]
    assert any("accounts.py" in one["what"] for one in draft["plan"]["neighbours"])


def test_a_file_is_written_and_not_written_over_unless_forced(run, tmp_path):
    book, table = tmp_path / "cases.xlsx", tmp_path / "cases.csv"
    assert run(STORY, *READER, "--format", "xlsx", "--out", str(book)).code == 0
    assert load_workbook(book).active["A1"].value == "id"
    table.write_text("mine", "utf-8")
    assert "--force" in run(STORY, *READER, "--format", "xray", "--out", str(table)).sentence
    assert table.read_text("utf-8") == "mine"
    done = run(STORY, *READER, "--format", "xray", "--out", str(table), "--force")
    assert "test cases, drafted by rules alone" in done.out
    assert tuple(csv.DictReader(io.StringIO(table.read_text("utf-8"), newline="")).fieldnames) == xray.COLUMNS


def test_a_file_without_a_place_is_printed_and_a_workbook_is_not(run):
    printed = run(STORY, *READER, "--format", "gherkin")
    assert Parser().parse(printed.out)["feature"]["name"].startswith(STORY)
    assert "--out" in run(STORY, *READER, "--format", "xlsx").sentence


def test_a_hidden_ticket_and_a_missing_one_are_answered_alike(run):
    hidden, missing = run(SECRET, "--as", "org"), run("GATE-9999", "--as", "org")
    assert hidden.code == missing.code == 1
    assert hidden.sentence.replace(SECRET, "KEY") == missing.sentence.replace("GATE-9999", "KEY")
