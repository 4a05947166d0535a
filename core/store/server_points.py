"""Points and arms as a Qdrant server takes and gives them."""

from typing import Any

import numpy as np
from qdrant_client import models

from core.embedding.base import Vectors
from core.embedding.sparse import SparseVector
from core.store.base import Arm, Point, Using, Vectored
from core.store.payload import check_point, from_payload, to_payload


def to_server(point: Point) -> models.PointStruct:
    """ValueError for a point that must not be stored."""
    check_point(point)
    vectors: dict[str, Any] = {"content": point.content.tolist(), "context": point.context.tolist()}
    for name, terms in (("content_terms", point.content_terms), ("context_terms", point.context_terms)):
        # left out where empty: how rare a word is, is counted among the points that have a vector
        if terms:
            vectors[name] = _sparse(terms)
    return models.PointStruct(id=point.id, vector=vectors, payload=to_payload(point.passage))


def from_server(record: models.Record) -> Point:
    """The point that `to_server` was given, as far as 32 bits a number hold it."""
    content, context = vectored(record, "content"), vectored(record, "context")
    return Point(from_payload(record.payload or {}), content.dense, context.dense, content.terms, context.terms)


def vectored(record: models.Record, using: Using) -> Vectored:
    """One of a record's texts."""
    vectors: Any = record.vector  # in this program always a mapping, of dense and sparse ones
    return Vectored(np.array(vectors[using], dtype=np.float32), _terms(vectors.get(f"{using}_terms")))


def to_request(arm: Arm, narrowed: models.Filter, limit: int, *, quantised: bool) -> models.QueryRequest:
    """One arm of a batch."""
    if isinstance(arm.vector, SparseVector):
        return models.QueryRequest(query=_sparse(arm.vector), using=f"{arm.using}_terms", filter=narrowed, limit=limit)
    vector: Vectors = arm.vector
    return models.QueryRequest(
        query=vector.tolist(), using=arm.using, filter=narrowed, limit=limit, params=_RESCORED if quantised else None
    )


_RESCORED = models.SearchParams(quantization=models.QuantizationSearchParams(rescore=True, oversampling=2.0))


def _sparse(vector: SparseVector) -> models.SparseVector:
    return models.SparseVector(indices=list(vector.indices), values=list(vector.values))


def _terms(stored: models.SparseVector | None) -> SparseVector:
    return SparseVector(tuple(stored.indices), tuple(stored.values)) if stored else SparseVector((), ())
