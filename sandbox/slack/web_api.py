"""The front of Slack's Web API: `/api/METHOD`, with the app's tokens, their scopes, and the answers' form."""

import json
import secrets
from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sandbox.slack.calls import ApiError, Asked, Method, TooMany, arguments
from sandbox.slack.socket_mode import SocketMode
from sandbox.slack.workspace import Workspace
from sandbox.wire import Reply, base_of

SCOPES = frozenset(
    {
        "app_mentions:read",
        "assistant:write",
        "channels:history",
        "channels:read",
        "chat:write",
        "commands",
        "files:read",
        "files:write",
        "groups:history",
        "groups:read",
        "im:history",
        "im:read",
        "im:write",
        "mpim:history",
        "mpim:read",
        "users:read",
    }
)
"""What the bot's token may do unless a test takes some away."""


class WebApi:
    """`token` is the bot's, `app_token` the app's own, which only opens sockets."""

    def __init__(self, workspace: Workspace, sockets: SocketMode, methods: Mapping[str, Method]) -> None:
        self._workspace = workspace
        self._sockets = sockets
        self._methods = methods
        self.token = f"xoxb-{secrets.token_hex(12)}"
        self.app_token = f"xapp-1-{secrets.token_hex(12)}"
        self.scopes = set(SCOPES)
        self.revoked = False
        """Both tokens are no longer good."""

    def routes(self) -> list[Route]:
        return [Route("/api/{method}", self._serve, methods=["GET", "POST"])]

    async def _serve(self, request: Request) -> Response:
        headers = {"x-oauth-scopes": ",".join(sorted(self.scopes)), "x-slack-req-id": secrets.token_hex(16)}
        try:
            payload = {"ok": True, **await self._answer(request)}
        except ApiError as error:
            payload = error.payload
        except TooMany as error:
            headers["retry-after"] = str(error.seconds)
            return Reply({"ok": False, "error": "ratelimited"}, 429, headers).response()
        headers["content-type"] = "application/json; charset=utf-8"
        return Response(json.dumps(payload).encode(), 200, headers)

    async def _answer(self, request: Request) -> dict[str, object]:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        given = arguments(kind, request.url.query, await request.body())
        token = _token(request, given)
        name, base = request.path_params["method"], base_of(request)
        if name == "apps.connections.open":
            self._check(token, self.app_token, self.token)
            return {"url": f"{base.replace('http', 'ws', 1)}/link?ticket={self._sockets.ticket()}&app_id=1"}
        method = self._methods.get(name)
        if method is None:
            raise ApiError("unknown_method", req_method=name)
        self._check(token, self.token, self.app_token)
        asked = Asked(given, frozenset(self.scopes), base)
        if method.scope is not None:
            asked.allow(method.scope)
        with self._workspace.lock:
            return method.call(asked)

    def _check(self, token: str, right: str, other: str) -> None:
        if not token:
            raise ApiError("not_authed")
        if self.revoked and token in {right, other}:
            raise ApiError("token_revoked")
        if token == other:
            raise ApiError("not_allowed_token_type")
        if token != right:
            raise ApiError("invalid_auth")


def _token(request: Request, given: Mapping[str, object]) -> str:
    header = request.headers.get("authorization", "")
    return header.removeprefix("Bearer ").strip() if header.startswith("Bearer ") else str(given.get("token") or "")
