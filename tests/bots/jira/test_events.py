"""Webhook deliveries: what they name, what is ignored, and what is refused."""

import hashlib
import hmac
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.errors import BadEvent, BadSignature, TooOld
from bots.events import AHEAD, LARGEST_BODY, OLDEST, Ignored, Noticed
from bots.jira.events import parse_webhook

SECRET = "s3cret-of-the-test"
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
ISSUE = {"id": "10040", "key": "PAY-41"}


def comment(text="#qa-check", **more):
    return {"id": "10019", "body": text, **more}


def stamp(at):
    return round(at.timestamp() * 1000)


def deliver(payload, secret=SECRET, now=NOW, **headers):
    body = payload if isinstance(payload, bytes) else json.dumps({"timestamp": stamp(NOW), **payload}).encode()
    signature = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return parse_webhook({"X-Hub-Signature": signature, **headers}, body, SECRET, now)


@pytest.mark.parametrize("event", ["comment_created", "comment_updated"])
def test_a_comment_with_the_trigger_word_is_noticed(event):
    found = deliver(
        {"webhookEvent": event, "issue": ISSUE, "comment": comment()}, **{"x-atlassian-webhook-identifier": "d-1"}
    )
    assert found == Noticed("jira", "10040", "PAY-41", "10019", "d-1", event)


def test_both_deliveries_of_a_transition_with_a_comment_name_the_same_comment():
    """Field report D2: the comment's own event, and the ticket's change that carries it."""
    first = deliver({"webhookEvent": "comment_created", "issue": ISSUE, "comment": comment()})
    second = deliver(
        {
            "webhookEvent": "jira:issue_updated",
            "issue_event_type_name": "issue_closed",
            "issue": ISSUE,
            "comment": comment(),
            "changelog": {"id": "1", "items": []},
        }
    )
    assert (first.place_id, first.comment_id) == (second.place_id, second.comment_id)


def test_deliveries_in_any_order_and_number_name_the_same_comment():
    created = {"webhookEvent": "comment_created", "issue": ISSUE, "comment": comment()}
    updated = {"webhookEvent": "comment_updated", "issue": ISSUE, "comment": comment("#qa-check, please")}
    named = [deliver(payload) for payload in (updated, created, created, updated)]
    assert {(found.place_id, found.comment_id) for found in named} == {("10040", "10019")}


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        ({"webhookEvent": "comment_deleted", "issue": ISSUE, "comment": comment()}, "not about a comment"),
        ({"webhookEvent": "jira:issue_created", "issue": ISSUE}, "not about a comment"),
        ({"webhookEvent": "sprint_started"}, "unknown event"),
        ({"webhookEvent": "jira:issue_updated", "issue": ISSUE}, "no comment"),
        ({"webhookEvent": "jira:issue_updated", "issue": ISSUE, "comment": None}, "no comment"),
        (
            {
                "webhookEvent": "jira:issue_updated",
                "issue_event_type_name": "issue_comment_deleted",
                "issue": ISSUE,
                "comment": comment(),
            },
            "comment deleted",
        ),
        ({"webhookEvent": "comment_created", "issue": ISSUE, "comment": comment("thanks")}, "no trigger word"),
    ],
)
def test_what_asks_for_nothing_is_ignored_by_name(payload, reason):
    found = deliver(payload)
    assert isinstance(found, Ignored)
    assert found.event == payload["webhookEvent"]
    assert reason in found.reason


@pytest.mark.parametrize("body", [None, {"type": "doc", "version": 1, "content": []}])
def test_a_text_that_is_missing_or_in_another_format_proves_nothing(body):
    payload = {"webhookEvent": "comment_created", "issue": ISSUE, "comment": comment(body)}
    assert isinstance(deliver(payload), Noticed)


def test_a_name_of_an_event_cannot_write_lines_into_the_log():
    found = deliver({"webhookEvent": "x\n\x1b[31mINFO all is well" + "!" * 500})
    assert "\n" not in found.event
    assert "\x1b" not in found.event
    assert len(found.event) <= 100


def test_the_vendors_signature_vector(shared):
    vector = json.loads((shared / "real" / "vectors" / "signatures.json").read_text())["jira_webhook"]
    headers = {"X-Hub-Signature": vector["X-Hub-Signature"]}
    with pytest.raises(BadEvent) as refused:
        parse_webhook(headers, vector["body"].encode(), vector["secret"], NOW)
    assert not isinstance(refused.value, BadSignature)  # it was accepted; its body is not JSON
    with pytest.raises(BadSignature):
        parse_webhook(headers, vector["body"].encode() + b" ", vector["secret"], NOW)


@pytest.mark.parametrize(
    "signature",
    ["", "sha256=", "sha256=00", "sha1=" + "0" * 40, "täglich", "sha256=" + "0" * 64, "SHA256=" + "é" * 64],
)
def test_a_wrong_signature_is_refused(signature):
    with pytest.raises(BadSignature):
        parse_webhook({"X-Hub-Signature": signature}, b"{}", SECRET, NOW)


def test_without_a_signature_or_a_secret_nothing_is_taken():
    with pytest.raises(BadSignature):
        parse_webhook({}, b"{}", SECRET, NOW)
    empty = "sha256=" + hmac.new(b"", b"{}", hashlib.sha256).hexdigest()
    with pytest.raises(BadSignature):
        parse_webhook({"X-Hub-Signature": empty}, b"{}", "", NOW)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not json",
        b"\xff\xfe\x00",
        b"[]",
        b"null",
        b'"comment_created"',
        b"{}",
        b'{"webhookEvent": 5.5}',
        b'{"webhookEvent": ""}',
        b'{"webhookEvent": "comment_created"}',
        b'{"webhookEvent": "comment_created", "comment": []}',
        b'{"webhookEvent": "comment_created", "comment": {"id": "1"}}',
        b'{"webhookEvent": "comment_created", "comment": {"id": "../../x"}, "issue": {"id": "1", "key": "A-1"}}',
        b'{"webhookEvent": "comment_created", "comment": {"id": "1"}, "issue": {"id": "1?x=", "key": "A-1"}}',
        b'{"webhookEvent": "comment_created", "comment": {"id": "1"}, "issue": {"id": "1", "key": "A-1/x"}}',
        b"[" * 200_000,
        b'{"webhookEvent": ' + b"9" * 5000 + b"}",
    ],
)
def test_a_malformed_delivery_is_refused(body):
    with pytest.raises(BadEvent):
        deliver(body)


def test_a_delivery_without_end_is_refused_before_it_is_read():
    with pytest.raises(BadEvent, match="limit"):
        parse_webhook({}, b" " * (LARGEST_BODY + 1), SECRET, NOW)


def test_real_deliveries(shared):
    """None crashes; all those about a comment that is there name it, whatever text they carry."""
    found = {}
    for path in sorted((shared / "real" / "jira" / "mattermost").glob("*.json")):
        payload = json.loads(path.read_bytes())
        try:
            made = datetime.fromtimestamp(payload.get("timestamp", 0) / 1000, UTC)
            deliver(path.read_bytes(), now=made)
            found[path.stem] = deliver(_with_trigger(payload), now=made)
        except BadEvent:
            assert "webhookEvent" not in payload, path
    assert len(found) == 20
    noticed = {name: one for name, one in found.items() if isinstance(one, Noticed)}
    assert {name for name in found if "comment" in name} - set(noticed) == {"webhook-cloud-comment-deleted"}
    assert noticed["webhook-cloud-comment-created"] == Noticed(
        "jira", "10040", "TES-41", "10019", None, "comment_created"
    )
    # Data Center's own comment event has no ticket beside the comment.
    assert noticed["webhook-server-comment-created"].place_id.isdigit()
    assert noticed["webhook-server-comment-created"].place_key == ""


def _with_trigger(payload):
    if isinstance(payload.get("comment"), dict):
        payload["comment"]["body"] = "Please #qa-check"
    return json.dumps(payload).encode()


def test_a_real_delivery_without_the_trigger_word_is_ignored(shared: Path):
    body = (shared / "real" / "jira" / "mattermost" / "webhook-cloud-comment-created.json").read_bytes()
    assert deliver(body) == Ignored("comment_created", "no trigger word")


@pytest.mark.parametrize("late", [-AHEAD, timedelta(0), timedelta(minutes=90), OLDEST])
def test_a_delivery_that_is_tried_again_for_an_hour_or_by_a_clock_that_is_off_is_taken(late):
    """Jira's Cloud goes on for half an hour."""
    payload = {"webhookEvent": "comment_created", "issue": ISSUE, "comment": comment()}
    assert isinstance(deliver(payload, now=NOW + late), Noticed)


@pytest.mark.parametrize("late", [-AHEAD - timedelta(seconds=1), OLDEST + timedelta(seconds=1), timedelta(days=400)])
def test_a_delivery_that_somebody_kept_is_refused(late):
    payload = {"webhookEvent": "comment_created", "issue": ISSUE, "comment": comment()}
    with pytest.raises(TooOld, match="2026-03-02 09:00:00 UTC"):
        deliver(payload, now=NOW + late)


@pytest.mark.parametrize("told", [None, "now", "1772442000000", True, 1.5, 10**400, -(10**18), [], {}])
def test_a_delivery_that_does_not_say_when_it_was_made_is_refused(told):
    payload = {"webhookEvent": "comment_created", "issue": ISSUE, "comment": comment(), "timestamp": told}
    with pytest.raises(BadEvent):
        deliver(payload)


def test_what_asks_for_nothing_may_be_old():
    payload = {"webhookEvent": "comment_created", "issue": ISSUE, "comment": comment("thanks")}
    assert isinstance(deliver(payload, now=NOW + timedelta(days=9)), Ignored)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(
    event=st.sampled_from(["comment_created", "jira:issue_updated", "comment_deleted"]) | json_values,
    issue=json_values | st.fixed_dictionaries({"id": json_values, "key": json_values}),
    comment=json_values | st.fixed_dictionaries({"id": json_values, "body": json_values}),
)
def test_whatever_is_in_a_delivery_it_is_taken_ignored_or_refused(event, issue, comment):
    try:
        found = deliver({"webhookEvent": event, "issue": issue, "comment": comment})
    except BadEvent:
        return
    assert isinstance(found, Noticed | Ignored)
    if isinstance(found, Noticed):
        assert found.comment_id.isdigit()
        assert found.place_id.isdigit()
