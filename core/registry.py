"""What core asks of whoever remembers what is indexed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol


class Entry(Protocol):
    """What the registry knows of a document."""

    @property
    def version(self) -> str: ...

    @property
    def chunks(self) -> int: ...

    @property
    def labels(self) -> frozenset[str]: ...

    @property
    def url(self) -> str: ...

    @property
    def updated(self) -> datetime: ...

    @property
    def unread(self) -> tuple[str, ...]: ...

    @property
    def masked(self) -> int: ...


class Named(Protocol):
    @property
    def name(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Indexed:
    """A document as it was just indexed."""

    id: str
    version: str
    kind: str
    title: str
    url: str
    labels: frozenset[str]
    chunks: int
    updated: datetime
    unread: tuple[str, ...] = ()
    """What of it could not be read."""
    masked: int = 0
    """Strings that looked like credentials and were masked."""


def doubtful(document_id: str, version: str = "", chunks: int = 0) -> Indexed:
    """What is recorded while a document is being changed, so that after an interruption it is looked at again.

    With a version, the index holds the text of just that one; without one, nobody knows what it holds.
    """
    return Indexed(document_id, version, "", "", "", frozenset(), chunks, datetime.fromtimestamp(0, UTC))


def settled(entry: Entry) -> bool:
    """Whether the index holds the document as its source had it. No document lacks labels."""
    return bool(entry.labels)


class Registry(Protocol):
    """Remembers what is in the index, and how each source is doing.

    A batch that is recorded survives the process, whatever becomes of it.
    """

    def versions(self, source: str) -> Mapping[str, Entry]: ...

    def record(self, source: str, documents: Iterable[Indexed]) -> None: ...

    def forget(self, ids: Iterable[str]) -> None: ...

    def started(self, source: str) -> None: ...

    def succeeded(self, source: str, at: datetime) -> None: ...

    def failed(self, source: str, error: str) -> None: ...

    def sources(self) -> Sequence[Named]: ...


class Cursors(Protocol):
    def get(self, name: str) -> str | None: ...

    def set(self, name: str, value: str) -> None: ...
