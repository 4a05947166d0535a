"""Keeping the index like its sources.

The order of each batch is: its documents marked in the registry as in doubt, new chunks, the stale ones away, which
text the index holds now; at the end of the run the cursor moves, and nothing is in doubt any more. Killed at any
instant, the next run starts from the same cursor. What is still in doubt then and not listed (the source has gone back
to what it was) gets its labels at once, and all is read.
"""

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import structlog

from core.batch import Batch
from core.chunking import chunk
from core.connectors.base import Connector
from core.embedders import Embedders
from core.errors import CoreError, DiskFull, SourceIncomplete
from core.registry import Cursors, Entry, Indexed, Registry, doubtful, settled
from core.store.base import Store
from core.types import Audience, Chunk, Document, Metrics, NullMetrics, Progress

log = structlog.get_logger(__name__)

SEALED = frozenset({"sealed"})
"""The labels of what nobody may read until its source says who may. No audience holds it."""

_IDS_AT_ONCE = 500  # documents whose labels are asked for at once


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a synchronisation did, in documents, chunks and seconds."""

    read: int
    written: int
    relabelled: int
    unchanged: int
    deleted: int
    chunks: int
    """Written; embedded are those whose text is new to their document."""
    seconds: float
    unread: tuple[str, ...]
    """Documents that could not be indexed, each with its reason."""
    partly: int
    """Documents of which something could not be read; `crosscheck sources NAME` lists them."""
    masked: int
    """Strings that looked like credentials, in what was written."""


def utc_now() -> datetime:
    return datetime.now(UTC)


class Ingest:
    """Brings sources into the index. Never two at once for one source; the caller sees to that."""

    def __init__(
        self,
        store: Store,
        embedders: Embedders,
        registry: Registry,
        cursors: Cursors,
        metrics: Metrics | None = None,
        clock: Callable[[], datetime] = utc_now,
        *,
        chunker: Callable[[Document], list[Chunk]] = chunk,
    ) -> None:
        """`chunker` cuts a document; another than the usual one is for texts that come with cuts of their own."""
        self._store = store
        self._embedders = embedders
        self._registry = registry
        self._cursors = cursors
        self._metrics = metrics or NullMetrics()
        self._clock = clock
        self._chunker = chunker

    def sync(self, connector: Connector, *, full: bool = False, progress: Progress | None = None) -> SyncReport:
        """Read what changed since the last success, or everything: at first, or when `full`.

        A full run also rewrites what the index has lost, and deletes what the source does not list any more. Raises
        CoreError; what was written until then stays, and the next run goes on from there.
        """
        began = self._clock()
        self._registry.started(connector.name)
        try:
            report = self._sync(connector, full, progress)
        except CoreError as error:
            self._registry.failed(connector.name, str(error))
            raise
        self._registry.succeeded(connector.name, began)
        self._optimize()
        self._metrics.observe("crosscheck_sync_seconds", report.seconds, source=connector.name)
        self._metrics.count("crosscheck_sync_unread_total", len(report.unread), source=connector.name)
        return report

    def _optimize(self) -> None:
        """Without room for it, the index stays as slow as it is, and as right."""
        try:
            self._store.optimize()
        except DiskFull as error:
            log.warning("index not optimized", reason=str(error))

    def sweep_labels(self, connector: Connector) -> int:
        """Ask the source for the labels of all its documents, and set those that differ; how many did.

        A restriction can change without the document. What the source cannot answer for is sealed until it can.
        """
        known = self._registry.versions(connector.name)
        return self._sweep(connector, known, known)

    def remove(self, source: str) -> int:
        """Take everything of a source out of the index; how many documents that were. Again is no harm."""
        gone = set(self._registry.versions(source)) | set(self._store.documents(source))
        self._delete(source, gone)
        return len(gone)

    def check(self) -> str | None:
        """What is wrong if the index does not hold the chunks that the registry says, in words for an administrator.

        A full synchronisation of each source repairs it. Documents in doubt do not count: any synchronisation does.
        """
        held, expected = self._store.count(), 0
        for source in self._registry.sources():
            entries = self._registry.versions(source.name)
            expected += sum(entry.chunks for entry in entries.values() if settled(entry))
            if doubted := _doubted(entries):
                sizes = self._store.documents(source.name)
                held -= sum(sizes.get(key, 0) for key in doubted)
        if held == expected:
            return None
        return f"The index holds {held} chunks, {expected} were recorded. Run `crosscheck sync --full` to repair it."

    def _sweep(self, connector: Connector, wanting: Collection[str], known: Mapping[str, Entry]) -> int:
        changed = 0
        ids = sorted(wanting)
        for start in range(0, len(ids), _IDS_AT_ONCE):
            batch = ids[start : start + _IDS_AT_ONCE]
            answer = connector.labels_now(batch)
            wanted = {document_id: answer.get(document_id) or SEALED for document_id in batch}
            differing = {key: labels for key, labels in wanted.items() if labels != known[key].labels}
            self._relabel(connector.name, differing, known)
            changed += len(differing)
        return changed

    def _sync(self, connector: Connector, full: bool, progress: Progress | None) -> SyncReport:
        started = time.monotonic()
        mark = connector.mark()
        cursor = self._cursors.get(_cursor(connector.name))
        known = self._registry.versions(connector.name)
        doubted = _doubted(known)
        batch = Batch(
            self._store,
            self._embedders,
            self._registry,
            connector.name,
            known,
            hold=bool(cursor),
            chunker=self._chunker,
        )
        if cursor and not full:
            batch.read(connector.changed_since(cursor), progress, None)
        deleted = self._delete_removed(connector, cursor, known, batch.seen) if cursor and not full else 0
        unlisted = doubted - batch.seen
        if full or not cursor or unlisted:
            self._sweep(connector, unlisted, known)
            held = self._store.documents(connector.name)
            batch.trust(held)
            batch.read(connector.load(), progress, connector.total())
            deleted += self._delete_missing(connector, known.keys() | held.keys(), doubted, batch.seen)
        self._cursors.set(_cursor(connector.name), mark)
        batch.finish()
        return SyncReport(
            read=batch.count,
            written=batch.written,
            relabelled=batch.relabelled,
            unchanged=batch.count - batch.written - batch.relabelled - len(batch.unread),
            deleted=deleted,
            chunks=batch.chunks,
            seconds=time.monotonic() - started,
            unread=tuple(batch.unread),
            partly=batch.partly,
            masked=batch.masked,
        )

    def _delete_removed(
        self, connector: Connector, cursor: str, known: Mapping[str, Entry], seen: Collection[str]
    ) -> int:
        """Delete what the source says went since the cursor, unless it was read in this run."""
        gone = (connector.removed_since(cursor, known.keys()) & known.keys()) - set(seen)
        if gone:
            self._delete(connector.name, gone)
        return len(gone)

    def _delete_missing(self, connector: Connector, known: set[str], doubted: set[str], seen: set[str]) -> int:
        """Delete what the source does not list, and what is in doubt though all was read.

        What was read in this run stays, whatever a late listing says.
        """
        listed = connector.ids()
        if known and not listed and not seen:
            raise SourceIncomplete(f"{connector.name} listed nothing at all, so nothing was deleted.")
        gone = (known - listed | doubted) - seen
        if gone:
            self._delete(connector.name, gone)
        return len(gone)

    def _delete(self, source: str, ids: set[str]) -> None:
        """The cursor goes first: whoever is interrupted reads all next time, and sees what is missing."""
        self._cursors.set(_cursor(source), "")
        if ids:
            self._store.delete(ids)
            self._store.flush()
            self._registry.forget(ids)

    def _relabel(self, source: str, labels: Mapping[str, frozenset[str]], known: Mapping[str, Entry]) -> None:
        """Set labels in the index, then in the registry. What was in doubt stays so, and so does what is lost."""
        if not labels:
            return
        sure = [key for key in labels if settled(known[key])]
        self._registry.record(source, [doubtful(key, known[key].version, known[key].chunks) for key in sure])
        self._store.relabel(labels)
        self._store.flush()
        self._registry.record(source, [self._relabelled(key, known[key], labels[key]) for key in sure])

    def _relabelled(self, document_id: str, entry: Entry, labels: frozenset[str]) -> Indexed:
        for passage in self._store.read(document_id, Audience(labels), 1):
            return Indexed(
                id=document_id,
                version=entry.version,
                kind=passage.kind,
                title=passage.title,
                url=passage.url,
                labels=labels,
                chunks=entry.chunks,
                updated=passage.updated,
                unread=entry.unread,
                masked=entry.masked,
            )
        return doubtful(document_id)


def _cursor(source: str) -> str:
    return f"source:{source}"


def _doubted(known: Mapping[str, Entry]) -> set[str]:
    return {key for key, entry in known.items() if not settled(entry)}
