"""An embedder behind an address, against a server on loopback that speaks OpenAI's form."""

import asyncio
import json
import socket
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from core.embedding.endpoint import EndpointEmbedder, EndpointModel
from core.embedding.make import EmbedderSettings, make
from core.errors import EmbedderUnavailable, EmbedderUnusable
from core.model_server import Limits

KEY = "sk-very-secret"
SIZE = 4
QUICK = Limits(attempts=3, longest_wait=5, answer=10, whole=30)

Reply = Callable[[dict[str, Any]], Response]


def vector(text: str) -> list[float]:
    return [float(len(text)), float(sum(map(ord, text)) % 97), 1.0, 0.0]


def usual(asked: dict[str, Any]) -> Response:
    """As documented; the rows in another order than the texts."""
    rows = [
        {"object": "embedding", "index": number, "embedding": vector(text)}
        for number, text in enumerate(asked["input"])
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return JSONResponse({"object": "list", "data": rows[::-1], "model": asked["model"], "usage": usage})


@dataclass
class Server:
    """Gives the scripted replies, then the usual one."""

    script: deque[Reply] = field(default_factory=deque)
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    url: str = ""

    async def embeddings(self, request: Request) -> Response:
        body = json.loads(await request.body())
        self.asked.append(body)
        self.keys.append(request.headers.get("Authorization"))
        return (self.script.popleft() if self.script else usual)(body)


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    state = Server()
    app = Starlette(routes=[Route("/v1/embeddings", state.embeddings, methods=["POST"])])
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    state.url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    yield state
    server.should_exit = True
    thread.join()
    listening.close()


@pytest.fixture
def server(running: Server) -> Server:
    running.script.clear()
    running.asked.clear()
    running.keys.clear()
    return running


def about(server: Server, **more: Any) -> EndpointModel:
    return replace(EndpointModel(server.url, "tiny", SIZE), **more)


def embedder(server: Server, waits: list[float] | None = None, **more: Any) -> EndpointEmbedder:
    waits = [] if waits is None else waits
    return EndpointEmbedder(about(server, **more), KEY, passages=QUICK, queries=QUICK, sleep=waits.append)


def test_vectors_come_in_the_order_of_the_texts_and_of_length_one(server: Server) -> None:
    texts = [f"text {'x' * number}" for number in range(10)]
    encoded = embedder(server, batch=4).embed(texts)
    assert encoded.terms is None
    assert encoded.dense.dtype == np.float32
    raw = np.array([vector(text) for text in texts])
    assert np.allclose(encoded.dense, raw / np.linalg.norm(raw, axis=1, keepdims=True), atol=1e-6)
    assert sorted(len(asked["input"]) for asked in server.asked) == [2, 4, 4]
    assert server.asked[0].keys() == {"model", "input"}
    assert set(server.keys) == {f"Bearer {KEY}"}


def test_prefixes_sizes_and_a_server_without_a_key(server: Server) -> None:
    made = make(
        EmbedderSettings(
            kind="endpoint",
            url=server.url + "/",
            model="tiny",
            size=SIZE,
            ask_size=True,
            passage_prefix="passage: ",
            query_prefix="query: ",
        )
    )
    made.embed(["a"])
    made.embed(["b"], "query")
    assert [asked["input"] for asked in server.asked] == [["passage: a"], ["query: b"]]
    assert server.asked[0]["dimensions"] == SIZE
    assert server.keys == [None, None]


def test_a_long_text_is_sent_in_parts_and_an_empty_one_not_at_all(server: Server) -> None:
    encoded = embedder(server, longest=10).embed(["", "abcdefghij" * 2 + "xyz"])
    assert sorted(part for asked in server.asked for part in asked["input"]) == ["abcdefghij", "abcdefghij", "xyz"]
    assert not encoded.dense[0].any()
    assert np.linalg.norm(encoded.dense[1]) == pytest.approx(1)


def test_the_name_says_all_that_changes_vectors(server: Server) -> None:
    one = embedder(server)
    changes: list[dict[str, Any]] = [
        {"model": "other"},
        {"size": 8},
        {"ask_size": True},
        {"query_prefix": "q"},
        {"passage_prefix": "q"},
        {"revision": "2"},
    ]
    names = {embedder(server, **change).name for change in changes}
    assert len(names | {one.name}) == 7
    assert embedder(server, url="http://elsewhere/v1", batch=1).name == one.name


def says(status: int, body: object = None, **headers: str) -> Reply:
    return lambda _asked: JSONResponse(body, status, headers)


@pytest.mark.parametrize(
    ("replies", "waits"),
    [
        ([says(429, {"error": {"message": "slow"}}, **{"Retry-After": "3"})], [3.0]),
        ([says(503), says(500)], [None, None]),
        ([lambda _asked: Response("<html>", media_type="text/html")], [None]),
    ],
)
def test_what_passes_is_waited_for(server: Server, replies: list[Reply], waits: list[float | None]) -> None:
    server.script.extend(replies)
    waited: list[float] = []
    assert embedder(server, waited).embed(["a"]).dense.any()
    assert len(waited) == len(waits)
    assert all(expected is None or got == expected for got, expected in zip(waited, waits, strict=True))


def test_it_is_given_up_after_some_attempts_and_when_told_to_wait_long(server: Server) -> None:
    server.script.extend([says(503)] * 9)
    with pytest.raises(EmbedderUnavailable, match="503"):
        embedder(server).embed(["a"])
    assert len(server.asked) == QUICK.attempts
    server.script.clear()
    server.script.append(says(429, **{"Retry-After": "600"}))
    with pytest.raises(EmbedderUnavailable) as told:
        embedder(server).embed(["a"])
    assert told.value.retry_after == 600
    assert len(server.asked) == QUICK.attempts + 1


def rows(*embeddings: object) -> Reply:
    data = [{"index": number, "embedding": embedding} for number, embedding in enumerate(embeddings)]
    return lambda _asked: Response(json.dumps({"data": data}), media_type="application/json")


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (says(401, {"error": {"message": f"Incorrect API key provided: {KEY}"}}), EmbedderUnusable),
        (says(404, {"error": "no model"}), EmbedderUnusable),
        (says(413), EmbedderUnusable),
        (says(422), EmbedderUnusable),
        (says(400, {"error": KEY}), EmbedderUnusable),
        (says(307, None, Location="http://127.0.0.1:9/"), EmbedderUnusable),
        (rows([1.0] * 5), EmbedderUnusable),
        (rows(1.0), EmbedderUnusable),
        (rows(), EmbedderUnavailable),
        (rows([1.0, None, 1.0, 1.0]), EmbedderUnavailable),
        (rows(["1", "1", "1", "1"]), EmbedderUnavailable),
        (rows([float("nan"), 1.0, 1.0, 1.0]), EmbedderUnavailable),
        (rows([1e300, 1.0, 1.0, 1.0]), EmbedderUnavailable),
        (rows([10**400, 1, 1, 1]), EmbedderUnavailable),
        (says(200, {"data": [{"index": 1, "embedding": [1.0] * 4}]}), EmbedderUnavailable),
        (says(200, [[1.0] * 4]), EmbedderUnavailable),
        (lambda _asked: Response("[" * 50_000), EmbedderUnavailable),
    ],
)
def test_a_wrong_answer_is_refused_without_a_secret(server: Server, reply: Reply, kind: type[Exception]) -> None:
    server.script.extend([reply] * QUICK.attempts)
    with pytest.raises(EmbedderUnavailable) as refused:
        embedder(server).embed(["a"])
    assert type(refused.value) is kind
    assert KEY not in str(refused.value)
    assert "127.0.0.1" not in str(refused.value)


def test_an_answer_that_does_not_end_is_cut_off(server: Server) -> None:
    def endless(_asked: dict[str, Any]) -> Response:
        return StreamingResponse(b" " * 65_536 for _ in range(100_000))

    def trickle(_asked: dict[str, Any]) -> Response:
        def drops() -> Iterator[bytes]:
            for _ in range(100):
                time.sleep(0.05)
                yield b" "

        return StreamingResponse(drops())

    server.script.append(endless)
    with pytest.raises(EmbedderUnusable, match="more than"):
        embedder(server).embed(["a"])
    server.script.append(trickle)
    hasty = Limits(attempts=1, longest_wait=0, answer=0.3, whole=5)
    with pytest.raises(EmbedderUnavailable, match="in time"):
        EndpointEmbedder(about(server), queries=hasty).embed(["a"], "query")


def test_a_server_that_is_not_there(server: Server) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
        waits: list[float] = []
        with pytest.raises(EmbedderUnavailable, match="connection failed"):
            embedder(server, waits, url=url).embed(["a"])
        assert len(waits) == QUICK.attempts - 1


def test_settings_that_lack_something_are_refused() -> None:
    for lacking in (
        EmbedderSettings("endpoint", url="http://127.0.0.1/v1", model="m"),
        EmbedderSettings("onnx", path=".", model="unheard-of"),
        EmbedderSettings("onnx", path="nowhere", model="nomic-embed-text-v1.5"),
        EmbedderSettings("bge", path="nowhere"),
    ):
        with pytest.raises(EmbedderUnusable):
            make(lacking)
    assert make(EmbedderSettings()).name.startswith("wordllama")


def at_most(count: int) -> Reply:
    """As text-embeddings-inference does it with a batch of too many texts."""

    def reply(asked: dict[str, Any]) -> Response:
        too_many = {"message": "batch size > maximum allowed batch size", "code": 413, "type": "validation"}
        return JSONResponse(too_many, 413) if len(asked["input"]) > count else usual(asked)

    return reply


def test_a_batch_that_is_too_large_is_sent_in_halves(server: Server) -> None:
    texts = [f"text {'x' * number}" for number in range(11)]
    server.script.extend([at_most(3)] * 50)
    encoded = embedder(server, batch=11).embed(texts)
    assert np.allclose(encoded.dense, embedder(server).embed(texts).dense)
    assert max(len(asked["input"]) for asked in server.asked) == 11


def test_requests_are_bounded_in_characters(server: Server) -> None:
    embedder(server, batch=100, longest=200_000).embed(["x" * 150_000] * 5)
    assert sorted(len(asked["input"]) for asked in server.asked) == [1, 2, 2]


@dataclass
class Crowd:
    """A slow reply that knows how many wait for it at once."""

    seconds: float
    inside: int = 0
    most: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def reply(self, asked: dict[str, Any]) -> Response:
        async def slowly() -> AsyncIterator[bytes]:
            self.inside += 1
            self.most = max(self.most, self.inside)
            await asyncio.sleep(self.seconds)
            self.inside -= 1
            yield bytes(usual(asked).body)

        return StreamingResponse(slowly(), media_type="application/json")


def test_no_more_than_allowed_is_under_way_whoever_asks(server: Server) -> None:
    crowd = Crowd(0.05)
    server.script.extend([crowd.reply] * 24)
    one = embedder(server, batch=1, at_once=3)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: one.embed([f"text {number}" for number in range(6)]), range(4)))
    assert crowd.most == 3


def test_a_question_does_not_wait_for_the_passages_before_it(server: Server) -> None:
    crowd = Crowd(0.1)
    server.script.extend([crowd.reply] * 40)
    one = embedder(server, batch=1, at_once=2)
    with ThreadPoolExecutor(1) as threads:
        bulk = threads.submit(one.embed, [f"passage {number}" for number in range(30)])
        while crowd.inside < 2:
            time.sleep(0.005)
        began = time.monotonic()
        one.embed(["a question"], "query")
        took = time.monotonic() - began
        assert not bulk.done()
        bulk.result()
    assert took < 1


def test_the_waiting_for_others_is_bounded_too(server: Server) -> None:
    crowd = Crowd(1)
    server.script.extend([crowd.reply] * 3)
    hasty = Limits(attempts=2, longest_wait=1, answer=1, whole=0.3)
    one = EndpointEmbedder(about(server, at_once=1), queries=hasty, passages=hasty)
    began = time.monotonic()
    with ThreadPoolExecutor(3) as threads:
        waiting = [threads.submit(one.embed, ["a"]) for _ in range(3)]
        for each in waiting:
            with pytest.raises(EmbedderUnavailable, match="in time"):
                each.result()
        assert time.monotonic() - began < 2


def test_a_pause_that_would_end_too_late_is_not_begun(server: Server) -> None:
    server.script.append(says(429, **{"Retry-After": "4"}))
    waits: list[float] = []
    limits = Limits(attempts=3, longest_wait=5, answer=2, whole=1)
    with pytest.raises(EmbedderUnavailable, match="429"):
        EndpointEmbedder(about(server), queries=limits, sleep=waits.append).embed(["a"], "query")
    assert not waits
