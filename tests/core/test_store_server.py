"""The store on a server: what it asks for, which collections it refuses, and what a server's failures become."""

import json
import socket
import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import uvicorn
from qdrant_client import QdrantClient
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from core.embedders import Embedders
from core.errors import IndexMismatch, IndexUnreachable, IndexUnusable
from core.store.base import Arm, Scope
from core.store.payload import number, to_payload
from core.store.server import ServerStore
from core.store.server_calls import READING, WRITING, Calls
from core.store.server_collections import ServerSettings, connect
from core.types import ORG, Filters
from tests.core.parts import EVERYBODY, Letters, Weighing
from tests.core.points import NO_INDEXES, NO_TERMS, TINY, point, scope_of

pytestmark = pytest.mark.filterwarnings(NO_INDEXES, "ignore:Api key is used with an insecure connection:UserWarning")

KEY = "key-very-secret"
HERE = ServerSettings("http://unused.example")


# Collections, over the client's local mode


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "qdrant")


def over(folder: str, embedders: Embedders = TINY, settings: ServerSettings = HERE) -> ServerStore:
    return ServerStore.over(QdrantClient(path=folder), settings, embedders, Calls())


def test_all_is_there_after_closing_and_opening(folder: str) -> None:
    store = over(folder)
    store.upsert([point("d")])
    store.flush()
    store.optimize()
    store.close()
    again = over(folder)
    assert again.count() == 1
    again.close()


@pytest.mark.parametrize("other", [Letters(4, "other@1"), Letters(8, "tiny@1"), Weighing(4, "tiny@1")])
def test_another_embedder_is_refused_with_what_to_run_and_is_given_another_generation(
    folder: str, other: Letters
) -> None:
    over(folder).close()
    mixed = Embedders(TINY.documents, other)
    for _ in range(2):  # and the refusal leaves the client closed
        with pytest.raises(IndexMismatch, match=r"crosscheck-1-code.*tiny@1.*generation.*crosscheck sync --full"):
            over(folder, mixed)
    over(folder, mixed, ServerSettings(HERE.url, generation="2")).close()
    over(folder).close()


def test_a_collection_that_somebody_else_made_is_refused(folder: str) -> None:
    client = QdrantClient(path=folder)
    client.create_collection(HERE.name("code"), vectors_config={})
    client.close()
    with pytest.raises(IndexMismatch, match="made by another program"):
        over(folder)


# Failures, over HTTP


@dataclass
class Server:
    """Gives the scripted replies, then what a server says that has both collections, all indexes and no points."""

    script: deque[Response] = field(default_factory=deque)
    asked: list[tuple[str, str, Any]] = field(default_factory=list)
    keys: set[str | None] = field(default_factory=set)
    version: str = "1.20.0"
    made: dict[str, Any] = field(default_factory=dict)
    url: str = ""
    facets: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    async def answer(self, request: Request) -> Response:
        body = await request.body()
        asked = json.loads(body) if body else None
        path = request.url.path
        self.asked.append((request.method, path, asked))
        self.keys.add(request.headers.get("api-key"))
        if self.script:
            return self.script.popleft()
        if path == "/":
            return JSONResponse({"title": "qdrant", "version": self.version})
        return JSONResponse({"result": self._result(request.method, path, asked), "status": "ok", "time": 0.1})

    def _result(self, method: str, path: str, asked: Any) -> Any:
        parts = path.split("/")[2:]
        if parts[1:] == ["exists"]:
            return {"exists": parts[0] in self.made}
        if method == "PUT" and len(parts) == 1:
            self.made[parts[0]] = asked
            return True
        if method == "GET" and len(parts) == 1:
            return self._info(self.made[parts[0]])
        hits = self.facets.get(asked["key"], []) if parts[-1] == "facet" else []
        answers = {"batch": [{"points": []}], "count": {"count": 0}, "scroll": {"points": []}, "facet": {"hits": hits}}
        return (
            answers.get(parts[-1], {"operation_id": 1, "status": "completed"})
            if method == "POST"
            else {"operation_id": 1, "status": "completed"}
        )

    def _info(self, made: dict[str, Any]) -> dict[str, Any]:
        params = {key: made[key] for key in ("vectors", "sparse_vectors")}
        hnsw = {"m": 16, "ef_construct": 100, "full_scan_threshold": 10_000}
        optimizer = {"deleted_threshold": 0.2, "vacuum_min_vector_number": 1_000, "default_segment_number": 0}
        config = {
            "params": params,
            "hnsw_config": hnsw,
            "optimizer_config": optimizer | {"flush_interval_sec": 5},
            "wal_config": {"wal_capacity_mb": 32, "wal_segments_ahead": 0},
            "metadata": made.get("metadata"),
        }
        return {
            "status": "green",
            "optimizer_status": "ok",
            "segments_count": 1,
            "config": config,
            "payload_schema": {},
        }


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    state = Server()
    app = Starlette(routes=[Route("/{path:path}", state.answer, methods=["GET", "PUT", "POST", "DELETE"])])
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    state.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    yield state
    server.should_exit = True
    thread.join()
    listening.close()


def there(value: str, count: int) -> dict[str, Any]:
    """A value of a field, and how many points have it."""
    return {"value": value, "count": count}


@pytest.fixture
def server(running: Server) -> Server:
    running.script.clear()
    running.asked.clear()
    running.keys.clear()
    running.made.clear()
    running.version = "1.20.0"
    running.facets = {
        "access_key": [there('[false,"org"]', 90), there('[false,"hidden"]', 5), there('[true,"org"]', 5)],
        "slot_key": [there('["git","code",null,null]', 5), there('["wiki","page",null,null]', 95)],
    }
    return running


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def store(server: Server, waits: list[float]) -> Iterator[ServerStore]:
    """Nothing is asked of the server yet."""
    settings = ServerSettings(server.url, batch=2, timeout=1)
    made = ServerStore(connect(settings, KEY), settings, Calls(KEY, waits.append))
    yield made
    made.close()


def failed(status: int, said: str = "it is so", **headers: str) -> Response:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return JSONResponse({"status": {"error": said}, "time": 0.1}, status, names)


def test_a_new_index_is_made_as_the_settings_say(server: Server) -> None:
    settings = ServerSettings(
        server.url, prefix="p", generation="7", shards=3, replicas=2, write_consistency=2, on_disk=True,
        quantisation="int8",
    )  # fmt: skip
    embedders = Embedders(Letters(4), Weighing(8))
    ServerStore.open(settings, embedders, KEY).close()
    assert server.keys == {KEY}
    assert server.made.keys() == {"p-7-documents", "p-7-code"}
    made = server.made["p-7-documents"]
    assert made["vectors"]["content"] == {"size": 4, "distance": "Dot", "memory": "cold"}
    assert made["sparse_vectors"]["context_terms"] == {"modifier": "idf", "index": {"memory": "cold"}}
    assert (made["shard_number"], made["replication_factor"], made["write_consistency_factor"]) == (3, 2, 2)
    assert made["quantization_config"]["scalar"]["type"] == "int8"
    assert server.made["p-7-code"]["vectors"]["content"]["size"] == 8
    assert "modifier" not in server.made["p-7-code"]["sparse_vectors"]["context_terms"]
    indexes = {
        asked["field_name"]: asked["field_schema"]
        for method, path, asked in server.asked
        if (method, path) == ("PUT", "/collections/p-7-code/index")
    }
    assert indexes["source"]["is_tenant"]
    assert indexes["updated"]["is_principal"]
    assert indexes["keys"]["prefix"]
    assert indexes.keys() >= {"access", "access_key", "document_id", "ordinal", "digests"}


def test_the_filter_is_in_every_arm_and_real_vectors_decide(server: Server) -> None:
    settings = ServerSettings(server.url, quantisation="int8")
    store = ServerStore(connect(settings), settings, Calls())
    dense = np.array((1, 0, 0, 0), dtype=np.float32)
    arms = [Arm("content", NO_TERMS), Arm("context", dense), Arm("context", point().content_terms)]
    scope = Scope(EVERYBODY, Filters(sources=frozenset({"git"})))
    store.names("source", scope)
    server.asked.clear()
    server.script.append(JSONResponse({"result": [{"points": []}] * 2, "status": "ok", "time": 0.1}))
    assert store.rank("code", arms, scope, 5) == ((), (), ())
    (_, path, asked), *more = server.asked
    assert not more
    assert path == "/collections/crosscheck-1-code/points/query/batch"
    meaning, words = asked["searches"]
    assert (meaning["using"], words["using"]) == ("context", "context_terms")
    assert meaning["limit"] == 10
    assert meaning["params"]["quantization"] == {"rescore": True, "oversampling": 2.0}
    assert meaning["filter"] == words["filter"]
    few, most = number('["git","code",null,null]'), number('[false,"org"]')
    assert meaning["filter"]["must"] == [{"key": "slot", "match": {"any": [few]}}]
    assert meaning["filter"]["must_not"] == [{"key": "access", "match": {"except": [most]}}]
    store.close()


def test_what_is_known_of_the_values_is_asked_for_again_after_a_write_or_some_seconds(server: Server) -> None:
    now = [0.0]
    settings = ServerSettings(server.url)
    store = ServerStore(connect(settings), settings, Calls(), clock=lambda: now[0])
    arms = [Arm("content", point().content_terms)]

    def asked() -> list[str]:
        server.asked.clear()
        store.rank("documents", arms, Scope(EVERYBODY), 5)
        return [path.rpartition("/")[2] for _, path, _ in server.asked]

    assert asked() == ["facet", "batch"]
    assert asked() == ["batch"]
    now[0] = 5
    assert asked() == ["facet", "batch"]
    store.upsert([point("d", labels=frozenset({"new"}))])
    assert asked() == ["facet", "batch"]
    server.facets.clear()
    store.upsert([point("d")])
    assert asked() == ["facet"]  # nothing is there that may be read
    store.close()


def test_a_glob_that_stands_for_very_many_paths_goes_in_smaller_requests(server: Server, store: ServerStore) -> None:
    server.facets["path"] = [there(f"src/{n}.py", 1) for n in range(60_000)]
    arms = [Arm("content", point().content_terms)] * 2
    assert store.rank("code", arms, Scope(EVERYBODY, Filters(path="*.py")), 5) == ((), ())
    assert [len(asked.get("searches", ())) for _, _, asked in server.asked] == [0, 0, 1, 1]
    first, second = (asked["searches"][0]["filter"] for _, _, asked in server.asked[2:])
    assert first == second
    assert len(first["must_not"][1]["match"]["except"]) == 60_000


def test_a_server_that_answers_less_than_it_was_asked_is_unusable(server: Server, store: ServerStore) -> None:
    server.facets = {"access_key": [there(to_payload(point().passage)["access_key"], 1)]}
    with pytest.raises(IndexUnusable, match="gave 1 answers to 2 questions"):
        store.rank("documents", [Arm("content", point().content)] * 2, scope_of(ORG), 5)


@pytest.mark.parametrize(
    "payload",
    [{}, {"labels": [ORG]}, to_payload(point().passage) | {"updated": 10**30}, {"labels": [ORG], "document_id": "d"}],
)
def test_a_point_of_somebody_else_is_said(server: Server, store: ServerStore, payload: dict[str, Any]) -> None:
    record = {"id": point().id, "payload": payload | {"somebody": "else"}}
    server.script.append(JSONResponse({"result": [record], "status": "ok", "time": 0.1}))
    with pytest.raises(IndexUnusable, match="has not written"):
        store.fetch("documents", [point().id], EVERYBODY)


@pytest.mark.parametrize("key", ["junk", "[]", "5", '[true, ["a"]]'])
def test_labels_of_somebody_else_are_said(server: Server, store: ServerStore, key: str) -> None:
    server.facets = {"access_key": [there(key, 1)]}
    with pytest.raises(IndexUnusable, match="has not written"):
        store.names("source", scope_of(ORG))


def test_an_audience_without_labels_is_not_even_asked_about(server: Server, store: ServerStore) -> None:
    assert store.rank("code", [Arm("context", point().content_terms)], scope_of(), 5) == ((),)
    assert store.names("source", scope_of()) == {}
    assert store.read("d", scope_of().audience, 5) == ()
    assert server.asked == []


def test_points_are_written_some_at_a_time(server: Server, store: ServerStore) -> None:
    store.upsert([point("d", n) for n in range(5)])
    assert [len(asked["points"]) for _, _, asked in server.asked] == [2, 2, 1]


def test_new_labels_are_set_with_all_that_is_made_of_them_and_by_stage(server: Server, store: ServerStore) -> None:
    """Killed after any of the requests, each chunk has the old or the new, and is of the stage that it was of."""
    done = [{"operation_id": n, "status": "completed"} for n in range(2)]
    server.script.extend(JSONResponse({"result": done, "status": "ok", "time": 0.1}) for _ in range(2))
    store.relabel({"d": frozenset({"b", "a"})})
    for _, _, asked in server.asked:
        baseline, developed = (one["set_payload"] for one in asked["operations"])
        for one, key in ((baseline, '[false,"a","b"]'), (developed, '[true,"a","b"]')):
            assert one["payload"] == {"labels": ["a", "b"], "access_key": key, "access": number(key)}
        stage = {"key": "stage", "match": {"any": ["development"]}}
        assert stage in developed["filter"]["must"]
        assert baseline["filter"]["must_not"] == [stage]
    assert len(server.asked) == 2


def test_a_point_that_must_not_be_stored_is_not_even_sent(server: Server, store: ServerStore) -> None:
    bad = point("bad", vector=(float("nan"), 0, 0, 0))
    with pytest.raises(ValueError, match="bad"):
        store.upsert([*(point("d", n) for n in range(5)), bad])
    assert server.asked == []


@pytest.mark.parametrize(
    ("replies", "waited"),
    [
        ([failed(503)], (0.25, 0.5)),
        ([failed(429, retry_after="7")], (7, 7)),
        ([failed(503, retry_after="9")], (9, 9)),
        ([failed(502), failed(500), failed(408)], (1.75, 3.5)),
    ],
)
def test_writes_wait_for_a_server_that_is_overloaded(
    server: Server, store: ServerStore, waits: list[float], replies: list[Response], waited: tuple[float, float]
) -> None:
    server.script.extend(replies)
    store.upsert([point()])
    assert len(server.asked) == len(replies) + 1 == len(waits) + 1
    assert waited[0] <= sum(waits) <= waited[1]


def test_patience_ends(server: Server, store: ServerStore, waits: list[float]) -> None:
    server.script.extend(failed(503) for _ in range(100))
    with pytest.raises(IndexUnreachable, match="503: it is so") as caught:
        store.delete(["d"])
    assert len(server.asked) == WRITING.attempts
    assert caught.value.advice == "retry"
    server.asked.clear()
    with pytest.raises(IndexUnreachable):
        store.count()
    assert len(server.asked) == READING.attempts
    server.script.clear()
    server.script.append(failed(429, retry_after="3600"))
    with pytest.raises(IndexUnreachable) as caught:
        store.upsert([point()])
    assert caught.value.retry_after == 3600


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (failed(401, f"{KEY} is no key"), r"refuses the key \(401\)\.$"),
        (failed(403), r"refuses the key \(403\)\.$"),
        (failed(404, "Not found: Collection `x`\n doesn't exist!"), "404: Not found: Collection `x` doesn't exist!$"),
        (failed(400, f"bad {KEY}" + "x" * 1_000), r"400: bad \*\*\*x{193}$"),
        (failed(422, "\x1b[31mred"), "422.$"),
        (Response("<html>", 400), "400.$"),
        (failed(307, location="http://elsewhere.example"), "its address may be wrong"),
        (Response("<html>Welcome</html>"), "not a Qdrant server's answer"),
        (Response(b"\xff\xfe\xfd"), "not a Qdrant server's answer"),
        (JSONResponse({"result": None}), "not a Qdrant server's answer"),
        (JSONResponse({"result": {"count": "many"}}), "not a Qdrant server's answer"),
        (JSONResponse([]), "not a Qdrant server's answer"),
        (Response("[" * 100_000), "not a Qdrant server's answer"),
    ],
)
def test_what_no_waiting_helps_is_said_at_once_without_the_key(
    server: Server, store: ServerStore, waits: list[float], reply: Response, said: str
) -> None:
    server.script.append(reply)
    with pytest.raises(IndexUnusable, match=said) as caught:
        store.count()
    assert caught.value.advice == "wake"
    assert caught.value.__cause__ is not None
    assert KEY not in str(caught.value)
    assert not waits


def test_a_server_that_does_not_answer_is_unreachable(waits: list[float]) -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        settings = ServerSettings(f"http://127.0.0.1:{deaf.getsockname()[1]}", timeout=1)
        store = ServerStore(connect(settings, KEY), settings, Calls(KEY, waits.append))
        with pytest.raises(IndexUnreachable, match="did not answer in time"):
            store.count()
        assert len(waits) == 1
    with pytest.raises(IndexUnreachable, match="could not be reached"):
        store.count()
    store.close()


@pytest.mark.parametrize("url", ["ftp://server.example", "http://[", "http://server.example:port"])
def test_an_address_that_is_none_is_said(url: str) -> None:
    with pytest.raises(IndexUnusable, match="address") as caught:
        ServerStore.open(ServerSettings(url), TINY, KEY)
    assert KEY not in str(caught.value)


def test_a_server_that_is_too_old_is_said(server: Server) -> None:
    server.version = "1.18.3"
    with pytest.raises(IndexUnusable, match=r"Qdrant 1\.18\. Use 1\.19 or newer"):
        ServerStore.open(ServerSettings(server.url), TINY)
    assert not server.made


def test_a_closed_store_is_unusable(store: ServerStore) -> None:
    store.close()
    with pytest.raises(IndexUnusable):
        store.count()
