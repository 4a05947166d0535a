"""The bolt app: stored before it is acknowledged, whatever comes in, by socket and by HTTP."""

import hashlib
import hmac
import json
import logging
import threading
import time
from urllib.parse import urlencode

import pytest
from slack_bolt import BoltRequest
from slack_sdk.web import WebClient

from bots.errors import BadEvent
from bots.slack.listeners import http_request, make_app
from bots.slack.modals import reason_modal
from tests.bots.slack.test_events import BOT, COMMAND, EVENT, delivery, edit, mention, press

SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
NOWHERE = "http://127.0.0.1:9/api/"
"""Nothing that is acknowledged may need a call."""


def until(condition, timeout=8.0):
    end = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.01)


class Kept:
    """Keeps what it is given; fails as long as `broken`."""

    def __init__(self):
        self.messages, self.asked, self.told, self.homes, self.panels, self.rated = [], [], [], [], [], []
        self.broken = False
        self._changed = threading.Condition()

    def message(self, heard):
        self._keep(self.messages, heard)

    def private(self, asked):
        self._keep(self.asked, asked)
        return "Looking into it."

    def tell(self, response_url, text):
        self._keep(self.told, (response_url, text))

    def home(self, user):
        self._keep(self.homes, user)

    def assistant(self, channel, thread):
        self._keep(self.panels, (channel, thread))

    def feedback(self, job, user, verdict, reason, trigger_id):
        self._keep(self.rated, (job, user, verdict, reason, trigger_id))

    def _keep(self, kept, one):
        if self.broken:
            raise OSError(f"disk full while storing {one}")
        with self._changed:
            kept.append(one)
            self._changed.notify_all()

    def wait(self, kept, count=1):
        """What comes after the acknowledgement."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(kept) >= count, 5)
        return kept


@pytest.fixture
def kept():
    return Kept()


@pytest.fixture
def app(kept):
    return make_app(WebClient("xoxb-secret", base_url=NOWHERE, timeout=1), kept, SECRET, BOT)


def by_socket(app, body):
    return app.dispatch(BoltRequest(body=body, mode="socket_mode"))


def by_http(app, raw, *, at=None, secret=SECRET, kind="application/json", **more):
    at = str(int(time.time() if at is None else at))
    signature = "v0=" + hmac.new(secret.encode(), f"v0:{at}:{raw}".encode(), hashlib.sha256).hexdigest()
    headers = {"X-Slack-Request-Timestamp": at, "X-Slack-Signature": signature, "Content-Type": kind, **more}
    return app.dispatch(http_request(headers, raw.encode()))


def form(body):
    """Interactions come as a form."""
    return urlencode({"payload": json.dumps(body)})


FORM = "application/x-www-form-urlencoded"


# Messages


@pytest.mark.parametrize("body", [delivery(), mention(), edit(f"<@{BOT}> new", "old"), delivery(subtype="file_share")])
def test_a_message_is_stored_and_acknowledged(app, kept, body):
    assert by_socket(app, body).status == 200
    assert by_http(app, json.dumps(body)).status == 200
    assert len(kept.messages) == 2


@pytest.mark.parametrize("body", [delivery(), mention()])
def test_what_is_not_stored_is_not_acknowledged(app, kept, body):
    kept.broken = True
    assert by_socket(app, body).status == 500
    assert by_http(app, json.dumps(body)).status == 500
    kept.broken = False
    assert by_socket(app, body).status == 200


def test_it_is_stored_before_it_is_acknowledged(app, kept):
    """The answer waits for the store, however long that takes."""
    order = []
    kept.message = lambda _: (time.sleep(0.2), order.append("stored"))
    assert by_socket(app, delivery()).status == 200
    assert order == ["stored"]


@pytest.mark.parametrize("number", ["1", "2", "3"])
def test_a_retry_is_not_dropped(app, kept, number):
    """The first delivery may never have arrived; whoever stores knows whether it did."""
    again = {"X-Slack-Retry-Num": number, "X-Slack-Retry-Reason": "http_timeout"}
    assert by_http(app, json.dumps(delivery()), **again).status == 200
    assert len(kept.messages) == 1


@pytest.mark.parametrize(
    "body",
    [
        delivery(user=BOT),
        delivery(bot_id="B1"),
        delivery(text="to nobody"),
        delivery(subtype="message_deleted"),
        delivery(subtype="channel_topic"),
        delivery(type="reaction_added"),
        delivery(type="something_new"),
        delivery(ts="never"),
        delivery(type="tokens_revoked", tokens={"bot": ["U0BOT"]}),
        {"type": "app_rate_limited", "team_id": "T0FIRM", "minute_rate_limited": 1},
    ],
)
def test_what_asks_for_nothing_is_acknowledged(app, kept, body):
    assert by_socket(app, body).status == 200
    assert by_http(app, json.dumps(body)).status == 200
    assert kept.messages == []


def test_a_message_in_the_assistants_panel(app, kept):
    body = delivery(channel="D0ANA", channel_type="im", thread_ts="1.1", text="check PAY-1", assistant_thread={})
    assert by_socket(app, body).status == 200
    assert [(one.thread, one.direct) for one in kept.messages] == [("1.1", True)]


# HTTP


def test_the_address_is_verified(app):
    body = {"type": "url_verification", "token": "t", "challenge": "3eZbrw1aB"}
    answer = by_http(app, json.dumps(body))
    assert (answer.status, json.loads(answer.body)) == (200, {"challenge": "3eZbrw1aB"})


@pytest.mark.parametrize(
    "wrong", [{"secret": "other"}, {"at": 1_531_420_618}, {"at": time.time() - 400}, {"at": time.time() + 400}]
)
def test_a_request_that_is_not_slacks(app, kept, wrong):
    assert by_http(app, json.dumps(delivery()), **wrong).status == 401
    assert by_http(app, urlencode(COMMAND), kind=FORM, **wrong).status == 401
    assert (kept.messages, kept.asked) == ([], [])


def test_a_body_that_was_changed(app, kept):
    raw = json.dumps(delivery())
    at = str(int(time.time()))
    signature = "v0=" + hmac.new(SECRET.encode(), f"v0:{at}:{raw}".encode(), hashlib.sha256).hexdigest()
    headers = {"X-Slack-Request-Timestamp": at, "X-Slack-Signature": signature, "Content-Type": "application/json"}
    changed = raw.replace("PAY-12", "PAY-13")
    assert app.dispatch(BoltRequest(body=changed, headers=headers, mode="http")).status == 401
    assert app.dispatch(BoltRequest(body=raw, headers={}, mode="http")).status == 401
    assert kept.messages == []


UNREADABLE = (
    *(b"{", b"\xff", b'{"team": 5}', b'{"event": {"user": 5}}', b'{"authorizations": 5}', b"[1]", b"payload={", b"5"),
    *(b"[" * 100_000, b'{"event": ' * 100_000, b'{"authorizations": [' * 50_000),
)


@pytest.mark.parametrize("raw", UNREADABLE, ids=lambda raw: repr(raw[:30]))
def test_what_anybody_may_send(app, kept, raw):
    for kind in ("application/json", FORM):
        try:
            answer = app.dispatch(http_request({"Content-Type": kind}, raw))
        except BadEvent:
            continue
        assert answer.status == 401
    assert kept.messages == []


@pytest.mark.parametrize("secret", [None, ""])
def test_without_a_secret_no_request_passes(kept, monkeypatch, secret):
    monkeypatch.setenv("SLACK_SIGNING_SECRET", "from the environment")
    app = make_app(WebClient("xoxb-secret", base_url=NOWHERE), kept, secret, BOT)
    for guess in ("", "from the environment", "None"):
        assert by_http(app, json.dumps(delivery()), secret=guess).status == 401
    assert by_socket(app, delivery()).status == 200


# Commands, shortcuts


def test_a_slash_command(app, kept):
    answers = [by_socket(app, COMMAND), by_http(app, urlencode(COMMAND), kind=FORM)]
    assert [(answer.status, answer.body) for answer in answers] == [(200, "Looking into it.")] * 2
    assert [(one.trigger_id, one.text) for one in kept.asked] == [("1.2.abc", "check <PAY-12>")] * 2


def test_a_slash_command_that_is_not_stored(app, kept):
    kept.broken = True
    assert by_socket(app, COMMAND).status == 500


def shortcut(url):
    message = {"type": "message", "text": "is it 5 &gt; 3?", "ts": "2.1", "thread_ts": "1.1", "user": "U0BEN"}
    body = {"type": "message_action", "callback_id": "crosscheck_ask", "trigger_id": "1.2.a", "response_url": url}
    body |= {"team": {"id": "T0FIRM"}, "channel": {"id": "C0DEV"}, "user": {"id": "U0ANA"}, "message": message}
    return body


URL = "https://hooks.slack.com/actions/x"


@pytest.mark.parametrize("send", [by_socket, lambda app, body: by_http(app, form(body), kind=FORM)])
def test_a_shortcut(app, kept, send):
    answer = send(app, shortcut(URL))
    assert (answer.status, answer.body) == (200, "")
    assert kept.asked[0].message.text == "is it 5 > 3?"
    assert kept.wait(kept.told) == [(URL, "Looking into it.")]


def test_a_shortcut_that_is_not_stored(app, kept):
    kept.broken = True
    assert by_socket(app, shortcut(URL)).status == 500
    assert kept.told == []


# Buttons, forms, what is opened


def test_a_rating(app, kept):
    assert by_socket(app, press()).status == 200
    assert by_http(app, form(press(action_id="crosscheck_down")), kind=FORM).status == 200
    expected = {(12, "U0ANA", "up", "", "1.2.a"), (12, "U0ANA", "down", "", "1.2.a")}
    assert set(kept.wait(kept.rated, 2)) == expected


def test_a_button_that_is_a_link(app, kept):
    assert by_socket(app, press(action_id="open", value=None)).status == 200
    assert kept.rated == []


def test_a_reason(app, kept):
    view = reason_modal(12, "down")
    field = view["blocks"][0]
    for written in ("too vague", None):
        values = {field["block_id"]: {field["element"]["action_id"]: {"type": "plain_text_input", "value": written}}}
        shown = {**view, "state": {"values": values}}
        body = {"type": "view_submission", "user": {"id": "U0ANA"}, "team": {"id": "T0FIRM"}, "view": shown}
        answer = by_socket(app, body)
        assert (answer.status, answer.body) == (200, "")
    assert kept.rated == [(12, "U0ANA", "down", "too vague", None)]


def test_the_home_tab_and_the_panel(app, kept):
    opened = {"type": "app_home_opened", "user": "U0ANA", "channel": "D0ANA", "tab": "home"}
    panel = {"user_id": "U0ANA", "channel_id": "D0ANA", "thread_ts": "1.1", "context": {}}
    started = {"type": "assistant_thread_started", "assistant_thread": panel}
    for event in (opened | {"tab": "messages"}, opened, started):
        body = {"type": "event_callback", "team_id": "T0FIRM", "event": event}
        assert by_socket(app, body).status == 200
        assert by_http(app, json.dumps(body)).status == 200
    assert kept.wait(kept.homes, 2) == ["U0ANA"] * 2
    assert kept.wait(kept.panels, 2) == [("D0ANA", "1.1")] * 2


def test_what_comes_after_may_fail(app, kept, caplog):
    kept.broken = True
    with caplog.at_level(logging.DEBUG):
        assert by_socket(app, press()).status == 200
        app.listener_runner.listener_executor.shutdown()
    assert "OSError" in caplog.text


# Logs


def test_nothing_said_and_no_secret_is_logged(app, kept, caplog, capfd):
    secret = "hunter2"
    bodies = [
        delivery(text=f"<@{BOT}> my password is {secret}"),
        delivery(ts=secret, text=secret),
        COMMAND | {"text": secret},
        COMMAND | {"text": secret, "trigger_id": f"{secret} x"},
        {"type": "something_else", "text": secret},
        press(action_id=secret),
        shortcut(f"http://127.0.0.1:9/{secret}"),
        delivery(event=secret, type="message", message=secret, subtype="message_changed"),
    ]
    with caplog.at_level(logging.DEBUG):
        for broken in (False, True):
            kept.broken = broken
            for body in bodies:
                by_socket(app, body)
                by_http(app, json.dumps(body))
                by_http(app, json.dumps(body), secret="wrong")
        app.listener_runner.listener_executor.shutdown()
    logged = caplog.text + "".join(capfd.readouterr())
    assert "OSError" in logged
    assert secret not in logged
    assert "xoxb-secret" not in logged
    assert EVENT["text"] not in logged


def test_nothing_is_written_to_disk(kept, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    app = make_app(WebClient("xoxb-secret", base_url=NOWHERE), kept, SECRET, BOT)
    by_socket(app, delivery())
    assert app.installation_store is None
    assert list(tmp_path.iterdir()) == []
