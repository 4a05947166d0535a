"""Who may know what, what is asked for, and what happens where nothing can be read."""

import dataclasses
import sqlite3
import threading
import time
from contextlib import closing

import pytest

from core.mirror import Mirror
from core.schema.histories import _TOOLS, SchemaHistories
from core.types import Audience
from tests.core.schema.scene import AUDIENCE, NOW, database, file, histories

VERSION = "CREATE TABLE schema_migrations (version BIGINT, dirty BOOLEAN)"


@pytest.fixture
def url(tmp_path, origin):
    origin.commit("PAY-1", {"db/1_booking.up.sql": "CREATE TABLE booking (id INT, hold INT);"})
    origin.commit("PAY-2", {"db/2_room.up.sql": "ALTER TABLE app.room ADD hold INT; UPDATE booking SET id = 1;"})
    return file(tmp_path, VERSION, "INSERT INTO schema_migrations VALUES (1, 0)")


@pytest.mark.parametrize(
    ("table", "column", "expected"),
    [
        ("booking", None, {"1": ["booking.", "booking.id", "booking.hold"], "2": ["booking.", "booking.id"]}),
        ("BOOKING", "Hold", {"1": ["booking.hold"]}),
        ("room", None, {"2": ["app.room.", "app.room.hold"]}),
        ("app.room", "hold", {"2": ["app.room.hold"]}),
        (None, "hold", {"1": ["booking.hold"], "2": ["app.room.hold"]}),
        ("ooking", None, {}),
        ("other.booking", None, {"1": ["booking.", "booking.id", "booking.hold"], "2": ["booking.", "booking.id"]}),
    ],
)
def test_which_migration_touched_it(mirror, url, table, column, expected):
    [history] = histories(mirror, database("golang-migrate", url)).histories(AUDIENCE, table=table, column=column)
    assert {one.id: [f"{t.table}.{t.column}" for t in one.touched] for one in history.steps} == expected


def test_what_may_not_be_read_does_not_exist(mirror, url):
    secret = dataclasses.replace(database("golang-migrate", url), name="ledger", labels=frozenset({"repo:shop", "x"}))
    asked = histories(mirror, database("golang-migrate", url), secret)
    assert [one.database for one in asked.histories(AUDIENCE)] == ["booking"]
    assert asked.histories(AUDIENCE, database="ledger") == asked.histories(AUDIENCE, database="none") == ()
    assert asked.histories(Audience(frozenset())) == ()
    both = asked.histories(Audience(frozenset({"repo:shop", "x"})))
    assert [(one.database, one.at, one.labels) for one in both] == [
        ("booking", NOW, {"repo:shop"}), ("ledger", NOW, {"repo:shop", "x"}),
    ]  # fmt: skip


def test_what_cannot_be_read_is_said_and_hinders_nothing(tmp_path, mirror, url):
    good = database("golang-migrate", url)
    others = [
        dataclasses.replace(good, name="gone", url=f"sqlite:///{tmp_path / 'gone.db'}"),
        dataclasses.replace(good, name="other", tool="alembic"),
        dataclasses.replace(good, name="elsewhere", repo="unknown", labels=frozenset({"repo:shop"})),
        dataclasses.replace(good, name="flat", path="nothing/here"),
    ]
    found = {one.database: one for one in histories(mirror, good, *others).histories(AUDIENCE)}
    assert found["booking"].unread == ""
    assert found["gone"].unread == "there is no such file"
    assert "alembic has not been run there yet, or in another schema" in found["other"].unread
    assert found["elsewhere"].unread == "its repository unknown is not read here"
    assert found["flat"].notes[-1] == "No migration files of golang-migrate are at nothing/here in Git."
    assert [one.steps for one in found.values() if one.unread] == [(), (), ()]


def test_a_mirror_that_was_never_fetched(tmp_path, url):
    mirror = Mirror(tmp_path / "new", str(tmp_path / "none"))
    asked = SchemaHistories([database("golang-migrate", url)], {"shop": mirror}, clock=lambda: NOW)
    [history] = asked.histories(AUDIENCE)
    assert "has not been fetched yet" in history.unread


def test_new_files_are_seen_and_read_once(mirror, origin, url):
    asked = histories(mirror, database("golang-migrate", url))
    assert len(asked.histories(AUDIENCE)[0].steps) == 2
    origin.commit("PAY-3", {"db/3_more.up.sql": "DROP TABLE x;"})
    mirror.fetch()
    [history] = asked.histories(AUDIENCE)
    assert [(one.id, one.state, one.tickets) for one in history.steps][-1] == ("3", "pending", ("PAY-3",))


def test_another_baseline(mirror, origin, url):
    origin.branch("release")
    origin.commit("PAY-3", {"db/3_more.up.sql": "DROP TABLE x;"})
    origin.go("main")
    [history] = histories(mirror, database("golang-migrate", url), branches={"shop": "release"}).histories(AUDIENCE)
    assert [one.id for one in history.steps] == ["1", "2", "3"]


def test_one_that_hangs_delays_no_longer_than_it_may(tmp_path, mirror, url):
    slow = tmp_path / "slow.db"
    with closing(sqlite3.connect(slow, isolation_level=None)) as holder:
        holder.execute(VERSION)
        holder.execute("BEGIN EXCLUSIVE")
        stuck = dataclasses.replace(database("golang-migrate", f"sqlite:///{slow}"), name="stuck")
        asked = histories(mirror, database("golang-migrate", url), stuck, seconds=1)
        began = time.monotonic()
        found = {one.database: one.unread for one in asked.histories(AUDIENCE)}
        assert time.monotonic() - began < 4
    assert found["booking"] == ""
    assert "locked" in found["stuck"] or "not read within" in found["stuck"]


def test_many_ask_at_once(mirror, url):
    asked = histories(mirror, database("golang-migrate", url))
    found = []
    threads = [threading.Thread(target=lambda: found.extend(asked.histories(AUDIENCE))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({one.steps for one in found}) == 1
    assert [one.unread for one in found] == [""] * 8


@pytest.mark.parametrize("tool", ["flyway", "liquibase", "alembic", "django", "rails", "prisma", "golang-migrate"])
def test_rows_that_no_tool_wrote(tmp_path, mirror, origin, tool):
    origin.commit("x", {"db/1_x.up.sql": "x", "db/V1__x.sql": "x"})
    table = _TOOLS[tool].tables[0]
    values = ("'abc'", "NULL", "''", "x'00ff'", "1e300", "-7")
    rows = [f"INSERT INTO {table.name} VALUES ({', '.join([one] * len(table.columns))})" for one in values]
    statements = [f"CREATE TABLE {table.name} ({', '.join(table.columns)})", *rows]
    [history] = histories(mirror, database(tool, file(tmp_path, *statements))).histories(AUDIENCE)
    assert history.unread == ""
