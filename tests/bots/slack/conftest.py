"""A tiny company's Slack on loopback. What the client sends to it is judged by Slack's own description and limits."""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

import pytest

from bots.slack import limits
from bots.slack.client import SlackClient
from sandbox.records import Channel
from sandbox.server import Sandbox
from tests.bots.conftest import COMPANY
from tests.conftest import SHARED
from tests.specs import Description

CHANNELS = (
    Channel("dev", ("ana", "ben")),
    Channel("leads", ("ana",), private=True),
    Channel("guests", ("ana", "cyd")),
    Channel("partners", ("ana",), shared_with="Other", strangers=("Sam Stranger",)),
    Channel("elsewhere", ("ana", "ben"), bot=False),
)


@pytest.fixture
def box() -> Iterator[Sandbox]:
    with Sandbox.start(replace(COMPANY, channels=CHANNELS)) as sandbox:
        yield sandbox
        asked = [e for e in sandbox.exchanges.all("slack") if e.path.startswith("/api/")]
        assert [(e.path, fault) for e in asked for fault in faults(e)] == []


@pytest.fixture
def client(box) -> Iterator[SlackClient]:
    client = SlackClient(box.slack.token, site=box.slack_url, timeout=3)
    yield client
    client.close()


def faults(exchange):
    """What Slack publishes of its limits, and its description of 2020 where that has the method."""
    method = exchange.path.removeprefix("/api/")
    written = exchange.headers.get("content-type", "").startswith("application/json")
    found = limits.check(method, json.loads(exchange.body)) if written else []
    if SHARED.is_dir():
        request = replace(exchange, status=0, response_headers={}, response_body=b"")
        found += [wrong for wrong in described().problems(request) if not wrong.endswith("is not described")]
    return found


@lru_cache(maxsize=1)
def described():
    return Description(SHARED / "specs" / "prepared" / "slack-web-patched.json", "/api", as_it_is_used)


def as_it_is_used(document):
    """The validator cannot judge a token that was got by OAuth. A view is a string in forms alone, and the description
    knows forms alone.
    """
    for path in document["paths"].values():
        for operation in path.values():
            operation.pop("security", None)
            body = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if body and "view" in body["schema"]["properties"]:
                body["schema"]["properties"]["view"] = {"type": "object"}
