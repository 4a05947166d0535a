"""A reranker on a server, against one on loopback that speaks both dialects and has every fault."""

import json
import math
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import RerankerUnavailable, RerankerUnusable
from core.rerank.chain import Reranking
from core.rerank.make import RerankerSettings, make
from core.rerank.server import RerankServer, ServerReranker
from tests.fakes import Tally

KEY = "sk-very-secret"
TEXTS = ["a", "bbb", "cc"]

Reply = Callable[["Handler", dict[str, Any]], None]


def score(text: str) -> float:
    return sum(map(ord, text)) % 97 - 40.5


class Handler(BaseHTTPRequestHandler):
    """Gives the scripted replies, then the usual one."""

    protocol_version = "HTTP/1.1"
    wbufsize = 65_536
    server: "Stub"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        stub = self.server
        with stub.lock:
            stub.asked.append((self.path, self.headers.get("Authorization"), asked))
            reply = stub.script.popleft() if stub.script else usual
        try:
            reply(self, asked)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def answer(self, status: int, body: object, **headers: str) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the name in the standard library)
        del format, args


class Stub(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script: deque[Reply] = deque()
        self.asked: list[tuple[str, str | None, dict[str, Any]]] = []
        self.lock = threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_port}"


def usual(handler: Handler, asked: dict[str, Any]) -> None:
    """As documented: the best first."""
    if "texts" in asked:
        ranked = [{"index": number, "score": score(text)} for number, text in enumerate(asked["texts"])]
        handler.answer(200, sorted(ranked, key=lambda row: row["score"], reverse=True))
        return
    found = [
        {"index": number, "document": {"text": text}, "relevance_score": score(text)}
        for number, text in enumerate(asked["documents"])
    ]
    found.sort(key=lambda row: row["relevance_score"], reverse=True)
    handler.answer(200, {"id": "1", "model": asked["model"], "results": found[: asked["top_n"]], "usage": {}})


def says(status: int, body: object = None, **headers: str) -> Reply:
    return lambda handler, _asked: handler.answer(status, body, **headers)


def rows(*found: tuple[object, object]) -> Reply:
    return says(200, [{"index": number, "score": value} for number, value in found])


@pytest.fixture(scope="module")
def running() -> Iterator[Stub]:
    stub = Stub()
    thread = threading.Thread(target=stub.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield stub
    stub.shutdown()
    thread.join()
    stub.server_close()


@pytest.fixture
def stub(running: Stub) -> Stub:
    running.script.clear()
    running.asked.clear()
    return running


def reranker(stub: Stub, seconds: float = 5, waits: list[float] | None = None, **more: Any) -> ServerReranker:
    about = replace(RerankServer(stub.url, "tei"), **more)
    sleep = time.sleep if waits is None else waits.append
    return ServerReranker(about, KEY, seconds=seconds, sleep=sleep)


def test_text_embeddings_inference_is_asked_as_it_wants(stub: Stub) -> None:
    assert reranker(stub).scores("which", TEXTS) == tuple(map(score, TEXTS))
    body = {"query": "which", "texts": TEXTS, "raw_scores": True, "truncate": True}
    assert stub.asked == [("/rerank", f"Bearer {KEY}", body)]


def test_the_form_of_jina_cohere_and_vllm(stub: Stub) -> None:
    made = make(RerankerSettings("server", url=f"{stub.url}/v1/", dialect="v1", model="m"), seconds=5)
    assert made.scores("which", TEXTS) == tuple(map(score, TEXTS))
    assert stub.asked == [("/v1/rerank", None, {"model": "m", "query": "which", "documents": TEXTS, "top_n": 3})]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(st.text(st.characters(codec="utf-8"), max_size=30), max_size=24),
    batch=st.integers(1, 9),
    most=st.integers(1, 9),
    v1=st.booleans(),
)
def test_batches_change_neither_order_nor_scores(stub: Stub, texts: list[str], batch: int, most: int, v1: bool) -> None:
    def reply(handler: Handler, asked: dict[str, Any]) -> None:
        if len(asked.get("texts") or asked["documents"]) > most:
            handler.answer(413, {"error": "batch size > maximum allowed batch size", "error_type": "validation"})
        else:
            usual(handler, asked)

    stub.script.clear()
    stub.script.extend([reply] * 100)
    form: dict[str, Any] = {"dialect": "v1", "model": "m"} if v1 else {}
    assert reranker(stub, batch=batch, **form).scores("q", texts) == tuple(map(score, texts))


def test_a_long_text_and_a_long_question_are_cut(stub: Stub) -> None:
    reranker(stub, longest=100).scores("q" * 1000, ["t" * 1000, "short"])
    assert stub.asked[0][2]["query"] == "q" * 150
    assert stub.asked[0][2]["texts"] == ["t" * 150, "short"]


def test_half_a_character_is_no_error(stub: Stub) -> None:
    assert len(reranker(stub).scores("\ud83d", ["\udc00 text"])) == 1


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (says(401, {"error": KEY}), RerankerUnusable),
        (says(404), RerankerUnusable),
        (says(400, {"error": KEY}), RerankerUnusable),
        (says(413), RerankerUnusable),
        (says(422), RerankerUnusable),
        (says(307, None, Location="http://127.0.0.1:9/rerank"), RerankerUnusable),
        (says(200, b"<html>"), RerankerUnavailable),
        (says(200, b"[" * 50_000), RerankerUnavailable),
        (says(200, {"results": [{"index": 0, "relevance_score": 1.0}]}), RerankerUnusable),
        (says(200, None), RerankerUnusable),
        (says(200, [1.0]), RerankerUnusable),
        (says(200, b" " * 2_000_000), RerankerUnusable),
        (rows(), RerankerUnusable),
        (rows((0, 1.0), (0, 2.0)), RerankerUnusable),
        (rows((1, 1.0)), RerankerUnusable),
        (rows((-1, 1.0)), RerankerUnusable),
        (rows(("0", 1.0)), RerankerUnusable),
        (rows((False, 1.0)), RerankerUnusable),
        (rows(([], 1.0)), RerankerUnusable),
        (rows((0, math.nan)), RerankerUnusable),
        (rows((0, math.inf)), RerankerUnusable),
        (rows((0, 10**400)), RerankerUnusable),
        (rows((0, "1.0")), RerankerUnusable),
        (rows((0, None)), RerankerUnusable),
        (rows((0, True)), RerankerUnusable),
        (says(424, {"error": "inference failed"}), RerankerUnavailable),
        (says(500), RerankerUnavailable),
    ],
)
def test_a_wrong_answer_is_refused_without_a_secret(stub: Stub, reply: Reply, kind: type[Exception]) -> None:
    stub.script.extend([reply] * 9)
    with pytest.raises(RerankerUnavailable) as refused:
        reranker(stub, waits=[]).scores("q", ["a"])
    assert type(refused.value) is kind
    assert KEY not in str(refused.value)
    assert "127.0.0.1" not in str(refused.value)
    assert kind is RerankerUnavailable or len(stub.asked) == 1


@pytest.mark.parametrize(("status", "header"), [(429, "1"), (503, "1"), (503, None)])
def test_a_busy_server_is_waited_for(stub: Stub, status: int, header: str | None) -> None:
    stub.script.append(says(status, None, **({"Retry_After": header} if header else {})))
    waits: list[float] = []
    assert reranker(stub, waits=waits).scores("q", TEXTS) == tuple(map(score, TEXTS))
    assert len(waits) == 1
    assert header is None or waits == [1.0]


def test_a_server_that_is_busy_for_longer_than_there_is_time_is_given_up_at_once(stub: Stub) -> None:
    stub.script.append(says(429, None, Retry_After="3"))
    began = time.monotonic()
    with pytest.raises(RerankerUnavailable, match="429"):
        reranker(stub, seconds=1).scores("q", TEXTS)
    assert time.monotonic() - began < 1
    assert len(stub.asked) == 1


def test_an_overloaded_server_costs_no_more_than_the_time(stub: Stub) -> None:
    stub.script.extend([says(429)] * 100)
    began = time.monotonic()
    with pytest.raises(RerankerUnavailable, match=r"429|in time"):
        reranker(stub, seconds=1).scores("q", TEXTS)
    assert time.monotonic() - began < 1.5
    assert len(stub.asked) < 5


def slowly(seconds: float) -> Reply:
    def reply(handler: Handler, asked: dict[str, Any]) -> None:
        time.sleep(seconds)
        usual(handler, asked)

    return reply


def trickle(handler: Handler, _asked: dict[str, Any]) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "100")
    handler.end_headers()
    for _ in range(40):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)
    handler.close_connection = True


@pytest.mark.parametrize("reply", [slowly(1.5), trickle])
def test_a_server_that_hangs_costs_no_more_than_the_time(stub: Stub, reply: Reply) -> None:
    stub.script.extend([reply] * 3)
    began = time.monotonic()
    with pytest.raises(RerankerUnavailable):
        reranker(stub, seconds=0.5).scores("q", TEXTS)
    assert time.monotonic() - began < 1.2


def test_a_server_that_is_not_there() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        about = RerankServer(f"http://127.0.0.1:{closed.getsockname()[1]}", "tei")
        with pytest.raises(RerankerUnavailable, match="connection failed"):
            ServerReranker(about, seconds=1).scores("q", TEXTS)


@dataclass
class Crowd:
    """A slow reply that knows how many wait for it at once."""

    seconds: float
    inside: int = 0
    most: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def reply(self, handler: Handler, asked: dict[str, Any]) -> None:
        with self.lock:
            self.inside += 1
            self.most = max(self.most, self.inside)
        time.sleep(self.seconds)
        with self.lock:
            self.inside -= 1
        usual(handler, asked)


def test_no_more_than_allowed_is_under_way_whoever_asks(stub: Stub) -> None:
    crowd = Crowd(0.03)
    stub.script.extend([crowd.reply] * 24)
    one = reranker(stub, batch=1, at_once=3)
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: one.scores("q", TEXTS), range(8)))
    assert found == [tuple(map(score, TEXTS))] * 8
    assert crowd.most == 3


def test_who_waits_too_long_for_others_goes_on_without(stub: Stub) -> None:
    """Eight workers at a server that does one thing at a time: some are answered, none waits longer than its time."""
    crowd = Crowd(0.4)
    stub.script.extend([crowd.reply] * 8)
    one = reranker(stub, seconds=1, at_once=1)

    def ask(_: int) -> tuple[bool, float]:
        began = time.monotonic()
        try:
            one.scores("q", TEXTS)
        except RerankerUnavailable:
            return False, time.monotonic() - began
        return True, time.monotonic() - began

    with ThreadPoolExecutor(8) as threads:
        outcomes = list(threads.map(ask, range(8)))
    assert 1 <= sum(answered for answered, _ in outcomes) < 8
    assert max(took for _, took in outcomes) < 2  # eight in a row take 3.2 seconds
    time.sleep(0.5)
    assert len(stub.asked) < 8  # what nobody waits for any more is not sent


def test_the_next_of_the_chain_answers_and_it_is_said_and_counted(stub: Stub) -> None:
    stub.script.append(says(429, None, Retry_After="60"))
    first, tally = reranker(stub), Tally()

    @dataclass
    class Lighter:
        name: str = "lighter"

        def scores(self, question: str, texts: Sequence[str]) -> list[float]:
            return [1.0] * len(texts)

    ranked = Reranking([first, Lighter()], 5, tally).rank("q", TEXTS)
    assert ranked.by == "lighter"
    assert ranked.degraded == ("The reranker's server answered with 429, so a lighter one ordered the results.",)
    assert tally.total("crosscheck_rerank_fallbacks_total", reranker=first.name, reason="unavailable") == 1


def test_the_name_says_what_changes_scores(stub: Stub) -> None:
    one = reranker(stub)
    changes: list[dict[str, Any]] = [{"model": "m"}, {"longest": 512}, {"url": "http://other"}, {"dialect": "v1"}]
    assert len({one.name, *(reranker(stub, **change).name for change in changes)}) == 5
    assert reranker(stub, batch=1, at_once=1).name == one.name
    assert "127" not in one.name.partition("@")[0]


def test_settings_that_lack_something_are_refused() -> None:
    for lacking in (
        RerankerSettings("server"),
        RerankerSettings("server", url="http://127.0.0.1/v1", dialect="v1"),
        RerankerSettings("cross_encoder"),
    ):
        with pytest.raises(RerankerUnusable):
            make(lacking)
