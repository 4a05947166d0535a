"""Who sends too much, too slowly, or to the wrong place: nobody else has to wait for it."""

import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route

from crosscheck.api import LARGEST, create_api
from crosscheck.bounded import Bounded
from crosscheck.callers import Callers, hashed
from crosscheck.for_callers import ForCallers
from crosscheck.mcp.http import McpApp
from crosscheck.mcp.tools import TOOLS
from crosscheck.settings_deployed import Token
from crosscheck.web import create_app
from tests.crosscheck.mcp.fake import KEY, NOW, passage
from tests.crosscheck.test_api import FOUND
from tests.fakes import Tally

KNOWN = {"Authorization": "Bearer of-builders"}
JSON = {"Content-Type": "application/json"}
MANY = 45
"""More than the threads that the server has for deliveries."""


class Slow:
    """A search that takes until it is let go."""

    def __init__(self) -> None:
        self.gate = threading.Event()

    def run(self, _name: str, asked: Any, _report: Any) -> Any:
        if asked["text"] == "slow":
            self.gate.wait(20)
        return FOUND


@dataclass
class Served:
    url: str
    port: int
    slow: Slow

    def said(self, head: str, body: bytes = b"", seconds: float = 5) -> bytes:
        """The beginning of the answer to a request as it is written; TimeoutError if there is none in time."""
        with closing(socket.create_connection(("127.0.0.1", self.port), timeout=seconds)) as wire:
            wire.sendall(head.replace("\n", "\r\n").encode() + b"\r\n\r\n" + body)
            return wire.recv(100)


@pytest.fixture
def served() -> Iterator[Served]:
    slow = Slow()
    tokens = [
        Token(name="builders", sha256=hashed("of-builders"), labels=("org",)),
        Token(name="others", sha256=hashed("of-others"), labels=("org",)),
    ]
    callers, outside = Callers(tokens), ForCallers(slow)
    mcp = McpApp(outside, callers.of, key=KEY, clock=lambda: NOW)
    app = create_app(
        hooks={},
        slack=lambda _headers, _body: (200, "text/plain", "taken"),
        operations=slow,
        token="of-commands",
        health=lambda: {"ok": True},
        metrics=Tally(),
        further=[Route("/mcp", mcp), Mount("/v1", create_api(outside, callers))],
        lifespan=lambda _app: mcp.running(),
    )
    with running(app) as port:
        yield Served(f"http://127.0.0.1:{port}", port, slow)
        slow.gate.set()


class running:  # noqa: N801  used like a function
    """A server on loopback; entered, its port."""

    def __init__(self, app: Any) -> None:
        self.server = uvicorn.Server(
            uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=1)
        )

    def __enter__(self) -> int:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.listener]})
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)
        return int(self.listener.getsockname()[1])

    def __exit__(self, *_: object) -> None:
        self.server.should_exit = True
        self.thread.join()
        self.listener.close()


def test_deliveries_and_health_are_answered_while_programs_wait(served):
    def ask(_number):
        return httpx.post(f"{served.url}/v1/search", json={"text": "slow"}, headers=KNOWN, timeout=30).status_code

    with ThreadPoolExecutor(MANY) as pool:
        asked = [pool.submit(ask, number) for number in range(MANY)]
        time.sleep(0.5)
        assert httpx.get(f"{served.url}/health", timeout=5).json() == {"ok": True}
        assert httpx.post(f"{served.url}/webhooks/slack", content=b"{}", timeout=5).text == "taken"
        served.slow.gate.set()
        assert {one.result() for one in asked} == {200}


def test_who_asks_much_leaves_others_their_turn(served):
    def ask(text, token):
        headers = {"Authorization": f"Bearer {token}"}
        return httpx.post(f"{served.url}/v1/search", json={"text": text}, headers=headers, timeout=30).status_code

    with ThreadPoolExecutor(20) as pool:
        asked = [pool.submit(ask, "slow", "of-builders") for _ in range(20)]
        time.sleep(0.5)
        begun = time.monotonic()
        assert ask("quick", "of-others") == 200
        assert time.monotonic() - begun < 5
        served.slow.gate.set()
        assert {one.result() for one in asked} == {200}


@pytest.mark.parametrize("path", ["/v1/search", "/v1/none", "/mcp"])
def test_of_who_has_no_token_no_body_is_waited_for(served, path):
    head = f"POST {path} HTTP/1.1\nHost: 127.0.0.1\nContent-Type: application/json\nContent-Length: 900000"
    assert served.said(head, b"{").startswith(b"HTTP/1.1 401")


def test_a_body_without_end_is_refused_when_it_is_too_large(served):
    head = (
        f"POST /v1/search HTTP/1.1\nHost: 127.0.0.1\nAuthorization: {KNOWN['Authorization']}\n"
        "Content-Type: application/json\nTransfer-Encoding: chunked"
    )
    chunk = b"%x\r\n%s\r\n" % (LARGEST + 1, b" " * (LARGEST + 1))
    assert served.said(head, chunk).startswith(b"HTTP/1.1 413")


def test_a_body_that_does_not_come_is_not_waited_for():
    async def echo(request: Request) -> PlainTextResponse:
        return PlainTextResponse(await request.body())

    app = Bounded(Starlette(routes=[Route("/", echo, methods=["POST"])]), 100, seconds=0.2)
    with running(app) as port:
        served = Served("", port, Slow())
        head = "POST / HTTP/1.1\nHost: 127.0.0.1\nContent-Length: 50"
        assert served.said(head, b"some").startswith(b"HTTP/1.1 408")
        assert httpx.post(f"http://127.0.0.1:{port}/", content=b"all").text == "all"


@pytest.mark.parametrize("path", ["/v1/search", "/mcp"])
@pytest.mark.parametrize(
    "headers",
    [
        [("Authorization", "Bearer of-builders"), ("Authorization", "Bearer of-others")],
        [("Authorization", "Bearer of-builders"), ("Authorization", "Bearer of-builders")],
        [("X-Authorization", "Bearer of-builders")],
        [("Cookie", "Authorization=Bearer of-builders")],
        [("Authorization", "Bearer of-builders,Bearer of-others")],
        [("Authorization", "bearer\tof-builders")],
    ],
)
def test_a_token_counts_only_where_it_belongs_and_once(served, path, headers):
    url = f"{served.url}{path}?token=of-builders&access_token=of-builders&authorization=Bearer%20of-builders"
    assert httpx.post(url, content=b'{"text": "a"}', headers=[*headers, *JSON.items()]).status_code == 401


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"\xff\xfe",
        b"[" * 900_000,
        b'{"text":' + b"[" * 400_000 + b"]" * 400_000 + b"}",
        b'{"text":"\\ud800"}',
        b'{"text":"a","\\ud800":1}',
        b'{"text":"a","sources":["\\ud800"]}',
        b'{"text":"a","repositories":["' + b"r" * 301 + b'"]}',
        b'{"text":"a","limit":NaN}',
        b'{"text":"a","limit":' + b"9" * 5_000 + b"}",
        b'{"text":"a","limit":1e999}',
        b'{"text":"a","as_of":1e300}',
        b'{"text":"a","' + b"k" * 100_000 + b'":1}',
        b'{"text":"a","audience":"=org,jira:SECRET"}',
    ],
)
def test_json_that_is_none_or_odd_is_refused_with_a_short_sentence(served, body):
    answer = httpx.post(f"{served.url}/v1/search", content=body, headers={**KNOWN, **JSON})
    assert 400 <= answer.status_code < 500
    assert answer.json().keys() == {"error"}
    assert len(answer.content) < 2_000


@pytest.mark.parametrize(("method", "path", "status"), [("POST", "/v1/none", 404), ("GET", "/v1/search", 405)])
def test_what_there_is_not_is_refused_in_the_same_form(served, method, path, status):
    answer = httpx.request(method, f"{served.url}{path}", headers=KNOWN)
    assert (answer.status_code, answer.json().keys()) == (status, {"error"})


def test_a_question_of_four_thousand_characters_does_not_make_its_answer_slow():
    question = " ".join(f"word{number:03}" for number in range(500))
    found = {"evidence": [{**passage(n), "text": "a. " * 1_000} for n in range(50)], "notes": [], "degraded": []}
    search = TOOLS["search"]
    begun = time.monotonic()
    search.says(found, search.takes(text=question)).page(0, search.budget, lambda _done, _of: "cursor")
    assert time.monotonic() - begun < 2
