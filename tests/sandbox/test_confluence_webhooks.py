"""Confluence's comment webhooks: in Data Center's shape, signed and tried again, and as Automation sends them."""

import hashlib
import hmac
import json

import pytest

from sandbox.confluence_webhooks import CARRIER
from tests.sandbox.test_webhooks import Receiver, receiver
from tests.sandbox_fixtures import DEVELOPER, OWNER

__all__ = ["Receiver", "receiver"]


@pytest.fixture
def hooks(sandbox, receiver):
    sandbox.confluence_webhooks.deliver_to(receiver.url)
    return sandbox.confluence_webhooks


def told(receiver):
    return [(json.loads(body)["event"], json.loads(body)["comment"]["id"]) for _, _, body in receiver.got]


def test_a_comment_that_is_written_changed_and_removed(sandbox, hooks, receiver):
    notes = sandbox.confluence.notes
    about = notes.add("501", "#qa-check", OWNER.id, marked="locked")
    reply = notes.add("501", "Yes.", DEVELOPER.id, reply_to=about)
    notes.edit(about, "#qa-check again")
    notes.resolve(about)
    notes.remove(reply)
    assert hooks.wait()
    assert told(receiver) == [
        ("comment_created", int(about)),
        ("comment_created", int(reply)),
        ("comment_updated", int(about)),
        ("comment_removed", int(reply)),
    ]
    event = json.loads(receiver.got[1][2])
    assert (event["userKey"], event["comment"]["creatorKey"]) == ("key-u-dev", "key-u-dev")
    assert (event["comment"]["parent"]["id"], event["comment"]["parent"]["spaceKey"]) == (501, "POL")
    assert event["comment"]["inReplyTo"] == {"id": int(about)}
    assert "qa-check" not in receiver.got[0][2].decode()  # a webhook only names a comment


def test_the_raw_body_is_signed(sandbox, hooks, receiver):
    sandbox.confluence.notes.add("501", "a", OWNER.id)
    assert hooks.wait()
    _, headers, body = receiver.got[0]
    signature = hmac.new(sandbox.webhook_secret.encode(), body, hashlib.sha256).hexdigest()
    assert headers["X-Hub-Signature"] == f"sha256={signature}"
    assert headers["X-Event-Key"] == "comment_created"
    assert hooks.signature(body) == headers["X-Hub-Signature"]


def test_what_is_not_taken_is_sent_again(sandbox, hooks, receiver):
    receiver.answers = [503, 500]
    sandbox.confluence.notes.add("501", "a", OWNER.id)
    assert hooks.wait()
    assert len(receiver.got) == 3
    assert len({headers["X-Request-Id"] for _, headers, _ in receiver.got}) == 1
    receiver.answers = [500] * 5
    sandbox.confluence.notes.add("501", "b", OWNER.id)
    assert hooks.wait()
    assert len(hooks.failed) == 1


def test_twice_and_newest_first(sandbox, hooks, receiver):
    hooks.copies, hooks.reorder = 2, 2
    first = sandbox.confluence.notes.add("501", "a", OWNER.id)
    assert hooks.wait()
    assert told(receiver) == [("comment_created", int(first))] * 2
    hooks.copies = 1
    second = sandbox.confluence.notes.add("501", "b", OWNER.id)
    third = sandbox.confluence.notes.add("501", "c", OWNER.id)
    assert hooks.wait()
    assert told(receiver)[2:] == [("comment_created", int(third)), ("comment_created", int(second))]


def test_a_rule_of_automation_names_comment_and_page(sandbox, hooks, receiver):
    hooks.shape = "automation"
    number = sandbox.confluence.notes.add("501", "#qa-check", OWNER.id)
    assert hooks.wait()
    _, headers, body = receiver.got[0]
    event = json.loads(body)
    assert (event["comment"]["id"], event["page"]["id"]) == (number, "501")
    assert headers[CARRIER] == sandbox.webhook_secret
    assert "X-Hub-Signature" not in headers
    assert sandbox.webhook_secret.encode() not in body


def test_what_is_posted_by_rest_is_told_too(sandbox, hooks, receiver, bot):
    body = {"representation": "storage", "value": "<p>a</p>"}
    url = sandbox.confluence_url + "/wiki/api/v2/footer-comments"
    number = bot.session.post(url, json={"pageId": "501", "body": body}, timeout=5).json()["id"]
    bot.session.delete(f"{url}/{number}", timeout=5)
    assert hooks.wait()
    assert told(receiver) == [("comment_created", int(number)), ("comment_removed", int(number))]
