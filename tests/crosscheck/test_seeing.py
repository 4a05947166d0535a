"""What a search says of itself: how each result was found, what the question got wrong, what did not work."""

import importlib.util
import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.host_lock import HostLock
from core.types import Trace, TracedArm, TracedCandidate
from crosscheck import settings as config
from crosscheck.records import searches_record, trace_record
from crosscheck.settings import Secrets
from crosscheck.terminal import job_text
from crosscheck.wiring import Program
from review.types import Searched
from tests.conftest import missing
from tests.core.test_rerank_cross_encoder import TABLE, make_model
from tests.crosscheck.commands import Commands
from tests.crosscheck.handbook import filled, written

QUESTION = "after how many failed attempts is an account locked"
Run = Callable[..., Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Filled once; the tests change the settings alone."""
    home = tmp_path_factory.mktemp("seeing")
    program = Program(config.load(written(home)), Secrets())
    with closing(program):
        filled(program)
    return home


@pytest.fixture
def with_settings(folder: Path, capsys: Any, monkeypatch: Any) -> Callable[[str], Commands]:
    return lambda more="": Commands(capsys, monkeypatch, written(folder, more), {})


@pytest.fixture
def run(with_settings: Callable[[str], Commands]) -> Commands:
    return with_settings("")


def test_explain_shows_route_arms_candidates_and_times(run: Commands) -> None:
    shown = run("search", QUESTION, "--explain").out
    for said in (
        "Route: hybrid, reranked by late interaction",
        "content words",
        "context meaning",
        "result 1",
        "Time: ",
    ):
        assert said in shown
    assert max(len(line) for line in shown.partition("Route:")[2].splitlines()) <= 100
    assert "Route:" not in run("search", QUESTION).out


def test_explain_of_a_name_says_that_it_was_looked_up(run: Commands) -> None:
    shown = run("search", "src/lock.py", "--explain").out
    assert "Route: exact. Names looked up: src/lock.py." in shown


def test_the_trace_is_in_json_when_it_is_asked_for(run: Commands) -> None:
    found = run("search", QUESTION, "--explain", "--json").json
    trace = found["trace"]
    assert trace["route"] == "hybrid"
    assert {arm["name"] for arm in trace["arms"]} >= {"content words", "content meaning"}
    results = [one for one in trace["candidates"] if one["fate"].startswith("result ")]
    assert len(results) == len(found["evidence"])
    assert results[0]["ranks"]
    assert {"embedding", "candidates", "fusion", "reranking"} <= set(trace["steps"])
    assert "trace" not in run("search", QUESTION, "--json").json


def test_a_filter_that_names_nothing_is_answered_with_the_nearest(run: Commands) -> None:
    done = run("search", QUESTION, "--repo", "backed")
    assert done.code == 0
    assert "Note: " in done.out
    assert "backend" in done.out
    assert any("backend" in note for note in run("search", QUESTION, "--repo", "backed", "--json").json["notes"])


def test_a_language_narrows_to_code_in_it(run: Commands) -> None:
    found = run("search", "is locked", "--language", "go", "--json").json["evidence"]
    assert found
    assert all(one["url"] == "" and "lock.go" in one["title"] for one in found)


def test_a_reranker_that_cannot_be_loaded_costs_the_order_alone_and_is_said(
    with_settings: Callable[[str], Commands], folder: Path
) -> None:
    run = with_settings('[[reranking.models]]\nkind = "cross_encoder"\npath = "nothing"\n[gpu]\nlock = "gpu.lock"\n')
    done = run("search", QUESTION, "--explain")
    assert done.code == 0
    assert "Note: " in done.out
    assert "so a lighter one ordered the results." in done.out
    assert "reranked by late interaction" in done.out
    checks = {check["check"]: check for check in run("doctor", "--json").json}
    assert checks["gpu lock"]["state"] == "ok"
    assert checks["reranker 1"]["state"] == "failed"
    assert "[[reranking.models]]" in checks["reranker 1"]["do"]


def test_a_lock_that_cannot_be_made_is_said_and_the_search_goes_on(
    with_settings: Callable[[str], Commands], folder: Path
) -> None:
    (folder / "file").write_text("in the way")
    model = '[[reranking.models]]\nkind = "cross_encoder"\npath = "nothing"\n'
    run = with_settings(f'{model}[gpu]\nlock = "file/gpu.lock"\n')
    done = run("search", QUESTION)
    assert done.code == 0
    assert "cannot be used" in done.out
    failed = {check["check"] for check in run("doctor", "--json").json if check["state"] == "failed"}
    assert {"gpu lock", "reranker 1"} <= failed


def test_without_reranking_the_fused_order_stays(with_settings: Callable[[str], Commands]) -> None:
    trace = with_settings("[reranking]\nenabled = false\n")("search", QUESTION, "--explain", "--json").json["trace"]
    assert trace["reranker"] is None


def test_doctor_does_not_try_what_is_not_used(with_settings: Callable[[str], Commands]) -> None:
    model = '[reranking]\nenabled = false\n[[reranking.models]]\nkind = "bge"\npath = "nothing"\n'
    names = {check["check"] for check in with_settings(model)("doctor", "--json").json}
    assert not names & {"gpu lock", "reranker 1"}


def test_the_settings_say_how_many_passages_a_document_gets(with_settings: Callable[[str], Commands]) -> None:
    words = ("search", "a seat that is kept for passengers of a row", "--limit", "4", "--json")

    def of_seats(run: Commands) -> int:
        return sum("seats" in one["document"] for one in run(*words).json["evidence"])

    assert of_seats(with_settings("")) > 1
    assert of_seats(with_settings("[search]\nper_document = 1\n")) == 1


def test_the_settings_say_which_places_are_kept(with_settings: Callable[[str], Commands]) -> None:
    words = ("search", "a seat that is kept for passengers of a row", "--limit", "5", "--json")

    def kinds(run: Commands) -> list[str]:
        return [one["kind"] for one in run(*words).json["evidence"]]

    assert "code" not in kinds(with_settings("[search]\nplaces = { document = 10 }\n"))
    assert kinds(with_settings("[search]\nplaces = { code = 4 }\n")).count("code") == 2


def test_one_chain_reranks_for_every_searcher(folder: Path) -> None:
    program = Program(config.load(written(folder)), Secrets())
    assert program.reranking is program.reranking
    assert Program(program.settings, Secrets()).reranking is not program.reranking


# What a job keeps


def a_trace(candidates: int, results: int) -> Trace:
    def one(number: int) -> TracedCandidate:
        fate = f"result {number}" if number <= results else "no place left"
        return TracedCandidate(
            str(number), f"d{number}", "t" * 999, "page", {"content words": number}, number, 0.5, fate
        )

    arms = (TracedArm("content words", "documents", 1.0, candidates),)
    return Trace(
        "hybrid", ("PAY-1",), arms, tuple(map(one, range(1, candidates + 1))), "late interaction", {"exact": 1}
    )


def test_a_trace_is_kept_within_bounds_but_never_short_of_its_results() -> None:
    kept = trace_record(a_trace(100, 20), most=12)
    assert len(kept["candidates"]) == 20
    assert kept["left_out"] == 80
    assert len(trace_record(a_trace(100, 3), most=12)["candidates"]) == 12
    searches = searches_record([Searched("w" * 9999, a_trace(100, 10))] * 50)
    assert len(json.dumps(searches)) < 200_000
    assert len(searches) == 12


def test_a_job_says_how_its_evidence_was_found() -> None:
    searches = searches_record([Searched("how many \x1b[31mattempts", a_trace(5, 2))])
    job = {"id": 1, "subject": "PAY-1", "state": "done", "attempts": 1, "retries": 0, "key": "k", "events": []}
    shown = str(job_text({**job, "posts": [], "error": None, "result": {"searches": searches, "reply": "r"}}))
    assert '"how many [31mattempts": hybrid, 2 results, reranked by late interaction, 1 ms' in shown
    assert ": content words 1" in shown


# With a model


@pytest.fixture(scope="module")
def model(folder: Path) -> str:
    """Settings of a small model of random weights, which waits for the card."""
    if importlib.util.find_spec("onnx") is None:
        missing("onnx is not installed, with which the test makes its model")
    (folder / "model").mkdir()
    make_model(folder / "model", TABLE)
    gpu = '[gpu]\nlock = "card/gpu.lock"\npatience = 0.2\n'
    return f'{gpu}[[reranking.models]]\nkind = "cross_encoder"\npath = "model"\n'


def test_a_model_reranks_and_doctor_tries_it(with_settings: Callable[[str], Commands], model: str) -> None:
    run = with_settings(model)
    assert run("search", QUESTION, "--explain", "--json").json["trace"]["reranker"].startswith("cross-encoder-")
    check = next(check for check in run("doctor", "--json").json if check["check"] == "reranker 1")
    assert check["state"] == "ok"
    assert check["says"].startswith("cross-encoder-")


def test_a_card_that_is_in_use_is_said_and_a_lighter_one_answers(
    with_settings: Callable[[str], Commands], folder: Path, model: str
) -> None:
    run = with_settings(model)
    with HostLock(folder / "card/gpu.lock", 1).turn("passage"):
        done = run("search", QUESTION, "--explain")
        checks = {check["check"]: check["state"] for check in run("doctor", "--json").json}
    assert "The graphics card was not free within 0.2 s, so a lighter one ordered the results." in done.out
    assert "reranked by late interaction" in done.out
    assert (checks["gpu lock"], checks["reranker 1"]) == ("ok", "failed")
