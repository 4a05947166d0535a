"""What took how long of one request, as a tree of spans for OpenTelemetry. Off unless there is a tracer; a step then
costs one look-up.

Spans tell names, counts and times. No attribute ever holds what was asked, read, found or written, nor who asked: its
value is a number, or a word of ours from a short list.

The tree is kept apart from OpenTelemetry's own current span and global provider. What other packages would tell by
themselves (HTTP servers their addresses, model clients their prompts) is not told, and nothing is added to theirs.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from opentelemetry.context import Context
from opentelemetry.trace import Link, Span, StatusCode, Tracer, get_current_span, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

Told = str | bool | int | float
TRACEPARENT = "traceparent"
"""The span that something stored was made in: the key in its payload, by the W3C's name."""

_TEXT = TraceContextTextMapPropagator()


@dataclass(slots=True)
class _Step:
    """A span that is under way."""

    tracer: Tracer
    span: Span
    forgotten: bool = False


_STEP: ContextVar[_Step | None] = ContextVar("step", default=None)


class Spans:
    """Begins what is told of a request in this process."""

    def __init__(self, tracer: Tracer | None = None) -> None:
        """Without a tracer nothing is told."""
        self._tracer = tracer

    @contextmanager
    def begin(
        self, name: str, *, since: int | None = None, parent: str = "", caller: str = "", **told: Told
    ) -> Iterator[None]:
        """A span of its own, or a step of the one that is under way here.

        `since` is when it began (`time.time_ns()`), if not now. `parent` is a `traceparent` that we stored: it is the
        same request, and whether it is told was decided there. `caller` is one that a stranger sent: its trace is
        linked to and decides nothing.
        """
        if self._tracer is None:
            yield
            return
        under_way = _STEP.get()
        above = set_span_in_context(under_way.span, Context()) if under_way else _context(parent)
        linked = get_current_span(_context(caller)).get_span_context()
        with _entered(self._tracer, name, above, told, since, [Link(linked)] if linked.is_valid else ()):
            yield


OFF = Spans()


@contextmanager
def step(name: str, **told: Told) -> Iterator[None]:
    """A part of the span that is under way; nothing where none is."""
    under_way = _STEP.get()
    if under_way is None:
        yield
        return
    with _entered(under_way.tracer, name, set_span_in_context(under_way.span, Context()), told):
        yield


def ended(name: str, since: int) -> None:
    """A part that ends now and began at `since` (`time.time_ns()`)."""
    under_way = _STEP.get()
    if under_way is not None:
        above = set_span_in_context(under_way.span, Context())
        under_way.tracer.start_span(name, above, start_time=since).end()


def tell(**told: Told) -> None:
    """More of the span that is under way."""
    under_way = _STEP.get()
    if under_way is not None:
        under_way.span.set_attributes(told)


def forget() -> None:
    """The span that is under way is not told: it came to nothing that anybody asked for. What is not ended is never
    handed on.
    """
    under_way = _STEP.get()
    if under_way is not None:
        under_way.forgotten = True


def carried() -> Mapping[str, str]:
    """The span that is under way, for the payload of what goes on with the request later; empty where none is."""
    under_way = _STEP.get()
    carrier: dict[str, str] = {}
    if under_way is not None:
        _TEXT.inject(carrier, set_span_in_context(under_way.span, Context()))
    return {name: value for name, value in carrier.items() if name == TRACEPARENT}


def now() -> int:
    """For `since`."""
    return time.time_ns()


@contextmanager
def _entered(
    tracer: Tracer,
    name: str,
    above: Context,
    told: Mapping[str, Told],
    since: int | None = None,
    links: Sequence[Link] = (),
) -> Iterator[None]:
    entered = _Step(tracer, tracer.start_span(name, above, attributes=told, links=links, start_time=since))
    token = _STEP.set(entered)
    try:
        yield
    except Exception as error:
        entered.span.set_attribute("error.type", type(error).__name__)  # its message may say what was asked
        entered.span.set_status(StatusCode.ERROR)
        raise
    finally:
        _STEP.reset(token)
        if not entered.forgotten:
            entered.span.end()


def _context(traceparent: str) -> Context:
    return _TEXT.extract({TRACEPARENT: traceparent}, Context())
