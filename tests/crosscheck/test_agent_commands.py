"""What programs ask over MCP and HTTP, as a person types it; and tokens, made and told once."""

import tomllib
from contextlib import closing
from pathlib import Path

import pytest
from pydantic import SecretStr

from crosscheck.callers import Callers, hashed
from crosscheck.demo_settings import deployed_text, probes
from crosscheck.settings import check
from crosscheck.wiring import Program
from sandbox.load import load_company
from tests.crosscheck.commands import Commands
from tests.crosscheck.live import opened

READER = ("--as", "jira:BKG,jira:GATE,org,repo:booking-api,repo:gate-app")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The company with its index filled once, its environments and its databases."""
    with opened(load_company(), tmp_path_factory.mktemp("agents")) as done:
        folder = done.file.parent / "databases"
        folder.mkdir()
        with done.file.open("a", encoding="utf-8") as file:
            file.write(deployed_text(done.box, folder))
        done.secrets = done.secrets.model_copy(
            update={"probe_tokens": {name: SecretStr(done.box.version_token) for name in probes(done.box)}}
        )
        with closing(Program(done.settings, done.secrets)) as program:
            for name in program.sources.names([]):
                program.sources.sync(name, True, lambda _message: None)
        yield done


@pytest.fixture
def run(made, capsys, monkeypatch):
    return Commands(capsys, monkeypatch, made.file, made.environment)


def test_a_plan_is_checked(run, tmp_path):
    plan = tmp_path / "plan.md"
    plan.write_text("Hold seats for 30 minutes in src/booking/holds.py.")
    told = run("plan", str(plan), "--repo", "booking-api", *READER)
    assert told.code == 0, told.err
    assert "P1 past regression: “BKG-88" in told.out
    assert "Made by rules alone: no model is configured." in told.out
    answer = run("plan", str(plan), "--repo", "booking-api", *READER, "--json").json
    assert 1 <= len(answer["sources"]) <= 3
    assert 1 <= len(answer["checks"]) <= 5
    assert all(one["url"].startswith("http") for one in answer["sources"])


def test_a_plan_that_is_none_is_refused_with_a_sentence(run, tmp_path):
    plan = tmp_path / "plan.md"
    for text, said in (("", "no word in this plan"), ("x" * 200_000, "60,000")):
        plan.write_text(text)
        refused = run("plan", str(plan), *READER)
        assert refused.code == 1
        assert said in refused.sentence
    plan.write_bytes(b"\xff\xfe\x00")
    assert "is no text in UTF-8" in run("plan", str(plan), *READER).sentence


def test_who_uses_a_name(run):
    told = run("consumers", "hold", *READER)
    assert "hold, taken for a symbol" in told.out
    assert "defined in src/booking/holds.py" in told.out
    answer = run("consumers", "hold", "--repo", "gate-app", *READER, "--json").json
    assert {one["repo"] for one in answer["consumers"]} <= {"gate-app"}


def test_where_work_runs(run):
    told = run("deployed", "--ticket", "GATE-49", "--repo", "gate-app", *READER)
    assert told.code == 0, told.err
    assert "staging, gate-app: 2.4.0-rc.1" in told.out
    answer = run("deployed", "--ticket", "GATE-49", "--repo", "gate-app", *READER, "--json").json
    assert {one["environment"]: one["contained"] for one in answer["standings"]} == {
        "staging": "yes",
        "production": "no",
    }
    assert "Give seven of its digits" in run("deployed", "--commit", "zzz", *READER).sentence


def test_where_work_runs_is_nobodys_business_without_the_repository(run):
    told = run("deployed", "--ticket", "GATE-49", "--as", "jira:OTHER")
    assert "staging" not in told.out
    assert run("schema", "--as", "jira:OTHER").out.strip() == (
        "No database that this audience may know of answers to that."
    )


def test_how_databases_changed(run):
    told = run("schema", "--database", "production_booking_api", *READER)
    assert "pending      V4  voucher" in told.out
    assert "edited       V3" in told.out
    answer = run("schema", "--table", "account", "--column", "locked_at", *READER, "--json").json
    found = {step["id"]: step["tickets"] for history in answer["histories"] for step in history["steps"]}
    assert found == {"V3": ["BKG-97"]}


def test_a_token_is_shown_once_and_its_table_lets_it_in(run):
    told = run("token", "build_agents")
    token = next(line.strip() for line in told.out.splitlines() if line.strip().startswith("crosscheck_"))
    table = told.out[told.out.index("[[tokens]]") :]
    settings = check(tomllib.loads(table), Path("crosscheck.toml"))
    caller = Callers(settings.tokens).of(token)
    assert caller is not None
    assert caller.name == "build_agents"
    assert {"org", "repo:booking-api"} <= caller.labels, "what holders of org also hold is written out"
    assert token not in table
    assert Callers(settings.tokens).of(f"{token}x") is None


def test_tokens_are_never_alike_and_names_are_checked(run):
    made = [run("token", "one", "--json").json for _ in range(3)]
    assert len({one["token"] for one in made}) == 3
    assert all(one["sha256"] == hashed(one["token"]) for one in made)
    refused = run("token", "Build Agents")
    assert refused.code == 2
    assert "small letters, digits and _" in refused.sentence
