"""`docs/lifecycle.md` says what the commands say."""

import re
from pathlib import Path

import pytest
from typer.main import get_command

from crosscheck import lifecycle_cli
from crosscheck.archive import DATABASE
from crosscheck.cli import app
from state.db import open_database
from state.revisions import what_made
from tests.crosscheck.commands import Commands

PAGE = Path(__file__).parents[3] / "docs" / "lifecycle.md"
SETTINGS = """
data = "data"
[jira]
site = "http://localhost"
read_user = "r@example.com"
post_user = "p@example.com"
projects = ["RUN"]
"""


def transcripts() -> dict[str, list[str]]:
    """What is printed, by the command."""
    blocks = re.findall(r"```\n\$ crosscheck (.+)\n((?:.+\n)*)```", PAGE.read_text("utf-8"))
    return {command: said.splitlines() for command, said in blocks}


def alike(said: str) -> str:
    """A line without what differs from run to run."""
    said = re.sub(r"/\S+?(?=[:.]?(?:\s|$))", "PATH", said)
    said = re.sub(r"\d{4}-\d\d-\d\dT[\d:.+]+", "TIME", said)
    return re.sub(r"version [\w.+]+\)", "VERSION)", re.sub(r"\b[\d,]+\b", "N", said))


def test_each_command_is_there_and_no_other():
    known = get_command(app).commands  # type: ignore[attr-defined]
    named = {command.split()[0] for command in transcripts()}
    assert named == {"backup", "restore", "downgrade", "prune", "forget"} <= set(known)
    assert named == {command.__name__ for command in (
        lifecycle_cli.backup, lifecycle_cli.restore, lifecycle_cli.downgrade, lifecycle_cli.prune, lifecycle_cli.forget,
    )}  # fmt: skip


@pytest.fixture
def commands(tmp_path, capsys, monkeypatch):
    file = tmp_path / "crosscheck.toml"
    file.write_text(SETTINGS, "utf-8")
    open_database(tmp_path / "data" / DATABASE).dispose()
    return Commands(capsys, monkeypatch, file, {})


def test_backup_restoration_pruning_and_going_back_print_what_the_page_shows(commands, tmp_path):
    page = transcripts()
    file = str(tmp_path / "b")
    runs = (
        ("backup /backups/monday.backup", ("backup", file)),
        ("restore /backups/monday.backup --replace", ("restore", file, "--replace")),
        ("prune", ("prune",)),
        ('forget --person 5b10ac8d82e05b22cc7d4ef5 --name "Ana Sol"', ("forget", "--person", "x", "--name", "Ana Sol")),
        ("downgrade 0008", ("downgrade", "0008")),
    )
    for named, arguments in runs:
        ran = commands(*arguments)
        assert ran.code == 0, ran.err
        assert list(map(alike, ran.out.splitlines())) == list(map(alike, page[named])), named
    assert what_made("0009") in PAGE.read_text("utf-8")
