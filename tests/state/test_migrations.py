import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, inspect, text

import state
from state import schema
from state.db import open_database
from state.feedback import Feedback
from state.jobs import Jobs
from state.outbox import Outbox
from state.registry import Registry
from state.spending import Spending
from state.sqlite import SQLite
from state.tables import Table
from state.types import Dismissed, NewDraft, NewReview
from tests.state.parts import LEASE, accept, answered, postgresql_only, sqlite_only


def statements(connection) -> dict[str, list[str]]:
    """Each table and index by its columns and constraints, in any order: a column added later stands last."""
    rows = connection.execute(
        text("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name <> 'alembic_version'")
    )
    return {name: parts(re.sub(r"\s+", " ", sql)) for name, sql in rows}


def parts(sql: str) -> list[str]:
    before, inside = sql.split("(", 1)
    return [before.replace('"', "").strip(), *sorted(part.strip(" )") for part in re.split(r",(?![^(]*\))", inside))]


def described(connection) -> dict[str, list[str]]:
    """The same of PostgreSQL, whose own words for what it has are told by its catalogue."""
    columns = "concat_ws(' ', column_name, data_type, is_nullable, column_default)"
    constraint = "conname || ' ' || pg_get_constraintdef(oid)"
    queries = (
        f"SELECT table_name, {columns} FROM information_schema.columns WHERE table_schema = 'public'",
        "SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = 'public'",
        f"SELECT conrelid::regclass::text, {constraint} FROM pg_constraint WHERE conrelid <> 0",
    )
    found: dict[str, list[str]] = {}
    for query in queries:
        for table, line in connection.exec_driver_sql(query):
            found.setdefault(table, []).append(line)
    return {table: sorted(lines) for table, lines in found.items() if table != "alembic_version"}


@contextmanager
def migrating(where):
    """A transaction in which steps are taken."""
    if isinstance(where, Path):
        database = SQLite(where, timedelta(seconds=1), foreign_keys=False)
        with database.writing() as session:
            yield session.connection()
            assert session.connection().exec_driver_sql("PRAGMA foreign_key_check").all() == []
        database.dispose()
    else:
        database = open_database(where)
        with database.writing() as session:
            yield session.connection()
        database.dispose()


@pytest.fixture
def where(nowhere):
    """A database of the test's own, since its schema changes."""
    return nowhere


def test_autogenerate_finds_no_difference(database):
    with database.reading() as session:
        context = MigrationContext.configure(session.connection(), opts={"compare_type": True})
        assert compare_metadata(context, Table.metadata) == []


@sqlite_only
def test_the_steps_make_exactly_what_the_models_say(database):
    fresh = create_engine("sqlite://")
    Table.metadata.create_all(fresh)
    with database.reading() as session, fresh.connect() as connection:
        assert statements(session.connection()) == statements(connection)
    fresh.dispose()


@postgresql_only
def test_the_steps_make_exactly_what_the_models_say_on_postgresql(database, cluster):
    fresh = create_engine(cluster.create().replace("://", "+psycopg://"))
    Table.metadata.create_all(fresh)
    with database.reading() as session, fresh.connect() as connection:
        assert described(session.connection()) == described(connection) != {}
    fresh.dispose()


def test_down_and_up_again_with_data_in_it(where, jobs, database, clock):
    """Each step down and up, foreign keys intact. What a step down drops is gone; the rest stays."""
    job = answered(jobs, parts=2)
    Feedback(database, clock).add(job, "ann", "up")
    Registry(database, clock).started("git")
    Spending(database, purpose="review", limit=10, clock=clock).take(3)
    claim = jobs.claim("w", LEASE) if accept(jobs, "k2") else None
    told = NewReview("jira|site|1", "10", frozenset({"org"}), [{"n": 1}], clock())
    aside = Dismissed("jira|site|1", "f1", "as sold", "ann", "20", clock())
    draft = NewDraft("slack|T1|C1|1.0", 1, {"cases": []}, frozenset({"org"}), frozenset({"d1"}), clock())
    jobs.finish(claim, "done", {}, review=told, dismissals=[aside], draft=draft)
    database.dispose()
    steps = [step.revision for step in ScriptDirectory.from_config(schema.config()).walk_revisions()]
    with migrating(where) as connection:
        for target in [*steps[1:], "base"]:
            command.downgrade(schema.config(connection), target)
        assert inspect(connection).get_table_names() == ["alembic_version"]
    again = open_database(where)
    with again.reading() as session:
        assert schema.is_newest(session.connection(), "again")
    again.dispose()


def test_what_was_there_before_people_and_drafts_stays(where, jobs, outbox, database):
    """From the step before to the newest and back, by rows that both know."""
    asked = answered(jobs, parts=2)
    outbox.sent(outbox.claim("w", LEASE), "c1", "https://jira.example/c1", adopted=False)
    before = jobs.show(asked)
    database.dispose()
    with migrating(where) as connection:
        command.downgrade(schema.config(connection), "0005")
        assert "begun" not in {column["name"] for column in inspect(connection).get_columns("outbox")}
        assert "draft" not in inspect(connection).get_table_names()
    again = open_database(where)
    assert Jobs(again).show(asked) == before
    assert Jobs(again).of_person("") == ()
    assert not Outbox(again, lambda: before.job.created_at).claim("w", LEASE).begun
    again.dispose()


def test_there_is_one_newest_step():
    assert len(ScriptDirectory.from_config(schema.config()).get_heads()) == 1


def test_works_where_it_is_installed_and_sets_up_no_logging(tmp_path):
    """The package alone, in a folder with a percent sign, from another working directory."""
    site = tmp_path / "100%(here)s"
    shutil.copytree(Path(state.__file__).parent, site / "state", ignore=shutil.ignore_patterns("__pycache__"))
    code = """
import logging, sys, state.db
state.db.open_database("new/state.db")
assert state.db.__file__.startswith(sys.argv[1]), state.db.__file__
assert not logging.getLogger().handlers
assert logging.getLogger("alembic").level == logging.NOTSET
"""
    subprocess.run(
        [sys.executable, "-W", "error", "-c", code, str(site)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(site)},
        check=True,
    )
    assert (tmp_path / "new" / "state.db").exists()


def test_jobs_of_reviews_become_jobs_of_comments(where, jobs, database):
    """A comment that was answered before the step is known after it, and one that waits is answered."""
    old = "jira|http://jira|10|comment"
    jobs.accept(old, "comment", {}, surface="jira", via="poll")
    jobs.accept("slack|T1|C1|1.0", "message", {}, surface="slack", via="socket")
    database.dispose()
    with migrating(where) as connection:
        command.downgrade(schema.config(connection), "0006")
        rows = connection.exec_driver_sql("SELECT key, kind FROM job ORDER BY id").all()
        assert rows == [("jira|http://jira|10|review", "review"), ("slack|T1|C1|1.0", "message")]
    again = open_database(where)
    assert Jobs(again).accept(old, "comment", {}, surface="jira", via="webhook") is None
    assert [Jobs(again).claim("w", LEASE).kind for _ in range(2)] == ["comment", "message"]
    again.dispose()
