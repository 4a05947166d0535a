"""Deliveries: signed or with the secret, of comments, and of nothing else."""

import hashlib
import hmac
import json
import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.confluence.events import parse_webhook
from bots.errors import BadEvent, BadSignature, TooOld
from bots.events import AHEAD, LARGEST_BODY, OLDEST, Ignored, Noticed

SECRET = "s3cret"
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
STAMP = round(NOW.timestamp() * 1000)
DATA_CENTER = {
    "timestamp": STAMP,
    "event": "comment_created",
    "userKey": "ff8080",
    "comment": {"id": 80001, "parent": {"id": 501, "title": "Login rules", "spaceKey": "SPEC"}},
}
RULE = {"event": "comment_created", "comment": {"id": "80001"}, "page": {"id": "501"}}


def _stamped(payload):
    return json.dumps({"timestamp": STAMP, **payload} if isinstance(payload, dict) else payload).encode()


def signed(payload, secret=SECRET, **more):
    body = payload if isinstance(payload, bytes) else _stamped(payload)
    signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return {"X-Hub-Signature": f"sha256={signature}", **more}, body


def test_data_center_signs_what_it_tells():
    headers, body = signed(DATA_CENTER, **{"X-Request-Id": "r-1"})
    noticed = Noticed("confluence", "501", "Login rules", "80001", "r-1", "comment_created")
    assert parse_webhook(headers, body, SECRET, NOW) == noticed


def test_a_rule_of_automation_gives_the_secret():
    body = json.dumps(RULE).encode()
    noticed = parse_webhook({"X-Automation-Webhook-Token": SECRET}, body, SECRET, NOW)
    assert noticed == Noticed("confluence", "501", "", "80001", None, "comment_created")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-Hub-Signature": ""},
        {"X-Hub-Signature": SECRET},
        {"X-Hub-Signature": "sha256=" + "0" * 64},
        {"X-Automation-Webhook-Token": ""},
        {"X-Automation-Webhook-Token": "wrong"},
        {"X-Automation-Webhook-Token": "\udcff"},
        signed(RULE, "other")[0],
    ],
)
def test_whoever_does_not_know_the_secret_is_refused(headers):
    with pytest.raises(BadSignature):
        parse_webhook(headers, json.dumps(RULE).encode(), SECRET, NOW)


@pytest.mark.parametrize("headers", [{}, {"X-Automation-Webhook-Token": ""}, signed(RULE, "")[0]])
def test_without_a_secret_nobody_is_let_in(headers):
    with pytest.raises(BadSignature):
        parse_webhook(headers, json.dumps(RULE).encode(), "", NOW)


def test_an_update_may_have_added_the_command():
    assert isinstance(parse_webhook(*signed(DATA_CENTER | {"event": "comment_updated"}), SECRET, NOW), Noticed)


@pytest.mark.parametrize("event", ["comment_removed", "page_created", "x" * 1000, "\x1b[31m"])
def test_what_tells_of_no_comment_is_ignored(event):
    found = parse_webhook(*signed({"event": event}), SECRET, NOW)
    assert isinstance(found, Ignored)
    assert len(found.event) <= 100
    assert "\x1b" not in found.event


@pytest.mark.parametrize(
    ("text", "kind"),
    [("<p>#ask <b>why</b></p>", Noticed), ("#qa-check", Noticed), ("<p>thanks</p>", Ignored), ("", Ignored),
     ("<p>#<b>qa</b>-check</p>", Noticed), (None, Noticed), (5, Noticed)],
)  # fmt: skip
def test_a_text_that_comes_along_is_looked_at(text, kind):
    event = RULE | {"comment": {"id": 1, "body": text}}
    assert isinstance(parse_webhook(*signed(event), SECRET, NOW), kind)


def test_other_words():
    event = RULE | {"comment": {"id": 1, "body": "#review"}}
    assert isinstance(parse_webhook(*signed(event), SECRET, NOW, ["review"]), Noticed)
    assert isinstance(parse_webhook(*signed(event), SECRET, NOW), Ignored)


@pytest.mark.parametrize("page", [None, {}, {"id": ""}, {"id": "x"}, 5, {"id": "{{page.id}}"}])
def test_a_page_that_is_not_told_is_the_comments_own(page):
    found = parse_webhook(*signed(RULE | {"page": page}), SECRET, NOW)
    assert isinstance(found, Noticed)
    assert (found.place_id, found.place_key) == ("", "")


@pytest.mark.parametrize(
    "payload",
    [
        b"", b"{", b"[]", b"5", b"\xff", b"[" * 100_000, {}, {"event": 5}, {"event": ""}, {"event": "comment_created"},
        RULE | {"comment": None}, RULE | {"comment": {}}, RULE | {"comment": {"id": "../1"}},
        RULE | {"comment": {"id": "1" * 30}}, RULE | {"comment": [1]}, RULE | {"comment": {"id": "{{comment.id}}"}},
    ],
)  # fmt: skip
def test_what_is_malformed_is_told(payload):
    with pytest.raises(BadEvent) as raised:
        parse_webhook(*signed(payload), SECRET, NOW)
    assert SECRET not in str(raised.value)


def test_a_body_that_is_too_large_is_not_looked_at():
    with pytest.raises(BadEvent):
        parse_webhook({}, b" " * (LARGEST_BODY + 1), SECRET, NOW)


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=5),
        lambda some: (
            st.lists(some, max_size=3)
            | st.dictionaries(st.sampled_from(["event", "comment", "page", "id", "parent", "body"]), some)
        ),
    )
)
def test_any_json_is_noticed_ignored_or_told(payload):  # fmt: skip
    with suppress(BadEvent):
        assert isinstance(parse_webhook(*signed(payload), SECRET, NOW), Noticed | Ignored)


@pytest.mark.parametrize("late", [-AHEAD, OLDEST])
def test_a_delivery_that_is_late_is_taken(late):
    headers, body = signed(DATA_CENTER)
    assert isinstance(parse_webhook(headers, body, SECRET, NOW + late), Noticed)


@pytest.mark.parametrize("late", [-AHEAD - timedelta(seconds=1), OLDEST + timedelta(seconds=1)])
@pytest.mark.parametrize("more", [{}, {"X-Automation-Webhook-Token": "not the secret"}])
def test_a_signed_delivery_that_somebody_kept_is_refused(late, more):
    """A header that is not signed does not make it one of a sender that cannot sign."""
    headers, body = signed(DATA_CENTER, **more)
    with pytest.raises(TooOld):
        parse_webhook(headers, body, SECRET, NOW + late)


def test_who_gives_the_secret_needs_no_time():
    body = json.dumps(RULE).encode()
    assert isinstance(parse_webhook({"X-Automation-Webhook-Token": SECRET}, body, SECRET, NOW), Noticed)


@pytest.mark.parametrize("shape", ["data-center", "automation"])
def test_what_the_platform_sends_is_understood(box, shape):
    came = []

    class Door(BaseHTTPRequestHandler):
        def do_POST(self):
            came.append((dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Door) as server:
        served = threading.Thread(target=server.handle_request)
        served.start()
        box.confluence_webhooks.shape = shape
        box.confluence_webhooks.deliver_to(f"http://127.0.0.1:{server.server_port}/")
        number = box.confluence.notes.add("501", "#qa-check", "ana")
        served.join(10)
    headers, body = came[0]
    found = parse_webhook(headers, body, box.webhook_secret, NOW)
    assert isinstance(found, Noticed)
    assert (found.place_id, found.place_key, found.comment_id) == ("501", "Login rules", number)
