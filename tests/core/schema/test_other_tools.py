"""Liquibase, Rails, Prisma and golang-migrate, with tables as their documentation defines them."""

import hashlib
import time

import pytest

from core.schema.changelog_formats import read_changelog
from core.schema.rails import read_ruby
from tests.core.schema.scene import file, read, states, step
from tests.core.schema.servers import PASSWORD

PRISMA = """CREATE TABLE _prisma_migrations (id VARCHAR(36) PRIMARY KEY, checksum VARCHAR(64) NOT NULL,
finished_at {type}, migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at {type}, started_at {type} NOT NULL,
applied_steps_count INTEGER NOT NULL DEFAULT 0)"""


def prisma_row(number, name, text, *, finished=True, back=False):
    checksum = hashlib.sha256(text.encode()).hexdigest()
    at = f"'2026-03-02 10:0{number}:00'"
    values = (
        f"'{number}', '{checksum}', {at if finished else 'NULL'}, '{name}', NULL, {at if back else 'NULL'}, {at}, 1"
    )
    return f"INSERT INTO _prisma_migrations VALUES ({values})"


@pytest.mark.parametrize("kind", ["sqlite", "postgres", "mariadb"])
def test_prisma(request, tmp_path, origin, mirror, kind):
    sql = 'CREATE TABLE "Booking" ("holdMinutes" INT);\n'
    files = {f"prisma/migrations/2026010{n}_step_{n}/migration.sql": sql for n in range(1, 8)}
    origin.commit("PAY-3", {**files, "prisma/migrations/migration_lock.toml": "x"})
    rows = [
        prisma_row(1, "20260101_step_1", sql),
        prisma_row(2, "20260102_step_2", sql.replace("\n", "\r\n")),
        prisma_row(3, "20260103_step_3", "other"),
        prisma_row(4, "20260104_step_4", sql, finished=False),
        prisma_row(5, "20260105_step_5", sql, back=True),
        prisma_row(8, "20260107_step_7", sql),
        prisma_row(9, "20260106_step_6", sql),
        prisma_row(6, "20260201_gone", sql),
    ]
    types = {"sqlite": "DATETIME", "postgres": "TIMESTAMPTZ", "mariadb": "DATETIME(3)"}
    statements = [PRISMA.format(type=types[kind]), *rows]
    if kind == "sqlite":
        url, password = file(tmp_path, *statements), ""
    else:
        server = request.getfixturevalue(kind)
        name, password = server.database(), PASSWORD
        server.run(name, *statements)
        url = server.address(name)
    history = read(mirror, "prisma", url, "prisma/migrations", password=password)
    assert states(history) == {
        "20260101_step_1": "applied", "20260102_step_2": "applied", "20260103_step_3": "edited",
        "20260104_step_4": "failed", "20260105_step_5": "pending", "20260106_step_6": "out of order",
        "20260107_step_7": "out of order", "20260201_gone": "not in Git",
    }  # fmt: skip
    first = step(history, "20260101_step_1")
    assert first.at.isoformat() == "2026-03-02T10:01:00+00:00"
    assert [(one.table, one.column) for one in first.touched] == [("Booking", ""), ("Booking", "holdMinutes")]


@pytest.mark.parametrize(
    ("version", "dirty", "expected"),
    [
        (2, 0, {"0001": "applied", "0002": "applied", "0003": "pending"}),
        (2, 1, {"0001": "applied", "0002": "failed", "0003": "pending"}),
        (9, 0, {"0001": "applied", "0002": "applied", "0003": "applied", "9": "not in Git"}),
        (None, 0, {"0001": "pending", "0002": "pending", "0003": "pending"}),
    ],
)
def test_golang_migrate(tmp_path, origin, mirror, version, dirty, expected):
    files = {f"db/000{n}_step.{way}.sql": f"DROP TABLE {way};" for n in (1, 2, 3) for way in ("up", "down")}
    origin.commit("PAY-3", files)
    rows = [f"INSERT INTO schema_migrations VALUES ({version}, {dirty})"] if version else []
    made = "CREATE TABLE schema_migrations (version uint64, dirty bool)"
    history = read(mirror, "golang-migrate", file(tmp_path, made, *rows))
    assert states(history) == expected
    assert [one.table for one in step(history, "0001").touched] == ["up"]


RUBY = """class Holds < ActiveRecord::Migration[7.1]
  def up
    create_table :bookings, id: :uuid do |t|
      t.string :guest, :email, null: false
      t.references :room, foreign_key: true
      t.timestamps
      t.index [:guest]
    end
    add_column :rooms, :floor, :integer, default: 0
    rename_column "rooms", "no", "number"
    remove_column(:rooms, :size, :integer)
    add_index :rooms, [:floor, :number]
    execute <<~SQL
      UPDATE rooms SET floor = 1;
    SQL
    Room.find_each { |room| room.save! }
  end

  def down
    drop_table :never
  end
end
"""


def test_rails(tmp_path, origin, mirror):
    files = {"db/migrate/20260101000000_holds.rb": RUBY, "db/migrate/20260102000000_b.rb": "", "db/migrate/9_c.rb": ""}
    origin.commit("PAY-3", files)
    rows = [f"INSERT INTO schema_migrations VALUES ('{one}')" for one in ("9", "20260102000000", "20260103000000")]
    url = file(tmp_path, "CREATE TABLE schema_migrations (version VARCHAR NOT NULL PRIMARY KEY)", *rows)
    history = read(mirror, "rails", url)
    assert list(states(history).items()) == [
        ("9", "applied"), ("20260101000000", "pending"), ("20260102000000", "applied"),
        ("20260103000000", "not in Git"),
    ]  # fmt: skip
    holds = step(history, "20260101000000")
    assert [f"{one.table}.{one.column} {one.how}" for one in holds.touched if one.table != "rooms"] == [
        "bookings. made", "bookings.guest made", "bookings.email made", "bookings.room_id made",
        "bookings.created_at made", "bookings.updated_at made",
    ]  # fmt: skip
    assert {f"{one.column} {one.how}" for one in holds.touched if one.table == "rooms"} == {
        " changed", "floor changed", "floor made", "no removed", "number made", "number changed", "size removed",
    }  # fmt: skip
    assert "It runs code of its own, which is not read." in holds.notes


@pytest.mark.parametrize(
    "part", ["def down\n", "execute <<~SQL\n", "create_table :a do |t|\n", "t.string :a, ", "    "]
)
def test_ruby_is_read_in_a_time_that_grows_as_the_text(part):
    began = time.process_time()
    read_ruby((part * (299_000 // len(part))).encode())
    assert time.process_time() - began < 5


LIQUIBASE = """CREATE TABLE DATABASECHANGELOG (ID VARCHAR(255) NOT NULL, AUTHOR VARCHAR(255) NOT NULL,
FILENAME VARCHAR(255) NOT NULL, DATEEXECUTED datetime NOT NULL, ORDEREXECUTED INT NOT NULL,
EXECTYPE VARCHAR(10) NOT NULL,
MD5SUM VARCHAR(35), DESCRIPTION VARCHAR(255), COMMENTS VARCHAR(255), TAG VARCHAR(255), LIQUIBASE VARCHAR(20),
CONTEXTS VARCHAR(255), LABELS VARCHAR(255), DEPLOYMENT_ID VARCHAR(10))"""
XML = """<?xml version="1.0"?>
<databaseChangeLog xmlns="http://www.liquibase.org/xml/ns/dbchangelog">
  <changeSet id="1" author="ana"><comment>Bookings</comment>
    <createTable tableName="booking"><column name="id" type="int"/><column name="hold" type="int"/></createTable>
  </changeSet>
  <changeSet id="2" author="ana" context="test"><sql>ALTER TABLE booking ADD COLUMN x INT</sql></changeSet>
</databaseChangeLog>"""
YAML = """databaseChangeLog:
  - changeSet:
      id: 3
      author: bo
      changes:
        - addColumn: {tableName: booking, columns: [{column: {name: floor, type: int}}]}
        - renameColumn: {tableName: booking, oldColumnName: hold, newColumnName: hold_minutes}
"""
JSON = """{"databaseChangeLog": [{"changeSet": {"id": "4", "author": "bo",
    "changes": [{"sqlFile": {"path": "x.sql", "relativeToChangelogFile": true}}]}}]}"""
FORMATTED = """--liquibase formatted sql
--changeset cy:5 runOnChange:true
DROP TABLE a;
--rollback CREATE TABLE a (b int);
--changeset cy:6
DELETE FROM c;
"""
MASTER = """databaseChangeLog:
  - include: {file: db/changelog/1.xml}
  - includeAll: {path: parts, relativeToChangelogFile: true}
"""


def liquibase_row(order, identity, author, filename, how="EXECUTED", at="2026-03-02 18:00:00"):
    values = f"'{identity}', '{author}', '{filename}', '{at}', {order}, '{how}'"
    return (
        f"INSERT INTO DATABASECHANGELOG (ID, AUTHOR, FILENAME, DATEEXECUTED, ORDEREXECUTED, EXECTYPE) VALUES ({values})"
    )


LOGS = {
    "src/db/changelog/master.yaml": MASTER, "src/db/changelog/1.xml": XML, "src/db/changelog/parts/a.yaml": YAML,
    "src/db/changelog/parts/b.json": JSON, "src/db/changelog/parts/c.sql": FORMATTED,
    "src/db/changelog/parts/x.sql": "DROP TABLE d;", "src/db/application.yaml": "a: 1",
}  # fmt: skip


def test_liquibase(tmp_path, origin, mirror):
    origin.commit("PAY-3", LOGS)
    rows = [
        liquibase_row(1, "1", "ana", "classpath:db/changelog/1.xml"),
        liquibase_row(2, "3", "bo", "db/changelog/parts/a.yaml", "MARK_RAN"),
        liquibase_row(3, "7", "old", "db/changelog/gone.xml"),
    ]
    history = read(mirror, "liquibase", file(tmp_path, LIQUIBASE, *rows), "src/db")
    found = [(one.id.split("::")[1], one.state) for one in history.steps]
    assert found == [
        ("1", "applied"), ("2", "pending"), ("3", "applied"), ("4", "pending"), ("5", "pending"), ("6", "pending"),
        ("7", "not in Git"),
    ]  # fmt: skip
    told = {one.id.split("::")[1]: [f"{t.table}.{t.column} {t.how}" for t in one.touched] for one in history.steps}
    assert told == {
        "1": ["booking. made", "booking.id made", "booking.hold made"], "2": ["booking. changed", "booking.x made"],
        "3": ["booking. changed", "booking.floor made", "booking.hold removed", "booking.hold_minutes made"],
        "4": ["d. removed"], "5": ["a. removed"], "6": ["c. changed"], "7": [],
    }  # fmt: skip
    assert "It runs only in the context test." in history.steps[1].notes
    assert "It was marked as run without being run." in history.steps[2].notes


def test_of_a_changelog_only_the_change_set_that_was_edited_is(tmp_path, origin, mirror):
    origin.commit("PAY-3", LOGS)
    path = "src/db/changelog/1.xml"
    rows = [liquibase_row(n, n, "ana", "db/changelog/1.xml", at="2026-02-27 10:00:00") for n in (1, 2)]
    rows += [liquibase_row(5, "5", "cy", "db/changelog/parts/c.sql", at="2026-02-27 10:00:00")]
    parts = "src/db/changelog/parts/c.sql"
    changed = {path: XML.replace("x INT", "y INT"), parts: FORMATTED.replace("TABLE a;", "TABLE z;")}
    origin.commit("PAY-4", changed)
    history = read(mirror, "liquibase", file(tmp_path, LIQUIBASE, *rows), "src/db")
    found = {one.id.split("::")[1]: one.state for one in history.steps}
    assert found == {"1": "applied", "2": "edited", "3": "pending", "4": "pending", "5": "pending", "6": "pending"}
    assert any("it runs again" in note for note in history.steps[-2].notes)


def test_a_time_without_a_zone_is_not_taken_for_more_than_it_is(tmp_path, origin, mirror):
    origin.commit("PAY-3", LOGS)
    origin.commit("PAY-4", {"src/db/changelog/1.xml": XML.replace("x INT", "y INT")})
    rows = [liquibase_row(2, "2", "ana", "db/changelog/1.xml", at="2026-03-02 05:00:00")]
    history = read(mirror, "liquibase", file(tmp_path, LIQUIBASE, *rows), "src/db")
    assert history.steps[1].state == "applied"
    assert "Its file was changed on 2026-03-02, about when it was applied." in history.steps[1].notes
    assert "Times in its table have no time zone and are taken for UTC." in history.notes


def test_changelogs_of_strangers(tmp_path, origin, mirror):
    secret = tmp_path / "secret"
    secret.write_text("s3cret")
    head = f'<!DOCTYPE databaseChangeLog [<!ENTITY x SYSTEM "file://{secret}"><!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
    evil = '<changeSet id="1" author="a"><sql>DROP TABLE &x; &b;</sql></changeSet>'
    evil = f"{head}<databaseChangeLog>{evil}</databaseChangeLog>"
    laughs = "a: &a [x, x]\nb: &b [*a, *a]\ndatabaseChangeLog: [*b, *b]"
    origin.commit("x", {
        "db/a.xml": evil, "db/b.yaml": laughs, "db/c.yaml": "databaseChangeLog: " + "[" * 50_000,
        "db/d.json": '{"databaseChangeLog": ' + "[" * 50_000, "db/e.yaml": "databaseChangeLog: !!python/object:os.x {}",
        "db/f.yaml": "databaseChangeLog: [{include: {file: f.yaml}}, {include: {file: g.yaml}}]",
        "db/g.yaml": "databaseChangeLog: [{include: {file: f.yaml}}, 7, {changeSet: {id: 1, author: b, changes: 5}}]",
        "db/h.xml": "<databaseChangeLog>" + "<a>" * 50_000, "db/i.sql": "--liquibase formatted sql\n--changeset x",
    })  # fmt: skip
    history = read(mirror, "liquibase", file(tmp_path, LIQUIBASE))
    assert [one.id.split("::")[1:] for one in history.steps] == [["1", "a"], ["1", "b"]]
    assert "s3cret" not in repr(history)


@pytest.mark.parametrize(
    "data", [b"", b"\x00\xff", b"databaseChangeLog", b"<databaseChangeLog", b"[1]", b"databaseChangeLog: 3"]
)
@pytest.mark.parametrize("name", ["a.xml", "a.yaml", "a.json", "a.sql"])
def test_what_is_no_changelog(name, data):
    assert read_changelog(name, data) is None
