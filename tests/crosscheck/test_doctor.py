"""`crosscheck doctor`: what is wrong is found, told with what to do about it, and nothing secret is printed."""

import os
import re

import pytest

from crosscheck.doctor import examine
from crosscheck.owner import announced, owning
from crosscheck.wiring import Program
from sandbox.load import load_company
from sandbox.model_replies import Fails
from tests.crosscheck.commands import Commands
from tests.crosscheck.live import opened


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    with opened(load_company(), tmp_path_factory.mktemp("doctor")) as done:
        yield done


@pytest.fixture
def doctor(made, capsys, monkeypatch, tmp_path):
    """Runs it on the company's settings after replacements in the file, and in the environment; checks by name."""

    def run(*changes, code, as_text=False, **environment):
        text = made.file.read_text()
        for before, after in changes:
            assert re.search(before, text), before
            text = re.sub(before, lambda _match, after=after: after, text)
        file = made.file.with_name("changed.toml")
        file.write_text(text)
        secrets = {**made.environment, **environment}
        commands = Commands(capsys, monkeypatch, file, secrets)
        done = commands("doctor", "--json")
        assert done.code == code, done
        found = {check["check"]: check for check in done.json}
        readable = commands("doctor") if as_text else None
        for said in (done, readable):
            if said:
                assert not [value for value in secrets.values() if value and value in said.out + said.err]
                assert "Traceback" not in said.err
        for check in found.values():
            if check["state"] != "ok":
                assert check["do"] or re.search(r"\b(Set|stop|Run|Free)\b", check["says"]), check
        return found

    yield run
    made.box.faults.clear()


def one_project(key="BKG"):
    return (r"projects = \[.*\]", f'projects = ["{key}"]')


def without_sources():
    """Jira alone, for what takes time to fail."""
    return (r"(?s)\[confluence\].*(?=\[review\])", "")


def states(found, state):
    return {name for name, check in found.items() if check["state"] == state} - {"disk"}


def test_all_is_fine(doctor):
    found = doctor(code=0, as_text=True)
    assert states(found, "ok") == set(found) - {"disk"}
    assert {"database", "index", "jira read BKG", "jira post DESK", "jira webhook", "confluence", "gate-app"} <= set(
        found
    )
    assert found["jira read GATE"]["says"].endswith("tickets can be read")


def test_pull_requests_of_each_repository_are_looked_at(doctor):
    found = doctor(code=0)
    assert found["pull requests booking-api"]["state"] == found["pull requests gate-app"]["state"] == "ok"


def test_a_wrong_token_of_a_host(doctor):
    found = doctor(one_project(), code=1, CROSSCHECK_HOST_TOKEN_GITHUB="wrong")
    assert states(found, "failed") == {"pull requests booking-api", "pull requests gate-app"}
    assert "CROSSCHECK_HOST_TOKEN_GITHUB" in found["pull requests gate-app"]["do"]


def test_a_wrong_reading_token(doctor):
    found = doctor(one_project(), code=1, as_text=True, CROSSCHECK_JIRA_READ_TOKEN="wrong-token")
    assert states(found, "failed") == {"jira read BKG"}
    assert "CROSSCHECK_JIRA_READ_TOKEN" in found["jira read BKG"]["do"]
    assert found["confluence"]["state"] == "ok"


def test_a_wrong_posting_token(doctor):
    found = doctor(one_project(), code=1, CROSSCHECK_JIRA_POST_TOKEN="wrong-token")
    assert states(found, "failed") == {"jira post BKG"}
    assert "does not accept the bot's user and token" in found["jira post BKG"]["says"]
    assert "CROSSCHECK_JIRA_POST_TOKEN" in found["jira post BKG"]["do"]


def test_a_missing_permission_and_equal_tokens(doctor, made):
    change = ('post_user = ".*"', f'post_user = "{made.box.read_user}"')
    found = doctor(one_project(), change, code=1, CROSSCHECK_JIRA_POST_TOKEN=made.box.read_token)
    assert states(found, "failed") == {"jira post BKG"}
    assert "lacks ADD_COMMENTS, DELETE_OWN_COMMENTS in BKG" in found["jira post BKG"]["says"]
    assert "Add Comments" in found["jira post BKG"]["do"]
    assert found["jira tokens"]["state"] == "warning"


def test_a_missing_project_and_a_missing_space(doctor):
    found = doctor(one_project("NOPE"), ("spaces = .*", 'spaces = ["POL", "VOID"]'), code=1)
    assert states(found, "failed") == {"jira read NOPE", "jira post NOPE", "confluence"}
    assert "NOPE" in found["jira read NOPE"]["says"] + found["jira read NOPE"]["do"]
    assert "the space VOID" in found["confluence"]["says"]
    assert "confluence.site" in found["confluence"]["do"]


def test_a_jira_that_cannot_be_reached(doctor):
    found = doctor(one_project(), without_sources(), ('site = ".*"', 'site = "http://127.0.0.1:9"'), code=1)
    assert states(found, "failed") == {"jira read BKG", "jira post BKG"}
    assert "could not be reached" in found["jira read BKG"]["says"]
    assert "jira.site" in found["jira read BKG"]["do"]


def test_a_confluence_that_is_down(doctor, made):
    made.box.faults.add("*", "/wiki/", "status", 1000, status=503)
    found = doctor(one_project(), code=1)
    assert states(found, "failed") == {"confluence"}
    assert "503" in found["confluence"]["says"]


def test_a_repository_that_is_not_there(doctor):
    found = doctor(one_project(), (r'location = ".*gate-app.*"', 'location = "nowhere/gate-app"'), code=1)
    assert states(found, "failed") == {"gate-app"}
    assert "can be fetched" in found["gate-app"]["do"]


def test_an_audience_that_is_not_mapped_and_no_webhook_secret(doctor):
    found = doctor((r'(?m)^"jira:GATE" = .*$', ""), code=0, CROSSCHECK_JIRA_WEBHOOK_SECRET="")
    assert states(found, "warning") == {"audience GATE", "jira webhook"}
    assert "[audience.holders]" in found["audience GATE"]["do"]
    assert "polling" in found["jira webhook"]["says"]


def test_missing_secrets_are_named_and_keep_no_other_check_from_running(doctor):
    found = doctor(one_project(), code=1, CROSSCHECK_CONFLUENCE_TOKEN="", CROSSCHECK_JIRA_READ_TOKEN="")
    assert states(found, "failed") == {"confluence", "jira read BKG"}
    assert "CROSSCHECK_CONFLUENCE_TOKEN is not set" in found["confluence"]["says"]
    assert found["gate-app"]["state"] == "ok"


def test_a_model_without_a_key(doctor):
    model = (r"\[review\]", '[model]\nname = "anthropic:some"\n[review]')
    found = doctor(one_project(), model, code=1)
    assert states(found, "failed") == {"model"}
    assert "CROSSCHECK_MODEL_API_KEY is not set" in found["model"]["says"]


def test_the_model_is_asked_a_word(doctor, made):
    model = (r"\[review\]", f'[model]\nname = "openai:some"\nbase_url = "{made.box.model_url}/v1"\n[review]')
    made.box.model.script(["yes"])
    found = doctor(one_project(), model, code=0, CROSSCHECK_MODEL_API_KEY=made.box.model.key)
    assert found["model"]["says"] == "some answers"
    made.box.model.script([Fails(401)])
    found = doctor(one_project(), model, code=1, CROSSCHECK_MODEL_API_KEY="k-123")
    assert "refused the key" in found["model"]["says"]


def test_the_index_is_the_running_services(doctor, made):
    data = made.settings.data
    other = Program(made.settings, made.secrets)
    with owning(data, "serve"), announced(data, "http://127.0.0.1:9"):
        assert other.index.filled
        try:
            found = doctor(one_project(), code=0)
        finally:
            other.close()
    assert f"owned by the running service (pid {os.getpid()}" in found["index"]["says"]


def test_the_index_is_another_processs(doctor, made):
    other = Program(made.settings, made.secrets)
    assert other.index.filled
    try:
        found = doctor(one_project(), code=1)
    finally:
        other.close()
    assert states(found, "failed") == {"index"}
    assert f"in use by process {os.getpid()}; stop it first" in found["index"]["says"]


def test_too_little_disk(made):
    found = {check.name: check for check in examine(made.settings, made.secrets, least_free=2**60)}
    assert found["disk"].state == "failed"
    assert "GiB are needed" in found["disk"].says
    assert "another disk" in found["disk"].do
