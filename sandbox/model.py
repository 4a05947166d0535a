"""A model server that follows a script: OpenAI's chat completions and Anthropic's messages on one port."""

import asyncio
import json
import secrets
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from sandbox.model_replies import (
    Answer,
    Fails,
    Hangs,
    Json,
    Message,
    Pace,
    Paced,
    Piece,
    Rule,
    Scripted,
    anthropic_json,
    anthropic_stream,
    message_of,
    openai_json,
    openai_stream,
    tokens_of,
)
from sandbox.wire import STREAMS

NAME = "scripted"
_OPENAI_ERRORS = {400: "invalid_request_error", 401: "authentication_error", 429: "rate_limit_error"}
_ANTHROPIC_ERRORS = _OPENAI_ERRORS | {404: "not_found_error", 500: "api_error", 529: "overloaded_error"}


@dataclass(frozen=True, slots=True)
class Span:
    """One answered request. Times are seconds of the monotonic clock."""

    started: float
    ended: float
    read: int
    """Tokens of what was asked: instructions, messages and tools."""
    written: int
    """Tokens of the answer."""


class Model:
    """The script and what was asked. Each request takes the next reply; with none left the answer is 400."""

    def __init__(self) -> None:
        self.key = secrets.token_urlsafe(18)
        """The API key; any other is refused."""
        self.requests: list[Json] = []
        """The JSON of every request, oldest first."""
        self.spans: list[Span] = []
        """When each answered request came and when its answer was whole, in the order of the answers."""
        self.pace = Pace()
        """Of every reply that has none of its own."""
        self._replies: deque[Scripted] = deque()
        self._rule: Rule | None = None
        self._lock = threading.Lock()
        self._number = 0

    def script(self, replies: Iterable[Scripted]) -> None:
        """Start anew with these replies; the requests so far are forgotten."""
        with self._lock:
            self._replies = deque(replies)
            self._rule = None
            self.requests, self.spans = [], []

    def answer_by(self, rule: Rule, replies: Iterable[Scripted] = ()) -> None:
        """Start anew: each request is answered by the rule, whatever came before it or comes beside it, and by the
        next reply where the rule has none.
        """
        with self._lock:
            self._replies = deque(replies)
            self._rule = rule
            self.requests, self.spans = [], []

    @property
    def left(self) -> int:
        """Replies not given yet."""
        return len(self._replies)

    def take(self, request: Json) -> tuple[int, Scripted]:
        """The reply to a request and a number for its ids."""
        with self._lock:
            self._number += 1
            self.requests.append(request)
            number, rule = self._number, self._rule
        return number, self._next() if rule is None else partial(self._ruled, rule)

    def _ruled(self, rule: Rule, request: Json) -> Answer:
        found = rule(request)
        scripted = self._next() if found is None else found
        return scripted(request) if callable(scripted) else scripted

    def _next(self) -> Scripted:
        with self._lock:
            spent = Fails(400, body=json.dumps({"error": {"message": "the script has no more replies"}}))
            return self._replies.popleft() if self._replies else spent


Whole = Callable[[Message, Json, int], Json]
Streamed = Callable[[Message, Json, int], Iterator[Piece]]


class ModelApi:
    def __init__(self, model: Model) -> None:
        self._model = model

    def routes(self) -> list[Route]:
        return [
            Route("/v1/models", self.models, methods=["GET"]),
            Route("/v1/chat/completions", self.completions, methods=["POST"]),
            Route("/v1/messages", self.messages, methods=["POST"]),
        ]

    async def models(self, request: Request) -> Response:
        if not self._known(request):
            return _openai_error(401)
        entry = {"id": NAME, "object": "model", "created": 1_760_000_000, "owned_by": "sandbox"}
        return JSONResponse({"object": "list", "data": [entry]})

    async def completions(self, request: Request) -> Response:
        return await self._answer(request, openai_json, openai_stream, _openai_error)

    async def messages(self, request: Request) -> Response:
        return await self._answer(request, anthropic_json, anthropic_stream, _anthropic_error)

    def _known(self, request: Request) -> bool:
        given = request.headers.get("x-api-key") or request.headers.get("authorization", "").removeprefix("Bearer ")
        return secrets.compare_digest(given.encode(), self._model.key.encode())

    async def _answer(
        self, request: Request, whole: Whole, streamed: Streamed, error: Callable[[int], Response]
    ) -> Response:
        if not self._known(request):
            return error(401)
        asked = _parsed(await request.body())
        if asked is None:
            return error(400)
        started = time.monotonic()
        number, scripted = self._model.take(asked)
        answer: Answer = await asyncio.to_thread(scripted, asked) if callable(scripted) else scripted
        if isinstance(answer, Hangs):
            while not await request.is_disconnected():  # noqa: ASYNC110 - the server offers no event for it
                await asyncio.sleep(0.02)
            return Response(status_code=499)
        if isinstance(answer, Fails):
            return _failed(answer, error)
        paced = answer if isinstance(answer, Paced) else Paced(answer, self._model.pace)
        message, pace = message_of(paced.answer, asked), paced.pace
        if not asked.get("stream"):
            await _until(started + pace.seconds(message.tokens))
            self._model.spans.append(_span(started, asked, message))
            return JSONResponse(whole(message, asked, number))
        request.scope[STREAMS] = True
        pieces = streamed(message, asked, number)
        return StreamingResponse(self._paced(pieces, pace, started, asked, message), media_type="text/event-stream")

    async def _paced(
        self, pieces: Iterator[Piece], pace: Pace, started: float, asked: Json, message: Message
    ) -> AsyncIterator[str]:
        sent = 0
        for text, tokens in pieces:
            sent += tokens
            if tokens:
                await _until(started + pace.seconds(sent))
            yield text
        self._model.spans.append(_span(started, asked, message))


def _span(started: float, asked: Json, message: Message) -> Span:
    """Of an answer that is whole now."""
    ended = time.monotonic()
    read = [asked.get(part) for part in ("system", "messages", "tools")]
    return Span(started, ended, tokens_of(json.dumps(read, ensure_ascii=False)), message.tokens)


async def _until(moment: float) -> None:
    await asyncio.sleep(max(0.0, moment - time.monotonic()))


def _parsed(body: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _failed(answer: Fails, error: Callable[[int], Response]) -> Response:
    if answer.body is None:
        response = error(answer.status)
        response.headers.update(answer.headers)
        return response
    return Response(answer.body, answer.status, {"content-type": "application/json", **answer.headers})


def _openai_error(status: int) -> Response:
    kind = _OPENAI_ERRORS.get(status, "server_error")
    return JSONResponse({"error": {"message": f"scripted: {kind}", "type": kind, "param": None, "code": None}}, status)


def _anthropic_error(status: int) -> Response:
    kind = _ANTHROPIC_ERRORS.get(status, "api_error")
    return JSONResponse({"type": "error", "error": {"type": kind, "message": f"scripted: {kind}"}}, status)
