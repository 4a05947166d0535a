"""Scope and identifiers as conditions of the embedded engine."""

from collections.abc import Collection

import qdrant_edge as qdrant

from core.store.base import Scope
from core.store.glob import glob_pattern, glob_prefix
from core.store.payload import DEVELOPMENT, moment
from core.types import Audience

_EVERYTHING = 2**31


def engine_filter(shard: qdrant.EdgeShard, scope: Scope, *extra: "qdrant.ConditionType") -> qdrant.Filter | None:
    """What a point must satisfy to be seen in this scope; None when nothing can."""
    if not scope.audience.labels:
        return None
    filters = scope.filters
    must: list[qdrant.ConditionType] = [*extra]
    must_not = _unreadable(scope.audience)
    for name, wanted in (
        ("source", filters.sources),
        ("kind", filters.kinds),
        ("repo", filters.repos),
        ("language", filters.languages),
    ):
        if wanted:
            must.append(_any(name, wanted))
    if filters.branch is None:
        must_not.append(_any("stage", [DEVELOPMENT]))
    else:
        must.append(_any("branch", [filters.branch]))
    if filters.as_of is not None:
        must.append(qdrant.FieldCondition("updated", range=qdrant.RangeFloat(lte=moment(filters.as_of))))
    if filters.without:
        must_not.append(_any("document_id", filters.without))
    if filters.path is not None:
        paths = _paths(shard, filters.path, qdrant.Filter(must=must, must_not=must_not))
        if not paths:
            return None
        must.append(_any("path", paths))
    return qdrant.Filter(must=must, must_not=must_not)


def _unreadable(audience: Audience) -> list["qdrant.ConditionType"]:
    """All of a point's labels must be held: none may be outside the audience's, and there must be one."""
    return [
        qdrant.FieldCondition("labels", match=qdrant.MatchExcept(sorted(audience.labels))),
        qdrant.IsEmptyCondition("labels"),
    ]


def of_document(
    ids: Collection[str],
    *,
    from_ordinal: int | None = None,
    before_ordinal: int | None = None,
    digests: Collection[str] = (),
) -> qdrant.Filter:
    """The chunks of these documents, or those of a range of places in them, or those with one of these texts."""
    must: list[qdrant.ConditionType] = [_any("document_id", ids)]
    if digests:
        must.append(_any("digests", digests))
    if from_ordinal is not None or before_ordinal is not None:
        must.append(qdrant.FieldCondition("ordinal", range=qdrant.RangeFloat(gte=from_ordinal, lt=before_ordinal)))
    return qdrant.Filter(must=must)


def _paths(shard: qdrant.EdgeShard, glob: str, narrowed: qdrant.Filter) -> list[str]:
    """The paths in scope that a glob matches. The engine knows no globs, and filtering after the search would lose
    what lies beyond its limit; so the glob is resolved first, against the paths' index.
    """
    must: list[qdrant.ConditionType] = [narrowed]
    if prefix := glob_prefix(glob):
        must.append(qdrant.FieldCondition("path", match=qdrant.MatchPrefix(prefix)))
    request = qdrant.FacetRequest("path", limit=_EVERYTHING, exact=True, filter=qdrant.Filter(must=must))
    matches = glob_pattern(glob).fullmatch
    return [str(hit.value) for hit in shard.facet(request).hits if matches(str(hit.value))]


def _any(name: str, values: Collection[str]) -> qdrant.FieldCondition:
    return qdrant.FieldCondition(name, match=qdrant.MatchAny(sorted(values)))
