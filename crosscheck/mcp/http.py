"""MCP over streamable HTTP, as an ASGI application that the service mounts."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

import anyio
import structlog
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from crosscheck.call_rate import CallRate
from crosscheck.mcp.caller import Caller
from crosscheck.mcp.calls import Calls, Limits
from crosscheck.mcp.cursors import Cursors
from crosscheck.mcp.server import Context, build
from crosscheck.operations import Operations
from state.errors import StateError

log = structlog.get_logger(__name__)

LARGEST_REQUEST = 1_048_576
"""Bytes of a request's body: a plan of 60,000 characters in the widest JSON escapes, and room."""
OF_ONE = 4
"""Calls of one token's that are worked on at one time, half of all."""
_SESSIONS = 1_000
_IDLE = 300.0  # seconds after which a session ends: one that is left open must not keep others out for long
LOOK_AGAIN = 1.0
"""Seconds after which it is looked whether the token of an open request is revoked."""
AGAIN_AFTER = "30"
"""Seconds, as `Retry-After`."""
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_CALLER = "crosscheck.caller"  # in a request's scope


class McpApp:
    """Answers `/mcp`. Every request is its own token's: a session's id opens nothing.

    A session belongs to the token that opened it; with any other token it does not exist (404). Within a session each
    call is answered as the caller of the request that carries the call.
    """

    def __init__(
        self,
        operations: Operations,
        callers: Callable[[str], Caller | None],
        *,
        key: bytes,
        clock: Callable[[], datetime],
        hosts: Sequence[str] = (),
        limits: Limits | None = None,
        rate: CallRate | None = None,
        version: str = "",
    ) -> None:
        """`callers` finds whose token it is, in constant time; it may raise StateError. `key` signs cursors, at least
        16 bytes. `hosts` are names (`qa.example`, `qa.example:8443`) that requests may be sent to besides loopback's,
        against DNS rebinding. `rate` counts calls, those of other ways in as well.
        """
        self._callers = callers
        self._sessions = StreamableHTTPSessionManager(
            build(operations, Calls(limits or Limits(of_one=OF_ONE), rate), _caller, Cursors(key, clock), version),
            security_settings=_security(hosts),
            max_request_body_size=LARGEST_REQUEST,
            max_sessions=_SESSIONS,
            session_idle_timeout=_IDLE,
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Requests are answered while this is entered, which can be done once."""
        async with self._sessions.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        token = _token(Headers(scope=scope))
        try:
            caller = await run_in_threadpool(self._callers, token) if token else None
        except StateError as error:
            log.error("MCP refused", reason=str(error))  # noqa: TRY400  the reason is the message
            await JSONResponse({"error": "unavailable"}, 503, {"Retry-After": AGAIN_AFTER})(scope, receive, send)
            return
        if caller is None:
            log.warning("MCP refused", reason="wrong token" if token else "no token")
            await _unauthorized(given=bool(token))(scope, receive, send)
            return
        owner = hashlib.sha256(token.encode()).hexdigest()
        user = AuthenticatedUser(AccessToken(token="", client_id=caller.name, scopes=[], subject=owner))
        known = {**scope, "user": user, _CALLER: caller}
        with anyio.CancelScope() as open_request:
            watching = asyncio.create_task(self._end_when_revoked(token, open_request))
            try:
                await self._sessions.handle_request(known, receive, send)
            finally:
                watching.cancel()

    async def _end_when_revoked(self, token: str, request: anyio.CancelScope) -> None:
        """A client listens in one request for as long as it likes, and an answer may take minutes."""
        while True:
            await anyio.sleep(LOOK_AGAIN)
            try:
                caller = await run_in_threadpool(self._callers, token)
            except StateError as error:  # the next look may tell
                log.warning("not told whether a token is revoked", reason=str(error))
                continue
            if caller is None:
                log.warning("MCP ended", reason="the token is revoked")
                request.cancel()
                return


def _caller(context: Context) -> Caller:
    """Of the request that carries the call, whatever session it is in."""
    caller: Any = context.request.scope[_CALLER] if context.request is not None else None
    if not isinstance(caller, Caller):
        raise TypeError("A call over HTTP has come without its request.")
    return caller


def _token(headers: Headers) -> str:
    """Of the one Authorization header (RFC 6750, section 2.1); empty where there is none, or more than one."""
    given = headers.getlist("authorization")
    scheme, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
    return token.strip() if scheme.casefold() == "bearer" else ""


def _unauthorized(*, given: bool) -> JSONResponse:
    """As RFC 6750, section 3: which error it is stands there only when a token was given."""
    challenge = 'Bearer realm="crosscheck"' + (', error="invalid_token"' if given else "")
    reason = "This token is not known." if given else "A token is needed: Authorization: Bearer TOKEN."
    body = {"error": "invalid_token" if given else "unauthorized", "error_description": reason}
    return JSONResponse(body, 401, {"WWW-Authenticate": challenge})


def _security(hosts: Sequence[str]) -> TransportSecuritySettings:
    """A browser's page has an Origin; only pages of the same hosts may call."""
    allowed = [*hosts, *_LOOPBACK, *(f"{host}:*" for host in _LOOPBACK)]
    origins = [f"{scheme}://{host}" for scheme in ("http", "https") for host in allowed]
    return TransportSecuritySettings(allowed_hosts=allowed, allowed_origins=origins)
