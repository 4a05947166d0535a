"""What a source must offer to be indexed, and small things that all connectors share."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Protocol

import structlog

from core.errors import SourceError, SourceForbidden, SourceGone, SourceIncomplete, SourceUnavailable
from core.types import Document

Labels = Mapping[str, frozenset[str] | None]
MOST_UNREAD = 20
"""Things that could not be read in a run; a source that fails for more is not well."""

log = structlog.get_logger(__name__)


class Connector(Protocol):
    """A source of documents.

    `load` and `changed_since` yield all that could be read, and then raise SourceIncomplete if something could not but
    may be another time: such a run may add and replace documents, but its mark must not be stored and nothing may be
    deleted on it. What will not be read another time either is a document that says so; without labels it is none.
    """

    @property
    def name(self) -> str:
        """The source's name in the settings; every document carries it."""

    def mark(self) -> str:
        """A cursor, taken before a listing starts and stored only after everything of it is indexed."""

    def load(self) -> Iterator[Document]:
        """Every document there is."""

    def changed_since(self, cursor: str) -> Iterator[Document]:
        """At least every document that is new or other than it was at `cursor`; removals are told by `ids`."""

    def removed_since(self, cursor: str, known: Collection[str]) -> set[str]:
        """Of these ids, or of the documents that were there at `cursor`, those that are certainly gone. It is asked
        when all that `changed_since` gave of the same cursor is indexed. What a source cannot tell is found by `ids`.
        """

    def ids(self) -> set[str]:
        """The ids of all documents, complete: raises SourceIncomplete or SourceUnavailable rather than be short. It is
        asked when all that `load` gave is indexed.
        """

    def labels_now(self, ids: Iterable[str]) -> Labels:
        """Access labels as they are at this moment; None for what is gone or unreadable.

        Raises SourceUnavailable when the source as a whole does not answer.
        """

    def total(self) -> int | None:
        """About how many documents `load` will yield, for a progress bar; None when nobody knows."""


class Missed:
    """What of a source could not be read in a run. Raises SourceIncomplete as soon as it is too much."""

    def __init__(self, kind: str, already: Iterable[str] = ()) -> None:
        """`kind` says what the things are: "files or folders"."""
        self.count = 0
        self._kind = kind
        self._faults = list(already)
        self._left_out: list[str] = []

    def failed(self, what: str, reason: object) -> None:
        """It may be read another time, so the run is not complete."""
        self._add(self._faults, f"{what} ({reason})")

    def left_out(self, what: str, reason: object) -> None:
        """It will not be read another time either, nor is it known who may read of it."""
        log.warning("something was left out, for nobody can say who may read it", what=what, reason=str(reason))
        self._add(self._left_out, f"{what} ({reason})")

    def check(self) -> None:
        """Raises SourceIncomplete when anything could be read another time."""
        if self._faults:
            raise self._incomplete(self._faults)

    def _add(self, to: list[str], what: str) -> None:
        self.count += 1
        to.append(what)
        if len(to) > MOST_UNREAD:
            raise self._incomplete(to)

    def _incomplete(self, what: list[str]) -> SourceIncomplete:
        return SourceIncomplete(f"{len(what)} {self._kind} could not be read: {'; '.join(what[:3])}")


def may_pass(error: SourceError) -> bool:
    """Whether what could not be read may be another time."""
    return isinstance(error, SourceUnavailable | SourceIncomplete)


def refusal(error: SourceError, source: str) -> str:
    """Why something will not be read, without the source's words: they may name what its readers may not know of."""
    if isinstance(error, SourceForbidden | SourceGone):
        return f"{source} does not give it to the account that reads"
    return "its answer is larger than can be taken"


def fingerprint(*parts: str) -> str:
    """A short digest that changes with any of its parts."""
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "replace")).hexdigest()[:20]


def moment(value: object) -> datetime:
    """A vendor's ISO 8601 timestamp in UTC; what is none counts as the beginning of time, so it never seems new."""
    try:
        found = datetime.fromisoformat(str(value))
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return datetime.fromtimestamp(0, UTC)
