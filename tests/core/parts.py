"""Small fakes behind core's seams, and short ways to make what tests need."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from core.embedders import Embedders
from core.embedding.base import Embedder, Encoded, Side, normalised
from core.embedding.sparse import SparseVector
from core.ingest import Ingest
from core.registry import Entry, Indexed
from core.search import Searcher
from core.store.edge import EdgeStore
from core.types import ORG, Audience, Document

EVERYBODY = Audience(frozenset({ORG}))
EARLY = datetime(2026, 1, 1, tzinfo=UTC)
SMALL_RESERVE = 2**20


def document(text: str = "", **values: object) -> Document:
    key = values.get("id", "wiki:1")
    defaults: dict = {
        "id": key,
        "source": "wiki",
        "kind": "page",
        "version": "1",
        "title": key,
        "text": text,
        "context": f"HELP > {values.get('title', key)}",
        "url": "https://wiki.example/1",
        "labels": frozenset({ORG}),
        "updated": EARLY,
    }
    return Document(**defaults | values)


@dataclass
class Shelf:
    """A connector over documents in memory. What `fails` holds by method name is raised there."""

    documents: list[Document] = field(default_factory=list)
    name: str = "wiki"
    live: dict[str, frozenset[str] | None] = field(default_factory=dict)
    listed: set[str] | None = None
    fails: dict[str, Exception] = field(default_factory=dict)
    changed: list[str] | None = None
    removed: set[str] = field(default_factory=set)

    def mark(self) -> str:
        return "now"

    def load(self) -> Iterator[Document]:
        yield from self.documents
        if "load" in self.fails:
            raise self.fails["load"]

    def changed_since(self, cursor: str) -> Iterator[Document]:
        assert cursor == "now"
        return (d for d in self.documents if self.changed is None or d.id in self.changed)

    def removed_since(self, cursor: str, known: Collection[str]) -> set[str]:
        assert cursor == "now"
        return self.removed

    def ids(self) -> set[str]:
        if "ids" in self.fails:
            raise self.fails["ids"]
        return {d.id for d in self.documents} if self.listed is None else self.listed

    def labels_now(self, ids: Iterable[str]) -> Mapping[str, frozenset[str] | None]:
        held = {d.id: d.labels for d in self.documents} | self.live
        return {key: held.get(key) for key in ids}

    def total(self) -> int | None:
        return len(self.documents)


class Letters:
    """A quick embedder of any size: texts are alike that hold the same letters. Remembers what it was given."""

    learned_terms = False

    def __init__(self, size: int = 8, name: str = "") -> None:
        self.size = size
        self.name = name or f"letters-{size}@1"
        self.given: list[str] = []

    def embed(self, texts: Sequence[str], side: Side = "passage") -> Encoded:
        self.given += texts
        counts = np.zeros((len(texts), self.size), dtype=np.float32)
        for row, text in enumerate(texts):
            for letter in text:
                counts[row, ord(letter) % self.size] += 1
        return Encoded(normalised(counts))


class Weighing(Letters):
    """Weighs terms itself: the words of a text by their length, longer ones count more."""

    learned_terms = True

    def embed(self, texts: Sequence[str], side: Side = "passage") -> Encoded:
        terms = []
        for text in texts:
            weights = {len(word): 1.0 + len(word) for word in text.split()}
            terms.append(SparseVector(tuple(weights), tuple(weights.values())))
        return Encoded(super().embed(texts, side).dense, tuple(terms))


class Raising:
    """Stands for another embedder where that does not answer, or must not be asked."""

    def __init__(self, like: Embedder, error: Exception) -> None:
        self.name, self.size, self.learned_terms = like.name, like.size, like.learned_terms
        self._error = error

    def embed(self, texts: Sequence[str], side: Side = "passage") -> Encoded:
        raise self._error


def refusing(like: Embedders, error: Exception | None = None) -> Embedders:
    """These embedders, not to be asked, or failing with the error."""
    error = error or AssertionError("embedded")
    return Embedders(Raising(like.documents, error), Raising(like.code, error))


class MemoryRegistry:
    def __init__(self) -> None:
        self.entries: dict[str, dict[str, Indexed]] = {}
        self.log: list[tuple] = []

    def versions(self, source: str) -> dict[str, Entry]:
        return dict(self.entries.get(source, {}))

    def record(self, source: str, documents: Iterable[Indexed]) -> None:
        for indexed in documents:
            self.entries.setdefault(source, {})[indexed.id] = indexed

    def forget(self, ids: Iterable[str]) -> None:
        for key in ids:
            for entries in self.entries.values():
                entries.pop(key, None)

    def started(self, source: str) -> None:
        self.entries.setdefault(source, {})
        self.log.append(("started", source))

    def succeeded(self, source: str, at: datetime) -> None:
        self.log.append(("succeeded", source, at))

    def failed(self, source: str, error: str) -> None:
        self.log.append(("failed", source, error))

    def sources(self) -> list[SimpleNamespace]:
        return [SimpleNamespace(name=name) for name in self.entries]


class MemoryCursors:
    def __init__(self) -> None:
        self.values: dict[str, str] = {}

    def get(self, name: str) -> str | None:
        return self.values.get(name)

    def set(self, name: str, value: str) -> None:
        self.values[name] = value


class Counting:
    """Metrics that remember."""

    def __init__(self) -> None:
        self.counts: dict[tuple, float] = {}

    def count(self, name: str, amount: float = 1, **labels: str) -> None:
        key = (name, *sorted(labels.items()))
        self.counts[key] = self.counts.get(key, 0) + amount

    def observe(self, name: str, value: float, **labels: str) -> None: ...

    def gauge(self, name: str, value: float, **labels: str) -> None: ...


class Bench:
    """Everything from a source's documents to a search, over one folder."""

    def __init__(self, folder: Path, embedders: Embedders) -> None:
        self.metrics = Counting()
        self.embedders = embedders
        self.store = EdgeStore.open(folder, self.embedders, reserve=SMALL_RESERVE)
        self.registry = MemoryRegistry()
        self.cursors = MemoryCursors()
        self.ingest = Ingest(self.store, self.embedders, self.registry, self.cursors, self.metrics)
        self.searcher = Searcher(self.store, self.embedders, self.metrics)

    def clear(self) -> None:
        """Forget everything."""
        for source, entries in self.registry.entries.items():
            self.store.delete(set(self.store.documents(source)) | set(entries))
        self.registry.entries.clear()
        self.registry.log.clear()
        self.cursors.values.clear()
        self.metrics.counts.clear()

    def index(self, *documents: Document) -> None:
        """Make the index hold exactly these, whatever their sources."""
        self.clear()
        for source in dict.fromkeys(d.source for d in documents):
            self.ingest.sync(Shelf([d for d in documents if d.source == source], name=source))


def contents(store: EdgeStore, registry: MemoryRegistry) -> dict[str, object]:
    """All that is stored: every passage by its document and place, and how many points there are."""
    held: dict[str, object] = {"points": store.count()}
    for source, entries in registry.entries.items():
        for key, entry in entries.items():
            for passage in store.read(key, Audience(entry.labels), 10_000):
                held[f"{source} {key} {passage.ordinal}"] = passage
    return held
