"""The collections of a Qdrant server: how they are made, and by whom they were."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from qdrant_client import QdrantClient, models

from core.embedders import Embedders
from core.embedding.base import Embedder
from core.errors import IndexMismatch, IndexUnusable
from core.store.base import COLLECTIONS, CollectionName
from core.store.made_by import maker
from core.store.server_calls import Calls

_OLDEST = (1, 19)  # the first that looks up identifiers and paths by their beginning
_MAKER = "crosscheck"  # the key in a collection's metadata

Index = models.KeywordIndexParams | models.IntegerIndexParams


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Where the server is, and how new collections are made on it. Those that are there keep their form."""

    url: str
    """With its port, unless that is 6333."""
    prefix: str = "crosscheck"
    """Of the collections' names."""
    generation: str = "1"
    """In the collections' names: another one is another index, which can be built beside the one in use."""
    shards: int | None = None
    """Parts that a collection is spread over; None: one on each node."""
    replicas: int = 1
    """Copies of each part."""
    write_consistency: int = 1
    """Copies that must have a write before it counts as made."""
    on_disk: bool = False
    """Read vectors and words from the disk when they are asked for: much less memory, slower."""
    quantisation: Literal["none", "int8"] = "none"
    """int8: search in vectors of a quarter of the size, kept in memory, and score what was found by the real ones."""
    batch: int = 64
    """Points a request."""
    timeout: int = 30
    """Seconds that a request may take."""

    def name(self, collection: CollectionName) -> str:
        """Of the collection on the server."""
        return f"{self.prefix}-{self.generation}-{collection}"


def connect(settings: ServerSettings, api_key: str = "") -> QdrantClient:
    """A client; nothing is asked of the server yet. IndexUnusable for an address that is none."""
    try:
        return QdrantClient(
            url=settings.url, api_key=api_key or None, timeout=settings.timeout, check_compatibility=False
        )
    except ValueError as error:
        raise IndexUnusable("The address of the index's server cannot be used.") from error


def check_version(client: QdrantClient, calls: Calls) -> None:
    """IndexUnusable for a server that is too old."""
    version = calls.read(client.info).version
    numbers = re.match(r"(\d{1,4})\.(\d{1,4})", version)
    if numbers and (int(numbers[1]), int(numbers[2])) < _OLDEST:
        raise IndexUnusable(f"The index's server is Qdrant {numbers[0]}. Use {_OLDEST[0]}.{_OLDEST[1]} or newer.")


def ensure_collections(client: QdrantClient, calls: Calls, settings: ServerSettings, embedders: Embedders) -> None:
    """Make what is not there yet. IndexMismatch when another embedder or an older version of this program made it."""
    for collection in COLLECTIONS:
        name = settings.name(collection)
        if not calls.read(client.collection_exists, name):
            _create(client, calls, settings, name, embedders.of(collection), maker(embedders))
        info = calls.read(client.get_collection, name)
        _check_made_by((info.config.metadata or {}).get(_MAKER), maker(embedders), settings)
        for field, index in _INDEXED.items():
            if field not in info.payload_schema:
                calls.write(client.create_payload_index, name, field, index)


def delete_collections(client: QdrantClient, calls: Calls, settings: ServerSettings) -> None:
    """Delete both with all that is in them; what is not there is no error."""
    for collection in COLLECTIONS:
        calls.read(client.delete_collection, settings.name(collection))


def _create(
    client: QdrantClient,
    calls: Calls,
    settings: ServerSettings,
    name: str,
    embedder: Embedder,
    made_by: Mapping[str, object],
) -> None:
    memory = models.Memory.COLD if settings.on_disk else models.Memory.CACHED
    dense = models.VectorParams(size=embedder.size, distance=models.Distance.DOT, memory=memory)
    sparse = models.SparseVectorParams(
        # BM25 leaves it to the engine to count how rare a term is; learned weights hold that already
        modifier=None if embedder.learned_terms else models.Modifier.IDF,
        index=models.SparseIndexParams(memory=models.Memory.COLD if settings.on_disk else models.Memory.PINNED),
    )
    try:
        calls.write(
            client.create_collection,
            name,
            vectors_config={"content": dense, "context": dense},
            sparse_vectors_config={"content_terms": sparse, "context_terms": sparse},
            shard_number=settings.shards,
            replication_factor=settings.replicas,
            write_consistency_factor=settings.write_consistency,
            quantization_config=_INT8 if settings.quantisation == "int8" else None,
            metadata={_MAKER: made_by},
        )
    except IndexUnusable:
        # another process may have made it meanwhile, or an attempt whose answer was lost
        if not calls.read(client.collection_exists, name):
            raise


def _check_made_by(made: object, mine: Mapping[str, object], settings: ServerSettings) -> None:
    if made == mine:
        return
    names = " and ".join(settings.name(collection) for collection in COLLECTIONS)
    raise IndexMismatch(
        f"The collections {names} were made by {made or 'another program'}, not by {mine}. "
        "Set another `generation` (or delete them) and run `crosscheck sync --full`."
    )


_INT8 = models.ScalarQuantization(
    scalar=models.ScalarQuantizationConfig(
        type=models.ScalarType.INT8,
        quantile=0.99,  # the documentation's advice: outliers would take up the range
        memory=models.Memory.PINNED,
    )
)


def _keyword(
    *, is_tenant: bool = False, prefix: bool = False, in_graph: bool = False, cold: bool = False
) -> models.KeywordIndexParams:
    """`in_graph`: searches by vector are narrowed to few of its values, so that their points are linked as well."""
    return models.KeywordIndexParams(
        type=models.KeywordIndexType.KEYWORD,
        is_tenant=is_tenant,
        prefix=prefix,
        enable_hnsw=in_graph,
        memory=models.Memory.COLD if cold else models.Memory.PINNED,
    )


def _range(*, is_principal: bool = False) -> models.IntegerIndexParams:
    return models.IntegerIndexParams(
        type=models.IntegerIndexType.INTEGER, lookup=False, range=True, is_principal=is_principal, enable_hnsw=False
    )


def _number() -> models.IntegerIndexParams:
    """Compared as a whole, in searches by vector."""
    return models.IntegerIndexParams(
        type=models.IntegerIndexType.INTEGER,
        lookup=True,
        range=False,
        enable_hnsw=True,
        memory=models.Memory.PINNED,
    )


# All that is ever asked for: a server may be set to refuse conditions on anything else.
_INDEXED: Mapping[str, Index] = {
    "access": _number(),
    "slot": _number(),
    "file": _number(),
    "access_key": _keyword(),
    "slot_key": _keyword(),
    "source": _keyword(is_tenant=True),
    "repo": _keyword(),
    "branch": _keyword(in_graph=True),
    "language": _keyword(),
    "path": _keyword(),
    "stage": _keyword(),
    "touched": _keyword(),
    "document_id": _keyword(),
    "keys": _keyword(prefix=True),
    "symbols": _keyword(),
    "references": _keyword(),
    "tails": _keyword(),
    "digests": _keyword(cold=True),
    "ordinal": _range(),
    "updated": _range(is_principal=True),
}
