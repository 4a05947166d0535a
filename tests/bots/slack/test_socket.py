"""Socket Mode: one connection, made anew whenever it is lost or falls silent, and nothing missed."""

import json
import logging
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from slack_sdk.web import WebClient
from structlog.testing import capture_logs
from websockets.exceptions import ConnectionClosed
from websockets.protocol import State
from websockets.sync.server import serve

from bots.slack.listeners import make_app
from bots.slack.socket import Socket
from sandbox.slack.deliveries import Attempt
from tests.bots.slack.test_events import BOT, delivery
from tests.bots.slack.test_listeners import Kept, until
from tests.fakes import Tally

APP_TOKEN = "xapp-1-secret"
QUIET = logging.getLogger("quiet")
QUIET.setLevel(logging.CRITICAL)


class Gaps:
    """What is done after each hello."""

    def __init__(self):
        self.count = 0
        self.fails = False

    def __call__(self):
        self.count += 1
        if self.fails:
            raise OSError("hunter2")


@contextmanager
def listening(site, app_token, bot, kept, *, silence=60.0, gaps=None, metrics=None):
    app = make_app(WebClient("xoxb-secret", base_url=f"{site}/api/"), kept, None, bot)
    gaps, metrics = gaps or Gaps(), metrics or Tally()
    socket = Socket(app, app_token, site=site, silence=silence, metrics=metrics, on_gap=gaps)
    socket.start()
    try:
        yield socket, gaps, metrics
    finally:
        began = time.monotonic()
        socket.stop()
        assert time.monotonic() - began < 2
        assert not socket.alive()


# Against the sandbox's Slack


@pytest.fixture
def kept():
    return Kept()


@pytest.fixture
def slack(box):
    box.slack.patience = 1.0
    return box.slack


@contextmanager
def at_sandbox(box, kept, **more):
    slack = box.slack
    with listening(box.slack_url, slack.app_token, slack.bot.id, kept, **more) as (socket, gaps, metrics):
        assert slack.sockets.wait_connected()
        until(socket.alive)
        yield socket, gaps, metrics


def test_a_mention_is_stored_and_acknowledged(box, slack, kept):
    with at_sandbox(box, kept) as (socket, gaps, metrics):
        ts = slack.say("ana", "dev", f"{slack.mention} check PAY-1")
        assert slack.wait()
        assert {(one.channel, one.ts, one.text) for one in kept.messages} == {
            (slack.channel("dev").id, ts, "check PAY-1")
        }
        assert len({one.event_id for one in kept.messages}) == len(kept.messages) == 2
        assert all(sent.acked for sent in slack.deliveries.sent)
        until(lambda: gaps.count == 1)
        assert socket.last_heard is not None
        until(lambda: metrics.total("crosscheck_slack_ack_seconds") == 2)
    assert slack.sockets.connected == 0


def test_what_is_not_stored_is_delivered_again(box, slack, kept):
    slack.patience = 0.3
    kept.broken = True
    with at_sandbox(box, kept):
        slack.say("ana", "dev", f"{slack.mention} check PAY-1")
        time.sleep(0.2)
        kept.broken = False
        assert slack.wait()
    assert len(kept.messages) == 2
    assert not slack.deliveries.lost


def test_the_same_event_again_and_again(box, slack, kept):
    """Retries whose counter goes back, with the same envelope, over a connection made anew in between (D1)."""
    slack.deliveries.plan = (
        Attempt(0, lose_ack=True),
        Attempt(1, after=0.05, lose_ack=True),
        Attempt(0, after=0.05, same_envelope=True, reconnect=True, lose_ack=True),
        Attempt(1, after=0.05),
    )
    with at_sandbox(box, kept):
        ts = slack.say("ana", "dev", f"{slack.mention} check PAY-1")
        assert slack.wait(20)
    assert {one.ts for one in kept.messages} == {ts}
    assert len(kept.messages) >= 4


def test_only_the_retry_arrives(box, slack, kept):
    slack.deliveries.plan = (Attempt(1),)
    with at_sandbox(box, kept):
        slack.say("ana", "dev", f"{slack.mention} check PAY-1")
        assert slack.wait()
    assert len(kept.messages) == 2


def test_200_mentions_at_once(box, slack, kept):
    with at_sandbox(box, kept):
        for number in range(200):
            slack.say("ana", "dev", f"{slack.mention} question {number}")
        assert slack.wait(20)
    assert list(dict.fromkeys(one.text for one in kept.messages)) == [f"question {number}" for number in range(200)]
    assert max(sent.seconds for sent in slack.deliveries.sent) < 1
    assert len(slack.deliveries.sent) == 400


def test_commands_and_shortcuts(box, slack, kept):
    with at_sandbox(box, kept):
        assert slack.command("ana", "dev", "check PAY-1") == "Looking into it."
        ts = slack.say("ben", "dev", "is that right?")
        assert slack.shortcut("ana", "dev", ts)
        assert [text for _, text in kept.wait(kept.told)] == ["Looking into it."]
        slack.open_home("ana")
        thread = slack.open_assistant("ana")
        assert slack.wait()
        assert kept.wait(kept.homes) == [slack.user("ana").id]
        assert kept.wait(kept.panels)[0][1] == thread
    assert [(one.text, one.message and one.message.text) for one in kept.asked] == [
        ("check PAY-1", None),
        ("", "is that right?"),
    ]


@pytest.mark.parametrize("end", ["renew", "disconnect", "drop"])
def test_it_connects_anew(box, slack, kept, end):
    with at_sandbox(box, kept) as (socket, gaps, _):
        until(lambda: gaps.count == 1)
        getattr(slack.sockets, end)()
        until(lambda: gaps.count == 2)
        until(socket.alive)
        assert slack.sockets.connected == 1
        slack.say("ana", "dev", f"{slack.mention} still there?")
        assert slack.wait()
    assert {one.text for one in kept.messages} == {"still there?"}


def test_a_silent_connection_is_made_anew(box, slack, kept):
    """Established, pings answered, and not a word: what looks healthy is not (bolt-python#1529)."""
    with at_sandbox(box, kept, silence=0.4) as (socket, gaps, metrics):
        slack.silent = True
        until(lambda: metrics.total("crosscheck_slack_reconnects_total") >= 2)
        assert not socket.alive()
        slack.say("ana", "dev", f"{slack.mention} anybody?")
        slack.silent = False
        until(socket.alive)
        assert slack.wait()
        until(lambda: gaps.count >= 2)
    assert {one.text for one in kept.messages} == {"anybody?"}


def test_a_token_that_is_refused(box, kept):
    with capture_logs() as logs, listening(box.slack_url, "xapp-wrong", BOT, kept) as (socket, gaps, metrics):
        until(lambda: metrics.total("crosscheck_slack_reconnects_total") >= 2)
        assert not socket.alive()
        assert gaps.count == 0
    refused = next(line for line in logs if line["event"] == "Slack refuses the app")
    assert refused["log_level"] == "error"
    assert "invalid_auth" in refused["reason"]
    assert "CROSSCHECK_SLACK_APP_TOKEN" in refused["look_at"]
    assert "crosscheck doctor" in refused["look_at"]
    assert "xapp-wrong" not in str(logs)


# Against a server that misbehaves


class Server:
    """Where sockets are opened, and what happens on each: scripts of (what to send, how it ends)."""

    def __init__(self, *scripts):
        self._scripts = list(scripts)
        self.most, self.opened, self.asked, self.refuse = 0, 0, 0, []
        self._connections = []
        self.acked = []
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._ws = serve(self._serve, "127.0.0.1", 0, logger=QUIET)
        self.port = self._ws.socket.getsockname()[1]
        outer = self

        class Api(BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                outer.asked += 1
                status, more, body = outer.refuse.pop(0) if outer.refuse else (200, {}, outer.address())
                raw = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                for name, value in {"Content-Length": str(len(raw)), **more}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_):
                """Nothing."""

        self._api = ThreadingHTTPServer(("127.0.0.1", 0), Api)
        self.site = f"http://127.0.0.1:{self._api.server_port}"
        self._threads = [
            threading.Thread(target=self._ws.serve_forever),
            threading.Thread(target=self._api.serve_forever, kwargs={"poll_interval": 0.02}),
        ]
        for thread in self._threads:
            thread.start()

    def address(self):
        return {"ok": True, "url": f"ws://127.0.0.1:{self.port}/link?ticket=ticket-secret"}

    def close(self):
        self._over.set()
        self._ws.shutdown()
        self._api.shutdown()
        self._api.server_close()
        for thread in self._threads:
            thread.join()

    def _serve(self, connection):
        with self._lock:
            self.opened += 1
            self._connections.append(connection)
            self.most = max(self.most, sum(one.state is State.OPEN for one in self._connections))
            script = self._scripts.pop(0) if self._scripts else ([HELLO], "stay")
        said, end = script
        try:
            for one in said:
                connection.send(one)
            if end == "cut":
                connection.socket.close()
            elif end == "stay":
                for answer in connection:
                    self.acked.append(json.loads(answer))
        except ConnectionClosed:
            pass


HELLO = json.dumps({"type": "hello", "num_connections": 1})


def envelope(name, payload, kind="events_api", **more):
    return json.dumps(
        {"type": kind, "envelope_id": name, "payload": payload, "accepts_response_payload": False, **more}
    )


@contextmanager
def at_server(kept, *scripts, refuse=(), **more):
    server = Server(*scripts)
    server.refuse = list(refuse)
    try:
        with listening(server.site, APP_TOKEN, BOT, kept, **more) as (socket, gaps, metrics):
            yield server, socket, gaps, metrics
    finally:
        server.close()


def test_a_connection_that_is_cut(kept):
    with at_server(kept, ([HELLO], "cut"), ([HELLO], "end")) as (server, socket, gaps, _):
        began = time.monotonic()
        until(lambda: gaps.count == 3)
        until(socket.alive)
        assert time.monotonic() - began < 4
        assert server.most == 1, "the old connection is closed before there is a new one"


def test_a_server_that_says_nothing(kept):
    silent = ([], "stay")
    with at_server(kept, silent, silent, silence=0.3) as (server, socket, gaps, _):
        until(lambda: server.opened >= 3)
        until(socket.alive)
        until(lambda: gaps.count >= 1)
        assert server.most == 1


def test_what_cannot_be_understood_costs_only_itself(kept):
    said = [
        HELLO,
        "no json",
        "[1]",
        "[" * 100_000,
        "{}",
        json.dumps({"type": "something_new"}),
        envelope("e1", "text"),
        envelope("e2", 5),
        envelope("e3", {"type": "event_callback", "event": 5}),
        envelope("e4", {"type": "event_callback", "team_id": {"id": 1}, "authorizations": 5}),
        envelope("e5", delivery(ts="never")),
        envelope("e6", delivery(), retry_attempt=2, retry_reason="timeout"),
        envelope("e7", delivery(text="x" * 100_000 + f"<@{BOT}>")),
    ]
    with at_server(kept, (said, "stay")) as (server, socket, _, _):
        until(lambda: len(server.acked) >= 3)
        assert socket.alive()
        assert server.opened == 1
    assert {one["envelope_id"] for one in server.acked} == {"e5", "e6", "e7"}
    assert [one.ts for one in kept.messages] == ["1700000000.000100"]


@pytest.mark.parametrize(
    "answer",
    [
        (500, {}, b"<html>"),
        (200, {}, {"ok": False, "error": "internal_error"}),
        (200, {}, {"ok": True, "url": "no address"}),
        (200, {}, {"ok": True}),
    ],
)
def test_whatever_the_api_says_it_is_asked_again(kept, answer):
    with at_server(kept, refuse=[answer]) as (server, socket, gaps, metrics):
        until(socket.alive)
        assert server.asked == 2
        assert metrics.total("crosscheck_slack_reconnects_total") == 1
        until(lambda: gaps.count == 1)


def test_it_waits_as_long_as_slack_says(kept):
    refuse = [(429, {"Retry-After": "1"}, {"ok": False, "error": "ratelimited"})]
    with at_server(kept, refuse=refuse) as (server, socket, _, _):
        until(lambda: server.asked == 1)
        time.sleep(0.8)
        assert server.asked == 1
        until(socket.alive)


def test_nobody_there(kept):
    with capture_logs() as logs, listening("http://127.0.0.1:9", APP_TOKEN, BOT, kept) as (socket, _, metrics):
        until(lambda: metrics.total("crosscheck_slack_reconnects_total") >= 2)
        assert not socket.alive()
    assert {line["log_level"] for line in logs} == {"warning"}, "it mends itself, and the token was not tried"


def test_catching_up_may_fail_or_take_long(kept):
    gaps = Gaps()
    gaps.fails = True
    with at_server(kept, ([HELLO], "cut"), gaps=gaps) as (_, socket, _, _):
        until(lambda: gaps.count == 2)
        until(socket.alive)


def test_nothing_said_and_no_secret_is_logged(kept, caplog, capfd):
    secret = "hunter2"
    said = [HELLO, envelope("e1", delivery(text=f"<@{BOT}> {secret}")), f"{secret} no json"]
    refuse = [(200, {}, {"ok": False, "error": "internal_error"})]
    gaps = Gaps()
    gaps.fails = True
    kept.broken = True
    with caplog.at_level(logging.DEBUG), at_server(kept, (said, "cut"), refuse=refuse, gaps=gaps) as (server, *_):
        until(lambda: server.opened == 2)
        until(lambda: gaps.count == 2)
    logged = caplog.text + "".join(capfd.readouterr())
    assert "internal_error" in logged
    assert "OSError" in logged
    for word in (secret, APP_TOKEN, "ticket-secret", "xoxb-secret"):
        assert word not in logged
