"""Operations whose calls are counted and timed, by who calls, what, and how it ends."""

import time
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, Literal

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from core.spans import OFF, TRACEPARENT, Spans, tell
from core.types import Metrics
from crosscheck.errors import NothingToOpen, NotOffered
from crosscheck.operations import Operations, Report
from review.errors import NothingToReview

Via = Literal["mcp", "http", "cli", "console"]
_REFUSED = (NothingToOpen, NotOffered, NothingToReview)
_CALLER: ContextVar[str] = ContextVar("traceparent of the caller", default="")


class Counted:
    """`Operations`. Raises what they raise."""

    def __init__(self, operations: Operations, via: Via, metrics: Metrics, spans: Spans = OFF) -> None:
        self._operations = operations
        self._via = via
        self._metrics = metrics
        self._spans = spans

    def run(self, name: str, arguments: Mapping[str, Any], report: Report) -> dict[str, Any]:
        began, outcome = time.monotonic(), "failed"
        with self._spans.begin("call", caller=_CALLER.get(), via=self._via, operation=name):
            try:
                result = self._operations.run(name, arguments, report)
                outcome = "degraded" if result.get("degraded") else "done"
            except Exception as error:
                if isinstance(error, _REFUSED) or getattr(error, "advice", "") == "tell":
                    outcome = "refused"
                else:
                    self._metrics.count("crosscheck_errors_total", part="call", kind=type(error).__name__)
                raise
            else:
                return result
            finally:
                tell(outcome=outcome)
                seconds = time.monotonic() - began
                self._metrics.observe("crosscheck_call_seconds", seconds, via=self._via, operation=name)
                self._metrics.count("crosscheck_calls_total", via=self._via, operation=name, outcome=outcome)


class Linked:
    """An ASGI application that lets the spans of a request's calls link to the trace that its caller sent."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":  # each request is in a context of its own
            _CALLER.set(Headers(scope=scope).get(TRACEPARENT, ""))
        await self._app(scope, receive, send)
