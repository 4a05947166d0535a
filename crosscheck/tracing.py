"""Sends spans to an OpenTelemetry collector. Nothing else imports the SDK, and this only where spans are wanted."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING

from core.spans import OFF, Spans
from crosscheck.settings_running import Tracing

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

QUEUE, BATCH = 4_096, 512
"""Spans that wait to be sent, and that are sent at once. What comes while the queue is full pushes out the oldest."""
EVERY = 2.0
"""Seconds between two sendings."""
SEND_SECONDS = 5.0
"""That one sending may take, repetitions included."""
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
    try:
        yield Spans(provider.get_tracer("crosscheck", version("crosscheck")))
    finally:
        # A daemon, since the SDK waits for half a minute for a collector that does not answer.
        last = threading.Thread(target=provider.shutdown, name="spans-last", daemon=True)
        last.start()
        last.join(END_SECONDS)


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
