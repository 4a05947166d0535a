"""What breaks around the service, and what each gets: a wait, a sentence, nothing lost; and what logs may say."""

import contextlib
import io
import json
import logging
import re
import sqlite3
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cached_property

import httpx
import pytest
import structlog
from pydantic import SecretStr
from sqlalchemy import event

from core.errors import IndexLocked
from crosscheck.errors import ServiceAnswered
from crosscheck.logs import configure
from crosscheck.owner import CARD, running
from crosscheck.remote import Remote
from crosscheck.serving import service
from crosscheck.wiring import Program
from evals.playground import company as small_company
from sandbox.load import load_company
from sandbox.server import Sandbox
from state.db import open_database
from state.errors import StorageFull
from tests.crosscheck.commands import own_logging
from tests.crosscheck.live import Small, at_work, opened, quick, text_of, until
from tests.fakes import Tally


@pytest.fixture
def box():
    with Sandbox.start(small_company(3)) as started:
        yield started


class Impatient(Small):
    """Waits half a second for a locked database, not ten."""

    @cached_property
    def database(self):
        return open_database(self.settings.data / "crosscheck.sqlite", busy_timeout=timedelta(seconds=0.5))


@pytest.fixture
def live(box, tmp_path):
    with at_work(box, Impatient(box, tmp_path), index=False) as started:
        yield started


# Jira


def test_a_429_is_waited_for_as_told(live):
    sends = []
    live.box.faults.on("POST", r"/comment$", lambda _exchange: sends.append(time.monotonic()))
    live.box.faults.add("POST", r"/comment$", "status", status=429, headers={"Retry-After": "2"})
    asked = live.ask("RUN-1")
    assert live.answer("RUN-1", asked)
    assert len(sends) == 2
    assert 2 <= sends[1] - sends[0] < 6
    assert live.settled(asked).posts[0].attempts == 1, "to be told to wait is no attempt"


def test_a_429_on_reading_is_waited_for_as_told(live):
    reads = []
    live.box.faults.on("GET", r"/issue/RUN-1$", lambda _exchange: reads.append(time.monotonic()))
    live.box.faults.add("GET", r"/issue/RUN-1$", "status", status=429, headers={"Retry-After": "1"})
    assert live.answer("RUN-1", live.ask("RUN-1"))
    assert reads[1] - reads[0] >= 1


@pytest.mark.parametrize(
    ("status", "says"), [(401, "CROSSCHECK_JIRA_READ_TOKEN"), (403, "the permission Browse Projects")]
)
def test_a_refused_read_is_not_repeated_within_minutes_and_the_job_says_which_permission(live, status, says):
    reads = []
    live.box.faults.on("GET", r"/issue/RUN-2$", reads.append)
    live.box.faults.add("GET", r"/issue/RUN-2$", "status", 100, status=status)
    asked = live.ask("RUN-2")
    view = until(lambda: (job := live.job(asked)) and job.job.error and job, "an attempt's end")
    live.quiet_polls()
    view = live.job(asked)
    assert says in view.job.error
    assert (view.job.state, view.job.attempts) == ("queued", 1)
    assert view.job.due - view.events[-1].at >= timedelta(minutes=9)
    assert len(reads) == 1
    assert live.replies("RUN-2", asked) == []


def test_a_ticket_that_is_gone_ends_the_job(live):
    with live.box.jira.lock:
        asked = live.ask("RUN-1")
        live.box.jira.delete_issue("RUN-1")
    view = live.settled(asked)
    assert (view.job.state, view.job.attempts) == ("gone", 1)
    assert "not there" in view.result["gone"]


def test_a_jira_that_is_down_for_a_while_loses_no_question(live):
    live.quiet()  # a project is watched from the first poll on
    live.box.faults.add("*", "/rest/api/3/search", "status", 3, status=503)
    live.box.jira.fire = lambda *_: None
    asked = live.ask("RUN-3")
    until(lambda: live.job(asked), "a poll that works")
    assert live.answer("RUN-3", asked)
    assert live.metrics.total("crosscheck_polls_total", outcome="failed") >= 3


# The database


@contextlib.contextmanager
def locked(program):
    """Another program that writes, and does not end."""
    other = sqlite3.connect(program.settings.data / "crosscheck.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


def test_a_locked_database_is_said_and_loses_nothing(live):
    first = live.ask("RUN-1")
    live.settled(first)
    service_card = running(live.program.settings.data)
    with locked(live.program):
        asked = live.ask("RUN-2")
        with pytest.raises(
            ServiceAnswered, match=r"Another program is writing to .* look for a backup|did not finish writing"
        ):
            Remote(service_card).run("retry", {"id": 1, "by": "admin"}, print)
        refused = deliver(live, "RUN-2", asked)
        assert refused.status_code == 503
        assert live.job(asked) is None
        assert Remote(service_card).run("jobs", {"state": None, "limit": 5}, print)["counts"]["done"] == 1
    until(lambda: live.job(asked), "the question after all")
    assert live.answer("RUN-2", asked)
    assert len(live.replies("RUN-1", first)) == 1


def deliver(live, key, comment):
    issue = {"id": live.box.jira.issue(key).id, "key": key}
    said = {"id": comment, "body": "#qa-check"}
    now = round(live.program.clock().timestamp() * 1000)
    body = {"timestamp": now, "webhookEvent": "comment_created", "issue": issue, "comment": said}
    request = httpx.Request("POST", f"{live.url}/webhooks/jira", json=body)
    request.headers["X-Hub-Signature"] = live.box.webhooks.signature(request.content)
    with httpx.Client(trust_env=False, timeout=20) as client:
        return client.send(request)


class Filled(Impatient):
    """Its database may not grow while `full` is set; its clock can be put forward."""

    full = False
    ahead = timedelta(0)

    def __init__(self, box, data):
        super().__init__(box, data, clock=lambda: datetime.now(UTC) + self.ahead)

    @cached_property
    def database(self):
        database = super().database

        def limit(connection, _record, _proxy):
            pages = connection.execute("PRAGMA page_count").fetchone()[0] if self.full else 2**30
            connection.execute(f"PRAGMA max_page_count = {pages}")

        event.listen(database._engine, "checkout", limit)
        return database


def fill(program):
    for number in range(1000):
        program.cursors.set(f"filler {number}", "x" * 500)


def test_a_full_disk_is_said_and_leaves_the_jobs_as_they_are(box, tmp_path):
    program = Filled(box, tmp_path)
    with at_work(box, program, index=False) as live:
        first = live.ask("RUN-1")
        live.answer("RUN-1", first)
        program.full = True
        with pytest.raises(StorageFull):
            fill(program)
        asked = live.ask("RUN-2")
        until(lambda: live.metrics.total("crosscheck_errors_total", kind="StorageFull"), "an attempt's end")
        view = live.job(asked)
        assert (view.job.state in {"queued", "running"}, view.posts) == (True, ())
        assert "disk space" in (view.job.error or "disk space")  # there may be no room to write even that
        assert live.settled(first).posts[0].state == "sent"
        assert live.replies("RUN-2", asked) == []
        program.full = False
        program.ahead = timedelta(minutes=11)  # when what an administrator must mend is tried again
        assert live.answer("RUN-2", asked)


# The index


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    company = load_company()
    few = replace(company, tickets=company.tickets[:12], repos=(), demo=None)
    with opened(few, tmp_path_factory.mktemp("faults")) as done:
        yield done


def synced(made, **more):
    program = Program(quick(made.settings), made.secrets, metrics=Tally(), **more)
    for name in program.sources.names([]):
        program.sources.sync(name, False, lambda _message: None)
    return program


def test_a_service_does_not_start_on_an_index_that_another_has(made):
    other = synced(made)
    second = Program(quick(made.settings), made.secrets)
    try:
        with pytest.raises(IndexLocked, match=r"is in use by process \d+; stop it first"), service(second):
            pass
    finally:
        second.close()
        other.close()
    assert not (made.settings.data / CARD).exists()


def test_a_short_index_is_noticed_at_the_start_and_mended_by_the_full_sync(made):
    damaged = synced(made)
    lost = sorted(damaged.index.registry.versions("confluence"))[:3]
    damaged.index.filled.store.delete(lost)
    assert "Run `crosscheck sync --full`" in damaged.index.filled.ingest.check()
    damaged.close()
    with structlog.testing.capture_logs() as logs:
        program = Program(quick(made.settings), made.secrets, metrics=Tally())
        with at_work(made.box, program, index=False, syncs=True):
            until(lambda: program.index.filled.ingest.check() is None, "the index mended")
    assert [line["alarm"] for line in logs if line["event"] == "index differs"] == ["index"]


# Logs


@pytest.fixture
def logged():
    """Everything that is logged at info level."""
    written = io.StringIO()
    with own_logging(), contextlib.redirect_stderr(written):
        configure("info")
        yield written


def test_logs_are_json_lines_with_ids_and_hold_no_token_and_no_text(made, logged):
    model = SecretStr("model-key-never-to-be-seen")
    program = synced(replace(made, secrets=made.secrets.model_copy(update={"model_api_key": model})))
    key, asking = made.box.company.tickets[0].key, "the heron has landed on the roof"
    people = sentences(made.box) | {asking}  # what the bot answers is no secret of theirs
    with at_work(made.box, program, index=False, syncs=True) as live:
        asked = live.ask(key, f"#qa-check {asking}")
        live.answer(key, asked)
        made.box.faults.add("POST", r"/comment$", "status", status=400, body='{"errorMessages":["no"]}')
        live.settled(live.ask(key, "#qa-check once more"))
        with httpx.Client(trust_env=False) as stranger:
            assert stranger.post(f"{live.url}/webhooks/jira", content=b"{}").status_code == 401
            assert stranger.post(f"{live.url}/cli/jobs", content=b"{}").status_code == 401
        for name in ("jira", "confluence"):
            program.sources.sweep_labels(name)
    lines = [json.loads(line) for line in logged.getvalue().splitlines()]
    posted = next(line for line in lines if line["event"] == "reply posted")
    assert {"event", "level", "timestamp", "job", "trigger", "remote"} <= set(posted)
    assert f"|{asked}|" in posted["trigger"]
    assert {"service started", "trigger noticed", "reply stored", "reply not posted", "webhook refused"} <= {
        line["event"] for line in lines
    }
    for secret in (*secrets_of(made), model.get_secret_value()):
        assert secret not in logged.getvalue()
    said = {sentence for sentence in people if sentence in logged.getvalue()}
    assert said == set()


def secrets_of(made):
    return set(made.environment.values())


def sentences(box):
    """Whatever people wrote in the company, in pieces of some length."""
    texts = [text_of(note.body) for issue in box.jira.issues.values() for note in issue.notes.values()]
    texts += [text for t in box.company.tickets for text in (t.summary, t.description, *t.fields.values())]
    texts += [page.versions[-1].text for page in box.company.pages]
    return {part.strip() for text in texts for part in re.split(r"[.\n|?!]", text) if len(part.strip()) > 15}


def test_a_foreign_errors_words_are_not_logged_but_where_it_happened_is(logged):
    secret = "token=" + "abc"  # put together, since a trace shows the lines of code

    def work():
        try:
            {}[secret]
        except KeyError as error:
            raise ZeroDivisionError(secret) from error

    try:
        work()
    except ZeroDivisionError:
        structlog.get_logger().exception("worker error", job=7)
        logging.getLogger("urllib3.pool").warning("pool of %s is full", "host", exc_info=True)
        logging.getLogger("urllib3.pool").info("not wanted")
    own, foreign = (json.loads(line) for line in logged.getvalue().splitlines())
    assert own["job"] == 7
    assert "ZeroDivisionError" in own["exception"]
    assert "KeyError" in own["exception"]
    assert "in work" in own["exception"]
    assert foreign["event"] == "pool of host is full"
    assert foreign["level"] == "warning"
    assert "token=abc" not in logged.getvalue()
