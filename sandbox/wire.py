"""The HTTP side that the sandbox's servers share: recording, faults, and handlers that are plain functions."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sandbox.exchange import Exchange, Exchanges
from sandbox.faults import GOES_ON, Fault, Faults, Stage
from sandbox.records import Person

STREAMS = "sandbox.streams"
"""In a request's scope: its answer is sent piece by piece, not when it is whole."""
LARGEST_BODY = 4_000_000
LOGIN_PAGE = b"<!DOCTYPE html><html><head><title>Log in</title></head><body><form>Log in</form></body></html>"


class Refused(Exception):
    """A request is answered with this status and payload."""

    def __init__(self, status: int, payload: Any) -> None:
        super().__init__(status)
        self.status = status
        self.payload = payload


@dataclass(frozen=True, slots=True)
class Call:
    """One authenticated request, as a handler sees it."""

    account: Person
    url_path: str
    path: Mapping[str, Any]
    """The variable parts of the path."""
    query: QueryParams
    body: bytes
    base: str
    """Where the client reached the server, without a trailing slash."""
    wider: bool = False
    """A fault makes the comment that is created lose its visibility."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Read without regard to case."""

    def number(self, name: str, default: int, *, most: int | None = None) -> int:
        """A query parameter that must be a whole number >= 0."""
        text = self.query.get(name)
        if text is None:
            return default
        if not (text.isascii() and text.isdigit()):
            raise Refused(400, {"errorMessages": [f"The value '{text}' of {name} is no number."], "errors": {}})
        value = int(text[:12])
        return min(value, most) if most is not None else value

    def listed(self, name: str) -> list[str]:
        """A parameter that may be repeated or separated by commas."""
        return [part.strip() for text in self.query.getlist(name) for part in text.split(",") if part.strip()]


@dataclass(frozen=True, slots=True)
class Reply:
    """`payload` is sent as JSON, unless it is bytes; None sends no body."""

    payload: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    def response(self) -> Response:
        headers = dict(self.headers)
        if self.payload is None:
            return Response(status_code=self.status, headers=headers)
        if isinstance(self.payload, bytes):
            return Response(self.payload, self.status, headers)
        body = json.dumps(self.payload, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        headers.setdefault("content-type", "application/json;charset=UTF-8")
        return Response(body, self.status, headers)


Handler = Callable[[Call], Reply]
Authenticate = Callable[[str | None], Person]
"""Authorization header to the account; raises Refused."""


def base_of(request: Request) -> str:
    return f"{request.url.scheme}://{request.url.netloc}"


def route(method: str, path: str, handler: Handler, authenticate: Authenticate) -> Route:
    """A handler at a path. It runs on the event loop: short, and never blocking on the network."""

    async def endpoint(request: Request) -> Response:
        try:
            account = authenticate(request.headers.get("authorization"))
            body = await request.body()
            wider = bool(request.scope.get("sandbox.wider"))
            call = Call(
                account,
                request.url.path,
                request.path_params,
                request.query_params,
                body,
                base_of(request),
                wider,
                request.headers,
            )
            return handler(call).response()
        except Refused as refusal:
            return Reply(refusal.payload, refusal.status).response()

    return Route(path, endpoint, methods=[method])


class Wire:
    """Around a server's application: reads the request whole, applies the ordered faults, records the exchange.
    Websockets go by it.
    """

    def __init__(
        self,
        service: str,
        app: ASGIApp,
        faults: Faults,
        exchanges: Exchanges,
        disconnect: Callable[[tuple[str, int]], None],
    ) -> None:
        self._service = service
        self._app = app
        self._faults = faults
        self._exchanges = exchanges
        self._disconnect = disconnect

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            return
        exchange = _opened(self._service, scope)
        await self._hooks("arrived", exchange)
        orders = self._faults.take(exchange.method, exchange.path)
        body = await _body(receive)
        if body is None:
            return
        exchange.body = body
        ends = orders[-1] if orders else None
        live = send if ends is None or ends.kind in GOES_ON else None
        answer = await self._serve(scope, receive, live, exchange, orders)
        await self._hooks("done", exchange)
        if answer is None or (ends is not None and ends.kind == "drop_after"):
            self._exchanges.add(exchange)
            if ends is None or ends.kind != "hang":
                self._disconnect(tuple(scope["client"]))
            await _gone(receive)
            return
        _fill(exchange, answer)
        self._exchanges.add(exchange)
        if live is None or not scope.get(STREAMS):
            for message in answer:
                await send(message)
        await self._hooks("answered", exchange)

    async def _serve(
        self, scope: Scope, receive: Receive, live: Send | None, exchange: Exchange, orders: list[Fault]
    ) -> list[Message] | None:
        """The answer under the ordered faults; None when there is to be none and nothing was done."""
        for order in orders:
            if order.kind == "latency":
                await asyncio.sleep(order.seconds)
            elif order.kind in {"hang", "drop_before"}:
                return None
            elif order.kind == "wider":
                scope["sandbox.wider"] = True
            elif order.kind == "html":
                return _message(200, {"content-type": "text/html;charset=UTF-8"}, LOGIN_PAGE)
            elif order.kind == "status":
                headers = {"content-type": "application/json", **order.headers}
                return _message(order.status, headers, order.body.encode())
        return await self._work(scope, receive, live, exchange.body)

    async def _work(self, scope: Scope, receive: Receive, live: Send | None, body: bytes) -> list[Message]:
        """The whole answer; what its handler streams is sent by the way."""
        given = False
        answer: list[Message] = []

        async def replay() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def keep(message: Message) -> None:
            answer.append(message)
            if live is not None and scope.get(STREAMS):
                await live(message)

        if len(body) > LARGEST_BODY:
            return _message(413, {"content-type": "application/json"}, b'{"errorMessages":["Request too large"]}')
        await self._app(scope, replay, keep)
        return answer

    async def _hooks(self, stage: Stage, exchange: Exchange) -> None:
        for callback in self._faults.hooks(exchange.method, exchange.path, stage):
            await asyncio.to_thread(callback, exchange)


def _opened(service: str, scope: Scope) -> Exchange:
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    query = scope["query_string"].decode("latin-1")
    path = scope["raw_path"].decode("latin-1")
    url = f"http://{headers.get('host', '')}{path}" + (f"?{query}" if query else "")
    return Exchange(service, scope["method"], url, path, query, headers)


async def _body(receive: Receive) -> bytes | None:
    """The whole body (cut when too large), or None when the client went away before its end."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        part = message.get("body", b"")[: max(0, LARGEST_BODY + 1 - size)]
        size += len(part)
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _message(status: int, headers: Mapping[str, str], body: bytes) -> list[Message]:
    fields = {**headers, "content-length": str(len(body))}
    raw = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in fields.items()]
    return [
        {"type": "http.response.start", "status": status, "headers": raw},
        {"type": "http.response.body", "body": body, "more_body": False},
    ]


def _fill(exchange: Exchange, answer: list[Message]) -> None:
    for message in answer:
        if message["type"] == "http.response.start":
            exchange.status = message["status"]
            raw = message["headers"]
            exchange.response_headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in raw}
        else:
            exchange.response_body += message.get("body", b"")
