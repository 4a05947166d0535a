"""The command line: clients of the running service, or at work on the folder themselves; failures are sentences."""

import os
import re
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
import typer

from crosscheck import settings as config
from crosscheck.cli import app
from crosscheck.errors import ServiceAnswered
from crosscheck.owner import owning, running
from crosscheck.remote import Remote
from crosscheck.wiring import Program
from evals.playground import company, secrets_of
from sandbox.load import load_company
from sandbox.records import Ticket
from sandbox.server import Sandbox
from tests.crosscheck.commands import Commands
from tests.crosscheck.live import Small, at_work, opened, quick, until, with_tickets
from tests.fakes import Tally

EVIL = "Red \x1b[31malert\x1b]0;owned\x07 \x9b2J \u202etxt TBD"
SERVE = (sys.executable, "-m", "crosscheck.cli")
NOON = datetime(2026, 11, 2, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The company with a ticket whose title steers terminals; its index is filled once."""
    whole = load_company()
    reporter = whole.tickets[0].reporter
    evil = Ticket("BKG-999", "Story", EVIL, f"{EVIL}: the export is TBD.", "To Do", reporter, NOON, NOON)
    with opened(with_tickets(whole, evil), tmp_path_factory.mktemp("cli")) as done:
        program = Program(done.settings, done.secrets)
        for name in program.sources.names([]):
            program.sources.sync(name, True, lambda _message: None)
        program.close()
        yield done


@pytest.fixture
def alone(made, capsys, monkeypatch):
    """Commands without a service: they open the folder themselves."""
    return Commands(capsys, monkeypatch, made.file, made.environment)


@pytest.fixture(scope="module")
def live(made):
    """Made when first asked for, so after the tests of commands without a service."""
    program = Program(quick(made.settings), made.secrets, metrics=Tally())
    with at_work(made.box, program, index=False) as running_service:
        yield running_service


@pytest.fixture
def client(made, live, capsys, monkeypatch):
    """Commands beside the service, with no secret in their environment."""
    for name in made.environment:
        monkeypatch.delenv(name, raising=False)
    return Commands(capsys, monkeypatch, made.file, {})


def commands():
    """Every command's words and its object."""

    def below(words, group):
        for name, command in group.commands.items():
            yield (*words, name), command
            if hasattr(command, "commands"):
                yield from below((*words, name), command)

    return dict(below((), typer.main.get_command(app)))


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_says_what_it_is_for(alone, words):
    done = alone(*words, "--help")
    assert done.code == 0
    purpose = " ".join(done.out.split("\n\n")[1].split())
    assert len(purpose) > 20
    assert purpose.endswith(".")
    # Of these, the last is nothing but its commands, and what serves prints no answer.
    assert ("--json" in done.out) == (words not in {("serve",), ("mcp",), ("eval",)})
    for option in commands()[words].params:
        assert getattr(option, "help", None), option.name


def test_init_writes_a_file_that_loads_and_never_overwrites(tmp_path, capsys, monkeypatch):
    run = Commands(capsys, monkeypatch, tmp_path / "own.toml", {})
    done = run("init")
    assert done.code == 0
    assert all(config.variable(name) in done.out for name in config.Secrets.model_fields)
    assert config.load(tmp_path / "own.toml").jira.projects == ("PROJ",)
    (tmp_path / "own.toml").write_text("mine")
    again = run("init")
    assert (again.code, (tmp_path / "own.toml").read_text()) == (2, "mine")
    assert "already there" in again.sentence
    (tmp_path / "own.toml").unlink()
    assert run("init", "--json").json["wrote"] == str(tmp_path / "own.toml")
    elsewhere = Commands(capsys, monkeypatch, tmp_path / "no" / "such" / "own.toml", {})
    assert "No such file or directory" in elsewhere("init").sentence


# Without a service


def test_commands_open_the_folder_themselves(alone, made):
    assert alone("jobs").code == 0
    assert alone("jobs", "--json").json["jobs"] == []
    sources = alone("sources", "--json").json["sources"]
    assert [source["source"] for source in sources] == ["jira", "confluence", "booking-api", "gate-app"]
    assert all(source["documents"] > 10 and source["last_success"] for source in sources)
    assert "booking-api" in alone("sources").out
    synced = alone("sync", "confluence", "--json").json["sources"]
    assert [source["source"] for source in synced] == ["confluence"]
    assert re.search(r"jira: \d+ read, ", alone("sync", "jira").out)
    assert running(made.settings.data) is None


def test_search_finds_for_the_named_audience_alone(alone):
    wide = alone("search", "Zephyrine fare plan", "--as", "org", "--json").json["evidence"]
    narrow = alone("search", "Zephyrine fare plan", "--as", "org,confluence:LED", "--json").json["evidence"]
    assert not any("Zephyrine" in found["text"] for found in wide)
    assert any("Zephyrine" in found["text"] for found in narrow)
    assert "http://" in alone("search", "failed sign-in attempts", "--limit", "3").out
    assert "Nothing found" in alone("search", "failed sign-in attempts", "--as", "confluence:NONE").out


def test_a_review_is_printed_for_the_named_audience_and_nothing_is_posted(alone, made):
    posted = [e for e in made.box.exchanges.all("jira") if e.method == "POST" and e.path.endswith("/comment")]
    text = alone("review", "BKG-142").out
    assert text.startswith("**BKG-142: ")
    value = alone("review", "BKG-142", "--as", "jira:BKG", "--json").json
    assert value["audience"] == sorted(value["audience"])
    assert "jira:BKG" in value["audience"]
    assert {"findings", "unknowns", "settled", "degraded", "made_by", "reply"} <= set(value)
    assert posted == [e for e in made.box.exchanges.all("jira") if e.method == "POST" and e.path.endswith("/comment")]
    denied = alone("review", "GATE-66", "--as", "org")
    missing = alone("review", "GATE-9999", "--as", "org")
    assert denied.code == missing.code == 1
    assert denied.sentence.replace("66", "9999") == missing.sentence


def test_every_ticket_of_some_projects_with_the_rules_table(alone):
    value = alone("review", "--all", "--project", "GATE", "--project", "DESK", "--json").json
    keys = [review["key"] for review in value["reviews"]]
    assert keys[0].startswith("GATE-")
    assert keys[-1].startswith("DESK-")
    assert [row["key"] for row in value["not_reviewed"]] == ["GATE-66"]
    assert {"rule", "caught", "missed", "false", "look_alikes"} == set(value["rules"][0])
    text = alone("review", "--all", "--project", "GATE").out
    assert "look-alikes" in text
    assert "Not reviewed: GATE-66" in text


def test_titles_cannot_steer_the_terminal(alone):
    for words in (
        ("review", "BKG-999"),
        ("search", "red alert export"),
        ("review", "--all", "--project", "BKG"),
        ("sources",),
        ("sync", "jira", "--full"),
    ):
        done = alone(*words)
        assert done.code == 0, done.err
        steering = re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", done.out + done.err)
        assert steering == [], words
    assert "Red [31malert" in alone("review", "BKG-999").out


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("jobs", "show", "77"), 1, "no job 77"),
        (("jobs", "retry", "77"), 1, "no job 77"),
        (("sync", "wiki"), 2, "There are: jira, confluence, booking-api, gate-app."),
        (("review", "BKG-9999"), 1, "There is no ticket BKG-9999"),
        (("review", "not a key"), 1, ""),
        (("review",), 2, "--all with --project"),
        (("review", "BKG-1", "--all", "--project", "BKG"), 2, "--all with --project"),
        (("review", "--all", "--project", "NOPE"), 1, "NOPE"),
        (("review", "--all", "--project", "BKG", "--truth", "nothing.toml"), 2, "no file of expectations"),
        (("search", ""), 1, ""),
        (("jobs", "--state", "lost"), 2, "'lost' is not one of"),
    ],
)
def test_a_wrong_command_gets_a_sentence(alone, words, code, says):
    done = alone(*words)
    assert done.code == code
    assert says in done.sentence


def test_a_repository_is_a_folder_beside_the_file_or_an_address(tmp_path):
    file = tmp_path / "c.toml"
    places = ["../own/backend.git", "/srv/git/a.git", "https://host.example/b.git", "git@host.example:c.git"]
    file.write_text("\n".join(f"[[git]]\nname = 'r{n}'\nlocation = '{place}'" for n, place in enumerate(places)))
    found = [git.location for git in config.load(file).git]
    assert found == [str(tmp_path / places[0]), *places[1:]]


def test_wrong_settings_and_missing_secrets(made, tmp_path, capsys, monkeypatch):
    missing = Commands(capsys, monkeypatch, tmp_path / "none.toml", {})("jobs")
    assert missing.code == 2
    assert "Run `crosscheck init`" in missing.sentence
    file = tmp_path / "wrong.toml"
    for text, says in (
        ("nonsense = [", "cannot be read"),
        ("postign = true", "postign"),
        ("[jira]\nsite = 'http://x'\nread_user='a'\npost_user='b'\nprojects=['low']", "jira.projects"),
        ("[[git]]\nname = 'jira'\nlocation = 'x'", "two sources have the name jira"),
    ):
        file.write_text(text)
        done = Commands(capsys, monkeypatch, file, {})("jobs")
        assert done.code == 2
        assert says in done.sentence
    bare = Commands(capsys, monkeypatch, made.file, {"CROSSCHECK_JIRA_READ_TOKEN": ""})
    says = r"CROSSCHECK_\w+ is not set. Set it in the environment of this process\."
    done = bare("review", "BKG-142")
    assert done.code == 2
    assert re.match(r"CROSSCHECK_\w+ is not set", done.sentence)
    done = bare("sync")  # the sources that need no secret are synced
    assert done.code == 1
    assert re.search(f"jira: FAILED: {says}", done.out)
    for words in (("jobs",), ("sources",), ("search", "seats")):
        assert bare(*words).code == 0


def test_serve_without_a_secret_or_with_a_taken_port_says_so(made, capsys, monkeypatch, tmp_path):
    bare = Commands(capsys, monkeypatch, made.file, {**made.environment, "CROSSCHECK_CONFLUENCE_TOKEN": ""})("serve")
    assert bare.code == 2
    assert "CROSSCHECK_CONFLUENCE_TOKEN is not set" in bare.sentence
    port = made.box.jira_url.rpartition(":")[2]
    file = tmp_path / "taken.toml"
    text = (
        made.file.read_text().replace("port = 0", f"port = {port}").replace('data = "data"', f'data = "{tmp_path}/d"')
    )
    file.write_text(text)
    taken = Commands(capsys, monkeypatch, file, made.environment)("serve")
    assert taken.code == 1
    assert f"Cannot listen on 127.0.0.1, port {port}" in taken.sentence


def test_a_folder_that_another_process_has(alone, made):
    with owning(made.settings.data, "sync"):
        done = alone("jobs")
    assert done.code == 3
    assert f"is in use by `crosscheck sync` (pid {os.getpid()})" in done.sentence


def test_an_index_that_another_process_has(alone, made):
    other = Program(made.settings, made.secrets)
    assert other.index.filled
    try:
        done = alone("search", "seats")
    finally:
        other.close()
    assert done.code == 1
    assert f"is in use by process {os.getpid()}; stop it first" in done.sentence


def test_jobs_are_listed_shown_and_retried(tmp_path, capsys, monkeypatch):
    with Sandbox.start(company(2)) as box:
        text = f"[jira]\nsite = '{box.jira_url}'\nread_user='r'\npost_user='p'\nprojects=['RUN']\n"
        (tmp_path / "c.toml").write_text(text)
        program = Small(box, tmp_path / ".crosscheck")
        box.faults.add("POST", r"/comment$", "status", status=400, body='{"errorMessages":["\x1b[2J no"]}')
        with at_work(box, program, index=False) as live:
            answered, refused = live.ask("RUN-1"), live.ask("RUN-2")
            states = {live.settled(one).posts[0].state for one in (answered, refused)}
            assert states == {"sent", "failed"}
            ids = {live.settled(one).posts[0].state: str(live.settled(one).job.id) for one in (answered, refused)}
        run = Commands(capsys, monkeypatch, tmp_path / "c.toml", {})
        assert run("jobs", "--json").json["counts"]["done"] == 2
        assert run("jobs", "--state", "failed", "--json").json["jobs"] == []
        listed = run("jobs", "--limit", "1").out
        assert "RUN-2" in listed
        assert "RUN-1" not in listed
        shown = run("jobs", "show", ids["sent"])
        assert "?focusedCommentId=" in shown.out
        assert "Reply:" in shown.out
        assert "\x1b" not in run("jobs", "show", ids["failed"]).out
        assert run("jobs", "show", ids["failed"], "--json").json["posts"][0]["state"] == "failed"
        not_again = run("jobs", "retry", ids["sent"])
        assert not_again.code == 1
        assert "one too many" in not_again.sentence
        assert run("jobs", "retry", ids["failed"]).out == f"Job {ids['failed']} is queued again.\n"
        events = run("jobs", "show", ids["failed"], "--json").json["events"]
        assert events[-1]["what"] == "retried"


# Beside a service


def test_beside_a_service_commands_are_its_clients_and_need_no_secret(client, live, tmp_path):
    asked = live.ask("BKG-142", role="Product owners")
    job = str(live.settled(asked).job.id)
    listed = client("jobs", "--json").json
    assert listed["counts"]["done"] >= 1
    assert not any("searches" in (one["result"] or {}) for one in listed["jobs"])
    assert "Reply:" in client("jobs", "show", job).out
    assert client("jobs", "retry", job).code == 1
    assert client("sources", "--json").json["sources"][0]["source"] == "jira"
    assert client("search", "failed sign-in attempts", "--as", "org", "--json").json["evidence"]
    assert "Route: hybrid" in client("search", "failed sign-in attempts", "--explain").out
    assert "Searched for:" in client("jobs", "show", job).out
    assert "Route: hybrid" in client("jobs", "show", job, "--explain").out
    assert client("index", "--json").json["generations"][0]["chunks"] > 100
    drawn = client("map", "failed sign-in attempts", "--out", str(tmp_path / "m"), "--json").json
    assert drawn["drawn"] > 10
    assert "failed sign-in" in Path(drawn["page"]).read_text("utf-8")
    assert client("review", "BKG-142", "--as", "org").out.startswith("**BKG-142: ")
    assert client("review", "--all", "--project", "GATE", "--project", "DESK", "--json").json["reviews"]
    assert client("sync", "gate-app").out.startswith("gate-app: ")
    assert "There is no job 9999." in client("jobs", "show", "9999").sentence
    assert "There is no source 'x'" in client("sync", "x").sentence


def test_a_second_service_is_refused_while_one_runs(client, made, capsys, monkeypatch):
    second = Commands(capsys, monkeypatch, made.file, made.environment)("serve")
    assert second.code == 3
    assert "is in use by `crosscheck serve`" in second.sentence


def test_a_command_of_another_version_or_of_a_stranger_is_refused(live):
    service = running(live.program.settings.data)
    with pytest.raises(ServiceAnswered, match="one version"):
        Remote(service).run("search", {"words": "x"}, print)
    with pytest.raises(ServiceAnswered, match="There is no operation"):
        Remote(service).run("erase", {}, print)
    with pytest.raises(ServiceAnswered, match="answered 401"):
        Remote(replace(service, token="guess")).run("jobs", {}, print)


# A service of its own


@pytest.fixture
def serving(tmp_path):
    """`crosscheck serve` as a process, over a small company."""
    with Sandbox.start(company(2)) as box:
        file = tmp_path / "crosscheck.toml"
        file.write_text(
            f"[serve]\nport = 0\n[jira]\nsite = '{box.jira_url}'\nread_user = '{box.read_user}'\n"
            f"post_user = '{box.post_user}'\nprojects = ['RUN']\npoll_seconds = 0.2\n"
        )
        secrets = secrets_of(box)
        tokens = {
            "CROSSCHECK_JIRA_READ_TOKEN": secrets.jira_read_token.get_secret_value(),
            "CROSSCHECK_JIRA_POST_TOKEN": secrets.jira_post_token.get_secret_value(),
        }
        with subprocess.Popen(
            [*SERVE, "serve"],
            cwd=tmp_path,
            env={**os.environ, **tokens},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            try:
                until(lambda: running(tmp_path / ".crosscheck") or process.poll() is not None, "the service")
                yield process, tmp_path
            finally:
                process.kill()


def test_serve_ends_cleanly_when_told_to(serving):
    process, folder = serving
    assert running(folder / ".crosscheck").pid == process.pid
    process.send_signal(signal.SIGTERM)
    said, complained = process.communicate(timeout=20)
    assert process.returncode == 0
    assert said == b""
    assert b"Traceback" not in complained
    assert b'"service stopped"' in complained
    assert not (folder / ".crosscheck" / "service.json").exists()


def test_a_service_that_is_killed_meanwhile(serving, capsys, monkeypatch):
    process, folder = serving
    service = running(folder / ".crosscheck")
    process.send_signal(signal.SIGSTOP)
    killer = threading.Timer(0.3, process.kill)
    killer.start()
    with pytest.raises(ServiceAnswered, match=rf"The service \(pid {process.pid}\) did not answer"):
        Remote(service).run("jobs", {"state": None, "limit": 1}, print)
    killer.join()
    process.wait(10)
    assert (folder / ".crosscheck" / "service.json").exists()
    done = Commands(capsys, monkeypatch, folder / "crosscheck.toml", {})("jobs")
    assert done.code == 0
    assert not (folder / ".crosscheck" / "service.json").exists()
