"""The app against the server that bolt's own tests run on, where a checkout of bolt is named.

CROSSCHECK_BOLT_TESTS=<checkout of slackapi/bolt-python> pytest tests/bots/slack/test_bolt_mock.py

It is in bolt's repository only, not in what it publishes as a package, and listens on port 8888.
"""

import importlib.util
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from slack_sdk.web import WebClient

from bots.slack.events import Heard
from bots.slack.listeners import make_app
from tests.bots.slack.test_events import COMMAND, delivery, mention
from tests.bots.slack.test_listeners import FORM, SECRET, Kept, by_http, by_socket, form, shortcut, until

VARIABLE = "CROSSCHECK_BOLT_TESTS"
BOT = "W23456789"  # what the server's auth.test says


@pytest.fixture
def server():
    folder = Path(os.environ.get(VARIABLE, "")) / "tests" / "mock_web_api_server"
    if not os.environ.get(VARIABLE):
        pytest.skip(f"{VARIABLE} names no checkout of bolt-python")
    if not folder.is_dir():
        pytest.skip(f"{VARIABLE} has no tests/mock_web_api_server")
    spec = importlib.util.spec_from_file_location("bolt_mock", folder / "__init__.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["bolt_mock"] = module  # it imports its own parts
    spec.loader.exec_module(module)
    running = SimpleNamespace()
    module.setup_mock_web_api_server(running)
    yield running
    module.cleanup_mock_web_api_server(running)
    for name in [name for name in sys.modules if name.partition(".")[0] == "bolt_mock"]:
        del sys.modules[name]


def test_everything_is_acknowledged_without_a_call(server):
    kept = Kept()
    client = WebClient("xoxb-valid", base_url=f"{server.server_url}/")
    assert client.auth_test()["user_id"] == BOT
    app = make_app(client, kept, SECRET, BOT)
    text = f"<@{BOT}> check PAY-12"
    for body in (delivery(text=text), mention(text=text)):
        assert by_socket(app, body).status == 200
        assert by_http(app, json.dumps(body)).status == 200
        assert by_http(app, json.dumps(body), secret="wrong").status == 401
    assert by_socket(app, COMMAND).body == "Looking into it."
    asked = form(shortcut(f"{server.server_url}/webhook"))
    assert by_http(app, asked, kind=FORM).status == 200
    until(lambda: server.received_requests.get("/webhook", 0) == 1)
    assert len(kept.messages) == 4
    assert all(isinstance(one, Heard) for one in kept.messages)
    assert len(kept.asked) == 2
    assert server.received_requests.get("/auth.test") == 1, "ours, to know who the bot is"
