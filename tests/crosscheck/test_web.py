"""Webhooks: nothing is stored that was not signed, nothing is acknowledged that was not stored."""

import hashlib
import hmac
import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.testclient import TestClient

from bots.jira.events import parse_webhook
from core.types import NullMetrics
from crosscheck.comments.intake import Intake
from crosscheck.web import Hook, create_app
from state.db import open_database
from state.errors import DatabaseLocked, NotFound
from state.jobs import Jobs
from tests import fakes

SECRET = "It's a Secret to Everybody"
TOKEN = "t0ken"


class Operations:
    """What a command may run into."""

    def run(self, name, arguments, report):
        if name == "missing":
            raise NotFound("There is no job 9.")
        if name == "broken":
            raise ZeroDivisionError("secret detail")
        report({"step": name, "done": 1, "total": 2})
        return {"echo": arguments}


@pytest.fixture
def jobs(tmp_path):
    engine = open_database(tmp_path / "test.sqlite")
    yield Jobs(engine)
    engine.dispose()


def hook(jobs, secret=SECRET):
    client = fakes.FakePlatform(None)
    intake = Intake(jobs, client, queue=0, posting=True, metrics=NullMetrics(), wake=lambda: None)
    return Hook(intake, parse_webhook, secret)


def client(jobs, secret=SECRET):
    app = create_app(
        hooks={"jira": hook(jobs, secret)} if secret else {},
        operations=Operations(),
        token=TOKEN,
        health=lambda: {"ok": True},
        metrics=NullMetrics(),
    )
    return TestClient(app)


def stored(jobs):
    return sum(jobs.counts().values())


def delivery(event="comment_created", text="#qa-check", comment="900", late=0):
    body = {
        "timestamp": round(time.time() * 1000) - late,
        "webhookEvent": event,
        "comment": {"id": comment, "body": text, "self": "http://jira/rest/api/2/issue/10001/comment/900"},
        "issue": {"id": "10001", "key": "PAY-1"},
    }
    return json.dumps(body).encode()


def post(app, body, *, signed=True, secret=SECRET):
    signature = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    headers = {"X-Hub-Signature": signature, "X-Atlassian-Webhook-Identifier": "d-1"} if signed else {}
    return app.post("/webhooks/jira", content=body, headers=headers)


def test_a_signed_delivery_becomes_one_job_however_often_it_comes(jobs):
    app = client(jobs)
    answers = [post(app, delivery()).json() for _ in range(3)]
    assert [answer["seen_before"] for answer in answers] == [False, True, True]
    assert stored(jobs) == 1


def test_a_delivery_repeated_after_a_restart_is_the_same_job(tmp_path):
    """Field report D1: the key is the comment itself, whatever the retry's number, and it outlives the process."""
    for seen_before in (False, True, True):
        engine = open_database(tmp_path / "restarted.sqlite")
        assert post(client(Jobs(engine)), delivery()).json()["seen_before"] is seen_before
        engine.dispose()


def test_two_events_of_one_comment_in_the_same_second_are_one_job(jobs):
    """Field report D2."""
    app = client(jobs)
    events = ["comment_created", "jira:issue_updated"] * 8
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda event: post(app, delivery(event)), events))
    assert stored(jobs) == 1


@pytest.mark.parametrize("signed", [True, False])
def test_a_wrong_or_missing_signature_is_refused_and_nothing_stored(jobs, signed):
    answer = post(client(jobs), delivery(), signed=signed, secret="another")
    assert answer.status_code == 401
    assert stored(jobs) == 0


@pytest.mark.parametrize("body", [b"{", b"[]", b"null", b'{"webhookEvent": []}', b"\xff\xfe"])
def test_what_is_no_delivery_is_4xx(jobs, body):
    assert post(client(jobs), body).status_code == 400
    assert stored(jobs) == 0


@pytest.mark.parametrize("event", ["comment_deleted", "jira:worklog_updated", "made_up"])
def test_other_events_are_ignored_by_name(jobs, event):
    answer = post(client(jobs), delivery(event))
    assert answer.status_code == 200
    assert answer.json()["ignored"]
    assert stored(jobs) == 0


def test_a_delivery_that_is_sent_a_hundred_times_is_one_job_and_one_that_was_kept_is_none(jobs):
    """Within the time that a platform tries again, the key of the comment makes a second one harmless."""
    app, caught = client(jobs), delivery()
    assert [post(app, caught).json()["seen_before"] for _ in range(100)] == [False] + [True] * 99
    assert stored(jobs) == 1
    answer = post(app, delivery(comment="901", late=3 * 60 * 60 * 1000))
    assert (answer.status_code, answer.text) == (400, "Made too long ago.")
    assert stored(jobs) == 1


def test_a_huge_delivery_is_refused_before_it_is_read_whole(jobs):
    assert post(client(jobs), b"x" * (11 * 2**20)).status_code == 413


def test_without_a_secret_there_is_no_webhook(jobs):
    assert post(client(jobs, secret=None), delivery()).status_code == 404


def test_what_could_not_be_stored_is_not_acknowledged(jobs):
    class Locked:
        def accept(self, *_args, **_more):
            raise DatabaseLocked("The database is locked.")

    app = create_app(
        hooks={"jira": hook(Locked())},
        operations=Operations(),
        token=TOKEN,
        health=lambda: {"ok": True},
        metrics=NullMetrics(),
    )
    assert post(TestClient(app), delivery()).status_code == 503


def lines(app, name, token=TOKEN):
    answer = app.post(f"/cli/{name}", json={"a": 1}, headers={"Authorization": f"Bearer {token}"})
    return answer.status_code, [json.loads(line) for line in answer.text.splitlines()] if answer.is_success else []


def test_commands_need_the_token(jobs):
    app = client(jobs)
    assert lines(app, "sync", "wrong")[0] == 401
    assert app.post("/cli/sync", json={}).status_code == 401


def test_a_command_reports_progress_and_ends_in_a_result(jobs):
    status, said = lines(client(jobs), "sync")
    assert status == 200
    assert said == [{"step": "sync", "done": 1, "total": 2}, {"result": {"echo": {"a": 1}}}]


def test_a_commands_failure_is_a_sentence_and_an_unexpected_one_shows_no_detail(jobs):
    app = client(jobs)
    assert lines(app, "missing")[1] == [{"error": "There is no job 9."}]
    (message,) = lines(app, "broken")[1]
    assert "secret detail" not in message["error"]
