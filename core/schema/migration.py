"""What the parts that know one tool give to those that know none."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from core.schema.files import Files
from core.schema.touching import Contents
from core.schema.types import State

TOO_LARGE = "Its file is too large to be read."

Row = Mapping[str, str]
"""A row of a tool's table, by the names of its columns in small letters; empty for NULL."""


@dataclass(frozen=True, slots=True)
class Table:
    """Where a tool keeps what it has done."""

    name: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Migration:
    """One migration as its file has it."""

    key: str
    """What the tool's table knows it by."""
    id: str
    title: str
    path: str
    contents: Contents
    kind: str = ""
    """What its tool tells apart."""
    after: tuple[str, ...] = ()
    """Keys of those that it builds on."""
    replaces: tuple[str, ...] = ()
    """Keys of those that were put together into it."""
    checksums: frozenset[str] = frozenset()
    """Each that its file may have been recorded with; empty: the tool keeps none that is computed here."""
    part: Callable[[bytes], str] | None = None
    """Its own part of a version of its file, which holds several; None: a file is one migration."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A step before Git was asked about its file."""

    id: str
    title: str
    state: State
    migration: Migration | None = None
    at: datetime | None = None
    notes: tuple[str, ...] = ()
    exact: bool = True
    """`at` has a time zone."""
    compared: bool = False
    """A checksum told whether its file is what was applied."""
    reruns: bool = False
    """The tool runs it again when its file is another."""


@dataclass(frozen=True, slots=True)
class Joined:
    """A tool's table and its files, put together in the tool's order."""

    drafts: tuple[Draft, ...]
    notes: tuple[str, ...] = ()


class Dialect(Protocol):
    """What one tool is like."""

    @property
    def tables(self) -> Sequence[Table]:
        """The first that is there is read."""

    def migrations(self, files: Files, *, backslashes: bool) -> Sequence[Migration]:
        """In the tool's order. Raises SourceError."""

    def joined(self, rows: Sequence[Row], migrations: Sequence[Migration]) -> Joined: ...
