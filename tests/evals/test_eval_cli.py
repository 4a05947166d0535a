"""`crosscheck eval retrieval`, as a person gives it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from evals.cli import eval_app
from evals.retrieval.errors import BadSet
from tests.evals import small_sets


def given(*arguments: object) -> CliRunner:
    return CliRunner().invoke(eval_app, ["retrieval", *map(str, arguments)], catch_exceptions=False)


def test_a_set_is_measured_and_its_run_written(tmp_path: Path) -> None:
    small_sets.corpus(tmp_path / "set")
    answer = given(tmp_path / "set", "--run", tmp_path / "run.json")
    assert answer.exit_code == 0
    assert "2 of 2 questions answered" in answer.stdout
    assert "nDCG@10" in answer.stdout
    assert json.loads((tmp_path / "run.json").read_text())["q-2"][0] == "LAMP-3"


def test_json_holds_every_number(tmp_path: Path) -> None:
    small_sets.questions(tmp_path / "set")
    answer = given(tmp_path / "set", "--json")
    result = json.loads(answer.stdout)
    first = result["rows"][0]
    assert (result["shape"], first["metric"], first["measured"]) == ("questions", "recall@5", 1)
    assert first["to_baseline"].keys() == {"mean", "low", "high"}
    assert answer.stderr == ""


def test_what_is_no_set_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSet, match="no retrieval set"):
        given(tmp_path)
