"""What refusals mean, the waits that are kept, and answers that are no answers."""

import json
import logging
import re
import socket
import threading
import time
import traceback
from contextlib import contextmanager, suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.errors import BotError, Gone, NotAllowed, Rejected, Unavailable, Uncertain
from bots.slack.client import SlackClient
from bots.slack.connection import LARGEST_ANSWER, Connection
from bots.slack.failures import failure, retry_after
from bots.slack.paces import PAUSE, Edits, Waits

# Refusals


def told(code, *, status=200, writes=False, **more):
    return failure(status, {}, {"ok": False, "error": code, **more}, what="write", writes=writes)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("channel_not_found", Gone),
        ("not_in_channel", Gone),
        ("is_archived", Gone),
        ("message_not_found", Gone),
        ("thread_not_found", Gone),
        ("user_not_found", Gone),
        ("expired_trigger_id", Gone),
        ("invalid_auth", NotAllowed),
        ("token_revoked", NotAllowed),
        ("account_inactive", NotAllowed),
        ("not_allowed_token_type", NotAllowed),
        ("missing_scope", NotAllowed),
        ("restricted_action_read_only_channel", NotAllowed),
        ("cant_delete_message", NotAllowed),
        ("ratelimited", Unavailable),
        ("request_timeout", Unavailable),
        ("msg_too_long", Rejected),
        ("invalid_blocks", Rejected),
        ("something_new", Rejected),
    ],
)
def test_what_an_error_means_to_reads_and_writes(code, kind):
    assert type(told(code)) is kind
    assert type(told(code, writes=True)) is kind


@pytest.mark.parametrize(("code", "status"), [("internal_error", 200), ("fatal_error", 200), ("", 503), ("", 302)])
def test_what_leaves_it_open(code, status):
    assert type(told(code, status=status)) is Unavailable
    assert type(told(code, status=status, writes=True)) is Uncertain


def test_a_missing_scope_is_named():
    assert "scope groups:read,im:read" in str(told("missing_scope", needed="groups:read,im:read"))
    assert "scope that this takes" in str(told("missing_scope", needed="\x1b[2J"))


@given(
    st.dictionaries(
        st.sampled_from(["error", "needed", "response_metadata", "messages"]),
        st.recursive(
            st.none() | st.text() | st.integers(),
            lambda inner: st.lists(inner) | st.dictionaries(st.just("messages"), inner),
        ),
    ),
    st.integers(200, 599),
    st.booleans(),
)
def test_any_answer_gets_an_error_that_can_be_shown(payload, status, writes):
    error = failure(status, {}, payload, what="write", writes=writes)
    assert isinstance(error, BotError)
    assert str(error).isprintable()
    assert len(str(error)) < 500


@pytest.mark.parametrize(
    ("value", "seconds"), [("30", 30), ("0", 0), ("-5", 0), ("99999", 3600), ("nan", None), ("soon", None), ("", None)]
)
def test_how_long_to_wait(value, seconds):
    assert retry_after({"retry-after": value}) == seconds


# Paces


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


def test_a_wait_is_over_in_time_and_others_go_on():
    clock = Clock()
    waits = Waits(clock)
    waits.order("chat.update", "C1", 10)
    waits.order("chat.update", "C1", 5)
    assert waits.left("chat.update", "C1") == 10
    assert waits.left("chat.update", "C2") == waits.left("chat.postMessage", "C1") == 0
    clock.now += 10
    assert waits.left("chat.update", "C1") == 0
    waits.order("chat.update", "C2", 1)
    assert waits.left("chat.update", "C2") == 1


def test_edits_of_one_message_keep_apart():
    clock = Clock()
    edits = Edits(clock)
    assert edits.due(("C1", "1.0")) == float("inf")
    assert edits.due(("C1", "1.0")) is None
    assert edits.due(("C1", "2.0")) is not None
    clock.now += PAUSE
    assert edits.due(("C1", "1.0")) == PAUSE
    edits.finish(("C1", "1.0"))
    clock.now += 1e6
    assert edits.due(("C1", "1.0")) is None


@given(st.lists(st.floats(0, 10, allow_nan=False), max_size=30))
def test_two_edits_are_never_closer_than_the_pause(steps):
    clock = Clock()
    edits = Edits(clock)
    made = []
    for step in steps:
        clock.now += step
        if edits.due(("C1", "1.0")) is not None:
            made.append(clock.now)
    assert all(later - earlier >= PAUSE for earlier, later in pairwise(made))


# Answers that are none


def take(connection):
    """A whole request: to close a connection with something unread in it would reset it."""
    received = b""
    while more := connection.recv(65_536):
        received += more
        head, end, body = received.partition(b"\r\n\r\n")
        size = re.search(rb"(?i)content-length: *([0-9]+)", head)
        if end and len(body) >= int(size[1] if size else 0):
            return


@contextmanager
def serving(answer):
    """A server that sends the pieces of `answer()` to whoever connects, for as long as they are taken."""

    def serve():
        with suppress(OSError):
            while True:
                connection, _ = server.accept()
                with connection, suppress(OSError):
                    take(connection)
                    for piece in answer():
                        connection.sendall(piece)

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"


def pieces(*content):
    return lambda: iter([HEAD, *content])


def endless():
    yield HEAD
    while True:
        yield b" " * 2**20


def trickling():
    yield HEAD
    while True:
        time.sleep(0.05)
        yield b" "


@pytest.mark.parametrize("body", [b"", b"null", b"[]", b"<html>Log in</html>", b"[" * 100_000, b'{"ok": true'])
def test_what_is_no_json_object_is_no_answer(body):
    with serving(pieces(body)) as url:
        slack = Connection("xoxb-1", url, timeout=3)
        with pytest.raises(Unavailable, match="not JSON"):
            slack.ask("auth.test", {}, what="read")
        with pytest.raises(Uncertain, match="not JSON"):
            slack.ask("chat.delete", {}, what="write", writes=True)
        slack.close()


@pytest.mark.parametrize(
    "body", [b'{"ok": true}', b'{"ok": true, "user_id": 7, "team_id": []}', b'{"ok": true, "user_id": null}']
)
def test_an_answer_with_other_fields_says_which(body):
    with serving(pieces(body)) as url:
        client = SlackClient("xoxb-1", site=url)
        with pytest.raises(Unavailable, match="user_id"):
            client.whoami()
        client.close()


def test_an_answer_without_an_end_is_cut():
    with serving(endless) as url:
        slack = Connection("xoxb-1", url, timeout=20)
        with pytest.raises(Unavailable, match="connection failed") as cut:
            slack.ask("auth.test", {}, what="read")
        assert str(LARGEST_ANSWER) in str(cut.value.__cause__)
        slack.close()


def test_an_answer_that_trickles_in_ends_in_time():
    with serving(trickling) as url:
        slack = Connection("xoxb-1", url, timeout=0.3)
        begun = time.monotonic()
        with pytest.raises(Unavailable, match="too long"):
            slack.ask("auth.test", {}, what="read")
        assert time.monotonic() - begun < 1
        slack.close()


def test_pages_without_an_end():
    page = json.dumps({"ok": True, "response_metadata": {"next_cursor": "again"}}).encode()
    with serving(pieces(page)) as url:
        slack = Connection("xoxb-1", url, timeout=3)
        with pytest.raises(Unavailable, match="without an end"):
            list(slack.pages("users.list", {}, what="read"))
        slack.close()


def test_nobody_reads_the_token_or_the_text_in_errors_and_logs(box, caplog):
    caplog.set_level(0)
    client = SlackClient(box.slack.token, site=box.slack_url)
    slack = Connection(box.slack.token, box.slack_url, timeout=3)
    text, address = "what nobody may read", "/an-address-that-nobody-may-know"
    refused = {"ok": False, "error": "invalid_blocks", "response_metadata": {"messages": [f"[ERROR] in {text}"]}}
    errors = []
    for kind, body in (("html", None), ("drop_after", None), ("status", text), ("status", json.dumps(refused))):
        box.faults.add("POST", "chat.postMessage", kind, status=200, body=body)
        arguments = {"channel": box.slack.channel("dev").id, "text": text}
        with pytest.raises(BotError) as error:
            slack.ask("chat.postMessage", arguments, what="write", writes=True)
        errors.append(str(error.value))
    box.faults.add("POST", address, "drop_after")
    with pytest.raises(BotError) as error:
        client.tell(box.slack_url + address, {"text": text}, until=time.monotonic() + 1)
    errors += traceback.format_exception(error.value)
    # Of libraries only warnings are ever written.
    logged = [r.getMessage() for r in caplog.records if r.name != "urllib3.connectionpool" or r.levelno > logging.INFO]
    shown = "\n".join([*errors, *logged])
    assert [secret for secret in (text, address, box.slack.token) if secret in shown] == []
    slack.close()
    client.close()


def test_the_netrc_of_the_machine_does_not_replace_the_token(box, tmp_path, monkeypatch):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login somebody password else")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    client = SlackClient(box.slack.token, site=box.slack_url)
    assert client.whoami().user_id == box.slack.bot.id
    client.close()
