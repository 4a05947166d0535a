"""Another embedder makes another index beside the old one, which is searched until the new one is complete."""

import multiprocessing
import random
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
import structlog
from pydantic import SecretStr

from core.connectors.base import Connector
from core.embedders import Embedders
from core.embedding.base import Encoded, Side
from core.errors import EmbedderUnavailable, EmbedderUnusable, IndexLocked
from core.pictures import Pictures
from core.search import Searcher
from core.types import ORG, Audience, NullMetrics, Query
from crosscheck.index import BUILDING, Index
from crosscheck.settings import Secrets, Settings
from crosscheck.settings_finding import Embedder, Embedding
from crosscheck.sources import Sources
from crosscheck.stores import FoldersAndServers, Stores
from crosscheck.view import View
from crosscheck.wiring import Program
from state.cursors import Cursors
from state.db import open_database
from state.generations import Generations
from state.pictures import Pictures as PictureCache
from tests.core.parts import EVERYBODY, Letters, Shelf, document

SECRET = frozenset({ORG, "restriction:1"})
PATIENCE = 30.0


class Shelved(Sources):
    """Sources that are shelves."""

    def __init__(self, shelves: Sequence[Shelf], index: Index, cursors: Cursors, pictures: Pictures) -> None:
        parts: dict[str, Any] = {
            "index": index,
            "cursors": cursors,
            "pictures": pictures,
            "metrics": NullMetrics(),
            "clock": now,
            "view": View(),
        }
        super().__init__(Settings(), Secrets(), jira=unneeded, read=unneeded, **parts)
        self.shelves = list(shelves)

    def connector(self, name: str) -> Connector:
        return next(shelf for shelf in self.shelves if shelf.name == name)

    @property
    def minutes(self) -> Mapping[str, float]:
        return dict.fromkeys((shelf.name for shelf in self.shelves), 15.0)

    def _setting(self, name: str) -> str:
        return name

    def all_synced(self, *, full: bool = False) -> None:
        for shelf in self.shelves:
            self.sync(shelf.name, full, lambda _message: None)


def unneeded(*_arguments: object) -> Any:
    raise AssertionError("no source needs it")


def now() -> datetime:
    return datetime.now(UTC)


class Site:
    """What a start of the program with an embedder of this size has open."""

    def __init__(
        self,
        folder: Path,
        wanted: Mapping[str, Any],
        shelves: Sequence[Shelf],
        broken: Mapping[int, Letters | None],
        stores: Stores | None = None,
    ) -> None:
        self.folder = folder / "index"
        self.database = open_database(folder / "state.sqlite")
        self.generations = Generations(self.database)
        self.made: dict[int, Letters] = {}
        self._broken = broken
        self.index = Index(
            self.folder,
            wanted,
            self._make,
            self.database,
            stores=stores or FoldersAndServers(self.folder),
            searcher=Searcher,
            clock=now,
            metrics=NullMetrics(),
        )
        pictures = Pictures(None, PictureCache(self.database))
        self.sources = Shelved(shelves, self.index, Cursors(self.database), pictures)

    def _make(self, settings: Mapping[str, Any]) -> Embedders:
        size = settings["size"]
        embedder = self._broken.get(size, Letters(size))
        if embedder is None:
            raise EmbedderUnusable("its files are gone")
        self.made[size] = embedder
        return Embedders.same(embedder)

    def found(self, text: str, audience: Audience = EVERYBODY) -> list[str]:
        return [evidence.document_id for evidence in self.index.search(Query(text), audience).evidence]

    def degraded(self) -> tuple[str, ...]:
        return self.index.search(Query("anything at all"), EVERYBODY).degraded

    def folders(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir() if path.is_dir())


@contextmanager
def started(
    folder: Path,
    size: int,
    *shelves: Shelf,
    broken: Mapping[int, Letters | None] | None = None,
    stores: Stores | None = None,
    **more: Any,
) -> Iterator[Site]:
    site = Site(folder, {"size": size, **more}, shelves, broken or {}, stores)
    try:
        yield site
    finally:
        site.index.close()
        site.database.dispose()


def wiki(*texts: str) -> Shelf:
    return Shelf([document(text, id=f"wiki:{n}") for n, text in enumerate(texts)], name="wiki")


def jira(*texts: str) -> Shelf:
    made = [document(text, id=f"jira:{n}", source="jira", kind="ticket") for n, text in enumerate(texts)]
    return Shelf(made, name="jira")


@pytest.fixture
def shelves() -> tuple[Shelf, Shelf]:
    return wiki("the account is locked", "the refund is paid"), jira("a ticket of the zebra")


@pytest.fixture
def filled(tmp_path: Path, shelves: tuple[Shelf, Shelf]) -> Path:
    """A folder with a complete index of size 8."""
    with started(tmp_path, 8, *shelves) as site:
        site.sources.all_synced()
        assert site.degraded() == ()
    return tmp_path


def test_a_first_index_says_that_it_is_being_built(tmp_path: Path, shelves: tuple[Shelf, Shelf]) -> None:
    with started(tmp_path, 8, *shelves) as site:
        assert site.degraded() == (BUILDING,)
        site.sources.sync("wiki", False, lambda _message: None)
        assert site.found("the account")
        assert site.degraded() == (BUILDING,)
        site.sources.sync("jira", False, lambda _message: None)
        assert site.degraded() == ()
    with started(tmp_path, 8, *shelves) as site:
        assert site.degraded() == ()


def test_the_old_one_is_searched_until_the_new_one_is_complete(filled: Path, shelves: tuple[Shelf, Shelf]) -> None:
    with started(filled, 16, *shelves) as site:
        assert site.found("the locked account")[0] == "wiki:0"
        assert site.degraded() == ()
        assert site.made[8].given
        assert not site.made[16].given
        assert len(site.folders()) == 2
        site.sources.sync("wiki", False, lambda _message: None)
        assert site.index.registry.sources()[0].documents == 1  # jira, in the index that is searched
        site.made[8].given.clear()
        assert site.found("the zebra")[0] == "jira:0"
        assert site.made[8].given == ["the zebra"]
    with started(filled, 16, *shelves) as site:  # it goes on after a start
        site.sources.sync("jira", False, lambda _message: None)
        assert len(site.folders()) == 1
        site.made[8].given.clear()
        assert site.found("the zebra")[0] == "jira:0"
        assert site.found("the locked account")[0] == "wiki:0"
        assert not site.made[8].given
        assert [view.settings for view in site.generations.all()] == [{"size": 16}]
        assert site.degraded() == ()
    with started(filled, 16, *shelves) as site:
        assert site.found("the zebra")[0] == "jira:0"
        assert 8 not in site.made


def test_both_follow_their_sources_meanwhile(filled: Path, shelves: tuple[Shelf, Shelf]) -> None:
    with started(filled, 16, *shelves) as site:
        shelves[0].documents = [document("a brand new giraffe", id="wiki:9")]
        site.sources.sync("wiki", True, lambda _message: None)
        assert site.found("giraffe")[0] == "wiki:9"
        assert "wiki:0" not in site.found("the locked account")
        assert site.index.filled.registry.count("wiki") == site.index.registry.count("wiki") == 1


@pytest.mark.parametrize("by", ["sync", "sweep"])
@pytest.mark.parametrize("mute", [False, True])
def test_a_restriction_added_meanwhile_reaches_what_is_searched(
    filled: Path, shelves: tuple[Shelf, Shelf], by: str, mute: bool
) -> None:
    """Also when the old embedder does not answer any more."""

    class Mute(Letters):
        def embed(self, texts: Sequence[str], side: Side = "passage") -> Encoded:
            raise EmbedderUnavailable("gone")

    source = shelves[0]
    with started(filled, 16, *shelves, broken={8: Mute(8)} if mute else {}) as site:
        assert site.found("the locked account")[0] == "wiki:0"
        version = "2" if by == "sync" else "1"
        source.documents[0] = document("the account is locked", id="wiki:0", labels=SECRET, version=version)
        if by == "sync":
            site.sources.sync("wiki", False, lambda _message: None)
        else:
            site.sources.sweep_labels("wiki")
        assert "wiki:0" not in site.found("the locked account")
        assert "wiki:0" in site.found("the locked account", Audience(SECRET))
        site.sources.all_synced()
        assert len(site.folders()) == 1
        assert "wiki:0" not in site.found("the locked account")


def test_a_source_that_is_removed_meanwhile_is_waited_for_no_more(filled: Path, shelves: tuple[Shelf, Shelf]) -> None:
    with started(filled, 16, *shelves) as site:
        site.sources.sync("wiki", False, lambda _message: None)
    with started(filled, 16, shelves[0]) as site:
        assert site.found("the zebra")[0] == "jira:0"
        site.sources.forget_removed()
        assert "jira:0" not in site.found("the zebra")
        assert site.found("the locked account")[0] == "wiki:0"
        assert len(site.folders()) == 1
        assert site.degraded() == ()


def test_without_the_old_embedder_the_new_index_is_searched_at_once(filled: Path, shelves: tuple[Shelf, Shelf]) -> None:
    with started(filled, 16, *shelves, broken={8: None}) as site:
        assert site.found("the locked account") == []
        assert site.degraded() == (BUILDING,)
        assert len(site.folders()) == 1
        site.sources.all_synced()
        assert site.found("the locked account")[0] == "wiki:0"
        assert site.degraded() == ()


def test_an_old_index_that_is_damaged_is_given_up(filled: Path, shelves: tuple[Shelf, Shelf]) -> None:
    (old,) = (filled / "index").glob("letters-*")
    (old / "index.json").write_text("{", "utf-8")
    with started(filled, 16, *shelves) as site:
        assert site.degraded() == (BUILDING,)
        assert old.name not in site.folders()


def test_going_back_gives_up_the_one_that_was_being_filled(filled: Path, shelves: tuple[Shelf, Shelf]) -> None:
    with started(filled, 16, *shelves) as site:
        site.sources.sync("wiki", False, lambda _message: None)
    with started(filled, 8, *shelves) as site:
        assert site.found("the zebra")[0] == "jira:0"
        assert site.degraded() == ()
        assert len(site.folders()) == 1
        assert len(site.generations.all()) == 1
    with started(filled, 16, *shelves) as site:
        assert site.index.filled.registry.versions("wiki") == {}
        assert site.index.filled.last_full("wiki") is None


def test_other_settings_of_the_same_embedder_make_no_other_index(filled: Path, shelves: tuple[Shelf, Shelf]) -> None:
    with started(filled, 8, *shelves, batch=3) as site:
        assert site.found("the zebra")[0] == "jira:0"
        assert [view.settings for view in site.generations.all()] == [{"size": 8, "batch": 3}]


def test_an_index_of_the_form_before_generations_is_built_anew(tmp_path: Path, shelves: tuple[Shelf, Shelf]) -> None:
    old = tmp_path / "index"
    (old / "documents" / "segments").mkdir(parents=True)
    (old / "code").mkdir()
    (old / "index.json").write_text('{"schema": 1}', "utf-8")
    with structlog.testing.capture_logs() as logs, started(tmp_path, 8, *shelves) as site:
        site.sources.all_synced()
        assert len(site.folders()) == 1
        assert site.found("the zebra")[0] == "jira:0"
    assert {"code", "documents", "index.json"} == {line["path"] for line in logs if "unknown or older" in line["event"]}


def test_whoever_searches_during_the_change_is_not_disturbed(filled: Path, shelves: tuple[Shelf, Shelf]) -> None:
    """The old index stays until the last search in it has ended."""
    asked, go_on = threading.Event(), threading.Event()

    class Slow(Letters):
        def embed(self, texts: Sequence[str], side: Side = "passage") -> Encoded:
            if side == "query":
                asked.set()
                assert go_on.wait(PATIENCE)
            return super().embed(texts, side)

    answers: list[list[str]] = []
    with started(filled, 16, *shelves, broken={8: Slow(8)}) as site:
        searching = threading.Thread(target=lambda: answers.append(site.found("the zebra")))
        searching.start()
        assert asked.wait(PATIENCE)
        site.sources.all_synced()
        assert len(site.folders()) == 2
        assert site.found("the locked account")[0] == "wiki:0"  # in the new one; the old embedder still waits
        go_on.set()
        searching.join(PATIENCE)
        assert answers[0][0] == "jira:0"
        assert len(site.folders()) == 1


def test_a_failed_opening_lets_go_of_the_folder(filled: Path, shelves: tuple[Shelf, Shelf]) -> None:
    with started(filled, 16, *shelves, broken={16: None}) as site:
        for _ in range(2):
            with pytest.raises(EmbedderUnusable):
                site.found("the zebra")
    with started(filled, 8, *shelves) as site, started(filled, 8, *shelves) as second:
        assert site.found("the zebra")
        for _ in range(2):
            with pytest.raises(IndexLocked):
                second.found("the zebra")


def test_the_settings_say_which_embedders_are_wanted(tmp_path: Path) -> None:
    """The default's index is kept beside the one of a server, which is not asked before a sync."""
    here = Settings(data=tmp_path)
    server = Embedder(kind="endpoint", url="http://127.0.0.1:9/v1", model="small", size=32)
    names = []
    for settings in (here, here.model_copy(update={"embedding": Embedding(code=server)})):
        program = Program(settings, Secrets(embedding_api_key=SecretStr("sk-secret")))
        names.append(program.index.filled.name)
        assert len(list((tmp_path / "index").glob("wordllama-*"))) == len(names)
        assert b"sk-secret" not in (tmp_path / "crosscheck.sqlite").read_bytes()
        program.close()
    assert len(set(names)) == 2


# Interrupted


def fill(site: Site) -> None:
    """All of a sync but its end."""
    for shelf in site.sources.shelves:
        site.index.filled.ingest.sync(shelf, full=True)
        site.index.filled.was_read_in_full(shelf.name, now(), shelf.name)


def test_interrupted_before_the_new_one_is_searched(filled: Path, shelves: tuple[Shelf, Shelf]) -> None:
    with started(filled, 16, *shelves) as site:
        fill(site)
    with started(filled, 16, *shelves) as site:
        assert len(site.folders()) == 2
        site.sources.forget_removed()  # as at each start
        assert len(site.folders()) == 1
        assert site.found("the zebra")[0] == "jira:0"
        assert not site.made[8].given


def test_interrupted_while_the_old_one_is_deleted(filled: Path, shelves: tuple[Shelf, Shelf]) -> None:
    with started(filled, 16, *shelves) as site:
        fill(site)
        site.generations.completed(site.index.filled.name)
    (old,) = (filled / "index").glob("letters-8-*")
    (old / "index.json").unlink()
    with started(filled, 16, *shelves) as site:
        assert site.found("the zebra")[0] == "jira:0"
        assert not old.exists()
        assert [view.name for view in site.generations.all()] == site.folders()
        assert 8 not in site.made


def fill_until_killed(folder: Path, size: int, shelves: Sequence[Shelf], ready: Connection) -> None:
    with started(folder, size, *shelves) as site:
        ready.send("begun")
        site.sources.all_synced()
        ready.send("done")
        signal.pause()


def many() -> tuple[Shelf, Shelf]:
    return wiki(*(f"page number {n} of the wiki" for n in range(150))), jira(*(f"ticket {n}" for n in range(150)))


def test_killed_at_any_instant_of_a_change_it_goes_on(tmp_path: Path) -> None:
    """Between old and new, and back, and again; at the end it is as if made in one go."""
    shelves, dice = many(), random.Random(5)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__", __name__])
    began = time.monotonic()
    with started(tmp_path, 8, *shelves) as site:
        site.sources.all_synced()
    usual = time.monotonic() - began
    during = 0
    # The first instants are early enough for any machine: on a busy one, `usual` may be far too long.
    for size, share in zip((16, 16, 16, 24, 8, 16), (0.05, 0.1, 0.3, 0.5, 0.8, 1.0), strict=True):
        ours, theirs = context.Pipe()
        process = context.Process(target=fill_until_killed, args=(tmp_path, size, shelves, theirs), daemon=True)
        process.start()
        assert ours.poll(PATIENCE)
        assert ours.recv() == "begun"
        time.sleep(dice.uniform(0, usual * share))
        process.kill()
        process.join()
        during += not ours.poll()
        ours.close()
        theirs.close()
        with started(tmp_path, size, *shelves) as site:
            assert site.found("page 7 of the wiki")
            assert site.degraded() == ()
            assert len(site.folders()) == len(site.generations.all()) <= 2
    assert during
    with started(tmp_path, 16, *shelves) as site, started(tmp_path / "twin", 16, *shelves) as twin:
        site.sources.all_synced()
        twin.sources.all_synced()
        assert site.folders() == twin.folders()
        assert [view.name for view in site.generations.all()] == site.folders()
        kept, made = ({name: s.index.registry.versions(name) for name in ("wiki", "jira")} for s in (site, twin))
        assert kept == made
        stores = [s.index.filled.store for s in (site, twin)]
        assert stores[0].count() == stores[1].count() == 300
        assert stores[0].read("wiki:7", EVERYBODY, 9) == stores[1].read("wiki:7", EVERYBODY, 9)
        assert site.index.filled.ingest.check() is None
