"""The embedded store: Qdrant Edge, the engine in this process, one folder."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Self, cast
from uuid import UUID

import numpy as np
import qdrant_edge as qdrant

from core.embedders import Embedders
from core.embedding.base import Vectors
from core.embedding.sparse import SparseVector
from core.store.base import (
    COLLECTIONS,
    USINGS,
    Arm,
    CollectionName,
    Hit,
    KeyField,
    NameField,
    Passage,
    Point,
    Scope,
    Using,
    Vectored,
)
from core.store.conditions import AnyOf, Begins, Condition, Narrowing, in_scope, of_document, of_stage
from core.store.edge_building import POINT_BYTES, LiveShard
from core.store.edge_filter import edge_filter
from core.store.edge_folder import check_made_by, check_space
from core.store.lock import FolderLock
from core.store.payload import access, check_point, digest, from_payload, to_payload
from core.types import Audience

_RESERVE = 512 * 2**20  # bytes
_EVERYTHING = 2**31
# Four times as many points as are asked for are found by their coarse vectors, and of these the best by their whole
# ones: with a hundred asked for among 44,000, none of the nearest fifty is missed. Sparse vectors have no coarse ones.
_WEIGHED_AGAIN = qdrant.SearchParams(quantization=qdrant.QuantizationSearchParams(rescore=True, oversampling=4.0))


class EdgeStore:
    """See `core.store.base.Store`."""

    def __init__(
        self, folder: Path, shards: Mapping[CollectionName, LiveShard], lock: FolderLock, reserve: int
    ) -> None:
        self._folder = folder
        self._shards = shards
        self._lock = lock
        self._reserve = reserve

    @classmethod
    def open(cls, folder: Path, embedders: Embedders, *, reserve: int = _RESERVE) -> Self:
        """Open the index in a folder, made if it is not there, for this process alone.

        `reserve` is the number of bytes on the disk that stay free. Raises IndexLocked when another process has it,
        IndexMismatch when another embedder or an older version of this program made it, DiskFull.
        """
        folder.mkdir(parents=True, exist_ok=True)
        lock = FolderLock(folder)
        try:
            check_space(folder, reserve)
            check_made_by(folder, embedders)
            shards = {name: LiveShard(folder, name, embedders.of(name), reserve) for name in COLLECTIONS}
            return cls(folder, shards, lock, reserve)
        except BaseException:
            lock.release()
            raise

    def upsert(self, points: Sequence[Point]) -> None:
        """See `Store.upsert`."""
        check_space(self._folder, self._reserve + len(points) * POINT_BYTES)
        by_collection: dict[CollectionName, list[qdrant.Point]] = defaultdict(list)
        for point in points:
            by_collection[point.collection].append(_engine_point(point))
        document_ids = {point.passage.document_id for point in points}
        for collection, batch in by_collection.items():
            self._shards[collection].write(document_ids, qdrant.UpdateOperation.upsert_points(batch))

    def trim(self, collection: CollectionName, sizes: Mapping[str, int]) -> None:
        """See `Store.trim`."""
        by_size: dict[int, list[str]] = defaultdict(list)
        for document_id, size in sizes.items():
            by_size[size].append(document_id)
        for name in COLLECTIONS:
            beyond = by_size if name == collection else {0: list(sizes)}
            operations = [_deletion(of_document(ids, from_ordinal=size)) for size, ids in beyond.items()]
            self._shards[name].write(sizes, *operations)

    def relabel(self, labels: Mapping[str, frozenset[str]]) -> None:
        """See `Store.relabel`."""
        by_labels: dict[frozenset[str], list[str]] = defaultdict(list)
        for document_id, wanted in labels.items():
            if not wanted:
                raise ValueError(f"{document_id} has no access label")
            by_labels[wanted].append(document_id)
        operations = [
            qdrant.UpdateOperation.set_payload_by_filter(
                edge_filter(of_stage(ids, development=stage)), access(wanted, development=stage)
            )
            for wanted, ids in by_labels.items()
            for stage in (False, True)
        ]
        for shard in self._shards.values():
            shard.write(labels, *operations)

    def delete(self, document_ids: Collection[str]) -> None:
        """See `Store.delete`."""
        if document_ids:
            for shard in self._shards.values():
                shard.write(document_ids, _deletion(of_document(document_ids)))

    def rank(
        self, collection: CollectionName, arms: Sequence[Arm], scope: Scope, limit: int
    ) -> tuple[tuple[Hit, ...], ...]:
        """See `Store.rank`.

        How rare a word is, is counted over the whole collection: counting among what the audience may read doubles the
        time of a search at 10,000 points, and what is hidden shows in no result, only in the order of others.
        """
        narrowed = in_scope(scope.within(collection), self._shards[collection].known)
        if narrowed is None or not arms:
            return ((),) * len(arms)
        only = edge_filter(narrowed)
        requests = [
            qdrant.QueryRequest(2 * limit, query=_nearest(arm), filter=only, params=_WEIGHED_AGAIN) for arm in arms
        ]
        with self._shards[collection].reading() as shard:
            answers = shard.query_batch(qdrant.QueryBatchRequest(requests))
        return tuple(_ranked(answer, limit) for answer in answers)

    def fetch(self, collection: CollectionName, ids: Sequence[str], audience: Audience) -> dict[str, Passage]:
        """See `Store.fetch`."""
        with self._shards[collection].reading() as shard:
            records = shard.retrieve(list(ids), with_payload=True, with_vector=False)
        passages = {str(record.id): from_payload(record.payload) for record in records if record.payload}
        return {key: passage for key, passage in passages.items() if audience.may_read(passage.labels)}

    def find(
        self, collection: CollectionName, by: KeyField, value: str, scope: Scope, limit: int, *, prefix: bool = False
    ) -> tuple[Passage, ...]:
        """See `Store.find`."""
        wanted: Condition = Begins(by, value) if prefix else AnyOf(by, [value])
        return self._some(collection, scope, limit, wanted)

    def read(self, document_id: str, audience: Audience, limit: int) -> tuple[Passage, ...]:
        """See `Store.read`."""
        early = of_document([document_id], before_ordinal=limit).must
        found = [p for name in COLLECTIONS for p in self._some(name, Scope(audience), limit, *early)]
        return tuple(found[:limit])

    def vectors(
        self, collection: CollectionName, document_ids: Collection[str], texts: Collection[str]
    ) -> dict[str, Vectored]:
        """See `Store.vectors`."""
        if not document_ids or not texts:
            return {}
        wanted = {digest(text): text for text in texts}
        narrowed = edge_filter(of_document(document_ids, digests=wanted))
        request = qdrant.ScrollRequest(limit=_EVERYTHING, filter=narrowed, with_payload=["digests"], with_vector=True)
        found: dict[str, Vectored] = {}
        with self._shards[collection].reading() as shard:
            records, _ = shard.scroll(request)
        for record in records:
            for using, one in zip(USINGS, (record.payload or {})["digests"], strict=True):
                if one in wanted:
                    found[wanted[one]] = _vectored(record, using)
        return found

    def names(self, field: NameField, scope: Scope) -> dict[str, int]:
        """See `Store.names`."""
        found = Counter[str]()
        for collection, live in self._shards.items():
            narrowed = in_scope(scope.within(collection), live.known, development=field == "branch")
            if narrowed is not None:
                count = partial(live.facet, field, edge_filter(narrowed))
                found.update(live.known.memory.get((field, narrowed), count))
        return found

    def points(self, collection: CollectionName, at_once: int = 256) -> Iterator[Sequence[Point]]:
        """See `Store.points`."""
        offset = None
        while True:
            request = qdrant.ScrollRequest(offset=offset, limit=at_once, with_payload=True, with_vector=True)
            with self._shards[collection].reading() as shard:
                records, offset = shard.scroll(request)
            if records:
                yield [_point(record) for record in records]
            if offset is None:
                return

    def count(self) -> int:
        """See `Store.count`."""
        return sum(shard.count() for shard in self._shards.values())

    def documents(self, source: str) -> dict[str, int]:
        """See `Store.documents`."""
        only = qdrant.Filter(must=[qdrant.FieldCondition("source", match=qdrant.MatchValue(source))])
        request = qdrant.FacetRequest("document_id", limit=_EVERYTHING, exact=True, filter=only)
        sizes: dict[str, int] = defaultdict(int)
        for live in self._shards.values():
            with live.reading() as shard:
                for hit in shard.facet(request).hits:
                    sizes[str(hit.value)] += hit.count
        return dict(sizes)

    def optimize(self) -> None:
        """See `Store.optimize`.

        Building anew, reading and writing go on, a little slower; loading the folder again, they wait.
        """
        for shard in self._shards.values():
            if shard.worn():
                shard.rebuild()
            shard.settle()

    def flush(self) -> None:
        """See `Store.flush`."""
        for shard in self._shards.values():
            shard.flush()

    def close(self) -> None:
        """See `Store.close`."""
        for shard in self._shards.values():
            shard.close()
        self._lock.release()

    def _some(self, collection: CollectionName, scope: Scope, limit: int, *extra: Condition) -> tuple[Passage, ...]:
        narrowed = in_scope(scope.within(collection), self._shards[collection].known, *extra)
        if narrowed is None:
            return ()
        request = qdrant.ScrollRequest(limit=limit, filter=edge_filter(narrowed), with_payload=True)
        with self._shards[collection].reading() as shard:
            records, _ = shard.scroll(request)
        passages = [from_payload(record.payload) for record in records if record.payload]
        readable = [passage for passage in passages if scope.audience.may_read(passage.labels)]
        return tuple(sorted(readable, key=lambda passage: (passage.document_id, passage.ordinal)))


def _deletion(narrowed: Narrowing) -> qdrant.UpdateOperation:
    return qdrant.UpdateOperation.delete_points_by_filter(edge_filter(narrowed))


def _engine_point(point: Point) -> qdrant.Point:
    check_point(point)
    vectors: dict[str, qdrant.NamedVector] = {
        "content": point.content.tolist(),
        "context": point.context.tolist(),
        "content_terms": _engine_sparse(point.content_terms),
        "context_terms": _engine_sparse(point.context_terms),
    }
    return qdrant.Point(point.id, vectors, to_payload(point.passage))


def _engine_sparse(vector: SparseVector) -> qdrant.SparseVector:
    return qdrant.SparseVector(list(vector.indices), list(vector.values))


def _point(record: qdrant.Record) -> Point:
    content, context = _vectored(record, "content"), _vectored(record, "context")
    return Point(from_payload(record.payload or {}), content.dense, context.dense, content.terms, context.terms)


def _vectored(record: qdrant.Record, using: Using) -> Vectored:
    vectors: Any = record.vector  # in this program always a mapping, of dense and sparse ones
    dense, terms = vectors[using], vectors[f"{using}_terms"]
    return Vectored(np.array(dense, dtype=np.float32), SparseVector(tuple(terms.indices), tuple(terms.values)))


def _nearest(arm: Arm) -> qdrant.Query:
    if isinstance(arm.vector, SparseVector):
        return qdrant.Query.Nearest(_engine_sparse(arm.vector), using=f"{arm.using}_terms")
    vector: Vectors = arm.vector
    return qdrant.Query.Nearest(vector.tolist(), using=arm.using)


def _ranked(points: list[qdrant.ScoredPoint], limit: int) -> tuple[Hit, ...]:
    """The engine returns equal scores in any order."""
    ordered = sorted(points, key=lambda point: (-point.score, cast("UUID", point.id).int))  # a string of it costs more
    return tuple([Hit(str(point.id), point.score) for point in ordered[:limit]])
