"""Where generations of the index are kept: in folders of this host, or in collections of a server."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from core.embedders import Embedders
from core.errors import IndexMismatch
from core.store.base import Store
from core.store.edge import EdgeStore

if TYPE_CHECKING:  # the server's client takes longer to import than all else of a command
    from core.store.server_collections import ServerSettings

EDGE = "edge"
SERVER = "server"

Kept = Mapping[str, Any]
"""What a generation is made with, as JSON. Its `store`, if it has one, is of `ServerStores`; else it is a folder."""


def engine_of(kept: Kept) -> str:
    """`edge` or `server`."""
    return SERVER if "store" in kept else EDGE


class Stores(Protocol):
    """Opens and deletes generations, wherever each of them is kept. Raises IndexUnusable."""

    def open(self, name: str, kept: Kept, embedders: Embedders) -> Store:
        """Made if it is not there."""
        ...

    def delete(self, name: str, kept: Kept) -> None:
        """With all that is in it; one that is not there is no error."""
        ...


class FoldersAndServers:
    """A folder for each generation that is embedded, two collections for each on a server."""

    def __init__(self, folder: Path, key: str = "") -> None:
        """`key` is the server's, if it wants one."""
        self._folder = folder
        self._key = key

    def open(self, name: str, kept: Kept, embedders: Embedders) -> Store:
        """See `Stores.open`."""
        if engine_of(kept) == EDGE:
            return EdgeStore.open(self._folder / name, embedders)
        from core.store.server import ServerStore

        return ServerStore.open(_server(name, kept), embedders, self._key)

    def delete(self, name: str, kept: Kept) -> None:
        """See `Stores.delete`."""
        if engine_of(kept) == EDGE:
            remove(self._folder / name)
            return
        from core.store.server_calls import Calls
        from core.store.server_collections import connect, delete_collections

        settings = _server(name, kept)
        client = connect(settings, self._key)
        try:
            delete_collections(client, Calls(self._key), settings)
        finally:
            client.close()


def server_version(kept: Kept, key: str = "") -> str:
    """Which Qdrant answers there. IndexUnusable if it is too old, IndexUnreachable if none does."""
    from core.store.server_calls import Calls
    from core.store.server_collections import check_version, connect

    client, calls = connect(_server("none", kept), key), Calls(key)
    try:
        check_version(client, calls)
        return calls.read(client.info).version
    finally:
        client.close()


def remove(path: Path) -> None:
    """A file or a folder with all that is in it, if it is there."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def disk_bytes(path: Path) -> int:
    """What a folder takes on the disk, which for files with holes is less than their length."""
    return sum(file.lstat().st_blocks * 512 for file in path.rglob("*") if not file.is_dir())


def _server(name: str, kept: Kept) -> "ServerSettings":
    from core.store.server_collections import ServerSettings

    try:
        return ServerSettings(**kept["store"], generation=name)
    except TypeError as error:
        raise IndexMismatch("The index's settings are of another version of Crosscheck.") from error
