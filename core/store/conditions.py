"""What a point must satisfy to be seen or changed, in no engine's words: both stores make their filters from this."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from core.store.base import Scope
from core.store.glob import glob_pattern, glob_prefix
from core.store.payload import DEVELOPMENT, moment
from core.types import Audience


@dataclass(frozen=True, slots=True)
class AnyOf:
    """The field has one of these values."""

    field: str
    values: Collection[str]


@dataclass(frozen=True, slots=True)
class OtherThan:
    """The field has a value that is none of these."""

    field: str
    values: Collection[str]


@dataclass(frozen=True, slots=True)
class Missing:
    """The field has no value."""

    field: str


@dataclass(frozen=True, slots=True)
class Begins:
    """The field has a value that begins so."""

    field: str
    prefix: str


@dataclass(frozen=True, slots=True)
class Between:
    """The field's number lies within these bounds, as far as there are any."""

    field: str
    at_least: int | None = None
    below: int | None = None
    at_most: int | None = None


Condition = AnyOf | OtherThan | Missing | Begins | Between


@dataclass(frozen=True, slots=True)
class Narrowing:
    """All of `must`, and none of `must_not`."""

    must: tuple[Condition, ...] = ()
    must_not: tuple[Condition, ...] = ()

    def also(self, *more: Condition) -> "Narrowing":
        return Narrowing((*self.must, *more), self.must_not)


def in_scope(scope: Scope, paths: Callable[[Narrowing], Iterable[str]], *extra: Condition) -> Narrowing | None:
    """What a point must satisfy to be seen in this scope; None when nothing can.

    `paths` says which paths there are among the points of a narrowing. Engines know no globs, and filtering after the
    search would lose what lies beyond its limit; so a glob is resolved first.
    """
    if not scope.audience.labels:
        return None
    filters = scope.filters
    must: list[Condition] = [*extra]
    must_not = _unreadable(scope.audience)
    for name, wanted in (
        ("source", filters.sources),
        ("kind", filters.kinds),
        ("repo", filters.repos),
        ("language", filters.languages),
        ("document_id", filters.documents),
    ):
        if wanted:
            must.append(AnyOf(name, wanted))
    if filters.branch is None:
        must_not.append(AnyOf("stage", [DEVELOPMENT]))
    else:
        must.append(AnyOf("branch", [filters.branch]))
    if filters.as_of is not None:
        must.append(Between("updated", at_most=moment(filters.as_of)))
    if filters.without:
        must_not.append(AnyOf("document_id", filters.without))
    narrowed = Narrowing(tuple(must), tuple(must_not))
    return narrowed if filters.path is None else _with_paths(narrowed, filters.path, paths)


def of_document(
    ids: Collection[str],
    *,
    from_ordinal: int | None = None,
    before_ordinal: int | None = None,
    digests: Collection[str] = (),
) -> Narrowing:
    """The chunks of these documents, or those of a range of places in them, or those with one of these texts."""
    must: list[Condition] = [AnyOf("document_id", ids)]
    if digests:
        must.append(AnyOf("digests", digests))
    if from_ordinal is not None or before_ordinal is not None:
        must.append(Between("ordinal", at_least=from_ordinal, below=before_ordinal))
    return Narrowing(tuple(must))


def _unreadable(audience: Audience) -> list[Condition]:
    """All of a point's labels must be held: none may be outside the audience's, and there must be one."""
    return [OtherThan("labels", audience.labels), Missing("labels")]


def _with_paths(narrowed: Narrowing, glob: str, paths: Callable[[Narrowing], Iterable[str]]) -> Narrowing | None:
    prefix = glob_prefix(glob)
    there = paths(narrowed.also(Begins("path", prefix)) if prefix else narrowed)
    matches = glob_pattern(glob).fullmatch
    matching = [path for path in there if matches(path)]
    return narrowed.also(AnyOf("path", matching)) if matching else None
