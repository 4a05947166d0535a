"""Foreign answers become our errors once; reads are repeated within limits, and nothing is waited for without end."""

import time
from datetime import UTC, datetime

import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st

from core.connectors.http import Http, Limits, retry_after
from core.connectors.jira_reader import JiraReader
from core.errors import SourceError, SourceForbidden, SourceGone, SourceUnavailable
from tests.core.connectors.conftest import reader_of

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
ISSUE = r"/issue/SHOP-1$"


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7),
        ("1.5", 1.5),
        ("0", 0),
        ("999999999", 86_400),
        ("Mon, 02 Mar 2026 09:00:30 GMT", 30),
        ("Mon, 02 Mar 2026 08:00:00 GMT", 0),
        ("Mon, 02 Mar 2026 09:00:30", 30),
        (None, None),
        ("", None),
        ("-5", None),
        ("soon", None),
        ("1e9", None),
        ("Mon, 99 Mar 2026 99:00:30 GMT", None),
        ("٣", None),
    ],
)
def test_retry_after(header, seconds):
    assert retry_after(header, NOW) == seconds


@given(st.text())
def test_retry_after_survives_junk(header):
    found = retry_after(header, NOW)
    assert found is None or 0 <= found <= 86_400


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (404, SourceGone),
        (410, SourceGone),
        (401, SourceForbidden),
        (403, SourceForbidden),
        (400, SourceForbidden),
        (302, SourceForbidden),
    ],
)
def test_what_will_not_pass_is_not_repeated(box, reader, status, error):
    box.faults.add("GET", ISSUE, "status", status=status)
    with pytest.raises(error):
        reader.api.issue("SHOP-1", "summary")
    assert box.faults.pending == 0
    assert len([exchange for exchange in box.exchanges.all() if not exchange.path.endswith("/serverInfo")]) == 1


def test_a_server_that_is_starting_has_lost_nothing():
    """Whatever it is asked for, it answers with a page that says 404."""

    def send(*_asked):
        answer = requests.Response()
        answer.status_code, answer.headers["Content-Type"] = 404, "text/html;charset=utf-8"
        answer._content = b"<html>HTTP Status 404</html>"
        return answer

    http = Http(send, "Jira", Limits(attempts=2), sleep=lambda _seconds: None)
    with pytest.raises(SourceUnavailable):
        http.get("issue/PAY-1")
    with pytest.raises(SourceGone):  # a file may be told of by a page
        http.content("attachment/1")


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_may_pass_is_repeated(box, reader, status):
    box.faults.add("GET", ISSUE, "status", times=2, status=status)
    assert reader.api.issue("SHOP-1", "summary")["key"] == "SHOP-1"
    box.faults.add("GET", ISSUE, "status", times=3, status=status)
    with pytest.raises(SourceUnavailable):
        reader.api.issue("SHOP-1", "summary")


@pytest.mark.parametrize("kind", ["drop_before", "drop_after", "html"])
def test_dropped_connections_and_login_pages_are_repeated(box, reader, kind):
    box.faults.add("*", "/search/jql$", kind, times=2)
    assert set(reader.keys("SHOP")) == {"SHOP-1", "SHOP-2", "SHOP-3"}


def test_retry_after_is_waited_for_up_to_the_limit(box, reader):
    box.faults.add("GET", ISSUE, "status", status=429, headers={"Retry-After": "0.15"})
    began = time.monotonic()
    reader.api.issue("SHOP-1", "summary")
    assert time.monotonic() - began >= 0.15
    box.faults.add("GET", ISSUE, "status", times=9, status=429, headers={"Retry-After": "3600"})
    with pytest.raises(SourceUnavailable) as raised:
        reader.api.issue("SHOP-1", "summary")
    assert raised.value.retry_after == 3600
    assert box.faults.pending == 1


def test_silence_is_bounded(box):
    reader = reader_of(box, limits=Limits(attempts=1, silence_seconds=0.3))
    box.faults.add("GET", ISSUE, "hang")
    with pytest.raises(SourceUnavailable):
        reader.api.issue("SHOP-1", "summary")


def test_size_is_bounded_and_not_asked_for_again(box):
    reader = reader_of(box, limits=Limits(answer_bytes=5_000))
    box.faults.add("GET", ISSUE, "status", times=2, status=200, body='"' + "x" * 100_000 + '"')
    with pytest.raises(SourceError) as raised:
        reader.api.issue("SHOP-1", "summary")
    assert not isinstance(raised.value, SourceUnavailable)
    assert box.faults.pending == 1


def test_nesting_beyond_reason_is_an_error_of_that_answer_alone(box, reader):
    box.faults.add("GET", ISSUE, "status", status=200, body="[" * 200_000)
    with pytest.raises(SourceError):
        reader.api.issue("SHOP-1", "summary")
    assert reader.api.issue("SHOP-1", "summary")["key"] == "SHOP-1"


def test_a_login_that_was_refused_is_no_anonymous_visit(box, reader):
    headers = {"X-Seraph-LoginReason": "AUTHENTICATED_FAILED"}
    box.faults.add("*", "/search/jql$", "status", status=200, headers=headers, body='{"issues": [], "isLast": true}')
    with pytest.raises(SourceForbidden):
        list(reader.keys("SHOP"))


def test_no_secret_in_a_message(box):
    reader = JiraReader(box.jira_url, "someone@firm.example", "t0ps3cret", limits=Limits(attempts=1))
    with pytest.raises(SourceForbidden) as raised:
        reader.ticket("SHOP-1")
    assert "t0ps3cret" not in str(raised.value)
    closed = JiraReader("http://user:t0ps3cret@127.0.0.1:9", "u", "t0ps3cret", limits=Limits(attempts=1))
    with pytest.raises(SourceUnavailable) as unreachable:
        closed.ticket("SHOP-1")
    assert "t0ps3cret" not in str(unreachable.value)
