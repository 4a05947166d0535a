"""The history of a database's schema. All are frozen; none does I/O."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from core.types import Locator

Tool = Literal["flyway", "liquibase", "alembic", "django", "rails", "prisma", "golang-migrate"]
State = Literal["applied", "pending", "failed", "edited", "out of order", "not in Git", "unknown"]
"""`edited`: applied, and its file was changed afterwards; `out of order`: applied, though after one that follows it;
`not in Git`: applied, and no file of that name is there; `unknown`: the tool's table does not let it be told."""


How = Literal["made", "changed", "removed"]


@dataclass(frozen=True, slots=True)
class Touched:
    """A table, or a column of it, that a migration makes, changes or removes."""

    table: str
    column: str = ""
    """Empty: the table itself."""
    how: How = "changed"


@dataclass(frozen=True, slots=True)
class Step:
    """One migration."""

    id: str
    """As the tool names it: `V7`, `0012_hold_minutes`, `a1b2c3`."""
    title: str
    state: State
    at: datetime | None = None
    """When it was applied, where the tool keeps that."""
    touched: tuple[Touched, ...] = ()
    """As far as its file tells; empty also where the file is not understood, then `notes` say so."""
    tickets: tuple[str, ...] = ()
    """Keys of the tickets in the messages of the commits that brought or changed its file."""
    commit: str = ""
    """The commit that brought its file."""
    locator: Locator | None = None
    """Its file at the baseline; None where there is none."""
    notes: tuple[str, ...] = ()
    """Sentences: `Its file was changed on 2026-03-04, after it was applied.`"""


@dataclass(frozen=True, slots=True)
class SchemaHistory:
    """What was done to one database, in the tool's own order, and what is still to be done."""

    database: str
    """Its name in the settings."""
    environment: str
    tool: str
    repo: str
    at: datetime
    """When it was read."""
    labels: frozenset[str]
    steps: tuple[Step, ...] = ()
    unread: str = ""
    """Why the database could not be read, as a sentence's end; then `steps` is empty."""
    notes: tuple[str, ...] = ()
