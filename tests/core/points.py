"""Points, and the stores that hold them: what the tests of both stores share."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from qdrant_client import QdrantClient

from core.embedders import Embedders
from core.embedding.sparse import SparseVector
from core.store.base import COLLECTIONS, Passage, Point, Scope, Store
from core.store.edge import EdgeStore
from core.store.server import ServerStore
from core.store.server_calls import Calls
from core.store.server_collections import ServerSettings, connect
from core.types import ORG, Audience
from tests.core.parts import EARLY, SMALL_RESERVE, Letters

TINY = Embedders.same(Letters(4, "tiny@1"))

SERVER_URL = os.environ.get("CROSSCHECK_QDRANT_URL", "")
SERVER_KEY = os.environ.get("CROSSCHECK_QDRANT_API_KEY", "")
STORES = ("edge", "local", "server") if SERVER_URL else ("edge", "local")
"""The embedded store; the server's store over its client's local mode; the same over a real server, if there is one."""

NO_INDEXES = "ignore:Payload indexes have no effect:UserWarning"
"""What the client's local mode says of each index it is asked for."""


@contextmanager
def opened(kind: str, folder: Path) -> Iterator[Store]:
    """An empty store of a kind. Leaves nothing behind on a real server."""
    if kind == "edge":
        store: Store = EdgeStore.open(folder, TINY, reserve=SMALL_RESERVE)
        yield store
        store.close()
        return
    settings = ServerSettings(SERVER_URL, prefix=f"crosscheck-test-{uuid.uuid4().hex}", batch=50)
    client = QdrantClient(":memory:") if kind == "local" else connect(settings, SERVER_KEY)
    yield ServerStore.over(client, settings, TINY, Calls(SERVER_KEY))
    for name in COLLECTIONS:
        client.delete_collection(settings.name(name))
    client.close()


def passage(document_id: str = "d", ordinal: int = 0, **more: object) -> Passage:
    values = {
        "source": "wiki",
        "kind": "page",
        "title": "Title",
        "url": "https://wiki.example/d",
        "text": f"text {ordinal}",
        "context": "HELP > Title",
        "labels": frozenset({ORG}),
        "updated": EARLY,
    }
    return Passage(document_id, ordinal, **values | more)


def terms(**weights: float) -> SparseVector:
    """`t7=1.0`: the term 7 with this weight."""
    return SparseVector(tuple(int(name[1:]) for name in weights), tuple(weights.values()))


NO_TERMS = terms()


def point(*args: object, vector: tuple[float, ...] = (1, 0, 0, 0), **more: object) -> Point:
    dense = np.array(vector, dtype=np.float32)
    return Point(passage(*args, **more), dense, dense, terms(t7=1.0, t4000000000=0.5), NO_TERMS)


def scope_of(*labels: str) -> Scope:
    return Scope(Audience(frozenset(labels)))
