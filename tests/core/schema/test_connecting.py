"""Every connection refuses to write, ends in time, and says plainly what is wrong without what it must not say."""

import logging
import socket
import sqlite3
import threading
import time
import traceback
from contextlib import closing

import pytest
from sqlalchemy.exc import DBAPIError

from core.errors import SourceError, SourceForbidden, SourceGone, SourceIncomplete, SourceUnavailable
from core.schema.connecting import read_only
from core.schema.database import Database
from core.schema.migration import Table
from core.schema.table import rows_of
from tests.core.schema.servers import PASSWORD, free_port

TABLES = (Table("alembic_version", ("version_num",)),)
MADE = "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"


def database(url: str, password: str = PASSWORD, schema: str = "") -> Database:
    return Database("booking", "staging", "alembic", "shop", "migrations", url, password, schema)


@pytest.fixture(params=["postgres", "mariadb"])
def server(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
def name(server):
    name = server.database()
    server.run(name, MADE, "INSERT INTO alembic_version VALUES ('a1')")
    if server.scheme == "postgresql":
        server.run(name, "GRANT ALL ON ALL TABLES IN SCHEMA public TO reader", "GRANT ALL ON SCHEMA public TO reader")
    return name


WRITES = [
    "INSERT INTO alembic_version VALUES ('b2')",
    "UPDATE alembic_version SET version_num = 'b2'",
    "DELETE FROM alembic_version",
    "CREATE TABLE mine (a INTEGER)",
    "DROP TABLE alembic_version",
]


@pytest.mark.parametrize("write", [*WRITES, "TRUNCATE TABLE alembic_version"])
def test_the_handle_refuses_to_write(server, name, write):
    with pytest.raises(SourceError), read_only(database(server.address(name)), 5) as connection:
        connection.exec_driver_sql(write)
    assert rows_of(database(server.address(name)), TABLES, 5) == [{"version_num": "a1"}]


def test_the_server_itself_says_that_nothing_can_be_written(postgres):
    name = postgres.database()
    with read_only(database(postgres.address(name)), 5) as connection:
        for setting in ("transaction_read_only", "default_transaction_read_only"):
            assert connection.exec_driver_sql(f"SHOW {setting}").scalar() == "on"
        with pytest.raises(DBAPIError, match="read-only"):
            connection.exec_driver_sql("CREATE TABLE mine (a int)")


def test_a_whole_session_of_mariadb_is_read_only(mariadb):
    name = mariadb.database()
    with read_only(database(mariadb.address(name)), 5) as connection:
        assert connection.exec_driver_sql("SELECT @@session.tx_read_only").scalar() == 1
        connection.rollback()
        with pytest.raises(DBAPIError, match="1792"):
            connection.exec_driver_sql("CREATE TABLE mine (a int)")


@pytest.mark.parametrize("write", WRITES)
def test_a_file_is_opened_for_reading_only(tmp_path, write):
    file = tmp_path / "booking.db"
    with closing(sqlite3.connect(file)) as made:
        made.executescript(f"{MADE}; INSERT INTO alembic_version VALUES ('a1');")
    before = file.read_bytes()
    with pytest.raises(SourceError), read_only(database(f"sqlite:///{file}"), 5) as connection:
        connection.exec_driver_sql(write)
    assert file.read_bytes() == before


def test_a_file_stays_for_reading_only_when_told_otherwise(tmp_path):
    file = tmp_path / "booking.db"
    with closing(sqlite3.connect(file)) as made:
        made.execute(MADE)
    with read_only(database(f"sqlite:///{file}"), 5) as connection:
        connection.exec_driver_sql("PRAGMA query_only = OFF")
        with pytest.raises(DBAPIError, match="readonly"):
            connection.exec_driver_sql("INSERT INTO alembic_version VALUES ('b2')")


def test_a_file_is_never_made(tmp_path):
    with pytest.raises(SourceGone, match="no such file"):
        rows_of(database(f"sqlite:///{tmp_path / 'none.db'}"), TABLES, 5)
    assert list(tmp_path.iterdir()) == []


def test_a_lock_ends_in_time(server, name):
    lock = "LOCK TABLE alembic_version" + (" IN ACCESS EXCLUSIVE MODE" if server.scheme == "postgresql" else "S WRITE")
    lock = lock.replace("TABLE alembic_versionS", "TABLES alembic_version")
    with server.engine(name).begin() as holder:
        holder.exec_driver_sql(lock)
        began = time.monotonic()
        with pytest.raises(SourceUnavailable):
            rows_of(database(server.address(name)), TABLES, 1)
        assert time.monotonic() - began < 4


def test_a_slow_query_ends_in_time(server, name):
    server.run(name, "DROP TABLE alembic_version")
    slow = "(SELECT pg_sleep(60))::text" if server.scheme == "postgresql" else "SLEEP(60)"
    server.run(name, f"CREATE VIEW alembic_version AS SELECT {slow} AS version_num")
    if server.scheme == "postgresql":
        server.run(name, "GRANT SELECT ON alembic_version TO reader")
    began = time.monotonic()
    with pytest.raises(SourceUnavailable, match="in time"):
        rows_of(database(server.address(name)), TABLES, 1)
    assert time.monotonic() - began < 4


def test_an_endless_view_in_a_file_ends_in_time(tmp_path):
    file = tmp_path / "booking.db"
    endless = (
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS version_num FROM n WHERE x < 0"
    )
    with closing(sqlite3.connect(file)) as made:
        made.execute(f"CREATE VIEW alembic_version AS {endless}")
    began = time.monotonic()
    with pytest.raises(SourceUnavailable, match="in time"):
        rows_of(database(f"sqlite:///{file}"), TABLES, 1)
    assert time.monotonic() - began < 4


def test_a_locked_file_ends_in_time(tmp_path):
    file = tmp_path / "booking.db"
    with closing(sqlite3.connect(file, isolation_level=None)) as holder:
        holder.execute(MADE)
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(SourceUnavailable, match="locked"):
            rows_of(database(f"sqlite:///{file}"), TABLES, 1)


@pytest.mark.parametrize("scheme", ["postgresql", "mysql"])
def test_a_server_that_says_nothing(scheme):
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        began = time.monotonic()
        with pytest.raises(SourceUnavailable):
            rows_of(database(f"{scheme}://reader@127.0.0.1:{silent.getsockname()[1]}/x"), TABLES, 1)
        assert time.monotonic() - began < 6


def test_a_server_that_falls_silent_in_the_middle(postgres):
    """What stands between passes everything on, until the session has begun."""
    name = postgres.database()
    with Relay(postgres.port, until=b"alembic_version") as relay:
        began = time.monotonic()
        with pytest.raises(SourceUnavailable):
            rows_of(database(f"postgresql://reader@127.0.0.1:{relay.port}/{name}"), TABLES, 1)
        assert time.monotonic() - began < 6


class Relay:
    """Passes bytes on to a server, up to a request that holds `until`."""

    def __init__(self, port: int, until: bytes) -> None:
        self._target, self._until = port, until
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._open: list[socket.socket] = []

    def __enter__(self):
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._listening.close()
        for one in self._open:
            one.close()
        self._thread.join(5)

    def _serve(self):
        try:
            near, _ = self._listening.accept()
            far = socket.create_connection(("127.0.0.1", self._target))
            self._open += [near, far]
            threading.Thread(target=self._pass, args=(far, near), daemon=True).start()
            while (data := near.recv(65536)) and self._until not in data:
                far.sendall(data)
            while data and near.recv(65536):
                pass
        except OSError:
            return

    def _pass(self, one, other):
        try:
            while data := one.recv(65536):
                other.sendall(data)
        except OSError:
            return


def test_a_huge_cell_is_cut_where_it_lies(postgres):
    name = postgres.database()
    postgres.run(name, "CREATE TABLE alembic_version (version_num text)")
    postgres.run(name, "INSERT INTO alembic_version SELECT repeat(md5(random()::text), 1000000)")
    [row] = rows_of(database(postgres.address(name)), TABLES, 10)
    assert len(row["version_num"]) == 400


def test_a_table_without_end_is_not_read_to_its_end(server):
    name = server.database()
    endless = "generate_series(1, 1000000000) AS n(i)" if server.scheme == "postgresql" else "seq_1_to_1000000000"
    column = "i::text" if server.scheme == "postgresql" else "seq"
    server.run(name, f"CREATE VIEW alembic_version AS SELECT {column} AS version_num FROM {endless}")
    if server.scheme == "postgresql":
        server.run(name, "GRANT SELECT ON alembic_version TO reader")
    with pytest.raises((SourceIncomplete, SourceUnavailable)):
        rows_of(database(server.address(name)), TABLES, 1)


def test_only_the_named_schema_is_looked_in(postgres):
    name = postgres.database()
    postgres.run(name, 'CREATE SCHEMA "Odd ""one"', f'SET search_path = "Odd ""one"; {MADE}')
    postgres.run(name, 'INSERT INTO "Odd ""one".alembic_version VALUES (\'a1\')')
    assert rows_of(database(postgres.address(name), schema='Odd "one'), TABLES, 5) == [{"version_num": "a1"}]
    with pytest.raises(SourceGone, match="has not been run there yet, or in another schema"):
        rows_of(database(postgres.address(name)), TABLES, 5)


WRONG = [
    ("password", SourceForbidden, "refuses the user or the password"),
    ("database", SourceGone, "no database of that name"),
    ("table", SourceGone, "has not been run there yet, or in another schema"),
    ("columns", SourceGone, "columns are missing"),
    ("port", SourceUnavailable, "no server answers"),
    ("host", SourceUnavailable, "host is not known"),
]


@pytest.mark.parametrize(("what", "kind", "said"), WRONG)
def test_what_is_wrong_is_said(server, name, what, kind, said, caplog):
    url, password = server.address(name), PASSWORD
    if what == "password":
        password = "wr0ng-s3cret"
    elif what == "database":
        url = server.address("no_such")
        if server.scheme == "mysql":
            server.run("mysql", "GRANT SELECT ON no_such.* TO reader@'127.0.0.1'")
    elif what == "table":
        server.run(name, "DROP TABLE alembic_version")
    elif what == "columns":
        server.run(name, "ALTER TABLE alembic_version RENAME COLUMN version_num TO other")
    elif what == "port":
        url = url.replace(str(server.port), str(free_port()))
    elif what == "host":
        url = url.replace("127.0.0.1", "no-such-host.invalid")
    caplog.set_level(logging.DEBUG)
    wanted = database(url, password)
    with pytest.raises(kind, match=said) as caught:
        rows_of(wanted, TABLES, 2)
    told = "".join(traceback.format_exception(caught.value)) + caplog.text + repr(wanted) + str(wanted)
    assert password not in told
    assert "FATAL" not in told


def test_a_table_that_may_not_be_read(postgres, mariadb):
    name = postgres.database()
    postgres.run(name, MADE, "CREATE ROLE poor LOGIN")
    url = postgres.address(name, "admin")
    with read_only(database(url, ""), 5) as connection:
        connection.exec_driver_sql("SET SESSION AUTHORIZATION poor")
        with pytest.raises(DBAPIError, match="permission denied"):
            connection.exec_driver_sql("SELECT * FROM alembic_version")
    name = mariadb.database()
    mariadb.run(name, MADE, "CREATE TABLE other (a int)", f"GRANT SELECT ON {name}.other TO nobody@'127.0.0.1'")
    with pytest.raises(SourceForbidden, match="may not read"):
        rows_of(database(mariadb.address(name, "nobody"), ""), TABLES, 5)


def test_what_is_no_database(tmp_path):
    file = tmp_path / "booking.db"
    file.write_bytes(b"<html>not a database</html>" * 100)
    with pytest.raises(SourceUnavailable, match="damaged or no SQLite database"):
        rows_of(database(f"sqlite:///{file}"), TABLES, 5)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"url": f"postgresql://reader:{PASSWORD}@host/db"}, "holds a password"),
        ({"url": f"postgresql://reader@host/db?password={PASSWORD}"}, "holds a password"),
        ({"url": "oracle://reader@host/db"}, "none of PostgreSQL"),
        ({"url": "sqlite://"}, "names no file"),
        ({"url": f"//{PASSWORD}"}, "cannot be read"),
        ({"tool": "rake"}, "is none of"),
        ({"path": "../other"}, "no path"),
    ],
)
def test_settings_that_cannot_be(given, said):
    fields = {"tool": "flyway", "path": "db", "url": "sqlite:////x/y.db", **given}
    with pytest.raises(ValueError, match=said) as caught:
        Database("booking", "staging", repo="shop", **fields)
    assert PASSWORD not in "".join(traceback.format_exception(caught.value))


def test_who_may_know_of_it_is_who_may_read_the_repository_unless_said_otherwise():
    assert database("sqlite:////x.db").labels == {"repo:shop"}
