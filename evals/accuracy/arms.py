"""The arm with Crosscheck: its MCP server on loopback, and the tools that an agent has of it."""

import secrets
import socket
import threading
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hmac import compare_digest
from typing import Any

import httpx2
import uvicorn
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent
from pydantic_ai import Tool
from starlette.applications import Starlette
from starlette.routing import Route

from bots.text import one_line
from core.types import Audience
from crosscheck.for_callers import ForCallers
from crosscheck.mcp.caller import Caller
from crosscheck.mcp.http import McpApp
from crosscheck.operations import Operations
from evals.harness.errors import EvalError
from review.agents.fence import Fence

ANSWER = 40_000
"""Characters of an answer that are shown; the server's own limit is below that."""
_CALL_SECONDS = 180.0
_STOP_SECONDS = 2


@dataclass(frozen=True, slots=True)
class Served:
    """An MCP server that runs."""

    url: str
    token: str = field(repr=False)


@contextmanager
def serving(operations: Operations, audience: Audience) -> Iterator[Served]:
    """Crosscheck's MCP server over these operations while the block runs, as the service has it: on loopback, for one
    token that is drawn anew and reads what this audience may read.
    """
    token = secrets.token_urlsafe(32)
    caller = Caller("evaluation", audience.labels)
    app = McpApp(
        ForCallers(operations),
        lambda given: caller if compare_digest(given.encode(), token.encode()) else None,
        key=secrets.token_bytes(32),
        clock=lambda: datetime.now(UTC),
    )

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with app.running():
            yield

    web = Starlette(routes=[Route("/mcp", app)], lifespan=lifespan)
    config = uvicorn.Config(web, log_config=None, access_log=False, timeout_graceful_shutdown=_STOP_SECONDS)
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listener:  # which takes connections from now on
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="evaluated-mcp")
        thread.start()
        try:
            yield Served(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", token)
        finally:
            server.should_exit = True
            thread.join()


@asynccontextmanager
async def crosscheck_tools(served: Served, fence: Fence, calls: Counter[str]) -> AsyncIterator[list[Tool[None]]]:
    """The server's tools over one session. `calls` is counted up by the tools' names.

    Raises:
        EvalError: the server does not answer. Without its tools the arm would be the baseline by another name.

    """
    async with AsyncExitStack() as stack:
        headers = {"Authorization": f"Bearer {served.token}"}
        http = await stack.enter_async_context(
            httpx2.AsyncClient(headers=headers, timeout=_CALL_SECONDS, trust_env=False)
        )
        try:
            client = await stack.enter_async_context(Client(streamable_http_client(served.url, http_client=http)))
            listed = (await client.list_tools()).tools
        except (ExceptionGroup, MCPError, httpx2.HTTPError) as error:
            raise EvalError(
                f"Crosscheck's MCP server at {served.url} does not answer, so there is no such arm."
            ) from error
        yield [_Called(client, one.name, fence, calls).tool(one.description or "", one.input_schema) for one in listed]


class _Called:
    """One of the server's tools."""

    def __init__(self, client: Client, name: str, fence: Fence, calls: Counter[str]) -> None:
        self._client = client
        self._name = name
        self._fence = fence
        self._calls = calls

    def tool(self, description: str, schema: dict[str, Any]) -> Tool[None]:
        return Tool.from_schema(self._call, self._name, description, schema)

    async def _call(self, **arguments: Any) -> str:
        """The answer as data; a failure as a sentence, as every client tells its model."""
        self._calls[self._name] += 1
        try:
            result = await self._client.call_tool(self._name, arguments, read_timeout_seconds=_CALL_SECONDS)
        except MCPError as error:
            return f"The tool failed: {one_line(str(error), 300)}"
        said = "\n\n".join(one.text for one in result.content if isinstance(one, TextContent))
        return self._fence.text(said, ANSWER)
