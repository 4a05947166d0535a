"""Flyway's table and files, by the table's definition in its documentation."""

import zlib

import pytest

from tests.core.schema.scene import file, read, states, step

TABLE = """CREATE TABLE {name} (installed_rank INT NOT NULL PRIMARY KEY, version VARCHAR(50), description VARCHAR(200)
NOT NULL, type VARCHAR(20) NOT NULL, script VARCHAR(1000) NOT NULL, checksum INT, installed_by VARCHAR(100) NOT NULL,
installed_on TEXT NOT NULL, execution_time INT NOT NULL, success BOOLEAN NOT NULL)"""
HOLD = "ALTER TABLE booking ADD COLUMN hold_minutes INT;\n"


def checksum(text: str) -> int:
    number = zlib.crc32("".join(text.splitlines()).encode())
    return number - (1 << 32) if number >= 1 << 31 else number


def row(rank, version, text, *, kind="SQL", description="x", success=1, at="2026-03-02 10:00:00"):
    version = f"'{version}'" if version else "NULL"
    total = checksum(text) if text is not None else "NULL"
    values = f"{rank}, {version}, '{description}', '{kind}', 's.sql', {total}, 'u', '{at}', 1, {success}"
    return f"INSERT INTO flyway_schema_history VALUES ({values})"


def table(tmp_path, *rows, name="flyway_schema_history"):
    return file(tmp_path, TABLE.format(name=name), *(one.replace("flyway_schema_history", name) for one in rows))


def test_the_states(tmp_path, origin, mirror):
    origin.commit("PAY-1 Bookings", {"db/V1__bookings.sql": "CREATE TABLE booking (id INT);\r\n"})
    first = origin.commit("PAY-7: hold\n\nAlso PAY-8", {"db/2026/V2__hold_minutes.sql": HOLD})
    origin.commit("Late", {"db/V1_5__late.sql": "DROP TABLE a;", "db/V3__broken.sql": "x", "db/V4__next.sql": "y"})
    origin.commit("PAY-9 Edited", {"db/V1__bookings.sql": "CREATE TABLE booking (id BIGINT);\n"})
    rows = [
        row(1, "1", "CREATE TABLE booking (id INT);\n"),
        row(2, "2", HOLD),
        row(3, "1.5", "DROP TABLE a;"),
        row(4, "3", "x", success=0),
        row(5, "9", "z"),
    ]
    history = read(mirror, "flyway", table(tmp_path, *rows))
    assert list(states(history).items()) == [
        ("V1", "edited"),
        ("V1.5", "out of order"),
        ("V2", "applied"),
        ("V3", "failed"),
        ("V4", "pending"),
        ("V9", "not in Git"),
    ]
    hold = step(history, "V2")
    assert (hold.title, hold.commit, hold.tickets) == ("hold minutes", first, ("PAY-7", "PAY-8"))
    assert [(one.table, one.column, one.how) for one in hold.touched][1] == ("booking", "hold_minutes", "made")
    assert hold.locator.url == "https://git.example/shop/db/2026/V2__hold_minutes.sql"
    assert step(history, "V1").tickets == ("PAY-1", "PAY-9")
    assert "follows it, is applied already" in step(history, "V4").notes[0]


@pytest.mark.parametrize("text", ["a;\r\nb;\r\n", "a;\rb;", "\ufeffa;\nb;", "a;\n\nb;"])
def test_the_checksum_knows_no_line_ends(tmp_path, origin, mirror, text):
    origin.commit("One", {"db/V1__x.sql": text})
    assert states(read(mirror, "flyway", table(tmp_path, row(1, "1", "a;\nb;")))) == {"V1": "applied"}


def test_the_older_table_and_a_baseline(tmp_path, origin, mirror):
    origin.commit("One", {"db/V1__a.sql": "a", "db/V2__b.sql": "b", "db/V3__c.sql": "c", "db/R__views.sql": "v2"})
    rows = [
        row(1, "2", None, kind="BASELINE"),
        row(2, "3", "c"),
        row(3, "", "v1", description="views"),
    ]
    history = read(mirror, "flyway", table(tmp_path, *rows, name="schema_version"))
    assert states(history) == {"V1": "unknown", "V2": "unknown", "V3": "applied", "R__views": "pending"}
    assert "it runs again" in step(history, "R__views").notes[0]


def test_what_was_undone_or_deleted_is_not_applied(tmp_path, origin, mirror):
    origin.commit("One", {"db/V1__a.sql": "a", "db/V2__b.sql": "b", "db/U2__b.sql": "u", "db/beforeMigrate.sql": "c"})
    rows = [row(1, "1", "a"), row(2, "2", "b"), row(3, "2", "u", kind="UNDO_SQL"), row(4, "7", "q")]
    rows += [row(5, "7", "q", kind="DELETE")]
    assert states(read(mirror, "flyway", table(tmp_path, *rows))) == {"V1": "applied", "V2": "pending"}


def test_two_files_of_one_version(tmp_path, origin, mirror):
    origin.commit("One", {"db/V1__a.sql": "a;", "db/V1.0__b.sql": "b;", "db/V2__J.java": "class V2__J {}"})
    history = read(mirror, "flyway", table(tmp_path))
    assert states(history) == {"V1": "pending", "V2": "pending"}
    assert any("second file" in note for note in step(history, "V1").notes)
    assert "It is code, which is not read." in step(history, "V2").notes
