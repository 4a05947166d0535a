"""What core asks of whoever remembers what is indexed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


class Entry(Protocol):
    """What the registry knows of a document."""

    @property
    def version(self) -> str: ...

    @property
    def chunks(self) -> int: ...

    @property
    def labels(self) -> frozenset[str]: ...


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


class Registry(Protocol):
    """Remembers what is in the index, and how each source is doing."""

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
