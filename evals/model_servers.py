"""What several requests under way bring with an embedding server, and what a question waits beside them.

The server is made up: a network that takes its time, and a card that works on one request after another. So the numbers
say nothing of any model; what is measured is this program's part of it, as ratios within one run.
"""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from core.embedding.base import Side
from core.embedding.endpoint import EndpointEmbedder, EndpointModel

_AT_ONCE = (1, 2, 4, 8)
_PASSAGES = 2048
_BATCH = 32
_SIZE = 256  # of a vector
_LATENCY = 0.05  # seconds of each request, however many there are
_A_TEXT = 0.001  # seconds of the card
_BETWEEN = 0.04  # seconds from a question's answer to the next question
_IDLE = 40  # questions without anything beside them


def measure(report: Callable[[str], None]) -> dict[str, Any]:
    """Passages a second and the time of a question, by the number of requests under way."""
    texts = [f"passage {number} of a page about bookings, holds and refunds" for number in range(_PASSAGES)]
    with _served() as url:
        idle = _asked(_embedder(url, 1), "query", _IDLE)
        rows = []
        for count in _AT_ONCE:
            report(f"{count} under way")
            rows.append({"at_once": count, **_beside(_embedder(url, count), texts, "query")})
        same = _beside(_embedder(url, 4), texts, "passage")
    first = rows[0]["passages_a_second"]
    for row in rows:
        row["times_one"] = round(row["passages_a_second"] / first, 2)
        row["question_times_idle"] = round(row["question_ms"]["p95"] / idle["p95"], 2)
    return {
        "server": {"latency_ms": 1000 * _LATENCY, "a_text_ms": 1000 * _A_TEXT, "batch": _BATCH},
        "question_alone_ms": idle,
        "rows": rows,
        "if_questions_waited_their_turn_ms": same["question_ms"],
    }


def _embedder(url: str, at_once: int) -> EndpointEmbedder:
    return EndpointEmbedder(EndpointModel(url, "made-up", _SIZE, batch=_BATCH, at_once=at_once))


def _beside(embedder: EndpointEmbedder, texts: Sequence[str], side: Side) -> dict[str, Any]:
    """All passages embedded, and questions asked meanwhile."""
    took: list[float] = []

    def index() -> None:
        began = time.perf_counter()
        embedder.embed(texts)
        took.append(time.perf_counter() - began)

    indexing = threading.Thread(target=index)
    indexing.start()
    time.sleep(2 * _LATENCY)  # until it is well under way
    seconds = []
    while indexing.is_alive():
        seconds.append(_once(embedder, side))
        time.sleep(_BETWEEN)
    indexing.join()
    return {
        "passages_a_second": round(len(texts) / took[0]),
        "questions": len(seconds),
        "question_ms": _spread(seconds),
    }


def _asked(embedder: EndpointEmbedder, side: Side, count: int) -> dict[str, float]:
    return _spread([_once(embedder, side) for _ in range(count)])


def _once(embedder: EndpointEmbedder, side: Side) -> float:
    began = time.perf_counter()
    embedder.embed(["how long is a booking held"], side)
    return time.perf_counter() - began


def _spread(seconds: Sequence[float]) -> dict[str, float]:
    ordered = sorted(seconds)
    return {name: round(1000 * ordered[int(share * len(ordered))], 1) for name, share in (("p50", 0.5), ("p95", 0.95))}


@contextmanager
def _served() -> Iterator[str]:
    """The address of the made-up server, which has a process of its own."""
    # named TCP, so that the server sends a short answer at once
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    process = get_context("spawn").Process(target=_serve, args=(listening,), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
    finally:
        process.terminate()
        process.join()
        listening.close()


def _serve(listening: socket.socket) -> None:
    card = asyncio.Lock()
    vector = [round(number / _SIZE, 4) for number in range(1, _SIZE + 1)]

    async def embeddings(request: Request) -> Response:
        count = len(json.loads(await request.body())["input"])
        await asyncio.sleep(_LATENCY)
        async with card:
            await asyncio.sleep(count * _A_TEXT)
        body = json.dumps({"data": [{"index": number, "embedding": vector} for number in range(count)]})
        return Response(body, media_type="application/json")

    app = Starlette(routes=[Route("/v1/embeddings", embeddings, methods=["POST"])])
    uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off")).run([listening])
