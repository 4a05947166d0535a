"""A limit on what a stranger may send, for an application that reads its bodies whole."""

import anyio
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PATIENCE = 30.0
"""Seconds that a body may take to come."""


class Bounded:
    """Refuses a request whose body has more than `most` bytes with 413, whether or not its size was told before, and
    one whose body is not there within `seconds` with 408.
    """

    def __init__(self, app: ASGIApp, most: int, seconds: float = PATIENCE) -> None:
        self._app = app
        self._most = most
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in {"GET", "HEAD"}:  # of those no body is read
            await self._app(scope, receive, send)
            return
        body: bytes | JSONResponse | None = _refusal(f"The request has not come within {self._seconds:g} seconds.", 408)
        with anyio.move_on_after(self._seconds):
            body = await self._body(receive)
        if isinstance(body, JSONResponse):
            await body(scope, receive, send)
        elif body is not None:
            given: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
            await self._app(scope, lambda: _next(given, receive), send)

    async def _body(self, receive: Receive) -> bytes | JSONResponse | None:
        """All of it, or a refusal; None if whoever sent it has gone."""
        body, more = bytearray(), True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > self._most:
                return _refusal(f"The request is larger than {self._most:,} bytes.", 413)
        return bytes(body)


def _refusal(sentence: str, status: int) -> JSONResponse:
    return JSONResponse({"error": sentence}, status)


async def _next(given: list[Message], receive: Receive) -> Message:
    """What was read already, then what comes after it."""
    return given.pop() if given else await receive()
