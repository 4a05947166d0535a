"""Conditions as filters of the embedded engine."""

from typing import cast

import qdrant_edge as qdrant

from core.store.conditions import AnyOf, Begins, Between, Condition, Narrowing, OtherThan

_Listed = list[str] | list[int]


def edge_filter(narrowed: Narrowing) -> qdrant.Filter:
    """The same in the engine's words."""
    return qdrant.Filter(
        must=[_condition(condition) for condition in narrowed.must],
        must_not=[_condition(condition) for condition in narrowed.must_not],
    )


def _condition(condition: Condition) -> "qdrant.ConditionType":
    match condition:
        case AnyOf(field, values):
            return qdrant.FieldCondition(field, match=qdrant.MatchAny(cast("_Listed", list(values))))
        case OtherThan(field, values):
            return qdrant.FieldCondition(field, match=qdrant.MatchExcept(cast("_Listed", list(values))))
        case Begins(field, prefix):
            return qdrant.FieldCondition(field, match=qdrant.MatchPrefix(prefix))
        case Between(field, at_least, below):
            return qdrant.FieldCondition(field, range=qdrant.RangeFloat(gte=at_least, lt=below))
