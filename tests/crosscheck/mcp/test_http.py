"""Over streamable HTTP: the SDK's client against a real server on loopback, and requests that no client would send."""

import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx
import httpx2
import pytest
import uvicorn
from fastapi import FastAPI
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from starlette.routing import Route
from structlog.testing import capture_logs

from crosscheck.mcp.caller import Caller
from crosscheck.mcp.calls import Limits
from crosscheck.mcp.http import LARGEST_REQUEST, McpApp
from tests.crosscheck.mcp.fake import ALICE, ANSWERS, KEY, NOW, Operations, text
from tests.crosscheck.mcp.test_calls import Gate, given_up, until
from tests.crosscheck.mcp.test_cursors import SEARCH, cursor_of, many
from tests.crosscheck.mcp.test_tools import CALLS

TOKENS = {
    "token-of-alice": ALICE,
    "other-token-of-alice": ALICE,
    "token-of-bob": Caller("bob", frozenset({"org"})),
    "token-of-nobody": Caller("nobody", frozenset()),
}
HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=["legacy", "2026-07-28", "auto"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def operations() -> Operations:
    return Operations()


class Known(dict[str, Caller]):
    """Tokens that are known, and how often one was looked up: once for each request."""

    looked_up = 0

    def of(self, token: str) -> Caller | None:
        self.looked_up += 1
        return self.get(token)


@pytest.fixture
def tokens() -> Known:
    return Known(TOKENS)


@pytest.fixture
def url(operations: Operations, tokens: Known) -> Iterator[str]:
    mcp = McpApp(
        operations,
        tokens.of,
        key=KEY,
        clock=lambda: NOW,
        hosts=["qa.example"],
        limits=Limits(at_once=4),
        version="1.0",
    )

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with mcp.running():
            yield

    app = FastAPI(lifespan=lifespan)
    app.router.routes.append(Route("/mcp", mcp))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=2))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        server.should_exit = True
        thread.join()


@asynccontextmanager
async def connected(url: str, token: str, mode: str) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=30) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield client


def post(url: str, token: str | None, body: Any, **headers: str) -> httpx.Response:
    bearer = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.post(url, json=body, headers={**HEADERS, **bearer, **headers}, timeout=20)


def session(url: str, token: str) -> dict[str, str]:
    """The headers of a session that this token has opened."""
    answer = post(url, token, INITIALIZE)
    assert answer.status_code == 200
    headers = {"Mcp-Session-Id": answer.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-06-18"}
    ready = post(url, token, {"jsonrpc": "2.0", "method": "notifications/initialized"}, **headers)
    assert ready.status_code == 202
    return headers


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


@pytest.mark.anyio
async def test_a_session_lists_and_calls_each_tool_as_its_tokens_caller(url, operations, mode):
    async with connected(url, "token-of-bob", mode) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == list(CALLS)
        for name, arguments in CALLS.items():
            assert not (await client.call_tool(name, arguments)).is_error
        with pytest.raises(MCPError, match="There is no tool"):
            await client.call_tool("write_it", {})
        wrong = await client.call_tool("check_plan", {"plan": "x" * 200_000})
    assert {asked["audience"] for _, asked in operations.asked} == {"=org"}
    assert wrong.is_error
    assert "at most 60000 characters" in text(wrong)


@pytest.mark.anyio
async def test_progress_comes_while_the_work_goes_on(url, operations, mode):
    heard = threading.Event()
    told: list[str | None] = []

    def plan(_asked: Any, report: Callable[[dict[str, Any]], None]) -> Any:
        report({"step": "plan", "name": "history", "done": 1, "total": 3})
        assert heard.wait(20)
        return ANSWERS["plan"]

    async def hear(_progress: float, _total: float | None, message: str | None) -> None:
        told.append(message)
        heard.set()

    operations.answers["plan"] = plan
    async with connected(url, "token-of-alice", mode) as client:
        await client.call_tool("check_plan", {"plan": "a"}, progress_callback=hear)
    assert told == ["plan history 1 of 3"]


@pytest.mark.anyio
async def test_who_gives_up_while_waiting_is_never_worked_for(url, operations, tokens, mode):
    gate = Gate()
    operations.answers["search"] = gate
    with capture_logs() as logs:
        async with connected(url, "token-of-alice", mode) as client, anyio.create_task_group() as group:
            for _ in range(4):
                group.start_soon(client.call_tool, "search", {"text": "a"})
            await until(lambda: gate.begun == 4)
            before = tokens.looked_up
            async with anyio.create_task_group() as impatient:
                impatient.start_soon(client.call_tool, "lookup", {"key": "given up"})
                await until(lambda: tokens.looked_up > before)
                await anyio.sleep(0.2)
                impatient.cancel_scope.cancel()
            await until(lambda: given_up(logs))
            gate.open.set()
            await client.call_tool("lookup", {"key": "BOOK-1"})
    assert [asked["key"] for name, asked in operations.asked if name == "lookup"] == ["BOOK-1"]


@pytest.mark.anyio
async def test_a_hundred_calls_at_once_are_all_answered(url, mode):
    answers: list[str] = []
    async with connected(url, "token-of-alice", mode) as client:

        async def one() -> None:
            answers.append(text(await client.call_tool("search", {"text": "a"})))

        async with anyio.create_task_group() as group:
            for _ in range(100):
                group.start_soon(one)
    assert len(answers) == 100
    assert len(set(answers)) == 1


@pytest.mark.anyio
async def test_a_cursor_of_another_token_is_refused(url, operations, mode):
    operations.answers["search"] = many()
    async with connected(url, "token-of-alice", mode) as client:
        cursor = cursor_of(text(await client.call_tool("search", SEARCH)))
        assert not (await client.call_tool("search", {**SEARCH, "cursor": cursor})).is_error
    async with connected(url, "token-of-bob", mode) as client:
        result = await client.call_tool("search", {**SEARCH, "cursor": cursor})
    assert result.is_error
    assert text(result).startswith("This cursor was not made for this call.")


@pytest.mark.anyio
async def test_a_token_without_a_label_is_told_so(url, operations):
    async with connected(url, "token-of-nobody", "auto") as client:
        result = await client.call_tool("search", {"text": "a"})
    assert result.is_error
    assert "This token holds no label" in text(result)
    assert operations.asked == []


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "PUT", "OPTIONS"])
@pytest.mark.parametrize(
    ("authorization", "challenge"),
    [
        (None, 'Bearer realm="crosscheck"'),
        ("Bearer", 'Bearer realm="crosscheck"'),
        ("Basic dG9rZW4tb2YtYWxpY2U=", 'Bearer realm="crosscheck"'),
        ("Bearer wrong", 'Bearer realm="crosscheck", error="invalid_token"'),
    ],
)
def test_without_a_known_token_nothing_is_answered(url, operations, method, authorization, challenge):
    headers = {**HEADERS, **({"Authorization": authorization} if authorization else {})}
    answer = httpx.request(method, url, headers=headers, content=b"{}", timeout=20)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == challenge
    assert "token-of" not in answer.text
    assert operations.asked == []


def test_two_tokens_are_none(url):
    headers = [("Authorization", "Bearer token-of-alice"), ("Authorization", "Bearer token-of-bob")]
    answer = httpx.post(url, json=INITIALIZE, headers=[*HEADERS.items(), *headers], timeout=20)
    assert answer.status_code == 401


@pytest.mark.parametrize("token", ["token-of-bob", "other-token-of-alice"])
def test_with_another_token_a_session_does_not_exist(url, operations, token):
    opened = session(url, "token-of-alice")
    body = call("search", text="a")
    for answer in (
        post(url, token, body, **opened),
        post(url, token, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}, **opened),
        httpx.get(url, headers={**HEADERS, **opened, "Authorization": f"Bearer {token}"}, timeout=20),
        httpx.get(
            url, headers={**HEADERS, **opened, "Last-Event-ID": "1", "Authorization": f"Bearer {token}"}, timeout=20
        ),
        httpx.delete(url, headers={**HEADERS, **opened, "Authorization": f"Bearer {token}"}, timeout=20),
    ):
        unknown = post(url, token, body, **{**opened, "Mcp-Session-Id": "0" * 32})
        assert (answer.status_code, answer.json()) == (404, unknown.json())
        assert "alice" not in answer.text
    assert operations.asked == []
    assert post(url, "token-of-alice", body, **opened).status_code == 200


def test_without_a_token_or_with_one_that_is_no_longer_known_a_session_is_refused(url, operations, tokens):
    opened = session(url, "token-of-alice")
    body = call("search", text="a")
    assert post(url, None, body, **opened).status_code == 401
    del tokens["token-of-alice"]
    answer = post(url, "token-of-alice", body, **opened)
    assert answer.status_code == 401
    assert "BOOK" not in answer.text
    assert operations.asked == []


def test_labels_that_a_token_has_lost_count_at_once_in_an_open_session(url, operations, tokens):
    opened = session(url, "token-of-alice")
    tokens["token-of-alice"] = Caller("alice", frozenset({"org"}))
    assert post(url, "token-of-alice", call("search", text="a"), **opened).status_code == 200
    assert operations.asked[0][1]["audience"] == "=org"


def test_another_version_of_the_protocol_does_not_lead_around_the_token(url, operations):
    opened = session(url, "token-of-alice")
    for version in ("2026-07-28", "2024-11-05", "1999-01-01"):
        answer = post(url, None, call("search", text="a"), **{**opened, "MCP-Protocol-Version": version})
        assert answer.status_code == 401
    assert operations.asked == []


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Host": "qa.example", "Origin": "https://qa.example"}, 200),
        ({"Host": "qa.example", "Origin": "null"}, 403),
        ({"Content-Type": "text/plain"}, 400),
    ],
)
def test_requests_of_a_foreign_page_are_refused(url, headers, status):
    assert post(url, "token-of-alice", INITIALIZE, **headers).status_code == status


def test_a_body_that_is_too_large_or_no_message_is_refused(url):
    assert post(url, "token-of-alice", call("search", text="x" * LARGEST_REQUEST)).status_code == 413
    headers = {**HEADERS, "Authorization": "Bearer token-of-alice"}
    for body in (b"", b"{", b"[]", b"[" * 100_000, b'{"jsonrpc":"2.0","id":' + b"9" * 5_000 + b"}"):
        assert 400 <= httpx.post(url, content=body, headers=headers, timeout=20).status_code < 500


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_older_versions_of_the_protocol_are_spoken(url, version):
    params = {**INITIALIZE["params"], "protocolVersion": version}
    answer = post(url, "token-of-alice", {**INITIALIZE, "params": params})
    assert answer.status_code == 200
    assert f'"protocolVersion":"{version}"' in answer.text
