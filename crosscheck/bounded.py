"""A limit on what a stranger may send, for an application that reads its bodies whole."""

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Bounded:
    """Refuses a request whose body has more than `most` bytes with 413, whether or not its size was told before."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body, more = bytearray(), True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > self._most:
                refusal = JSONResponse({"error": f"The request is larger than {self._most:,} bytes."}, 413)
                await refusal(scope, receive, send)
                return
        given: list[Message] = [{"type": "http.request", "body": bytes(body), "more_body": False}]
        await self._app(scope, lambda: _next(given, receive), send)


async def _next(given: list[Message], receive: Receive) -> Message:
    """What was read already, then what comes after it."""
    return given.pop() if given else await receive()
