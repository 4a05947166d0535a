"""A collector on loopback that takes traces as OTLP over HTTP and reads what a real one would."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from crosscheck.settings_running import Tracing


@dataclass(frozen=True)
class Told:
    """One span."""

    name: str
    trace: bytes
    id: bytes
    parent: bytes
    links: tuple[bytes, ...]
    told: dict[str, object]
    began: int
    ended: int
    failed: bool


@dataclass
class Collector:
    url: str = ""
    requests: list[ExportTraceServiceRequest] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    hangs: threading.Event | None = None
    """Until this is set it does not answer."""
    came: threading.Event = field(default_factory=threading.Event)

    @property
    def settings(self) -> Tracing:
        return Tracing(endpoint=f"{self.url}/v1/traces")

    @property
    def raw(self) -> str:
        """All that was told, in words."""
        return "\n".join(map(str, self.requests))

    @property
    def spans(self) -> list[Told]:
        return [
            Told(
                name=span.name,
                trace=span.trace_id,
                id=span.span_id,
                parent=span.parent_span_id,
                links=tuple(link.trace_id for link in span.links),
                told={one.key: getattr(one.value, one.value.WhichOneof("value")) for one in span.attributes},
                began=span.start_time_unix_nano,
                ended=span.end_time_unix_nano,
                failed=span.status.code == span.status.STATUS_CODE_ERROR,
            )
            for request in self.requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def named(self, name: str) -> list[Told]:
        return [span for span in self.spans if span.name == name]

    def one(self, name: str) -> Told:
        (span,) = self.named(name)
        return span

    def waited(self, name: str, count: int = 1, seconds: float = 15) -> list[Told]:
        end = time.monotonic() + seconds
        while len(self.named(name)) < count:
            assert time.monotonic() < end, sorted({span.name for span in self.spans})
            time.sleep(0.05)
        return self.named(name)


@contextmanager
def collecting() -> Iterator[Collector]:
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            collector.came.set()
            if collector.hangs is not None:
                collector.hangs.wait(30)
                return
            assert self.path == "/v1/traces"
            collector.tokens.add(self.headers.get("Authorization", ""))
            collector.requests.append(ExportTraceServiceRequest.FromString(body))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    serving = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    serving.start()
    collector.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield collector
    finally:
        server.shutdown()
        server.server_close()
        serving.join(5)
