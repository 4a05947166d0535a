"""A repository with migrations, and a database in a file that they were applied to."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime

from core.schema.database import Database
from core.schema.histories import SchemaHistories
from core.types import Audience

NOW = datetime(2026, 3, 3, tzinfo=UTC)
AUDIENCE = Audience(frozenset({"repo:shop"}))


def histories(mirror, *databases: Database, **options) -> SchemaHistories:
    mirror.fetch()
    link = lambda repo, path: f"https://git.example/{repo}/{path}"  # noqa: E731 - a fixed one
    return SchemaHistories(databases, {"shop": mirror}, clock=lambda: NOW, link=link, **options)


def database(tool, url, path="db", **options) -> Database:
    return Database("booking", "staging", tool, "shop", path, url, **options)


def file(tmp_path, *statements: str) -> str:
    with closing(sqlite3.connect(tmp_path / "booking.db")) as made:
        made.executescript(";".join(statements))
    return f"sqlite:///{tmp_path / 'booking.db'}"


def read(mirror, tool, url, path="db", **options):
    [history] = histories(mirror, database(tool, url, path, **options)).histories(AUDIENCE)
    assert history.unread == ""
    return history


def states(history) -> dict[str, str]:
    return {step.id: step.state for step in history.steps}


def step(history, identity):
    return next(step for step in history.steps if step.id == identity)
