"""What spans cost: the same searches without and with them, sent to a collector that takes all."""

import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from core.spans import OFF, Spans, step
from core.types import Audience, Query
from crosscheck.demo import playground
from crosscheck.settings_running import Tracing
from crosscheck.tracing import tracing
from crosscheck.wiring import Program
from evals.paths.cases import QUESTIONS
from sandbox.load import load_company

ROUNDS = 40
STEPS = 20_000


@dataclass(frozen=True, slots=True)
class Cost:
    searches: int
    """Of each kind, in turns."""
    off_ms: float
    """Median of a search."""
    on_ms: float
    on_to_off: float
    step_off_us: float
    """One step, without anything in it."""
    step_on_us: float


def measure(folder: Path) -> dict[str, Any]:
    with playground(load_company(), folder, fixed_ports=False) as (_, program), _collector() as endpoint:
        program.sources.sync("jira", True, lambda _: None)
        readers = program.audiences.named("org")
        with tracing(Tracing(endpoint=endpoint)) as spans:
            off, on = _searches(program, readers, spans)
            return asdict(
                Cost(
                    searches=len(off),
                    off_ms=round(1000 * statistics.median(off), 3),
                    on_ms=round(1000 * statistics.median(on), 3),
                    on_to_off=round(statistics.median(on) / statistics.median(off), 3),
                    step_off_us=round(1e6 * _step(OFF), 2),
                    step_on_us=round(1e6 * _step(spans), 2),
                )
            )


def _searches(program: Program, readers: Audience, spans: Spans) -> tuple[list[float], list[float]]:
    """Seconds of each search, without and with spans. In turns, so that what else the host does falls on both."""
    taken: tuple[list[float], list[float]] = ([], [])
    for number in range(ROUNDS * len(QUESTIONS)):
        query = Query(QUESTIONS[number % len(QUESTIONS)])
        for seconds, begins in zip(taken, (OFF, spans), strict=True):
            began = time.perf_counter()
            with begins.begin("call", via="eval", operation="search"):
                program.searcher.search(query, readers)
            seconds.append(time.perf_counter() - began)
    return taken


def _step(spans: Spans) -> float:
    with spans.begin("call"):
        began = time.perf_counter()
        for _ in range(STEPS):
            with step("search"):
                pass
        return (time.perf_counter() - began) / STEPS


@contextmanager
def _collector() -> Iterator[str]:
    class Takes(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Takes) as server:
        threading.Thread(target=server.serve_forever, name="collector", daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1/traces"
        server.shutdown()
