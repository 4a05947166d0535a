"""What a source must offer to be indexed, and small things that all connectors share."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Protocol

from core.types import Document

Labels = Mapping[str, frozenset[str] | None]


class Connector(Protocol):
    """A source of documents.

    `load` and `changed_since` yield all that could be read, and then raise SourceIncomplete if something could not:
    such a run may add and replace documents, but its mark must not be stored and nothing may be deleted on it.
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

    def removed_since(self, cursor: str) -> set[str]:
        """Ids of documents that were there at `cursor` and are certainly gone; a source that cannot tell says none,
        and they are found by `ids`.
        """

    def ids(self) -> set[str]:
        """The ids of all documents, complete: raises SourceIncomplete or SourceUnavailable rather than be short."""

    def labels_now(self, ids: Iterable[str]) -> Labels:
        """Access labels as they are at this moment; None for what is gone or unreadable.

        Raises SourceUnavailable when the source as a whole does not answer.
        """

    def total(self) -> int | None:
        """About how many documents `load` will yield, for a progress bar; None when nobody knows."""


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
