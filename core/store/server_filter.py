"""Conditions as filters of a Qdrant server."""

from qdrant_client import models

from core.store.conditions import AnyOf, Begins, Between, Condition, Narrowing, OtherThan


def server_filter(narrowed: Narrowing) -> models.Filter:
    """The same in the server's words."""
    return models.Filter(
        must=[_condition(condition) for condition in narrowed.must],
        must_not=[_condition(condition) for condition in narrowed.must_not],
    )


def _condition(condition: Condition) -> models.FieldCondition:
    match condition:
        case AnyOf(field, values):
            return models.FieldCondition(key=field, match=models.MatchAny(any=sorted(values)))
        case OtherThan(field, values):
            return models.FieldCondition(key=field, match=models.MatchExcept(**{"except": sorted(values)}))
        case Begins(field, prefix):
            return models.FieldCondition(key=field, match=models.MatchPrefix(prefix=prefix))
        case Between(field, at_least, below):
            return models.FieldCondition(key=field, range=models.Range(gte=at_least, lt=below))
