"""The index: one that is searched, and beside it, after the embedders or the engine changed, one that is being filled.

Each generation has a folder or collections of its own, named by what its vectors were made with and by the engine, and
in the database its documents, sources and cursors. Syncs and sweeps keep every generation like its sources. When each
source was read in full into the new one, that is searched, and the old one deleted. The database alone says which is
which, so a start after any interruption goes on; what is neither wanted nor searched is deleted.
"""

import hashlib
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import structlog

from core.consumers import Consumers, Use
from core.embedders import Embedders
from core.errors import EmbedderUnavailable, EmbedderUnusable, IndexMismatch, IndexUnreachable
from core.ingest import Ingest
from core.store.lock import OWNER, FolderLock
from core.store.made_by import maker
from core.store.moving import copy
from core.types import Audience, Evidence, Metrics, Progress, Query, SearchResult
from core.usage.gaps import FreshnessOf
from core.usage.types import Consumption, Kind
from crosscheck.errors import CrosscheckError
from crosscheck.generation import Generation, IndexView, MakeSearcher, without_strays
from crosscheck.stores import EDGE, Kept, Stores, disk_bytes, engine_of, remove
from state.cursors import Cursors
from state.db import Database
from state.generations import Generations
from state.registry import Registry
from state.types import GenerationView

log = structlog.get_logger(__name__)

BUILDING = "The index is still being built, so what is there may not be found yet."


@dataclass(slots=True)
class Opened:
    """What is open. `searched` and `filled` are one, but for the time between a change of embedders and its end."""

    searched: Generation
    filled: Generation
    complete: bool
    """Of the one that is searched."""
    retired: dict[str, tuple[Generation, float]]
    """Searched before, and still in use by somebody; with the moment from which on it may be deleted."""


class Index:
    """All generations. The folder and the embedders are opened when they are first needed.

    Raises IndexLocked, IndexMismatch, DiskFull; EmbedderUnusable when the wanted embedders cannot be made.
    """

    def __init__(
        self,
        folder: Path,
        wanted: Mapping[str, Any],
        make: Callable[[Mapping[str, Any]], Embedders],
        database: Database,
        *,
        stores: Stores,
        searcher: MakeSearcher,
        clock: Callable[[], datetime],
        metrics: Metrics,
        linger: float = 0,
        redacted: Callable[[str], str] = str,
    ) -> None:
        """`wanted` are settings, as JSON, of which `make` makes embedders and `stores` a store: now, and later while
        these are searched. What is not searched any more is kept for `linger` seconds: other processes may search it.
        Errors of syncs are kept as `redacted` leaves them.
        """
        self._folder = folder
        self._wanted = wanted
        self._make = make
        self._database = database
        self._stores = stores
        self._searcher = searcher
        self._clock = clock
        self._metrics = metrics
        self._linger = linger
        self._redacted = redacted
        self._generations = Generations(database, clock)
        self._lock = threading.RLock()
        self._users: Counter[str] = Counter()
        self._open: Opened | None = None
        self._closed = False
        self._owned = ExitStack()

    # Searching

    def search(self, query: Query, audience: Audience) -> SearchResult:
        """See `Searcher.search`."""
        with self.searched() as generation:
            complete = self._opened().complete
            result = generation.searcher.search(query, audience)
        return result if complete else replace(result, degraded=(*result.degraded, BUILDING))

    def lookup(self, key: str, audience: Audience) -> tuple[Evidence, ...]:
        """See `Searcher.lookup`."""
        with self.searched() as generation:
            return generation.searcher.lookup(key, audience)

    def open_document(self, document_id: str, audience: Audience, limit: int) -> tuple[Evidence, ...]:
        """See `Searcher.open_document`."""
        with self.searched() as generation:
            return generation.searcher.open_document(document_id, audience, limit)

    def users_of(self, name: str, changed: frozenset[str], audience: Audience) -> tuple[Use, ...]:
        """See `Consumers.users_of`."""
        with self.searched() as generation:
            return Consumers(generation.store).users_of(name, changed, audience)

    def consumers(
        self,
        name: str,
        audience: Audience,
        *,
        kind: Kind | None = None,
        repos: frozenset[str] = frozenset(),
        branches: frozenset[str] = frozenset(),
        limit: int = 30,
        freshness: FreshnessOf | None = None,
    ) -> Consumption:
        """See `Consumers.consumers`."""
        with self.searched() as generation:
            finder = Consumers(generation.store, freshness)
            return finder.consumers(name, audience, kind=kind, repos=repos, branches=branches, limit=limit)

    @property
    def registry(self) -> Registry:
        """What is known of the documents and sources that are searched. Opens no folder."""
        return Registry(self._database, self._clock, generation=self._generations.searched() or "")

    # Keeping it like its sources

    @property
    def filled(self) -> Generation:
        """The one with the wanted embedders."""
        return self._opened().filled

    @contextmanager
    def generations(self) -> Iterator[tuple[Generation, ...]]:
        """All that are to be kept like their sources, the wanted one last. None is deleted meanwhile."""
        with self._lock:
            opened = self._opened()
            both = tuple({each.name: each for each in (opened.searched, opened.filled)}.values())
            self._users.update(each.name for each in both)
        try:
            yield both
        finally:
            self._left(*both)

    def advance(self, sources: Collection[str]) -> None:
        """Search the wanted generation from now on, if every one of these sources was read in full into it."""
        with self._lock:
            opened = self._opened()
            if opened.complete and opened.searched is opened.filled:
                return
            if not all(opened.filled.last_full(source) for source in sources):
                return
            self._generations.completed(opened.filled.name)
            old, opened.searched, opened.complete = opened.searched, opened.filled, True
            log.info("index complete", generation=opened.filled.name)
            if old is not opened.filled:
                self._retire(opened, old)
        self._left()

    # Looking after it

    def views(self) -> tuple[IndexView, ...]:
        """Every generation that is open, the searched one first."""
        with self.generations() as both:
            opened = self._opened()
            return tuple(self._view(each, opened) for each in both)

    def take_over(self, sources: Collection[str], progress: Progress) -> int:
        """Copy the searched generation into the wanted one, and search that from now on; returns how many points.

        No source may be synchronised meanwhile. May be stopped and begun again. Raises CrosscheckError when there is
        nothing to copy, IndexMismatch when the vectors of one are of no use to the other.
        """
        with self.generations() as both:
            if len(both) == 1:
                raise CrosscheckError(f"The index is where the settings want it: {self._where(both[0])}.")
            old, new = both
            if maker(old.embedders) != maker(new.embedders):
                raise IndexMismatch(
                    f"The index was made with {old.embedders.documents.name}, and the settings want "
                    f"{new.embedders.documents.name}: nothing of it can be copied. Run `crosscheck sync`."
                )
            without_strays(new, old)
            count = copy(old.store, new.store, progress)
            self._generations.copied(old.name, new.name)
            self.advance(sources)
        return count

    def optimize(self) -> None:
        """Give back what was deleted; see `Store.optimize`."""
        with self.generations() as both:
            for generation in both:
                generation.store.optimize()

    def _view(self, generation: Generation, opened: Opened) -> IndexView:
        searched = generation.name == opened.searched.name
        engine = engine_of(generation.kept)
        return IndexView(
            name=generation.name,
            engine=engine,
            where=self._where(generation),
            searched=searched,
            complete=searched and opened.complete,
            chunks=generation.store.count(),
            disk=disk_bytes(self._folder / generation.name) if engine == EDGE else None,
            documents=generation.embedders.documents.name,
            code=generation.embedders.code.name,
        )

    def _where(self, generation: Generation) -> str:
        if engine_of(generation.kept) == EDGE:
            return str(self._folder / generation.name)
        return str(generation.kept["store"]["url"])

    def close(self) -> None:
        """Flush and close what is open, for good; once more is no harm."""
        with self._lock:
            self._closed = True
            if self._open is None:
                return
            opened, self._open = self._open, None
            for generation in {opened.searched.name: opened.searched, opened.filled.name: opened.filled}.values():
                generation.store.close()
            for generation, _ in opened.retired.values():
                generation.store.close()
                if not self._linger:  # else a later start finds it
                    self._delete(generation.name, generation.kept)
            self._owned.close()

    @contextmanager
    def searched(self) -> Iterator[Generation]:
        """The one that is searched; it is not deleted meanwhile."""
        with self._lock:
            generation = self._opened().searched
            self._users[generation.name] += 1
        try:
            yield generation
        finally:
            self._left(generation)

    def _left(self, *generations: Generation) -> None:
        """Nobody uses these any more; what is retired and free is deleted."""
        with self._lock:
            self._users.subtract(each.name for each in generations)
            retired, now = self._open.retired if self._open else {}, time.monotonic()
            unused = [name for name, (_, until) in retired.items() if not self._users[name] and until <= now]
            free = [retired.pop(name) for name in unused]
        for generation, _ in free:
            generation.store.close()
            self._delete(generation.name, generation.kept)

    def _retire(self, opened: Opened, generation: Generation) -> None:
        opened.retired[generation.name] = (generation, time.monotonic() + self._linger)

    # Opening

    def _opened(self) -> Opened:
        with self._lock:
            if self._closed:  # else who comes late would hold the folder for ever
                raise IndexUnreachable("The index is closed: the service ends, or another process keeps it now.")
            if self._open is None:
                with ExitStack() as undo:
                    undo.enter_context(self._owning())
                    self._open = self._opening()
                    self._owned = undo.pop_all()
            return self._open

    @contextmanager
    def _owning(self) -> Iterator[None]:
        """Nobody else opens the folder."""
        self._folder.mkdir(parents=True, exist_ok=True)
        lock = FolderLock(self._folder)
        try:
            yield
        finally:
            lock.release()

    def _opening(self) -> Opened:
        embedders = self._make(self._wanted)
        wanted = _name(embedders, self._wanted)
        self._generations.remember(wanted, self._wanted)
        known = {view.name: view for view in self._generations.all()}
        searched = next(view for view in known.values() if view.searched)
        self._clean(known, {wanted, searched.name})
        with ExitStack() as undo:
            filled = self._generation(wanted, self._wanted, embedders)
            undo.callback(filled.store.close)
            before = filled if searched.name == wanted else self._as_it_was(searched)
            if before is None:
                self._generations.search(wanted)
                self._delete(searched.name, searched.settings)
            undo.pop_all()
        return Opened(before or filled, filled, complete=before is not None and searched.complete, retired={})

    def _as_it_was(self, searched: GenerationView) -> Generation | None:
        """The one that is still searched; None if it cannot be any more."""
        try:
            embedders = self._make(searched.settings)
            if _name(embedders, searched.settings) != searched.name:
                raise EmbedderUnusable("Its embedders or its form are not what they were.")
            return self._generation(searched.name, searched.settings, embedders)
        except (EmbedderUnavailable, IndexMismatch, IndexUnreachable) as error:
            log.warning("index cannot be searched any more", generation=searched.name, reason=str(error))
            return None

    def _generation(self, name: str, kept: Kept, embedders: Embedders) -> Generation:
        store = self._stores.open(name, kept, embedders)
        registry = Registry(self._database, self._clock, generation=name, redacted=self._redacted)
        cursors = Cursors(self._database, generation=name)
        ingest = Ingest(store, embedders, registry, cursors, metrics=self._metrics, clock=self._clock)
        return Generation(name, kept, embedders, store, ingest, registry, cursors, self._searcher)

    def _clean(self, known: Mapping[str, GenerationView], kept: Collection[str]) -> None:
        """Delete what no generation needs: one given up while it was filled, an older form, half-deleted ones."""
        for name, view in known.items():
            if name not in kept:
                self._delete(name, view.settings)
        for path in sorted(self._folder.iterdir()):
            if path.name not in {OWNER, *kept}:
                log.warning("part of an unknown or older index removed", path=path.name)
                remove(path)

    def _delete(self, name: str, kept: Kept) -> None:
        """What a server that is away keeps is deleted at a later start."""
        try:
            self._stores.delete(name, kept)
        except IndexUnreachable as error:
            log.warning("index not deleted yet", generation=name, reason=str(error))
            return
        self._generations.forget(name)
        log.info("index deleted", generation=name)


def _name(embedders: Embedders, kept: Kept) -> str:
    """A name that differs whenever the index could not be used with these embedders, or is elsewhere."""
    made = json.dumps(maker(embedders), sort_keys=True)
    slug = re.sub(r"[^a-z0-9]+", "-", embedders.documents.name.casefold())[:40].strip("-")
    elsewhere = "" if engine_of(kept) == EDGE else f"-{engine_of(kept)}"
    return f"{slug}-{hashlib.blake2b(made.encode(), digest_size=6).hexdigest()}{elsewhere}"
