"""What several programs of one test share as their server of vectors: the client's local mode, one call at a time."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from qdrant_client import QdrantClient

from core.embedders import Embedders
from core.store.base import Store
from core.store.server import ServerStore
from core.store.server_calls import Calls
from core.store.server_collections import ServerSettings, delete_collections
from crosscheck.stores import FoldersAndServers, Kept


class OneAtATime:
    """A client for many threads, which closing one store leaves open."""

    def __init__(self) -> None:
        self._client = QdrantClient(":memory:")
        self._lock = threading.RLock()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._client, name)
        return self._guarded(found) if callable(found) else found

    def _guarded(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def guarded(*arguments: Any, **named: Any) -> Any:
            with self._lock:
                return call(*arguments, **named)

        return guarded

    def close(self) -> None:
        """Another store may use it."""


class SharedServer(FoldersAndServers):
    """Collections that every program of the test sees."""

    def __init__(self) -> None:
        super().__init__(Path("unused"))
        self.client = OneAtATime()

    def open(self, name: str, kept: Kept, embedders: Embedders) -> Store:
        return ServerStore.over(self.client, ServerSettings(**kept["store"], generation=name), embedders, Calls())

    def delete(self, name: str, kept: Kept) -> None:
        delete_collections(self.client, Calls(), ServerSettings(**kept["store"], generation=name))

    def collections(self) -> int:
        return len(self.client.get_collections().collections)
