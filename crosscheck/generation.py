"""One index: a store and what made it, with what is remembered of its documents, sources and cursors."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from core.embedders import Embedders
from core.ingest import Ingest
from core.search import Searcher
from core.store.base import Store
from core.types import Audience
from crosscheck.stores import Kept
from state.cursors import Cursors
from state.registry import Registry

MakeSearcher = Callable[[Store, Embedders], Searcher]


@dataclass(frozen=True)
class Generation:
    """One index with all that belongs to it."""

    name: str
    kept: Kept
    embedders: Embedders
    store: Store
    ingest: Ingest
    registry: Registry
    cursors: Cursors
    _make_searcher: MakeSearcher

    @cached_property
    def searcher(self) -> Searcher:
        """Made when it is first asked: what reranks may be a model, and a sync needs none."""
        return self._make_searcher(self.store, self.embedders)

    def last_full(self, source: str) -> datetime | None:
        """When the source was last read in full into this index."""
        value = self.cursors.get(_full(source))
        return datetime.fromisoformat(value) if value else None

    def holds(self, document_id: str) -> str | None:
        """The version of a document of which all chunks are in this index; None if they are not, or nobody is sure."""
        entry = self.registry.entry(document_id)
        if entry is None or not entry.labels:
            return None
        found = self.store.read(document_id, Audience(entry.labels), entry.chunks + 1)
        return entry.version if len(found) == entry.chunks else None

    def read_by(self, source: str) -> str | None:
        """What `was_read_in_full` was last told of the settings."""
        return self.cursors.get(_settings(source))

    def was_read_in_full(self, source: str, at: datetime, settings: str) -> None:
        """`settings` changes with what the source was read by."""
        self.cursors.set(_settings(source), settings)
        self.cursors.set(_full(source), at.isoformat())


@dataclass(frozen=True, slots=True)
class IndexView:
    """What is to be known of one generation."""

    name: str
    engine: str
    where: str
    searched: bool
    complete: bool
    """False: not every source was read in full into it yet."""
    chunks: int
    disk: int | None
    """Bytes; None where that is the server's business."""
    documents: str
    code: str
    """The embedders of both collections."""


def without_strays(target: Generation, source: Generation) -> None:
    """Take out of a target what its source does not hold, or not to that length: a sync may have begun to fill it."""
    views = (*source.registry.sources(), *target.registry.sources())
    for name in dict.fromkeys(view.name for view in views):
        wanted = source.store.documents(name)
        held = target.store.documents(name)
        target.store.delete([document for document, chunks in held.items() if chunks > wanted.get(document, 0)])


def _settings(source: str) -> str:
    return f"settings:{source}"


def _full(source: str) -> str:
    return f"full:{source}"
