"""HTTP: the surfaces' webhooks from outside, health for whoever watches, and the commands' loopback API."""

import hmac
import json
import queue
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog
from fastapi import FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, StreamingResponse
from starlette.routing import BaseRoute

from bots.errors import BadEvent, BadSignature, TooOld
from bots.events import LARGEST_BODY, Ignored, Noticed
from core.spans import now
from core.types import Metrics
from crosscheck.comments.intake import Intake
from crosscheck.counted import Linked
from crosscheck.operations import EXPECTED, Operations
from state.errors import StateError
from state.leases import utc_now

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Hook:
    """Where a surface's deliveries about comments go, and how they are read."""

    intake: Intake
    parse: Callable[[Mapping[str, str], bytes, str, datetime], Noticed | Ignored]
    secret: str
    clock: Callable[[], datetime] = utc_now


def create_app(
    *,
    hooks: Mapping[str, Hook],
    slack: Callable[[dict[str, str], bytes], tuple[int, str, str]] | None = None,
    operations: Operations,
    token: str,
    health: Callable[[], dict[str, Any]],
    metrics: Metrics,
    further: Sequence[BaseRoute] = (),
    lifespan: Callable[[FastAPI], AbstractAsyncContextManager[None]] | None = None,
) -> FastAPI:
    """The service's application. A surface without a hook has no webhook address, nor has Slack without `slack`, which
    answers one delivery with status, media type and text. `further` routes stand beside these, and what they
    need is entered as `lifespan`.
    """
    app = FastAPI(
        title="Crosscheck",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        routes=[*further],
        lifespan=lifespan,
        telemetry={"auto_configure": False},  # it would tell addresses and what was wrong with a request
    )
    app.add_middleware(Linked)

    @app.get("/health")
    def _health() -> JSONResponse:
        state = health()
        return JSONResponse(state, 200 if state["ok"] else 503)

    @app.post("/webhooks/slack")
    async def _slack(request: Request) -> Response:
        if slack is None:
            return Response(status_code=404)
        body = await _body(request)
        if body is None:
            return Response("The delivery is too large.", 413)
        status, kind, text = await run_in_threadpool(slack, dict(request.headers), body)
        return Response(text, status, media_type=kind)

    @app.post("/webhooks/{surface}")
    async def _comments(surface: str, request: Request) -> Response:
        hook = hooks.get(surface)
        if hook is None:
            return Response(status_code=404)
        body = await _body(request)
        if body is None:
            return Response("The delivery is too large.", 413)
        return await run_in_threadpool(receive, hook, dict(request.headers), body, metrics)

    @app.post("/cli/{name}")
    async def _cli(name: str, request: Request) -> Response:
        return await _command(request, name, operations, token)

    return app


async def _command(request: Request, name: str, operations: Operations, token: str) -> Response:
    """A command of this host, run while its progress is told."""
    given = request.headers.get("authorization", "")
    if not hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
        return Response("Wrong token.", 401)
    body = await _body(request)
    if body is None:
        return Response("The command is too large.", 413)
    try:
        arguments = json.loads(body)
    except (ValueError, RecursionError):
        return Response("Not a command.", 400)
    return StreamingResponse(_lines(operations, name, arguments), media_type="application/x-ndjson")


def receive(hook: Hook, headers: Mapping[str, str], body: bytes, metrics: Metrics) -> Response:
    """One webhook delivery: verified, parsed, stored; only then acknowledged."""
    since = now()
    try:
        event = hook.parse(headers, body, hook.secret, hook.clock())
    except BadSignature as error:
        metrics.count("crosscheck_webhooks_total", outcome="bad signature")
        log.warning("webhook refused", reason=str(error))
        return Response("Wrong signature.", 401)
    except TooOld as error:
        metrics.count("crosscheck_webhooks_total", outcome="too old")
        log.warning("webhook refused", reason=str(error))
        return Response("Made too long ago.", 400)
    except BadEvent as error:
        metrics.count("crosscheck_webhooks_total", outcome="bad event")
        log.warning("webhook refused", reason=str(error))
        return Response("Not a delivery about a comment.", 400)
    if isinstance(event, Ignored):
        metrics.count("crosscheck_webhooks_total", outcome="ignored")
        log.info("webhook ignored", event_name=event.event, reason=event.reason)
        return JSONResponse({"ignored": event.reason})
    return _accept(hook.intake, event, metrics, since)


def _accept(intake: Intake, event: Noticed, metrics: Metrics, since: int) -> Response:
    try:
        job = intake.accept(event, "webhook", since)
    except StateError as error:
        # Not stored, so not acknowledged: it is delivered again, and the poller sees it too.
        metrics.count("crosscheck_webhooks_total", outcome="not stored")
        log.error("webhook not stored", reason=str(error))  # noqa: TRY400  the reason is the message
        return Response("Not stored, deliver again.", 503)
    metrics.count("crosscheck_webhooks_total", outcome="stored")
    return JSONResponse({"job": job, "seen_before": job is None})


async def _body(request: Request) -> bytes | None:
    """The raw body, or None when it is larger than a stranger may send."""
    received = bytearray()
    async for piece in request.stream():
        received += piece
        if len(received) > LARGEST_BODY:
            return None
    return bytes(received)


def _lines(operations: Operations, name: str, arguments: dict[str, Any]) -> Iterator[str]:
    """Progress, then a result or an error, a line of JSON each."""
    messages: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()

    def work() -> None:
        try:
            messages.put({"result": operations.run(name, arguments, messages.put)})
        except EXPECTED as error:
            messages.put({"error": str(error)})
        except TypeError:
            messages.put({"error": "The command does not fit this service: are both of one version?"})
        except Exception as error:  # the edge of a command: the caller is told, the log has the trace
            log.exception("command failed", command=name, error=type(error).__name__)
            messages.put({"error": "An unexpected error in the service; its log has the details."})

    threading.Thread(target=work, name=f"cli-{name}", daemon=True).start()
    while True:
        message = messages.get()
        yield json.dumps(message, ensure_ascii=False) + "\n"
        if "result" in message or "error" in message:
            return
