"""How the sandbox's Slack delivers: sockets with slack_sdk's client and bolt, signed requests, retries, clicks."""

import json
import socketserver
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs

import pytest
import requests
from slack_bolt import App
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_sdk.signature import SignatureVerifier

from sandbox.load import load_company
from sandbox.records import Channel
from sandbox.server import Sandbox
from sandbox.slack.deliveries import Attempt
from tests.sandbox.slack_fixtures import Listener, error, web

PRIYA, LUCA, NORA = "priya.raman", "luca.ferretti", "nora.lindqvist"
DEV, QUAY, SHARED = "booking-dev", "quay-operations", "harbour-systems"


@pytest.fixture(scope="module")
def running():
    with Sandbox.start(load_company()) as running:
        yield running


@pytest.fixture(scope="module")
def listener(running):
    listener = Listener(running)
    yield listener
    listener.close()


@pytest.fixture
def box(running, listener):
    """With an app that listens; it forgets, and the workspace is set as it was."""
    slack = running.slack
    assert slack.wait()
    slack.patience, slack.silent, slack.deliveries.plan = 3.0, False, (Attempt(),)
    for kept in (slack.deliveries.sent, slack.deliveries.lost, slack.pings, listener.heard):
        kept.clear()
    listener.answers.clear()
    return running


@pytest.fixture
def slack(box):
    return box.slack


@pytest.fixture
def app(listener):
    return listener


@pytest.fixture
def alone():
    """With no app that listens."""
    with Sandbox.start(load_company()) as running:
        yield running


# Events


def test_a_mention_is_heard_twice_under_different_event_ids(slack, app):
    ts = slack.say(PRIYA, DEV, f"{slack.mention} what?")
    assert slack.wait()
    assert sorted(app.kinds) == ["app_mention", "message"]
    bodies = [request.payload for request in app.heard]
    assert len({body["event_id"] for body in bodies}) == 2
    assert {body["event"]["ts"] for body in bodies} == {ts}
    assert {body["event"]["channel"] for body in bodies} == {slack.channel(DEV).id}
    assert all(body["authorizations"][0]["user_id"] == slack.bot.id for body in bodies)


def test_what_is_heard_where(slack, app):
    slack.say(PRIYA, DEV, "no mention")
    slack.say(PRIYA, slack.direct(PRIYA), f"{slack.mention} in private")
    slack.say(NORA, QUAY, f"{slack.mention} where the bot is not")
    assert slack.wait()
    assert app.kinds == ["message", "message"]
    assert {event["channel_type"] for event in app.events} == {"channel", "im"}
    slack.say(LUCA, SHARED, f"{slack.mention} with others")
    assert slack.wait()
    assert [request.payload["is_ext_shared_channel"] for request in app.heard] == [False, False, True, True]


def test_a_message_of_the_bot_is_heard_as_its_own(box, slack, app):
    web(box).chat_postMessage(channel=slack.channel(DEV).id, text="answer")
    assert slack.wait()
    assert app.events[0]["bot_id"] == slack.bot.bot_id
    assert app.events[0]["bot_profile"]["app_id"] == slack.workspace.app_id


def test_another_bot(slack, app):
    other = slack.add_bot("Build Robot", DEV)
    assert slack.wait()
    app.heard.clear()
    slack.say(other, DEV, f"{slack.mention} the build failed")
    slack.say(PRIYA, DEV, f"<@{other}> again, please")
    assert slack.wait()
    assert sorted(app.kinds) == ["app_mention", "message", "message"]
    theirs = next(event for event in app.events if event.get("bot_id"))
    assert theirs["bot_id"] != slack.bot.bot_id
    assert theirs["app_id"] != slack.workspace.app_id


def test_edits_and_deletions(slack, app):
    ts = slack.say(PRIYA, DEV, "plain")
    slack.edit(DEV, ts, "plain words")
    slack.edit(DEV, ts, f"{slack.mention} plain words")
    slack.edit(DEV, ts, f"{slack.mention} plain words", quiet=True)
    slack.delete(DEV, ts)
    assert slack.wait()
    assert app.kinds.count("app_mention") == 1
    subtypes = [event.get("subtype", "") for event in app.events if event["type"] == "message"]
    assert sorted(subtypes) == ["", *["message_changed"] * 3, "message_deleted"]
    changed = [event for event in app.events if event.get("subtype") == "message_changed"]
    texts = {(e["previous_message"]["text"], e["message"]["text"]) for e in changed}
    assert ("plain", "plain words") in texts
    assert {event["message"]["ts"] for event in changed} == {ts}
    assert len({event["message"].get("edited", {}).get("ts") for event in changed}) == 2


def test_files_and_threads_in_events(slack, app):
    root = slack.say(PRIYA, DEV, "see", files={"shot.png": b"png"})
    slack.say(LUCA, DEV, f"{slack.mention} and this?", root)
    slack.say(LUCA, DEV, "all of you", root, broadcast=True)
    assert slack.wait()
    messages = {event["text"]: event for event in app.events if event["type"] == "message"}
    assert messages["see"]["files"][0]["name"] == "shot.png"
    assert messages[f"{slack.mention} and this?"]["thread_ts"] == root
    broadcast = messages["all of you"]
    assert (broadcast["subtype"], broadcast["root"]["ts"]) == ("thread_broadcast", root)


def test_joining_and_archiving(slack, app):
    room = slack.create(Channel("closing", (slack.user(PRIYA).person,)))
    slack.add_member(room, NORA)
    slack.invite_bot(QUAY)
    slack.archive(room)
    assert slack.wait()
    slack.remove_bot(QUAY)
    assert sorted(app.kinds) == ["channel_archive", "member_joined_channel", "member_joined_channel"]


# Delivering again


def test_what_is_not_acknowledged_comes_again(alone):
    slack = alone.slack
    slack.patience = 0.1
    app = Listener(alone, deaf=True)
    slack.say(PRIYA, DEV, "hello?")
    assert slack.wait()
    assert app.wait(4)
    app.close()
    assert [request.retry_attempt for request in app.heard] == [0, 1, 2, 3]
    assert [request.retry_reason for request in app.heard] == ["", "http_timeout", "http_timeout", "http_timeout"]
    assert len({request.payload["event_id"] for request in app.heard}) == 1
    assert [event["event"]["text"] for event in slack.deliveries.lost] == ["hello?"]


def test_an_app_that_comes_back_in_time_loses_nothing(alone):
    slack = alone.slack
    slack.patience = 0.6
    slack.say(PRIYA, DEV, "hello?")
    app = Listener(alone)
    assert slack.wait()
    app.close()
    assert [event["text"] for event in app.events] == ["hello?"]
    assert slack.deliveries.lost == []


def test_deliveries_by_plan(slack, app):
    slack.deliveries.plan = (
        Attempt(),
        Attempt(1, "timeout", after=0.1),
        Attempt(0, after=0.1, same_envelope=True, reconnect=True),
        Attempt(),
    )
    slack.say(PRIYA, DEV, f"{slack.mention} what?")
    assert slack.wait()
    assert len(app.heard) == 8
    mentions = [request for request in app.heard if request.payload["event"]["type"] == "app_mention"]
    assert [request.retry_attempt for request in mentions] == [0, 1, 0, 0]
    assert mentions[1].envelope_id == mentions[2].envelope_id
    assert len({request.payload["event_id"] for request in mentions}) == 1


def test_a_lost_acknowledgement(slack, app):
    slack.patience = 0.5
    slack.deliveries.plan = (Attempt(lose_ack=True),)
    slack.say(PRIYA, DEV, "once")
    assert slack.wait()
    assert [request.retry_attempt for request in app.heard] == [0, 1]
    slack.deliveries.plan = (Attempt(2, "http_error"),)
    slack.say(PRIYA, DEV, "only the second retry comes")
    assert slack.wait()
    assert [(r.retry_attempt, r.retry_reason) for r in app.heard[2:]] == [(2, "http_error")]


def test_acknowledgements_are_timed(slack, app):
    for at in range(50):
        slack.say(PRIYA, DEV, f"message {at}")
    assert slack.wait()
    seconds = [sent.seconds for sent in slack.deliveries.sent]
    assert len(seconds) == 50
    assert all(0 <= value < 3 for value in seconds)
    assert {event["text"] for event in app.events} == {f"message {at}" for at in range(50)}


# Connections


def test_events_are_spread_over_connections(box, slack, app):
    other = Listener(box)
    for at in range(10):
        slack.say(PRIYA, DEV, f"message {at}")
    assert slack.wait()
    other.close()
    assert (len(app.heard), len(other.heard)) == (5, 5)
    assert slack.sockets.wait_connected(timeout=15)


def test_a_renewed_connection(slack, app):
    slack.sockets.renew()
    slack.say(PRIYA, DEV, "after")
    assert slack.wait()
    assert [event["text"] for event in app.events] == ["after"]


def test_a_dropped_connection_is_opened_anew(slack, app):
    slack.sockets.drop()
    deadline = time.monotonic() + 10
    while slack.sockets.connected and time.monotonic() < deadline:
        time.sleep(0.01)
    assert slack.sockets.wait_connected(timeout=15)
    slack.say(PRIYA, DEV, "after")
    assert slack.wait(15)
    assert app.events[-1]["text"] == "after"


def test_a_silent_socket_stays_open(slack, app):
    slack.patience = 0.05
    slack.silent = True
    slack.say(PRIYA, DEV, "unheard")
    assert slack.wait()
    assert (app.heard, slack.sockets.connected) == ([], 1)
    slack.silent = False
    slack.say(PRIYA, DEV, "heard")
    assert slack.wait()
    assert [event["text"] for event in app.events] == ["heard"]


def test_a_ticket_is_good_once(box, slack):
    url = web(box).apps_connections_open(app_token=slack.app_token)["url"]
    refused = requests.get(url.replace("ws", "http", 1).split("?")[0], timeout=10)
    assert refused.status_code in {400, 403, 404}
    assert error(web(box).apps_connections_open, app_token="xapp-wrong") == "invalid_auth"


def test_a_running_app_does_not_hold_the_sandbox_up(alone):
    app = Listener(alone)
    started = time.monotonic()
    alone.close()
    assert time.monotonic() - started < 1
    app.close()


# Commands, shortcuts, clicks and modals


def test_a_slash_command_shows_what_the_acknowledgement_says(slack, app):
    app.answers["slash_commands"] = {"text": "working on it"}
    assert slack.command(PRIYA, DEV, "check BKG-142") == "working on it"
    payload = app.heard[0].payload
    assert (payload["command"], payload["text"], payload["channel_name"]) == ("/crosscheck", "check BKG-142", DEV)
    assert app.heard[0].accepts_response_payload


def test_a_command_nobody_acknowledges_fails_for_the_person(alone):
    slack = alone.slack
    slack.patience = 0.05
    assert "operation_timeout" in slack.command(PRIYA, DEV, "x")
    assert slack.command(NORA, QUAY, "x").startswith("/crosscheck failed")
    with pytest.raises(ValueError, match="not in"):
        slack.command(NORA, DEV, "x")


def test_an_answer_at_the_response_url(slack, app):
    slack.command(PRIYA, DEV, "x")
    url = app.heard[0].payload["response_url"]
    assert requests.post(url, json={"text": "for you"}, timeout=10).text == "ok"
    assert requests.post(url, json={"text": "for all <!here>", "response_type": "in_channel"}, timeout=10).ok
    assert [message.text for message in slack.ephemeral(DEV, PRIYA)] == ["for you"]
    assert slack.messages(DEV)[-1].text == "for all <!here>"
    assert [ping.what for ping in slack.pings] == ["<!here>"]
    refused = [requests.post(url, json={"text": "x"}, timeout=10).status_code for _ in range(4)]
    assert refused == [200, 200, 200, 404]
    wide = requests.post(url + "x", json={"text": "x"}, timeout=10)
    assert (wide.status_code, wide.json()["error"]) == (404, "expired_url")


def test_a_shortcut_carries_the_message(slack, app):
    ts = slack.say(LUCA, DEV, "why 8 tries?")
    assert slack.wait()
    assert slack.shortcut(PRIYA, DEV, ts)
    payload = app.heard[-1].payload
    assert (payload["type"], payload["message"]["text"]) == ("message_action", "why 8 tries?")
    assert (payload["message_ts"], payload["user"]["id"]) == (ts, slack.user(PRIYA).id)


def test_a_click_opens_a_modal_that_is_submitted(box, slack, app):
    button = {
        "type": "button",
        "action_id": "down",
        "value": "7",
        "text": {"type": "plain_text", "text": "No"},
    }
    channel = slack.channel(DEV).id
    ts = web(box).chat_postMessage(channel=channel, text="x", blocks=[{"type": "actions", "elements": [button]}])["ts"]
    assert slack.click(PRIYA, DEV, ts, "down")
    payload = next(r.payload for r in app.heard if r.type == "interactive")
    assert (payload["actions"][0]["value"], payload["container"]["message_ts"]) == ("7", ts)
    with pytest.raises(ValueError, match="no button"):
        slack.click(PRIYA, DEV, ts, "up")
    field = {"type": "plain_text_input", "action_id": "reason"}
    label = {"type": "plain_text", "text": "Why?"}
    view = {
        "type": "modal",
        "callback_id": "reason",
        "private_metadata": "7",
        "title": label,
        "submit": label,
        "blocks": [{"type": "input", "block_id": "b", "label": label, "element": field}],
    }
    web(box).views_open(trigger_id=payload["trigger_id"], view=view)
    opened = slack.modals(PRIYA)[0]
    app.answers["interactive"] = {"response_action": "errors", "errors": {"b": "too short"}}
    assert slack.submit(opened, {"reason": "x"})["errors"] == {"b": "too short"}
    app.answers.clear()
    assert slack.submit(opened, {"reason": "wrong policy"}) == {}
    assert slack.modals(PRIYA) == []
    said = app.heard[-1].payload["view"]
    assert said["state"]["values"] == {"b": {"reason": {"type": "plain_text_input", "value": "wrong policy"}}}
    assert said["private_metadata"] == "7"


def test_home_and_assistant(box, slack, app):
    slack.open_home(PRIYA)
    web(box).views_publish(user_id=slack.user(PRIYA).id, view={"type": "home", "blocks": [{"type": "divider"}]})
    slack.open_home(PRIYA)
    ts = slack.open_assistant(PRIYA, about=DEV)
    assert slack.wait()
    first, second = (event for event in app.events if event["type"] == "app_home_opened")
    assert (first["tab"], "view" in first, second["view"]["type"]) == ("home", False, "home")
    thread = next(event for event in app.events if event["type"] == "assistant_thread_started")["assistant_thread"]
    assert (thread["thread_ts"], thread["context"]["channel_id"]) == (ts, slack.channel(DEV).id)


# HTTP


class _App(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.heard.append((dict(self.headers), body))
        status = self.server.statuses.pop(0) if self.server.statuses else 200
        said = json.loads(body) if self.headers["content-type"] == "application/json" else {}
        answer = json.dumps({"challenge": said["challenge"]} if "challenge" in said else self.server.answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


@contextmanager
def listening():
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _App) as server:
        server.heard, server.statuses, server.answer = [], [], {}
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def test_signed_requests(alone):
    slack = alone.slack
    with listening() as app:
        slack.deliver_to(f"http://127.0.0.1:{app.server_address[1]}/slack/events", "secret")
        assert slack.verify_url("abc")
        app.statuses[:] = [500]
        slack.patience = 0.5
        slack.say(PRIYA, DEV, "hello")
        assert slack.wait()
        verifier = SignatureVerifier("secret")
        assert all(verifier.is_valid_request(body, headers) for headers, body in app.heard)
        (_, first), (retried, again) = app.heard[1:]
        assert json.loads(first) == json.loads(again)
        assert (retried["X-Slack-Retry-Num"], retried["X-Slack-Retry-Reason"]) == ("1", "http_timeout")


def test_commands_and_clicks_by_request(alone):
    slack = alone.slack
    with listening() as app:
        slack.deliver_to(f"http://127.0.0.1:{app.server_address[1]}/slack/events")
        app.answer = {"text": "working"}
        assert slack.command(PRIYA, DEV, "a & b") == "working"
        assert parse_qs(app.heard[0][1].decode())["text"] == ["a & b"]
        ts = slack.say(PRIYA, DEV, "x")
        assert slack.shortcut(PRIYA, DEV, ts)
        form = next(body for headers, body in app.heard[1:] if b"payload=" in body[:8])
        assert json.loads(parse_qs(form.decode())["payload"][0])["type"] == "message_action"


# bolt


def test_bolt_is_served(alone):
    slack = alone.slack
    app = App(client=web(alone), token_verification_enabled=False)
    heard = []

    @app.event("app_mention")
    def mentioned(event, say):
        heard.append(event["text"])
        say(text="answer", thread_ts=event["ts"])

    @app.event("message")
    def written():
        pass

    @app.command("/crosscheck")
    def commanded(ack, command):
        ack(f"working on {command['text']}")

    handler = SocketModeHandler(app, slack.app_token, ping_interval=0.2)
    handler.connect()
    try:
        assert slack.sockets.wait_connected()
        ts = slack.say(PRIYA, DEV, f"{slack.mention} what?")
        assert slack.wait()
        assert slack.command(PRIYA, DEV, "BKG-1") == "working on BKG-1"
        deadline = time.monotonic() + 10
        while len(slack.messages(DEV, ts)) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert [message.text for message in slack.messages(DEV, ts)][1:] == ["answer"]
    finally:
        handler.client.auto_reconnect_enabled = False
        slack.sockets.drop()
        handler.close()
    assert heard == [f"{slack.mention} what?"]


def test_a_channel_can_be_made(slack, app):
    people = (slack.user(PRIYA).person,)
    made = slack.create(Channel("private-room", people, private=True))
    slack.say(PRIYA, made, f"{slack.mention} hello")
    assert slack.wait()
    assert {event.get("channel_type") for event in app.events} == {"group", None}
    slack.share(made, "Quayline", ("Odile Marchand",))
    assert slack.wait()
    assert app.kinds[-1] == "member_joined_channel"
