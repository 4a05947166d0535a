"""The store on a server: Qdrant, one node or a cluster."""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Self

from qdrant_client import QdrantClient, models

from core.embedders import Embedders
from core.embedding.sparse import SparseVector
from core.errors import IndexUnusable
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
    Vectored,
)
from core.store.conditions import (
    AnyOf,
    Begins,
    Condition,
    Narrowing,
    OtherThan,
    in_scope,
    of_document,
    of_stage,
    of_taken,
)
from core.store.known import Counted, Known, Memory, Taken
from core.store.payload import access, digest, from_payload
from core.store.server_calls import Calls
from core.store.server_collections import ServerSettings, check_version, connect, ensure_collections
from core.store.server_filter import server_filter
from core.store.server_points import from_server, to_request, to_server, vectored
from core.types import Audience

_EVERYTHING = 2**31
_VALUES = 100_000  # in the filters of one request: some 2 MB of numbers, where a server takes 32 MB
_REMEMBERED = 5  # seconds


class ServerStore:
    """See `core.store.base.Store`. Raises IndexUnreachable where trying again may help.

    What another process writes with labels, a source or a path that nothing had before is found after five seconds.
    """

    def __init__(
        self,
        client: QdrantClient,
        settings: ServerSettings,
        calls: Calls,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._settings = settings
        self._calls = calls
        self._names = {collection: settings.name(collection) for collection in COLLECTIONS}
        self._known = {
            collection: Known(partial(self._among, collection), Memory(_REMEMBERED, clock))
            for collection in COLLECTIONS
        }

    @classmethod
    def open(cls, settings: ServerSettings, embedders: Embedders, api_key: str = "") -> Self:
        """Open the index on a server, made if it is not there.

        Raises IndexMismatch when another embedder or an older version of this program made it, IndexUnreachable,
        IndexUnusable.
        """
        return cls.over(connect(settings, api_key), settings, embedders, Calls(api_key))

    @classmethod
    def over(
        cls,
        client: QdrantClient,
        settings: ServerSettings,
        embedders: Embedders,
        calls: Calls,
        clock: Callable[[], float] = time.monotonic,
    ) -> Self:
        """The same through a client that is there already, and is closed with the store."""
        try:
            check_version(client, calls)
            ensure_collections(client, calls, settings, embedders)
        except BaseException:
            client.close()
            raise
        return cls(client, settings, calls, clock)

    def upsert(self, points: Sequence[Point]) -> None:
        """See `Store.upsert`. One request after the other, each when the server has applied the one before."""
        by_collection: dict[CollectionName, list[models.PointStruct]] = defaultdict(list)
        for point in points:
            by_collection[point.collection].append(to_server(point))
        size = self._settings.batch
        for collection, made in by_collection.items():
            for start in range(0, len(made), size):
                self._write(collection, partial(self._client.upsert, points=made[start : start + size]))

    def trim(self, collection: CollectionName, sizes: Mapping[str, int]) -> None:
        """See `Store.trim`."""
        by_size: dict[int, list[str]] = defaultdict(list)
        for document_id, size in sizes.items():
            by_size[size].append(document_id)
        for name in COLLECTIONS:
            beyond = by_size if name == collection else {0: list(sizes)}
            self._change(name, [_deletion(of_document(ids, from_ordinal=size)) for size, ids in beyond.items() if ids])

    def relabel(self, labels: Mapping[str, frozenset[str]]) -> None:
        """See `Store.relabel`."""
        by_labels: dict[frozenset[str], list[str]] = defaultdict(list)
        for document_id, wanted in labels.items():
            if not wanted:
                raise ValueError(f"{document_id} has no access label")
            by_labels[wanted].append(document_id)
        operations = [
            models.SetPayloadOperation(
                set_payload=models.SetPayload(
                    payload=access(wanted, development=stage),
                    filter=server_filter(of_stage(ids, development=stage)),
                )
            )
            for wanted, ids in by_labels.items()
            for stage in (False, True)
        ]
        for name in COLLECTIONS:
            self._change(name, operations)

    def delete(self, document_ids: Collection[str]) -> None:
        """See `Store.delete`."""
        if document_ids:
            for name in COLLECTIONS:
                self._change(name, [_deletion(of_document(document_ids))])

    def rank(
        self, collection: CollectionName, arms: Sequence[Arm], scope: Scope, limit: int
    ) -> tuple[tuple[Hit, ...], ...]:
        """See `Store.rank`.

        How rare a word is, is counted by each shard for itself, over all that it holds: with several, the scores of a
        sparse arm differ a little from those of one.
        """
        # no words find nothing; a server may give such an arm anything
        asked = [at for at, arm in enumerate(arms) if not isinstance(arm.vector, SparseVector) or arm.vector]
        narrowed = in_scope(scope.within(collection), self._known[collection]) if asked else None
        found: list[tuple[Hit, ...]] = [()] * len(arms)
        if narrowed is None:
            return tuple(found)
        only, quantised = server_filter(narrowed), self._settings.quantisation != "none"
        requests = [to_request(arms[at], only, 2 * limit, quantised=quantised) for at in asked]
        answers: list[models.QueryResponse] = []
        size = _arms_at_once(narrowed)
        for start in range(0, len(requests), size):
            some = requests[start : start + size]
            answers += self._calls.read(self._client.query_batch_points, self._names[collection], some)
        if len(answers) != len(asked):
            raise IndexUnusable(f"The index's server gave {len(answers)} answers to {len(asked)} questions.")
        for at, answer in zip(asked, answers, strict=True):
            found[at] = _ranked(answer.points)[:limit]
        return tuple(found)

    def fetch(self, collection: CollectionName, ids: Sequence[str], audience: Audience) -> dict[str, Passage]:
        """See `Store.fetch`."""
        records = self._calls.read(self._client.retrieve, self._names[collection], list(ids), with_payload=True)
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
        narrowed = of_document(document_ids, digests=wanted)
        found: dict[str, Vectored] = {}
        for records in self._pages(collection, self._settings.batch, narrowed, payload=["digests"]):
            for record in records:
                for using, one in zip(USINGS, (record.payload or {})["digests"], strict=True):
                    if one in wanted:
                        found[wanted[one]] = vectored(record, using)
        return found

    def names(self, field: NameField, scope: Scope) -> dict[str, int]:
        """See `Store.names`."""
        found = Counter[str]()
        for collection, known in self._known.items():
            narrowed = in_scope(scope.within(collection), known, development=field == "branch")
            if narrowed is not None:
                count = partial(self._counted, collection, field, narrowed)
                found.update(known.memory.get((field, narrowed), count))
        return found

    def points(self, collection: CollectionName, at_once: int = 256) -> Iterator[Sequence[Point]]:
        """See `Store.points`."""
        for records in self._pages(collection, at_once, Narrowing(), payload=True):
            yield [from_server(record) for record in records]

    def count(self) -> int:
        """See `Store.count`."""
        return sum(self._calls.read(self._client.count, name, exact=True).count for name in self._names.values())

    def documents(self, source: str) -> dict[str, int]:
        """See `Store.documents`."""
        sizes: dict[str, int] = defaultdict(int)
        for collection in COLLECTIONS:
            of_source = Narrowing((AnyOf("source", [source]),))
            for document_id, count in self._counted(collection, "document_id", of_source, exact=True).items():
                sizes[document_id] += count
        return dict(sizes)

    def optimize(self) -> None:
        """See `Store.optimize`. The server does it by itself, beside its work: there is nothing to do here."""

    def flush(self) -> None:
        """See `Store.flush`. The server has written down each change before it says so: there is nothing to do here."""

    def close(self) -> None:
        """See `Store.close`."""
        self._client.close()

    def _among(self, collection: CollectionName, field: Counted, access: Taken | None) -> dict[str, int]:
        return self._counted(collection, field, of_taken("access", access) if access else None)

    def _counted(
        self, collection: CollectionName, field: str, narrowed: Narrowing | None = None, *, exact: bool = False
    ) -> dict[str, int]:
        """`exact`: each value is counted anew, much slower; otherwise all at once, which may count a point twice while
        the server moves it.
        """
        answer = self._calls.read(
            self._client.facet,
            self._names[collection],
            field,
            facet_filter=None if narrowed is None else server_filter(narrowed),
            limit=_EVERYTHING,
            exact=exact,
        )
        return {str(hit.value): hit.count for hit in answer.hits}

    def _some(self, collection: CollectionName, scope: Scope, limit: int, *extra: Condition) -> tuple[Passage, ...]:
        narrowed = in_scope(scope.within(collection), self._known[collection], *extra)
        if narrowed is None:
            return ()
        records, _ = self._calls.read(
            self._client.scroll, self._names[collection], server_filter(narrowed), limit, with_payload=True
        )
        passages = [from_payload(record.payload) for record in records if record.payload]
        readable = [passage for passage in passages if scope.audience.may_read(passage.labels)]
        return tuple(sorted(readable, key=lambda passage: (passage.document_id, passage.ordinal)))

    def _pages(
        self, collection: CollectionName, at_once: int, narrowed: Narrowing, payload: bool | list[str]
    ) -> Iterator[list[models.Record]]:
        """With their vectors, in the order of their ids."""
        offset: Any = None
        while True:
            records, offset = self._calls.read(
                self._client.scroll,
                self._names[collection],
                server_filter(narrowed),
                at_once,
                offset=offset,
                with_payload=payload,
                with_vectors=True,
            )
            if records:
                yield records
            if offset is None:
                return

    def _change(
        self, collection: CollectionName, operations: Sequence[models.DeleteOperation | models.SetPayloadOperation]
    ) -> None:
        if operations:
            self._write(collection, partial(self._client.batch_update_points, update_operations=operations))

    def _write(self, collection: CollectionName, call: Callable[..., object]) -> None:
        try:
            self._calls.write(call, self._names[collection], wait=True)
        finally:
            self._known[collection].memory.forget()


def _deletion(narrowed: Narrowing) -> models.DeleteOperation:
    return models.DeleteOperation(delete=models.FilterSelector(filter=server_filter(narrowed)))


def _arms_at_once(narrowed: Narrowing) -> int:
    """All of them, but where a glob stands for so many paths that the request would become too large to be taken."""
    conditions = (*narrowed.must, *narrowed.must_not)
    values = sum(len(condition.values) for condition in conditions if isinstance(condition, AnyOf | OtherThan))
    return max(1, _VALUES // max(1, values))


def _ranked(points: list[models.ScoredPoint]) -> tuple[Hit, ...]:
    """The engine returns equal scores in any order."""
    hits = [Hit(str(point.id), point.score) for point in points]
    return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.id)))
