"""`crosscheck index`, `map` and `eval`: what is where, moved, drawn and measured."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from crosscheck import settings as config
from crosscheck.index_text import index_text, moved_text, rebuilt_text
from crosscheck.settings import Secrets
from crosscheck.wiring import Program
from tests.crosscheck.commands import Commands
from tests.crosscheck.handbook import filled, written
from tests.crosscheck.test_seeing import QUESTION
from tests.evals import small_sets


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("index")
    with closing(Program(config.load(written(home)), Secrets())) as program:
        filled(program)
    return home


@pytest.fixture
def run(folder: Path, capsys: Any, monkeypatch: Any) -> Commands:
    return Commands(capsys, monkeypatch, written(folder), {})


def test_the_index_is_told_of(run: Commands) -> None:
    answer = run("index", "--json").json
    assert answer["engine"] == "edge"
    one = answer["generations"][0]
    assert (one["engine"], one["searched"], one["complete"]) == ("edge", True, True)
    assert one["chunks"] > 5
    assert one["disk"] > 10_000
    assert one["documents"].startswith("wordllama")
    assert run("index", "status", "--json").json == answer
    assert run("index").out.startswith("edge, searched: ")


def test_a_move_to_where_the_settings_do_not_want_it_says_what_to_set(run: Commands) -> None:
    done = run("index", "move", "--to", "server")
    assert done.code == 2
    assert 'Set index.engine to "server" first with index.url' in done.sentence


def test_a_move_to_where_it_is_says_so(run: Commands) -> None:
    done = run("index", "move", "--to", "edge")
    assert done.code == 1
    assert "The index is where the settings want it" in done.sentence


def test_a_rebuild_that_is_not_worth_it_says_so(run: Commands) -> None:
    assert "too little was deleted" in run("index", "rebuild").out
    assert run("index", "rebuild", "--json").json["before"]


def test_a_map_is_written_with_the_question_and_for_the_audience_alone(run: Commands, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    done = run("map", QUESTION, "--out", str(tmp_path / "all.html"))
    assert done.code == 0, done.err
    page = (tmp_path / "all.html").read_text("utf-8")
    assert "locking.md" in page
    assert "lock.py" in page
    assert QUESTION in page
    assert (tmp_path / "all.png").read_bytes().startswith(b"\x89PNG")
    assert run("map", "--as", "files:handbook", "--out", str(tmp_path / "some.html"), "--json").json["drawn"] > 2
    assert "lock.py" not in (tmp_path / "some.html").read_text("utf-8")
    nobody = run("map", "--as", "files:other", "--out", str(tmp_path / "none.html"))
    assert (nobody.code, (tmp_path / "none.html").exists()) == (1, False)
    assert "nothing in the index" in nobody.sentence


def test_two_indexes_are_told_apart_with_what_to_run() -> None:
    one = {"name": "a", "engine": "edge", "where": "/x", "searched": True, "complete": True, "chunks": 3, "disk": 2**21}
    made = {"documents": "m@1", "code": "m@1"}
    other = {**one, "name": "b", "engine": "server", "searched": False, "complete": False, "disk": None}
    shown = index_text({"generations": [{**one, **made}, {**other, **made}]})
    assert "edge, searched: 3 chunks, 2 MiB on disk" in shown
    assert "server, being built: 3 chunks\n" in shown
    assert "or copy the present one: `crosscheck index move --to server`." in shown
    unlike = index_text({"generations": [{**one, **made}, {**other, "documents": "n@1", "code": "m@1"}]})
    assert "crosscheck index move" not in unlike
    moved = {"engine": "server", "points": 3, "generations": [{**one, **made, "engine": "server"}]}
    assert "3 chunks copied. It is searched there from now on (server)." in moved_text(moved)
    waiting = {**moved, "generations": [{**one, **made}, {**other, **made}]}
    assert "run `crosscheck sync`" in moved_text(waiting)
    after = [{**one, **made, "disk": 2**20}]
    assert "2 MiB before, 1 MiB now" in rebuilt_text({"before": [{**one, **made}], "generations": after})


def test_a_retrieval_set_is_measured_with_the_settings(run: Commands, tmp_path: Path) -> None:
    small_sets.corpus(tmp_path / "set")
    done = run("eval", "retrieval", str(tmp_path / "set"), "--json", "--run", str(tmp_path / "run.json"))
    assert done.code == 0, done.err
    assert "nDCG@10" in done.json["measurements"][0]["metrics"]
    assert (tmp_path / "run.json").exists()
    nothing = run("eval", "retrieval", str(tmp_path))
    assert nothing.code == 1
    assert "no retrieval set" in nothing.sentence
