"""A model server that follows a script: OpenAI's chat completions and Anthropic's messages on one port."""

import asyncio
import json
import secrets
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sandbox.model_replies import (
    Answer,
    Fails,
    Hangs,
    Json,
    Message,
    Scripted,
    anthropic_json,
    anthropic_stream,
    message_of,
    openai_json,
    openai_stream,
)

NAME = "scripted"
_OPENAI_ERRORS = {400: "invalid_request_error", 401: "authentication_error", 429: "rate_limit_error"}
_ANTHROPIC_ERRORS = _OPENAI_ERRORS | {404: "not_found_error", 500: "api_error", 529: "overloaded_error"}


class Model:
    """The script and what was asked. Each request takes the next reply; with none left the answer is 400."""

    def __init__(self) -> None:
        self.key = secrets.token_urlsafe(18)
        """The API key; any other is refused."""
        self.requests: list[Json] = []
        """The JSON of every request, oldest first."""
        self._replies: deque[Scripted] = deque()
        self._lock = threading.Lock()
        self._number = 0

    def script(self, replies: Iterable[Scripted]) -> None:
        """Start anew with these replies; the requests so far are forgotten."""
        with self._lock:
            self._replies = deque(replies)
            self.requests = []

    @property
    def left(self) -> int:
        """Replies not given yet."""
        return len(self._replies)

    def take(self, request: Json) -> tuple[int, Scripted]:
        """The next reply and a number for its ids."""
        with self._lock:
            self._number += 1
            self.requests.append(request)
            spent = Fails(400, body=json.dumps({"error": {"message": "the script has no more replies"}}))
            return self._number, self._replies.popleft() if self._replies else spent


Whole = Callable[[Message, Json, int], Json]
Streamed = Callable[[Message, Json, int], Iterator[str]]


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
        number, scripted = self._model.take(asked)
        answer: Answer = await asyncio.to_thread(scripted, asked) if callable(scripted) else scripted
        if isinstance(answer, Hangs):
            while not await request.is_disconnected():  # noqa: ASYNC110 - the server offers no event for it
                await asyncio.sleep(0.02)
            return Response(status_code=499)
        if isinstance(answer, Fails):
            return _failed(answer, error)
        message = message_of(answer, asked)
        if asked.get("stream"):
            return Response("".join(streamed(message, asked, number)), media_type="text/event-stream")
        return JSONResponse(whole(message, asked, number))


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
