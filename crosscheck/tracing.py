"""Sends spans to an OpenTelemetry collector. Nothing else imports the SDK, and this only where spans are wanted."""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING

import structlog

from bots.text import one_line
from core.spans import OFF, Spans
from crosscheck.settings_running import Tracing

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

log = structlog.get_logger(__name__)

QUEUE, BATCH = 4_096, 512
"""Spans that wait to be sent, and that are sent at once. What comes while the queue is full pushes out the oldest."""
EVERY = 2.0
"""Seconds between two sendings."""
SEND_SECONDS = 5.0
"""That one sending may take, repetitions included."""
SAID_EVERY = 600.0
"""Seconds between two lines of the log that say the same of the collector."""
END_SECONDS = 1.5
"""That the last sending may take when the program ends."""


@contextmanager
def tracing(settings: Tracing, token: str = "") -> Iterator[Spans]:
    """What begins spans, until the block ends; what is left is sent then, for `END_SECONDS` at most.

    `token` is sent as `Authorization: Bearer`. A collector that is away or hangs delays nobody: spans are sent by a
    thread of their own, and dropped where that does not keep up.
    """
    if not settings.endpoint:
        yield OFF
        return
    provider = _provider(settings, token)
    said = _Said()
    theirs = logging.getLogger("opentelemetry")
    theirs.addHandler(said)
    theirs.propagate = False
    try:
        yield Spans(provider.get_tracer("crosscheck", version("crosscheck")))
    finally:
        # A daemon, since the SDK waits for half a minute for a collector that does not answer.
        last = threading.Thread(target=provider.shutdown, name="spans-last", daemon=True)
        last.start()
        last.join(END_SECONDS)
        theirs.removeHandler(said)


class _Said(logging.Handler):
    """What the SDK says of a collector that is away, which is every few seconds the same."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._next = 0.0

    def emit(self, record: logging.LogRecord) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + SAID_EVERY
            log.warning("traces not sent", reason=one_line(record.getMessage(), 300))


def _provider(settings: Tracing, token: str) -> "TracerProvider":
    """Not made the process's own: other packages would then tell of themselves, and with them of contents."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased

    exporter = OTLPSpanExporter(
        settings.endpoint, headers={"Authorization": f"Bearer {token}"} if token else {}, timeout=SEND_SECONDS
    )
    provider = TracerProvider(
        sampler=ParentBased(TraceIdRatioBased(settings.ratio)),
        resource=Resource({"service.name": "crosscheck", "service.version": version("crosscheck")}),
        shutdown_on_exit=False,
    )
    provider.add_span_processor(
        BatchSpanProcessor(
            exporter, max_queue_size=QUEUE, schedule_delay_millis=1000 * EVERY, max_export_batch_size=BATCH
        )
    )
    return provider
