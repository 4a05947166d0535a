"""Rerankers and embedders on servers, as the settings ask for them and as `crosscheck doctor` tries them."""

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NoReturn

import pytest
from pydantic import ValidationError

from core.types import NullMetrics
from crosscheck.doctor_models import model_checks
from crosscheck.reranking import chain
from crosscheck.settings import Secrets, Settings
from crosscheck.settings_finding import Embedder, Embedding, Reranker, Reranking
from crosscheck.wiring import Program
from tests.core.test_rerank_server import KEY, TEXTS, Stub, says, score

SECRETS = Secrets.model_validate({"reranking_api_key": KEY})


@pytest.fixture
def stub() -> Iterator[Stub]:
    stub = Stub()
    thread = threading.Thread(target=stub.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield stub
    stub.shutdown()
    thread.join()
    stub.server_close()


def on_server(stub: Stub) -> Reranking:
    return Reranking(models=(Reranker(kind="server", url=stub.url),))


def no_lock() -> NoReturn:
    raise AssertionError("a server needs no card of this host")


def test_a_server_ranks_with_its_key_and_without_the_card(stub: Stub) -> None:
    made = chain(on_server(stub), no_lock, NullMetrics(), KEY)
    assert made is not None
    ranked = made.rank("q", TEXTS)
    assert ranked.scores == tuple(map(score, TEXTS))
    assert not ranked.degraded
    assert stub.asked[0][1] == f"Bearer {KEY}"


def test_late_interaction_follows_a_server_that_fails(stub: Stub) -> None:
    stub.script.append(says(401))
    made = chain(on_server(stub), no_lock, NullMetrics(), KEY)
    assert made is not None
    ranked = made.rank("which letters", TEXTS)
    assert ranked.by == "late interaction"
    assert ranked.degraded == (
        "The reranker's server answered with 401: it does not accept the key, so a lighter one ordered the results.",
    )


def checks(settings: Settings) -> dict[str, tuple[str, str, str]]:
    with closing(Program(settings, SECRETS)) as program:
        return {check.name: (check.state, check.says, check.do) for check in model_checks(program)}


def test_doctor_asks_the_server(stub: Stub, tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, reranking=on_server(stub))
    state, said, _ = checks(settings)["reranker 1"]
    assert state == "ok"
    assert "answers in" in said
    assert stub.asked[0][1] == f"Bearer {KEY}"
    stub.script.append(says(404))
    state, said, do = checks(settings)["reranker 1"]
    assert state == "failed"
    assert "404" in said
    assert "CROSSCHECK_RERANKING_API_KEY" in do


def test_doctor_asks_an_embedding_server_that_is_not_one(stub: Stub, tmp_path: Path) -> None:
    stub.script.extend([says(200, [])] * 2)
    endpoint = Embedder(kind="endpoint", url=f"{stub.url}/v1", model="m", size=4)
    state, said, do = checks(Settings(data=tmp_path, embedding=Embedding(documents=endpoint)))["embedding"]
    assert (state, stub.asked[0][0]) == ("failed", "/v1/embeddings")
    assert "no list of vectors" in said
    assert "CROSSCHECK_EMBEDDING_API_KEY" in do


@pytest.mark.parametrize(
    ("table", "where"),
    [
        ({"kind": "server"}, "url"),
        ({"kind": "server", "url": "reranker:8080"}, "url"),
        ({"kind": "server", "url": "http://user:secret@reranker"}, "url"),
        ({"kind": "server", "url": "http://reranker/v1", "dialect": "v1"}, "model"),
        ({"kind": "server", "url": "http://reranker", "dialect": "v2"}, "dialect"),
        ({"kind": "bge"}, "path"),
    ],
)
def test_settings_that_cannot_work_are_refused(table: dict[str, str], where: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Reranker.model_validate(table)
    assert refused.value.errors()[0]["loc"] == (where,)
    assert "secret" not in str(refused.value.errors()[0]["msg"])
