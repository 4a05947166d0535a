"""Answers that are no success, as errors of the package."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.errors import BotError, Gone, NotAllowed, Rejected, Unavailable, Uncertain
from bots.failures import failure, login_denied, retry_after


def fail(status, content=b"", headers=None, *, writes=False):
    return failure("Jira", status, headers or {}, content, what="show it", needs="Browse projects", writes=writes)


@pytest.mark.parametrize(
    ("status", "read", "write"),
    [
        (302, NotAllowed, Uncertain),
        (303, NotAllowed, Uncertain),
        (400, Rejected, Rejected),
        (401, NotAllowed, NotAllowed),
        (403, NotAllowed, NotAllowed),
        (404, Unavailable, Unavailable),
        (405, Rejected, Rejected),
        (408, Unavailable, Uncertain),
        (409, Rejected, Rejected),
        (410, Rejected, Rejected),
        (413, Rejected, Rejected),
        (418, Unavailable, Uncertain),
        (425, Unavailable, Unavailable),
        (429, Unavailable, Unavailable),
        (444, Unavailable, Uncertain),
        (460, Unavailable, Uncertain),
        (499, Unavailable, Uncertain),
        (500, Unavailable, Uncertain),
        (502, Unavailable, Uncertain),
        (503, Unavailable, Uncertain),
        (504, Unavailable, Uncertain),
        (599, Unavailable, Uncertain),
    ],
)
def test_every_status(status, read, write):
    assert type(fail(status)) is read
    assert type(fail(status, writes=True)) is write


@pytest.mark.parametrize("status", [408, 500, 502, 503])
def test_the_time_to_wait_is_kept_for_what_may_have_been_written(status):
    found = fail(status, headers={"Retry-After": "40"}, writes=True)
    assert (type(found), found.retry_after) == (Uncertain, 40)


@pytest.mark.parametrize(
    ("reason", "denied"),
    [
        ("AUTHENTICATED_FAILED", True),
        ("AUTHENTICATION_DENIED", True),
        ("OUT, AUTHENTICATED_FAILED", True),
        ("OK", False),
        ("OUT", False),
        ("", False),
    ],
)
def test_a_login_that_was_denied(reason, denied):
    assert login_denied({"X-Seraph-LoginReason": reason}) is denied
    assert not login_denied({})


def test_a_missing_permission_is_named():
    assert "Browse projects" in str(fail(403))
    said = b'{"errorMessages":["You do not have the permission to comment on this issue."]}'
    found = fail(400, said, writes=True)
    assert type(found) is NotAllowed
    assert "Browse projects" in str(found)


@pytest.mark.parametrize(
    "payload",
    [
        {"errorMessages": [], "errors": {"commentLevel": "You are currently not a member of the project role: Leads."}},
        {"errorMessages": ["Group 'x' does not exist."], "errors": {}},
    ],
)
def test_a_refused_visibility_is_not_allowed(payload):
    found = fail(400, json.dumps(payload).encode(), writes=True)
    assert type(found) is NotAllowed
    assert "these people only" in str(found)


def test_what_jira_says_is_told_on_one_short_line():
    said = json.dumps({"errorMessages": ["bad\n\x1b[31mline" + "x" * 900], "errors": {"comment": "too long"}}).encode()
    text = str(fail(400, said))
    assert "bad" in text
    assert "\n" not in text
    assert "\x1b" not in text
    assert len(text) < 400


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7),
        (" 2.5 ", 2.5),
        ("0", 0),
        ("-3", 0),
        ("999999", 3600),
        ("nan", None),
        ("inf", None),
        ("soon", None),
        ("", None),
        ("Wed, 99 Foo 2020 00:00:00 GMT", None),
        ("Mon, 02 Nov 2020 09:00:00 GMT", 0),
        ("Mon, 02 Nov 2020 09:00:00", 0),
    ],
)
def test_retry_after(value, seconds):
    assert retry_after({"Retry-After": value}) == seconds


def test_retry_after_by_date():
    at = datetime.now(UTC) + timedelta(seconds=90)
    assert retry_after({"Retry-After": format_datetime(at, usegmt=True)}) == pytest.approx(90, abs=3)
    assert fail(429, headers={"Retry-After": "12"}).retry_after == 12


@given(st.integers(300, 599), st.binary(max_size=80) | st.text().map(str.encode), st.text(max_size=40), st.booleans())
def test_no_answer_makes_it_fail(status, content, header, writes):
    assert isinstance(fail(status, content, {"Retry-After": header}, writes=writes), BotError)


def test_gone_is_only_what_the_product_says_is_gone():
    """A server that is starting, or a proxy without one behind it, answers 404 for everything."""
    assert type(fail(404, b'{"errorMessages": ["Issue does not exist"]}')) is Gone
    assert type(fail(404, b'{"errors": [{"status": 404}]}', writes=True)) is Gone
    for other in (b"", b"<html>Not found</html>", b"[]", b"null"):
        assert type(fail(404, other)) is Unavailable
