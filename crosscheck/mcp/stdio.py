"""MCP over standard input and output, for a client on the same machine that starts `crosscheck mcp` itself."""

import secrets
from datetime import UTC, datetime

import anyio
from mcp.server.stdio import stdio_server

from crosscheck.mcp.caller import Caller
from crosscheck.mcp.calls import Calls, Limits
from crosscheck.mcp.cursors import Cursors
from crosscheck.mcp.server import build
from crosscheck.operations import Operations


def run_stdio(operations: Operations, audience: str, *, version: str = "") -> None:
    """Serve until the client closes standard input.

    Nothing but the protocol reaches standard output: while it is served, what is printed goes to standard error.
    Operations that still run at the end are not waited for.
    """
    labels = frozenset(label.strip() for label in audience.removeprefix("=").split(",") if label.strip())
    caller = Caller("stdio", labels, exactly=audience.startswith("="))
    cursors = Cursors(secrets.token_bytes(32), lambda: datetime.now(UTC))

    async def serve() -> None:
        server = build(operations, Calls(Limits()), lambda _context: caller, cursors, version)
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    anyio.run(serve)
