"""Situations of databases, and in each how its migrations stand. The words of the answers are in the page."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.core.schema.servers import PASSWORD
from tests.crosscheck.deployed.making import HIDDEN, free_port
from tests.crosscheck.deployed.stage import Stage

_UNKNOWN_FILE = (
    "INSERT INTO flyway_schema_history SELECT 9, '9', 'loyalty points', type, 'V9__loyalty_points.sql', 7, '', "
    "installed_on, 3, 1 FROM flyway_schema_history WHERE version = '4'"
)


@dataclass(frozen=True, slots=True)
class Schema:
    """`put` sets a stage's one database up."""

    name: str
    put: Callable[[Stage], object]
    states: tuple[str, ...] = ()
    """Of the migrations that are told of; none: it could not be read, or none may know of it."""
    asked: Mapping[str, Any] = field(default_factory=dict)
    needs_server: bool = False


def _database(*place: str, **changed: object) -> Callable[[Stage], object]:
    return lambda stage: stage.database(*place, **changed)


def _on_server(password: str) -> Callable[[Stage], object]:
    return lambda stage: stage.database(url=stage.server, password=password)


SCHEMAS = (
    Schema("All applied (Flyway)", _database("staging"), ("applied", "applied", "applied")),
    Schema("Pending on production", _database("production"), ("pending",), {"state": "pending"}),
    Schema("Edited after it was applied", _database("production"), ("edited",), {"state": "edited"}),
    Schema(
        "Failed",
        _database("staging", change="UPDATE flyway_schema_history SET success = 0 WHERE version = '4'"),
        ("failed",),
        {"state": "failed"},
    ),
    Schema(
        "Out of order",
        _database("staging", change="UPDATE flyway_schema_history SET installed_rank = 9 WHERE version = '3'"),
        ("out of order",),
        {"state": "out of order"},
    ),
    Schema("Not in Git", _database("staging", change=_UNKNOWN_FILE), ("not in Git",), {"state": "not in Git"}),
    Schema("Applied and pending (golang-migrate)", _database("production", "gate-app"), ("applied", "pending")),
    Schema(
        "Begun and never finished (golang-migrate)",
        _database("staging", "gate-app", change="UPDATE schema_migrations SET dirty = 1"),
        ("failed",),
        {"state": "failed"},
    ),
    Schema(
        "Which migration made the column `booking.hold_extended`, and for which ticket",
        _database("staging"),
        ("applied",),
        {"table": "booking", "column": "hold_extended"},
    ),
    Schema(
        "No server answers", lambda stage: stage.database(url=f"postgresql://reader@127.0.0.1:{free_port()}/booking")
    ),
    Schema("A wrong password (PostgreSQL)", _on_server("wrong"), needs_server=True),
    Schema("The tool's table is not there (PostgreSQL)", _on_server(PASSWORD), needs_server=True),
    Schema("The tool's table is not there (SQLite)", _database(change="DROP TABLE flyway_schema_history")),
    Schema("Readers who may not know of it", _database(labels=HIDDEN)),
)
