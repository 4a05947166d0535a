"""Law 8 with real processes: a sync killed at any instant and repeated leaves the index of one that was not."""

import multiprocessing
import os
import random
import signal
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Literal, Self

import pytest

from core.chunking import chunk
from core.embedders import Embedders
from core.ingest import Ingest
from core.store.base import Passage
from core.store.edge import EdgeStore
from core.types import Audience, Document
from state.cursors import Cursors
from state.db import open_database
from state.registry import Registry
from tests.core.parts import SMALL_RESERVE, Letters, document

EMBEDDERS = Embedders.same(Letters())
KILLS = 17  # a group; there are three groups
DOCUMENTS = 60
PATIENCE = 30.0

ALL, SECRET = frozenset({"x:all"}), frozenset({"x:all", "x:secret"})
TEXTS = (
    "Locked after five tries.",
    "Locked after three tries.",
    "\n\n".join(f"## Part {n}\n\n" + "word " * 300 for n in range(4)),
)

Held = tuple[int, frozenset[str]]
"""Which of the texts, and the labels."""
State = Mapping[str, Held]
Work = Literal["sync", "full", "sweep"]


@dataclass
class Wiki:
    """A source that lists only what differs from its state at the cursor, as a comparison of two commits does."""

    states: list[State] = field(default_factory=list)
    name: str = "wiki"

    @property
    def now(self) -> State:
        return self.states[-1]

    def mark(self) -> str:
        return str(len(self.states) - 1)

    def load(self) -> Iterator[Document]:
        return (self._document(key) for key in self.now)

    def changed_since(self, cursor: str) -> Iterator[Document]:
        before = self.states[int(cursor)]
        return (self._document(key) for key, held in self.now.items() if before.get(key) != held)

    def removed_since(self, cursor: str, known: Collection[str]) -> set[str]:
        return set(self.states[int(cursor)].keys() - self.now.keys())

    def ids(self) -> set[str]:
        return set(self.now)

    def labels_now(self, ids: Iterable[str]) -> dict[str, frozenset[str] | None]:
        return {key: self.now[key][1] if key in self.now else None for key in ids}

    def total(self) -> int:
        return len(self.now)

    def _document(self, key: str) -> Document:
        text, labels = self.now[key]
        return document(TEXTS[text], id=key, version=str(text), labels=labels)


class Site:
    """An index and a database in a folder, open in this process."""

    def __init__(self, folder: Path) -> None:
        self.database = open_database(folder / "state.sqlite")
        self.registry = Registry(self.database)
        self.store = EdgeStore.open(folder / "index", EMBEDDERS, reserve=SMALL_RESERVE)
        self.ingest = Ingest(self.store, EMBEDDERS, self.registry, Cursors(self.database))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()
        self.database.dispose()

    def do(self, work: Work, wiki: Wiki) -> None:
        if work == "sweep":
            self.ingest.sweep_labels(wiki)
        else:
            self.ingest.sync(wiki, full=work == "full")

    def passages(self) -> dict[str, tuple[Passage, ...]]:
        return {key: self.store.read(key, Audience(SECRET), 99) for key in self.store.documents("wiki")}

    def recorded(self) -> dict[str, tuple[str, int, frozenset[str]]]:
        entries = self.registry.versions("wiki")
        return {key: (entry.version, entry.chunks, entry.labels) for key, entry in entries.items()}


def forks() -> ForkServerContext:
    """Children are forked from a process that has imported everything and runs no thread."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["__main__", __name__])
    return context


def work_until_killed(folder: Path, work: Work, wiki: Wiki, ready: Connection) -> None:
    with Site(folder) as site:
        ready.send(os.getpid())
        site.do(work, wiki)
        ready.send("done")
    signal.pause()


def kill_during(folder: Path, work: Work, wiki: Wiki, after: float) -> bool:
    """Start it in a process, kill that so many seconds after it began; whether it was still at work."""
    ours, theirs = multiprocessing.Pipe()
    process = forks().Process(target=work_until_killed, args=(folder, work, wiki, theirs), daemon=True)
    process.start()
    assert ours.poll(PATIENCE)
    assert ours.recv() == process.pid
    time.sleep(after)
    process.kill()
    process.join()
    done = ours.poll()
    ours.close()
    theirs.close()
    return not done


def changed(state: State, dice: random.Random, *, deleting: bool) -> State:
    """New labels for a third, another text for a third, both for some; some away and some new."""
    after: dict[str, Held] = {}
    for key, (text, labels) in state.items():
        if deleting and dice.random() < 0.1:
            continue
        new_text = dice.randrange(len(TEXTS)) if dice.random() < 0.4 else text
        after[key] = (new_text, dice.choice((ALL, SECRET)) if dice.random() < 0.6 else labels)
    return after | {f"new{dice.randrange(10**6)}": (0, SECRET) for _ in range(5)}


def partly_back(before: State, after: State, dice: random.Random) -> State:
    """Most of what changed is as it was before, some stays; and most of what was deleted is back."""
    return dict(after) | {key: held for key, held in before.items() if dice.random() < 0.8}


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Another index, of what one go makes."""
    with Site(tmp_path_factory.mktemp("twin")) as site:
        yield site


@pytest.mark.parametrize("seed", range(3))
def test_killed_at_any_instant_and_repeated_is_as_in_one_go(tmp_path: Path, twin: Site, seed: int) -> None:
    dice = random.Random(seed)
    wiki = Wiki([{f"d{n}": (n % 3, dice.choice((ALL, SECRET))) for n in range(DOCUMENTS)}])
    with Site(tmp_path) as site:
        began = time.monotonic()
        site.do("sync", wiki)
        usual = min(time.monotonic() - began, 0.2)
    during = 0
    for _ in range(KILLS):
        before, work = wiki.now, dice.choice(("sync", "sync", "full", "sweep"))
        wiki.states.append(changed(before, dice, deleting=work != "sweep"))
        during += kill_during(tmp_path, work, wiki, dice.uniform(0, usual / 3 if work == "sweep" else usual))
        wiki.states.append(partly_back(before, wiki.now, dice))
        with Site(tmp_path) as site:
            if work == "sweep":  # had it ended, the labels would be those of its time, until the next sweep
                site.do("sweep", wiki)
            site.do(dice.choice(("sync", "sync", "full")), wiki)
            same_as_the_source(site, wiki)
    with Site(tmp_path) as site:
        twin.ingest.remove("wiki")
        twin.do("full", wiki)
        assert site.passages() == twin.passages()
        assert site.recorded() == twin.recorded()
    assert during


def same_as_the_source(site: Site, wiki: Wiki) -> None:
    texts = {source.id: [piece.text for piece in chunk(source)] for source in wiki.load()}
    for key, (text, labels) in wiki.now.items():
        for audience in (Audience(ALL), Audience(SECRET)):
            read = [passage.text for passage in site.store.read(key, audience, 99)]
            assert read == (texts[key] if audience.may_read(labels) else []), (key, text, labels)
    assert site.store.documents("wiki") == {key: len(pieces) for key, pieces in texts.items()}
    recorded = {key: (str(text), len(texts[key]), labels) for key, (text, labels) in wiki.now.items()}
    assert site.recorded() == recorded
    assert site.store.count() == sum(map(len, texts.values()))
    assert site.ingest.check() is None
