"""One collection of the embedded store: its points on disk, read and written while they are, now and then, built anew.

Vectors are searched as fast as they will be as soon as they are written. Two things are not. What is kept to compare
a point with a condition lies scattered in memory after much writing, and a search takes up to four times as long until
the folder is loaded again. And the engine never uses a deleted point's place again: an index from which much was
deleted is large and slow. Its own optimizer gives such places back and holds the interpreter's lock from beginning to
end (minutes, in which no thread of the process runs). So the points are copied to a new folder, some at a time, beside
all reading and writing.
"""

import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Condition, Event, Lock, local

import qdrant_edge as qdrant

from core.embedding.base import Embedder
from core.store.base import CollectionName
from core.store.conditions import of_document, of_taken
from core.store.edge_filter import edge_filter
from core.store.edge_folder import check_space, create_shard, current, engine_errors, follow, open_shard
from core.store.known import Counted, Known, Memory, Taken

POINT_BYTES = 12_000  # on disk, with both dense vectors; measured below 10,000
_AT_ONCE = 128  # points copied, while no other thread can run; 20 ms
_MANY_WRITTEN = 5_000  # points, before the folder is worth being loaded again
_MANY_DEAD = 1_000  # places of deleted points
_DEAD_SHARE = 0.3  # of all places
_DEAD = "deleted"  # the file that keeps their number
_EVERYTHING = 2**31
_OF_RESERVE = 4  # a quarter stays: what the engine fills of files with holes, where a full disk would kill the process
_ROUNDS = 5  # of copying again what was written meanwhile, before writers have to wait for the last


@dataclass(slots=True)
class _Generation:
    """A folder with the collection's points."""

    path: Path
    shard: qdrant.EdgeShard
    readers: int = 0
    """Just now."""
    dead: int = 0
    """Points deleted from it, ever. The engine does not tell; what a crash leaves out is not worth a second write."""

    def live(self) -> int:
        return self.shard.count(qdrant.CountRequest(exact=False))  # without a filter it is exact

    def flush(self) -> None:
        self.shard.flush()
        (self.path / _DEAD).write_text(str(self.dead), "utf-8")


class LiveShard:
    """The points of one collection: any thread reads, one at a time writes, none waits for `rebuild`."""

    def __init__(self, folder: Path, name: CollectionName, embedder: Embedder, reserve: int) -> None:
        """Opened, or made if it is not there; what an interrupted `rebuild` left is removed. Raises IndexMismatch."""
        self._folder = folder
        self._name = name
        self._embedder = embedder
        self._reserve = reserve
        path = current(folder, name)
        self._now = _Generation(path, open_shard(path, embedder), dead=_number(path / _DEAD))
        self._switching = Condition()
        self._writing = Lock()
        self._next = Lock()
        self._building = Lock()
        self._closing = Event()
        self.known = Known(self._counted, Memory())
        self._touched: set[str] | None = None  # documents written to since a rebuild began, while there is one
        self._written = 0  # points since the folder was loaded, about
        self._loading = False
        self._mine = local()  # how often this thread reads just now

    @contextmanager
    def reading(self) -> Iterator[qdrant.EdgeShard]:
        """The shard as it is now; it is kept open for as long as the block runs. The engine's errors are mapped."""
        mine = getattr(self._mine, "reads", 0)
        with self._switching:
            self._switching.wait_for(lambda: mine or not self._loading)  # who reads already is waited for
            now = self._now
            now.readers += 1
        self._mine.reads = mine + 1
        try:
            with engine_errors():
                yield now.shard
        finally:
            self._mine.reads = mine
            with self._switching:
                now.readers -= 1
                self._switching.notify_all()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """The right to write. Who waits for it gets it next: a lock alone goes back to a writer without a pause."""
        with self._next:
            self._writing.acquire()
        try:
            yield
        finally:
            self._writing.release()

    def write(self, document_ids: Collection[str], *operations: qdrant.UpdateOperation) -> None:
        """Apply operations that change nothing but these documents. DiskFull if it is so full that they cannot be: what
        hides or deletes may use most of the reserve, since until then it stays readable. New points are checked before.
        """
        check_space(self._folder, self._reserve // _OF_RESERVE)
        with self._turn(), engine_errors():
            if self._touched is not None:
                self._touched.update(document_ids)
            before = self._now.live()
            try:
                for operation in operations:
                    self._now.shard.update(operation)
            finally:
                self.known.memory.forget()
            more = self._now.live() - before
            self._now.dead += max(0, -more)
            self._written += max(more, len(document_ids))

    def count(self) -> int:
        """How many points there are."""
        with self.reading() as shard:
            return shard.count(qdrant.CountRequest(exact=True))

    def facet(self, field: str, narrowed: qdrant.Filter | None) -> dict[str, int]:
        """The values of a field, each with its number of points.

        What the engine calls exact counts by its index anew for each value, thirty times as slow; otherwise it goes
        through the index once, which differs only where a point lies in two segments.
        """
        request = qdrant.FacetRequest(field, limit=_EVERYTHING, exact=False, filter=narrowed)
        with self.reading() as shard:
            return {str(hit.value): hit.count for hit in shard.facet(request).hits}

    def worn(self) -> bool:
        """Whether enough was deleted for `rebuild` to be worth its while."""
        with self._turn(), engine_errors():
            dead, live = self._now.dead, self._now.live()
        return dead >= _MANY_DEAD and dead >= _DEAD_SHARE * (dead + live)

    def settle(self) -> None:
        """Load the folder again if much was written since it was. Readers wait: half a second for 50,000 points."""
        with self._building, self._turn(), engine_errors():
            if self._written < _MANY_WRITTEN or self._closing.is_set():
                return
            self._now.flush()
            with self._switching:
                self._loading = True
                self._switching.wait_for(lambda: not self._now.readers)
                try:
                    self._now.shard.close()
                    self._now.shard = open_shard(self._now.path, self._embedder)
                    self._written = 0
                finally:
                    self._loading = False
                    self._switching.notify_all()

    def rebuild(self) -> None:
        """Copy all points to a new folder, and go on there.

        Killed at any instant, one of the folders is whole and the one that will be opened. Ends early, with nothing
        changed, when `close` is called. DiskFull if there is no room for a second copy.
        """
        with self._building:
            check_space(self._folder, self._reserve + self.count() * POINT_BYTES)
            path = _after(self._now.path, self._name)
            shutil.rmtree(path, ignore_errors=True)
            with engine_errors():
                new = _Generation(path, create_shard(path, self._embedder))
                try:
                    self._build(new)
                finally:
                    self._touched = None
                    if self._now is not new:
                        new.shard.close()
                        shutil.rmtree(path)

    def flush(self) -> None:
        """Put all that was written on disk."""
        with self._turn(), engine_errors():
            self._now.flush()

    def close(self) -> None:
        """Put everything on disk; a rebuild under way is given up."""
        self._closing.set()
        with self._building, self._turn(), engine_errors():
            self._now.flush()
            self._now.shard.close()

    def _counted(self, field: Counted, access: Taken | None) -> dict[str, int]:
        return self.facet(field, edge_filter(of_taken("access", access)) if access else None)

    def _build(self, new: _Generation) -> None:
        with self._turn():
            self._touched = set()
        self._copy(new.shard, None)
        for _ in range(_ROUNDS):
            with self._turn():
                touched, self._touched = self._touched, set()
            self._copy_again(new.shard, touched)
        with self._turn():
            self._copy_again(new.shard, self._touched)
            new.flush()
            if self._closing.is_set():
                return
            follow(self._folder, self._name, new.path)
            with self._switching:
                old, self._now = self._now, new
            self._written = _MANY_WRITTEN
        with self._switching:
            self._switching.wait_for(lambda: not old.readers)
        old.shard.close()
        shutil.rmtree(old.path, ignore_errors=True)

    def _copy_again(self, to: qdrant.EdgeShard, document_ids: Collection[str]) -> None:
        ordered = sorted(document_ids)
        for start in range(0, len(ordered), _AT_ONCE):
            of_these = edge_filter(of_document(ordered[start : start + _AT_ONCE]))
            to.update(qdrant.UpdateOperation.delete_points_by_filter(of_these))
            self._copy(to, of_these)

    def _copy(self, to: qdrant.EdgeShard, narrowed: qdrant.Filter | None) -> None:
        """Points that are written behind the place that has been reached are missed: they are copied again."""
        offset = None
        while not self._closing.is_set():
            request = qdrant.ScrollRequest(offset, _AT_ONCE, narrowed, with_payload=True, with_vector=True)
            records, offset = self._now.shard.scroll(request)
            points = [qdrant.Point(record.id, record.vector or {}, record.payload) for record in records]
            to.update(qdrant.UpdateOperation.upsert_points(points))
            if offset is None:
                return


def _after(path: Path, name: str) -> Path:
    """`code`, `code.1`, `code.2`, ..."""
    number = int(path.suffix[1:] or 0) + 1
    return path.with_name(f"{name}.{number}")


def _number(file: Path) -> int:
    text = file.read_text("utf-8") if file.exists() else ""
    return int(text) if text.isdecimal() else 0
