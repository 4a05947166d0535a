"""What a changelog of Liquibase holds, whichever of its formats it is written in."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from core.schema.types import How, Touched

_MADE = frozenset({"createTable", "createView", "addColumn"})
_REMOVED = frozenset({"dropTable", "dropView", "dropColumn"})
_TABLE = ("tableName", "baseTableName", "viewName", "existingTableName")
_COLUMN = ("columnName", "columnNames", "baseColumnNames")


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a change set."""

    name: str
    """`createTable`, `sql`."""
    attributes: Mapping[str, str] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    text: str = ""
    """SQL that stands in it."""


@dataclass(frozen=True, slots=True)
class ChangeSet:
    id: str
    author: str
    changes: tuple[Change, ...]
    attributes: Mapping[str, str]
    body: str
    """All of it as text that is another when anything but white space is."""


@dataclass(frozen=True, slots=True)
class Include:
    """Another changelog, or all in a folder."""

    path: str
    folder: bool
    relative: bool


@dataclass(frozen=True, slots=True)
class Changelog:
    items: tuple[ChangeSet | Include, ...] = ()
    logical: str = ""
    """The path that it says it has."""


def touched_by(change: Change) -> Iterator[Touched]:
    """What a change touches that is no SQL; nothing where it names no table."""
    given = change.attributes
    schema = given.get("schemaName") or given.get("baseTableSchemaName") or ""
    prefix = f"{schema}." if schema else ""
    if change.name == "renameTable":
        yield Touched(prefix + given.get("oldTableName", ""), how="removed")
        yield Touched(prefix + given.get("newTableName", ""), how="made")
        return
    table = next((prefix + given[name] for name in _TABLE if given.get(name)), "")
    if not table:
        return
    if change.name == "renameColumn":
        yield Touched(table, given.get("oldColumnName", ""), "removed")
        yield Touched(table, given.get("newColumnName", ""), "made")
        return
    named = ",".join(given[name] for name in _COLUMN if given.get(name))
    columns = [*filter(None, map(str.strip, named.split(","))), *change.columns]
    how: How = "made" if change.name in _MADE else "removed" if change.name in _REMOVED else "changed"
    yield Touched(table, how="changed" if change.name in {"addColumn", "dropColumn"} else how)
    for column in () if change.name == "createView" else columns:
        yield Touched(table, re.sub(r"\s.*", "", column), how)
