"""`crosscheck eval grow` and `crosscheck eval retrieval` on what it made: alone, and as clients of the service."""

import json
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from crosscheck.owner import owning
from crosscheck.wiring import Program
from state.feedback import Feedback
from tests.crosscheck.commands import Commands
from tests.crosscheck.live import Opened, at_work, opened, quick
from tests.evals.grown import planted

ASKED = "After how many failed sign-ins is an account locked?"


def quiet(_message: object) -> None: ...


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """An indexed company in which two questions were answered in a channel, and rated."""
    home = tmp_path_factory.mktemp("grow")
    with opened(planted.company(home / "company"), home / "home") as done:
        program = Program(done.settings, done.secrets)
        with owning(done.settings.data, "test"), closing(program):
            for name in program.sources.names([]):
                program.sources.sync(name, True, quiet)
            for verdict in ("up", "down"):
                _rated(program, verdict)
        yield done


def _rated(program: Program, verdict: str) -> None:
    """As the worker leaves it."""
    answer = {
        "question": ASKED,
        "statements": [{"text": "Five.", "sources": [1]}],
        "sources": [{"number": 1, "document": "git:booking-api:src/booking/accounts.py", "title": "accounts.py"}],
        "audience": ["repo:booking-api", "org"],
    }
    payload = {"surface": "slack", "place_id": "C1", "message_id": verdict}
    job = program.jobs.accept(verdict, "message", payload, surface="slack", via="event", subject=ASKED)
    claim = program.jobs.claim("w", timedelta(minutes=5))
    assert job is not None
    assert claim is not None
    program.jobs.finish(claim, "done", {"answer": answer})
    Feedback(program.database).add(job, "U1", verdict)


@pytest.fixture
def alone(made: Opened, capsys, monkeypatch) -> Commands:
    return Commands(capsys, monkeypatch, made.file, made.environment)


@pytest.fixture
def client(made: Opened, capsys, monkeypatch) -> Iterator[Commands]:
    """Beside the service, with no secret in the environment."""
    with at_work(made.box, Program(quick(made.settings), made.secrets), index=False, webhooks=False):
        yield Commands(capsys, monkeypatch, made.file, {})


def test_a_set_is_grown_and_asked_without_a_service(alone: Commands, tmp_path: Path) -> None:
    done = alone("eval", "grow", str(tmp_path / "own"), "--as", "org,slack:C1")
    assert done.code == 0, done.err
    assert "1 from liked answers, 1 from disliked answers." in done.out
    assert "org,slack:C1 may read" in done.out
    assert "mode 600" in done.out
    asked = alone("eval", "retrieval", str(tmp_path / "own"), "--results", str(tmp_path / "results"))
    assert asked.code == 0, asked.err
    for slice_ in ("tickets", "liked", "disliked"):
        assert f"retrieval: own, {slice_}, search" in asked.out
    again = alone("eval", "retrieval", str(tmp_path / "own"), "--results", str(tmp_path / "results"), "--json").json
    by_key = {(one["set"], one["way"]): one for one in again["measurements"]}
    assert by_key["own, liked", "search"]["metrics"]["recall@5"]["value"] == 1
    assert by_key["own, disliked", "search"]["metrics"]["again@5"]["better"] == "less"
    assert by_key["own, disliked", "search"]["metrics"]["again@5"]["value"] == 1


def test_a_set_is_grown_and_asked_through_the_service(client: Commands, tmp_path: Path) -> None:
    done = client("eval", "grow", str(tmp_path / "own"), "--json")
    assert done.code == 0, done.err
    assert done.json["questions"]["tickets"] >= 5
    assert done.json["questions"]["liked"] == 0, "these were asked in a channel whose label org does not hold"
    assert done.json["left_out"]["rated answers are for other readers"] == 2
    asked = client("eval", "retrieval", str(tmp_path / "own"), "--json")
    assert asked.code == 0, asked.err
    assert {one["set"] for one in asked.json["measurements"]} == {"own, tickets"}
    search = asked.json["measurements"][0]
    assert search["metrics"]["recall@50"]["value"] > 0.5


def test_a_folder_of_something_else_is_refused_before_anything_is_read(alone: Commands, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    done = alone("eval", "grow", str(tmp_path))
    assert done.code == 1
    assert "holds something else" in done.sentence


def test_what_only_sets_with_documents_have_is_refused(alone: Commands, tmp_path: Path) -> None:
    assert alone("eval", "grow", str(tmp_path / "own")).code == 0
    done = alone("eval", "retrieval", str(tmp_path / "own"), "--run", str(tmp_path / "run.json"))
    assert done.code == 2
    assert "documents of their own" in done.sentence


def test_an_audience_for_whom_there_is_no_question_is_told_so_and_nothing_is_written(
    alone: Commands, tmp_path: Path
) -> None:
    done = alone("eval", "grow", str(tmp_path / "own"), "--as", "=nobody")
    assert done.code == 1
    assert "Nothing that =nobody may read makes a question (2 rated answers are for other readers)" in done.sentence
    assert not (tmp_path / "own").exists()


def test_what_was_written_holds_words_and_no_labels(alone: Commands, tmp_path: Path) -> None:
    alone("eval", "grow", str(tmp_path / "own"), "--as", "org,slack:C1")
    lines = [json.loads(line) for line in (tmp_path / "own" / "queries.jsonl").read_text("utf-8").splitlines()]
    assert {line["slice"] for line in lines} == {"tickets", "liked", "disliked"}
    assert all(line.keys() <= {"_id", "text", "slice", "as_of", "without"} for line in lines)
