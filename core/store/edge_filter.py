"""Conditions as filters of the embedded engine."""

from collections.abc import Collection, Iterable

import qdrant_edge as qdrant

from core.store import conditions
from core.store.base import Scope
from core.store.conditions import AnyOf, Begins, Between, Condition, Missing, Narrowing, OtherThan

_EVERYTHING = 2**31


def engine_filter(shard: qdrant.EdgeShard, scope: Scope, *extra: "qdrant.ConditionType") -> qdrant.Filter | None:
    """What a point must satisfy to be seen in this scope; None when nothing can."""

    def paths(narrowed: Narrowing) -> Iterable[str]:
        request = qdrant.FacetRequest("path", limit=_EVERYTHING, exact=True, filter=_filter(narrowed, *extra))
        return (str(hit.value) for hit in shard.facet(request).hits)

    narrowed = conditions.in_scope(scope, paths)
    return None if narrowed is None else _filter(narrowed, *extra)


def of_document(
    ids: Collection[str],
    *,
    from_ordinal: int | None = None,
    before_ordinal: int | None = None,
    digests: Collection[str] = (),
) -> qdrant.Filter:
    """See `core.store.conditions.of_document`."""
    return _filter(
        conditions.of_document(ids, from_ordinal=from_ordinal, before_ordinal=before_ordinal, digests=digests)
    )


def _filter(narrowed: Narrowing, *extra: "qdrant.ConditionType") -> qdrant.Filter:
    return qdrant.Filter(
        must=[*extra, *map(_condition, narrowed.must)],
        must_not=[_condition(condition) for condition in narrowed.must_not],
    )


def _condition(condition: Condition) -> "qdrant.ConditionType":
    match condition:
        case AnyOf(field, values):
            return qdrant.FieldCondition(field, match=qdrant.MatchAny(sorted(values)))
        case OtherThan(field, values):
            return qdrant.FieldCondition(field, match=qdrant.MatchExcept(sorted(values)))
        case Missing(field):
            return qdrant.IsEmptyCondition(field)
        case Begins(field, prefix):
            return qdrant.FieldCondition(field, match=qdrant.MatchPrefix(prefix))
        case Between(field, at_least, below, at_most):
            bounds = qdrant.RangeFloat(gte=at_least, lt=below, lte=at_most)
            return qdrant.FieldCondition(field, range=bounds)
