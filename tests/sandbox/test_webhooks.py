"""Webhooks: signed, shaped like captured ones, retried, duplicated and reordered when told to be."""

import hashlib
import hmac
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from tests.sandbox_fixtures import OWNER


class Receiver(HTTPServer):
    """Keeps deliveries; answers with the statuses in `answers`, then 200."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.got = []
        self.answers = []
        self.url = f"http://127.0.0.1:{self.server_port}/webhooks/jira?x=1"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.got.append((self.path, dict(self.headers), body))
        self.send_response(self.server.answers.pop(0) if self.server.answers else 200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def receiver():
    with Receiver() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def events(receiver):
    return [(json.loads(body)["webhookEvent"], json.loads(body)["comment"]["id"]) for _, _, body in receiver.got]


def test_deliveries_are_signed_and_say_nothing_of_visibility(sandbox, receiver):
    sandbox.deliver_to(receiver.url)
    comment = sandbox.jira.add_comment("SHOP-1", OWNER.id, "#qa-check for @[u-dev]", role="Owners")
    assert sandbox.webhooks.wait()
    path, headers, body = receiver.got[0]
    signature = hmac.new(sandbox.webhook_secret.encode(), body, hashlib.sha256).hexdigest()
    assert path == "/webhooks/jira?x=1"
    assert headers["X-Hub-Signature"] == f"sha256={signature}"
    assert headers["X-Atlassian-Webhook-Identifier"]
    event = json.loads(body)
    assert (event["webhookEvent"], event["comment"]["id"]) == ("comment_created", comment)
    assert event["comment"]["body"] == "#qa-check for [~accountid:u-dev]"
    assert "visibility" not in json.dumps(event)
    assert event["issue"]["key"] == "SHOP-1"


def test_the_shape_is_that_of_a_captured_one(sandbox, receiver, shared):
    captured = json.loads((shared / "real/jira/mattermost/webhook-cloud-comment-deleted.json").read_text())
    sandbox.deliver_to(receiver.url)
    sandbox.jira.delete_comment("SHOP-1", sandbox.jira.add_comment("SHOP-1", OWNER.id, "x"))
    assert sandbox.webhooks.wait()
    ours = json.loads(receiver.got[1][2])

    def gaps(theirs, mine, path=""):
        if isinstance(theirs, dict) and isinstance(mine, dict):
            missing = [f"{path}/{key}" for key in theirs if key not in mine]
            return missing + [
                gap for key in theirs if key in mine for gap in gaps(theirs[key], mine[key], f"{path}/{key}")
            ]
        return [] if isinstance(mine, type(theirs)) else [path]

    rest = {"/issue/fields/issuetype/avatarId", "/issue/fields/assignee/name", "/issue/fields/assignee/key"}
    assert set(gaps(captured, ours)) <= rest


def test_every_kind_of_event_in_order(sandbox, receiver):
    sandbox.deliver_to(receiver.url)
    comment = sandbox.jira.add_comment("SHOP-1", OWNER.id, "one")
    sandbox.jira.edit_comment("SHOP-1", comment, "two")
    sandbox.jira.set_visibility("SHOP-1", comment, group="leads")
    sandbox.jira.delete_comment("SHOP-1", comment)
    assert sandbox.webhooks.wait()
    kinds = ["comment_created", "comment_updated", "comment_updated", "comment_deleted"]
    assert events(receiver) == [(kind, comment) for kind in kinds]


def test_a_refused_delivery_is_tried_again_with_the_same_id(sandbox, receiver):
    receiver.answers = [503, 429]
    sandbox.deliver_to(receiver.url)
    sandbox.jira.add_comment("SHOP-1", OWNER.id, "one")
    assert sandbox.webhooks.wait()
    assert len({headers["X-Atlassian-Webhook-Identifier"] for _, headers, _ in receiver.got}) == 1
    assert [headers.get("X-Atlassian-Webhook-Retry") for _, headers, _ in receiver.got] == [None, "1", "2"]


def test_given_up_after_five_attempts_and_not_tried_again_after_a_4xx(sandbox, receiver):
    sandbox.deliver_to(receiver.url)
    receiver.answers = [500] * 5 + [401]
    sandbox.jira.add_comment("SHOP-1", OWNER.id, "one")
    sandbox.jira.add_comment("SHOP-1", OWNER.id, "two")
    assert sandbox.webhooks.wait()
    assert len(receiver.got) == 6
    assert len(sandbox.webhooks.failed) == 1


def test_duplicates_and_disorder_to_order(sandbox, receiver):
    sandbox.deliver_to(receiver.url)
    sandbox.webhooks.copies = 3
    comment = sandbox.jira.add_comment("SHOP-1", OWNER.id, "one")
    assert sandbox.webhooks.wait()
    assert events(receiver) == [("comment_created", comment)] * 3
    receiver.got.clear()
    sandbox.webhooks.copies, sandbox.webhooks.reorder = 1, 2
    other = sandbox.jira.add_comment("SHOP-1", OWNER.id, "two")
    sandbox.jira.delete_comment("SHOP-1", other)
    assert sandbox.webhooks.wait()
    assert events(receiver) == [("comment_deleted", other), ("comment_created", other)]


def test_data_center_names_the_ticket_in_the_comments_address_only(sandbox, receiver, shared):
    sandbox.deliver_to(receiver.url, data_center=True)
    comment = sandbox.jira.add_comment("SHOP-1", OWNER.id, "#qa-check **now** for @[u-dev]", role="Owners")
    sandbox.jira.edit_comment("SHOP-1", comment, "#qa-check later")
    sandbox.jira.delete_comment("SHOP-1", comment)
    assert sandbox.webhooks.wait()
    found = [json.loads(body) for _, _, body in receiver.got]
    assert [event["webhookEvent"] for event in found] == ["comment_created", "comment_updated", "comment_deleted"]
    address = f"{sandbox.jira_data_center_url}/rest/api/2/issue/20001/comment/{comment}"
    assert {event["comment"]["self"] for event in found} == {address}
    assert found[0]["comment"]["body"] == "#qa-check *now* for [~u-dev]"
    _, headers, body = receiver.got[0]
    signature = hmac.new(sandbox.webhook_secret.encode(), body, hashlib.sha256).hexdigest()
    assert headers["X-Hub-Signature"] == f"sha256={signature}"
    assert "X-Atlassian-Webhook-Identifier" not in headers
    for event, kind in zip(found, ("created", "updated"), strict=False):
        captured = json.loads((shared / f"real/jira/mattermost/webhook-server-comment-{kind}.json").read_text())
        assert set(event) == set(captured)
        assert set(event["comment"]) == set(captured["comment"])
        assert set(event["comment"]["author"]) == set(captured["comment"]["author"])
    sandbox.deliver_to(receiver.url)
    sandbox.jira.add_comment("SHOP-1", OWNER.id, "x")
    assert sandbox.webhooks.wait()
    assert json.loads(receiver.got[-1][2])["issue"]["key"] == "SHOP-1"


def test_each_answered_attempt_is_kept_with_its_status_and_time(sandbox, receiver):
    receiver.answers = [503]
    sandbox.deliver_to(receiver.url)
    sandbox.jira.add_comment("SHOP-1", OWNER.id, "#qa-check")
    assert sandbox.webhooks.wait()
    assert [status for status, _ in sandbox.webhooks.answers] == [503, 200]
    assert all(0 < seconds < 10 for _, seconds in sandbox.webhooks.answers)
