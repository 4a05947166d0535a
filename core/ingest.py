"""Keeping the index like its sources.

The order of each batch is: new chunks, then the stale ones away, then the registry; the cursor moves last. Killed at
any instant, a rerun reads the same documents again and finds undone exactly what was not yet recorded.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from core.batch import Batch
from core.connectors.base import Connector
from core.embedding.base import Embedder
from core.errors import CoreError, SourceIncomplete
from core.registry import Cursors, Entry, Indexed, Registry
from core.store.base import Store
from core.types import Audience, Metrics, NullMetrics, Progress

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
    """Embedded and written."""
    seconds: float
    unread: tuple[str, ...]
    """Documents that could not be indexed, each with its reason."""


def utc_now() -> datetime:
    return datetime.now(UTC)


class Ingest:
    """Brings sources into the index. Never two at once for one source; the caller sees to that."""

    def __init__(
        self,
        store: Store,
        embedder: Embedder,
        registry: Registry,
        cursors: Cursors,
        metrics: Metrics | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._registry = registry
        self._cursors = cursors
        self._metrics = metrics or NullMetrics()
        self._clock = clock

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
        self._metrics.observe("crosscheck_sync_seconds", report.seconds, source=connector.name)
        self._metrics.count("crosscheck_sync_unread_total", len(report.unread), source=connector.name)
        return report

    def sweep_labels(self, connector: Connector) -> int:
        """Ask the source for the labels of all its documents, and set those that differ; how many did.

        A restriction can change without the document. What the source cannot answer for is sealed until it can.
        """
        known = self._registry.versions(connector.name)
        changed = 0
        ids = sorted(known)
        for start in range(0, len(ids), _IDS_AT_ONCE):
            batch = ids[start : start + _IDS_AT_ONCE]
            answer = connector.labels_now(batch)
            wanted = {document_id: answer.get(document_id) or SEALED for document_id in batch}
            differing = {key: labels for key, labels in wanted.items() if labels != known[key].labels}
            self._relabel(connector.name, differing, known)
            changed += len(differing)
        return changed

    def remove(self, source: str) -> int:
        """Take everything of a source out of the index; how many documents that were."""
        gone = set(self._registry.versions(source)) | set(self._store.documents(source))
        self._delete(gone)
        self._cursors.set(_cursor(source), "")
        return len(gone)

    def check(self) -> str | None:
        """What is wrong if the index does not hold the chunks that the registry says, in words for an administrator.

        A full synchronisation of each source repairs it.
        """
        expected = sum(
            entry.chunks
            for source in self._registry.sources()
            for entry in self._registry.versions(source.name).values()
        )
        held = self._store.count()
        if held == expected:
            return None
        return f"The index holds {held} chunks, {expected} were recorded. Run `crosscheck sync --full` to repair it."

    def _sync(self, connector: Connector, full: bool, progress: Progress | None) -> SyncReport:
        started = time.monotonic()
        mark = connector.mark()
        cursor = self._cursors.get(_cursor(connector.name))
        known = dict(self._registry.versions(connector.name))
        if full or not cursor:
            held = self._store.documents(connector.name)
            batch = Batch(self._store, self._embedder, self._registry, connector.name, _intact(known, held))
            batch.read(connector.load(), progress, connector.total())
            deleted = self._delete_missing(connector, set(known) | set(held), batch.seen)
        else:
            batch = Batch(self._store, self._embedder, self._registry, connector.name, known)
            batch.read(connector.changed_since(cursor), progress, None)
            deleted = 0
        self._cursors.set(_cursor(connector.name), mark)
        return SyncReport(
            read=batch.count,
            written=batch.written,
            relabelled=batch.relabelled,
            unchanged=batch.count - batch.written - batch.relabelled - len(batch.unread),
            deleted=deleted,
            chunks=batch.chunks,
            seconds=time.monotonic() - started,
            unread=tuple(batch.unread),
        )

    def _delete_missing(self, connector: Connector, known: set[str], seen: set[str]) -> int:
        """Delete what the source does not list. What was read in this run stays, whatever a late listing says."""
        listed = connector.ids()
        if known and not listed and not seen:
            raise SourceIncomplete(f"{connector.name} listed nothing at all, so nothing was deleted.")
        gone = known - listed - seen
        self._delete(gone)
        return len(gone)

    def _delete(self, ids: set[str]) -> None:
        if ids:
            self._store.delete(ids)
            self._store.flush()
            self._registry.forget(ids)

    def _relabel(self, source: str, labels: Mapping[str, frozenset[str]], known: Mapping[str, Entry]) -> None:
        """Set labels in the index, then in the registry."""
        if not labels:
            return
        self._store.relabel(labels)
        self._store.flush()
        records = []
        for document_id, wanted in labels.items():
            for passage in self._store.read(document_id, Audience(wanted), 1):
                entry = known[document_id]
                records.append(
                    Indexed(
                        id=document_id,
                        version=entry.version,
                        kind=passage.kind,
                        title=passage.title,
                        url=passage.url,
                        labels=wanted,
                        chunks=entry.chunks,
                        updated=passage.updated,
                    )
                )
        self._registry.record(source, records)


def _cursor(source: str) -> str:
    return f"source:{source}"


def _intact(known: Mapping[str, Entry], held: Mapping[str, int]) -> dict[str, Entry]:
    """The documents of which the index holds as many chunks as were recorded; the others are written again."""
    return {key: entry for key, entry in known.items() if held.get(key) == entry.chunks}
