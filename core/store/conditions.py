"""What a point must satisfy to be seen or changed, in no engine's words: both stores make their filters from this."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from core.store.base import Scope
from core.store.known import Known, Readers, Taken
from core.store.payload import DEVELOPMENT, moment

Values = Collection[str] | Collection[int]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """The field has one of these values."""

    field: str
    values: Values


@dataclass(frozen=True, slots=True)
class OtherThan:
    """The field has a value that is none of these."""

    field: str
    values: Values


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


Condition = AnyOf | OtherThan | Begins | Between


@dataclass(frozen=True, slots=True)
class Narrowing:
    """All of `must`, and none of `must_not`. Of one that `in_scope` made, all is hashable."""

    must: tuple[Condition, ...] = ()
    must_not: tuple[Condition, ...] = ()


def in_scope(scope: Scope, known: Known, *extra: Condition, development: bool = False) -> Narrowing | None:
    """What a point must satisfy to be seen in this scope; None when nothing can.

    `development`: branches in development too, though none is asked for. What most points satisfy is asked the other
    way round, since an engine goes through the points of each `must`. Nothing is asked of an engine about what is
    hidden from the audience, as little as about what does not exist: its time would tell them apart.
    """
    filters = scope.filters
    must: list[Condition] = [*extra]
    must_not: list[Condition] = []
    readers = Readers(scope.audience, development or filters.branch is not None)
    if filters.branch is not None and not known.has_branch(filters.branch, readers):
        return None
    for name, taken in _taken(scope, known, readers):
        if not taken.numbers:
            return None
        narrowed = of_taken(name, taken)
        must += narrowed.must
        must_not += narrowed.must_not
    if filters.documents:
        must.append(AnyOf("document_id", tuple(sorted(filters.documents))))
    if filters.branch is not None:
        must.append(AnyOf("branch", (filters.branch,)))
    if filters.as_of is not None:
        must_not.append(Between("updated", at_least=moment(filters.as_of) + 1))
    if filters.without:
        must_not.append(AnyOf("document_id", tuple(sorted(filters.without))))
    return Narrowing(tuple(must), tuple(must_not))


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


def of_stage(ids: Collection[str], *, development: bool) -> Narrowing:
    """The chunks of these documents that are of a branch in development, or those that are not."""
    developed = AnyOf("stage", [DEVELOPMENT])
    wanted = AnyOf("document_id", ids)
    return Narrowing((wanted, developed)) if development else Narrowing((wanted,), (developed,))


def of_taken(field: str, taken: Taken) -> Narrowing:
    """What has one of these numbers, asked in the way that is the faster one."""
    if taken.few:
        return Narrowing((AnyOf(field, taken.numbers),))
    return Narrowing((), (OtherThan(field, taken.numbers),))


def _taken(scope: Scope, known: Known, readers: Readers) -> Iterator[tuple[str, Taken]]:
    """Engines know no globs, and filtering after the search would lose what lies beyond its limit; so a glob is
    resolved first.
    """
    filters = scope.filters
    if not scope.audience.labels:
        yield "access", Taken((), few=True)
    yield "access", known.access(readers)
    if filters.sources or filters.kinds or filters.repos or filters.languages:
        yield "slot", known.slots(filters, readers)
    if filters.path is not None:
        yield "file", known.files(filters.path, readers)
