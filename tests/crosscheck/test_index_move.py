"""The index on a server: filled like any other beside the old one, or copied there and back."""

import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from qdrant_client import QdrantClient
from starlette.applications import Starlette
from starlette.routing import Route

from core.embedders import Embedders
from core.errors import IndexMismatch, IndexUnreachable
from core.store.base import Store
from core.store.server import ServerStore
from core.store.server_calls import Calls
from core.store.server_collections import ServerSettings, delete_collections
from crosscheck import settings as config
from crosscheck.doctor import examine
from crosscheck.errors import CrosscheckError
from crosscheck.index import BUILDING
from crosscheck.settings import Secrets
from crosscheck.stores import FoldersAndServers, Kept, engine_of
from tests.core.parts import Shelf
from tests.core.points import NO_INDEXES
from tests.core.test_store_server import Server
from tests.crosscheck.commands import Commands
from tests.crosscheck.handbook import written
from tests.crosscheck.test_index import jira, started, wiki

pytestmark = pytest.mark.filterwarnings(NO_INDEXES)

STORE: Mapping[str, Any] = {"url": "http://qdrant.example:6333", "prefix": "t"}


class LocalServers(FoldersAndServers):
    """Servers that are the client's local mode, each a folder of its own."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "index")
        self.away = False
        self._servers = folder / "servers"

    def open(self, name: str, kept: Kept, embedders: Embedders) -> Store:
        if engine_of(kept) == "edge":
            return super().open(name, kept, embedders)
        self._check()
        return ServerStore.over(self._client(name), self._settings(name, kept), embedders, Calls())

    def delete(self, name: str, kept: Kept) -> None:
        if engine_of(kept) == "edge":
            super().delete(name, kept)
            return
        self._check()
        with closing(self._client(name)) as client:
            delete_collections(client, Calls(), self._settings(name, kept))

    def collections(self) -> list[str]:
        found = []
        for path in self._servers.iterdir():
            with closing(self._client(path.name)) as client:
                found += [one.name for one in client.get_collections().collections]
        return sorted(found)

    def _check(self) -> None:
        if self.away:
            raise IndexUnreachable("The index's server could not be reached.")

    def _client(self, name: str) -> QdrantClient:
        return QdrantClient(path=str(self._servers / name))

    @staticmethod
    def _settings(name: str, kept: Kept) -> ServerSettings:
        return ServerSettings(**kept["store"], generation=name)


def unheard(_done: int, _total: int | None) -> None:
    """Progress for nobody."""


@pytest.fixture
def shelves() -> tuple[Shelf, Shelf]:
    return wiki("the account is locked", "the refund is paid"), jira("a ticket of the zebra")


@pytest.fixture
def stores(tmp_path: Path) -> LocalServers:
    return LocalServers(tmp_path)


@pytest.fixture
def filled(tmp_path: Path, stores: LocalServers, shelves: Sequence[Shelf]) -> Path:
    with started(tmp_path, 8, *shelves, stores=stores) as site:
        site.sources.all_synced()
    return tmp_path


def test_the_old_engine_answers_until_syncs_have_filled_the_new_one(
    filled: Path, stores: LocalServers, shelves: Sequence[Shelf]
) -> None:
    with started(filled, 8, *shelves, stores=stores, store=STORE) as site:
        searched, wanted = site.index.views()
        assert (searched.engine, searched.searched, searched.complete) == ("edge", True, True)
        assert (wanted.engine, wanted.searched, wanted.chunks, wanted.disk) == ("server", False, 0, None)
        assert wanted.where == STORE["url"]
        assert site.found("the zebra")[0] == "jira:0"
        site.sources.all_synced()
        assert [view.engine for view in site.index.views()] == ["server"]
        assert site.found("the zebra")[0] == "jira:0"
        assert site.folders() == []


def test_a_move_copies_points_and_what_is_known_and_comes_back(
    filled: Path, stores: LocalServers, shelves: Sequence[Shelf]
) -> None:
    steps: list[tuple[int, int | None]] = []
    with started(filled, 8, *shelves, stores=stores, store=STORE) as site:
        assert site.sources.move_index(lambda done, total: steps.append((done, total))) == 3
        assert steps[-1] == (3, 3)
        assert site.made[8].given == []  # nothing is embedded again
        assert [view.engine for view in site.index.views()] == ["server"]
        assert site.found("the zebra")[0] == "jira:0"
        assert site.degraded() == ()
        assert site.index.registry.count("wiki") == 2
        site.made[8].given.clear()
        site.sources.sync("wiki", False, lambda _message: None)
        assert site.made[8].given == []  # nor read anew
    with started(filled, 8, *shelves, stores=stores, store=STORE) as site:  # and after a start
        assert site.found("the zebra")[0] == "jira:0"
        assert site.degraded() == ()
    assert len(stores.collections()) == 2
    with started(filled, 8, *shelves, stores=stores) as site:
        assert site.sources.move_index(unheard) == 3
        assert [view.engine for view in site.index.views()] == ["edge"]
        assert site.found("the zebra")[0] == "jira:0"
    assert stores.collections() == []


def test_a_move_that_was_stopped_is_begun_again_whatever_is_there(
    filled: Path, stores: LocalServers, shelves: Sequence[Shelf]
) -> None:
    def stop(done: int, _total: int | None) -> None:
        if done:
            raise KeyboardInterrupt

    with started(filled, 8, *shelves, stores=stores, store=STORE) as site:
        with pytest.raises(KeyboardInterrupt):
            site.sources.move_index(stop)
        assert site.found("the zebra")[0] == "jira:0"
        shelves[0].documents = shelves[0].documents[:1]
        site.index.filled.ingest.sync(wiki("one more", "two more", "three more"), full=True)
    with started(filled, 8, *shelves, stores=stores, store=STORE) as site:
        assert site.sources.move_index(unheard) == 3
        assert site.index.filled.store.count() == 3
        assert site.index.filled.ingest.check() is None


def test_a_move_to_where_it_is_or_to_other_vectors_is_refused(
    filled: Path, stores: LocalServers, shelves: Sequence[Shelf]
) -> None:
    with (
        started(filled, 8, *shelves, stores=stores) as site,
        pytest.raises(CrosscheckError, match="is where the settings want it"),
    ):
        site.sources.move_index(unheard)
    with (
        started(filled, 16, *shelves, stores=stores, store=STORE) as site,
        pytest.raises(IndexMismatch, match=r"nothing of it can be copied\. Run `crosscheck sync`"),
    ):
        site.sources.move_index(unheard)


def test_an_index_that_is_not_complete_is_copied_and_stays_incomplete(
    tmp_path: Path, stores: LocalServers, shelves: Sequence[Shelf]
) -> None:
    with started(tmp_path, 8, *shelves, stores=stores) as site:
        site.sources.sync("wiki", False, lambda _message: None)
    with started(tmp_path, 8, *shelves, stores=stores, store=STORE) as site:
        assert site.sources.move_index(unheard) == 2
        assert site.degraded() == (BUILDING,)
        site.sources.sync("jira", False, lambda _message: None)
        assert [view.engine for view in site.index.views()] == ["server"]
        assert site.degraded() == ()


def test_an_old_server_that_is_away_keeps_nobody_from_starting_and_is_cleaned_later(
    filled: Path, stores: LocalServers, shelves: Sequence[Shelf]
) -> None:
    with started(filled, 8, *shelves, stores=stores, store=STORE) as site:
        site.sources.move_index(unheard)
    stores.away = True
    with started(filled, 8, *shelves, stores=stores) as site:
        assert site.degraded() == (BUILDING,)
        site.sources.all_synced()
        assert site.found("the zebra")[0] == "jira:0"
    stores.away = False
    assert len(stores.collections()) == 2
    with started(filled, 8, *shelves, stores=stores) as site:
        assert site.degraded() == ()
    assert stores.collections() == []


def test_a_wanted_server_that_is_away_ends_the_start(
    filled: Path, stores: LocalServers, shelves: Sequence[Shelf]
) -> None:
    stores.away = True
    with started(filled, 8, *shelves, stores=stores, store=STORE) as site, pytest.raises(IndexUnreachable):
        site.found("the zebra")


# By its settings, over HTTP


@pytest.fixture
def server() -> Iterator[Server]:
    state = Server()
    app = Starlette(routes=[Route("/{path:path}", state.answer, methods=["GET", "PUT", "POST", "DELETE"])])
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        state.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        running = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
        thread = threading.Thread(target=running.run, args=([listening],))
        thread.start()
        yield state
        running.should_exit = True
        thread.join()


def on_server(folder: Path, server: Server) -> Path:
    return written(folder, f'[index]\nengine = "server"\nurl = "{server.url}"\nprefix = "own"\nshards = 3\n')


@pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection:UserWarning")
def test_the_settings_put_the_index_on_a_server(server: Server, tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    run = Commands(capsys, monkeypatch, on_server(tmp_path, server), {"CROSSCHECK_QDRANT_API_KEY": "key-very-secret"})
    one = run("index", "--json").json["generations"][0]
    assert (one["engine"], one["where"], one["chunks"]) == ("server", server.url, 0)
    assert server.keys == {"key-very-secret"}
    assert all(name.startswith("own-wordllama") for name in server.made)
    assert {made["shard_number"] for made in server.made.values()} == {3}
    assert "a server does this by itself" in run("index", "rebuild").out
    database = (tmp_path / "data" / "crosscheck.sqlite").read_bytes()
    assert b"key-very-secret" not in database


def test_doctor_says_which_server_answers_and_whether_it_will_do(server: Server, tmp_path: Path) -> None:
    settings = config.load(on_server(tmp_path, server))

    def check() -> Any:
        return next(one for one in examine(settings, Secrets(), least_free=0) if one.name == "index server")

    assert check().state == "ok"
    assert "Qdrant 1.20.0 answers" in check().says
    server.version = "1.2.0"
    assert check().state == "failed"
    assert "or newer" in check().says
    assert "index.url" in check().do
