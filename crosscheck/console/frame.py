"""What holds for every answer of the console: where it may be asked, and what a browser may do with it."""

from collections.abc import Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crosscheck.console.addresses import known_name

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
"""Content-Security-Policy: nothing from elsewhere, no script or style in a page, no frame around it."""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_WRONG_NAME = "This name is not in serve.names of the settings, so nothing is answered here.\n"


class Frame:
    """Refuses requests that were sent to a name that is not ours, and gives each answer its headers."""

    def __init__(self, app: ASGIApp, names: Sequence[str]) -> None:
        self._app = app
        self._names = frozenset(names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def framed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        hosts = Headers(scope=scope).getlist("host")
        if len(hosts) != 1 or not known_name(hosts[0], self._names):
            await PlainTextResponse(_WRONG_NAME, 421)(scope, receive, framed)
            return
        await self._app(scope, receive, framed)
