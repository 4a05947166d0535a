"""What is PostgreSQL's own: a server that goes away, locks between transactions, and who may come in."""

import subprocess
import sys
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from urllib.parse import quote

import psycopg
import pytest
from sqlalchemy import text

from evals.postgres import TRUSTED, programs, running
from state.cursors import Cursors
from state.db import open_database
from state.errors import Conflict, DatabaseAway, DatabaseLocked, DatabaseUnusable, NotStorable
from state.jobs import Jobs
from state.leases import utc_now
from state.tables import Seen
from tests.state.parts import LEASE, accept, notice

PASSWORD = "n0t-to-be-seen"
SHORT = timedelta(milliseconds=300)


@pytest.fixture
def address(cluster) -> str:
    return cluster.create()


@pytest.fixture
def engine():
    return "postgresql"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """A server that wants passwords, and can be restarted without harm to other tests."""
    access = f"{TRUSTED}host all all 127.0.0.1/32 scram-sha-256\n"
    with running(programs(), tmp_path_factory.mktemp("guarded"), access=access) as cluster:
        cluster.run(
            f"CREATE ROLE owner LOGIN PASSWORD '{PASSWORD}'",
            "CREATE DATABASE theirs OWNER owner",
            f"CREATE ROLE guest LOGIN PASSWORD '{PASSWORD}'",
        )
        yield cluster


def test_the_role_that_owns_the_database_is_enough(guarded):
    database = open_database(guarded.address("theirs", "owner"), password=PASSWORD)
    assert accept(Jobs(database)) == 1
    with database.reading() as session:
        who = "SELECT application_name, usename FROM pg_stat_activity WHERE pid = pg_backend_pid()"
        assert session.connection().exec_driver_sql(who).one() == ("crosscheck", "owner")
    database.dispose()


@pytest.mark.parametrize(
    ("user", "database", "password", "says"),
    [
        ("owner", "theirs", "wr0ng-secret", "password authentication failed"),
        ("owner", "theirs", "", "CROSSCHECK_STATE_PASSWORD"),
        ("owner", "nowhere", PASSWORD, "does not exist"),
        ("nobody", "theirs", PASSWORD, "CROSSCHECK_STATE_PASSWORD"),
        ("guest", "postgres", PASSWORD, "owner of the database"),
    ],
)
def test_who_may_not_come_in_is_told_what_to_do_without_the_password(guarded, user, database, password, says):
    with pytest.raises(DatabaseUnusable, match=says) as caught:
        open_database(guarded.address(database, user), password=password)
    assert caught.value.advice == "wake"
    assert not password or password not in everything_said(caught.value)


@pytest.mark.parametrize("query", ["sslmode=require", "sslmode=nonsense", "unknown_setting=1"])
def test_what_the_address_asks_of_libpq_is_asked(address, query):
    with pytest.raises(DatabaseUnusable) as caught:
        open_database(f"{address}?{query}")
    assert "cannot be used" in str(caught.value)


def test_settings_of_the_address_go_before_ours(address):
    options = quote("-c lock_timeout=77 -c search_path=public")
    database = open_database(f"{address}?sslmode=prefer&application_name=other&options={options}")
    with database.reading() as session:
        connection = session.connection()
        shown = [connection.exec_driver_sql(f"SHOW {name}").scalar_one() for name in SETTINGS]
    assert shown == ["77ms", "2min", "2min", "UTC", "other", "repeatable read", "on"]
    database.dispose()


SETTINGS = (
    "lock_timeout",
    "statement_timeout",
    "idle_in_transaction_session_timeout",
    "timezone",
    "application_name",
    "transaction_isolation",
    "transaction_read_only",
)


@pytest.mark.parametrize(
    "address", [f"postgresql://owner:{PASSWORD}@host:port/db", f"postgresql://owner:se@{PASSWORD}:x@host/db"]
)
def test_an_address_that_cannot_be_read_is_not_quoted(address):
    with pytest.raises(DatabaseUnusable, match="must be like postgresql://USER@HOST:5432/DATABASE") as caught:
        open_database(address)
    assert PASSWORD not in everything_said(caught.value)


def everything_said(error: BaseException) -> str:
    """As a log shows it, with its causes."""
    return "".join(traceback.format_exception(error))


def test_a_server_that_is_not_there_may_come_back():
    with pytest.raises(DatabaseAway, match=r"The database db on 127.0.0.1:9 cannot be reached") as caught:
        open_database("postgresql://owner@127.0.0.1:9/db", password=PASSWORD)
    assert caught.value.advice == "retry"


def test_a_restart_is_survived(guarded):
    database = open_database(guarded.address("theirs", "owner"), password=PASSWORD)
    jobs = Jobs(database)
    before = accept(jobs, "before a restart")

    def cut_off():
        with database.writing() as session:
            session.add(Seen(key="half", surface="jira", via="poll", at=utc_now()))
            session.flush()
            guarded.stop()
            session.exec(text("SELECT 1"))

    with pytest.raises(DatabaseAway):
        cut_off()
    with pytest.raises(DatabaseAway):
        accept(jobs, "while it is away")
    guarded.start()
    assert accept(jobs, "while it is away") > before
    with database.reading() as session:
        assert session.get(Seen, "half") is None
    database.dispose()


def test_a_connection_that_is_ended_by_an_administrator_is_replaced(address, cluster):
    database = open_database(address)
    cursors = Cursors(database)
    for n in range(3):
        cursors.set("a", str(n))
        cluster.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'crosscheck'")
    assert cursors.get("a") == "2"
    database.dispose()


def test_who_waits_for_too_long_says_so_and_changes_nothing(address):
    database = open_database(address, busy_timeout=SHORT)
    cursors = Cursors(database)
    cursors.set("a", "1")
    with psycopg.connect(address) as shell:
        shell.execute("UPDATE cursor SET value = 'shell'")
        with pytest.raises(DatabaseLocked, match="lock timeout") as caught:
            cursors.set("a", "2")
    assert caught.value.advice == "retry"
    assert cursors.get("a") == "shell"
    database.dispose()


def test_of_a_deadlock_one_may_try_again(address):
    database = open_database(address)
    cursors = Cursors(database)
    cursors.set("a", "0")
    cursors.set("b", "0")
    both = threading.Barrier(2)

    def change(first, second):
        with database.writing() as session:
            for name in (first, second):
                session.connection().execute(text("UPDATE cursor SET value = '1' WHERE name = :name"), {"name": name})
                if name == first:
                    both.wait(10)

    with ThreadPoolExecutor(2) as pool:
        changes = [pool.submit(change, *names) for names in ("ab", "ba")]
    outcomes = [one.exception() for one in changes]
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["DatabaseLocked", "NoneType"]
    database.dispose()


def test_threads_share_few_connections_and_wait_for_one(address):
    database = open_database(address, busy_timeout=timedelta(seconds=1))
    release, entered = threading.Event(), threading.Semaphore(0)

    def hold():
        with database.reading() as session:
            session.connection()
            entered.release()
            release.wait(20)

    with ThreadPoolExecutor(20) as pool:
        held = [pool.submit(hold) for _ in range(20)]
        for _ in held:
            assert entered.acquire(timeout=20)
        with pytest.raises(DatabaseLocked, match="stayed in use"):
            Cursors(database).get("a")
        release.set()
    assert Cursors(database).get("a") is None
    database.dispose()


def test_what_was_to_be_stored_is_in_no_message(address):
    database = open_database(address)
    jobs = Jobs(database)
    accept(jobs, "k-secret")

    def twice():
        with database.writing() as session:
            session.add(Seen(key="k-secret", surface="jira", via="poll", at=utc_now()))

    with pytest.raises(Conflict) as caught:
        twice()
    assert "k-secret" not in str(caught.value)
    with pytest.raises(NotStorable):
        accept(jobs, "k" * 100_000 + "".join(map(chr, range(33, 127))) * 5_000)
    database.dispose()


OPENER = """
import sys
from state.db import open_database
from state.cursors import Cursors
database = open_database(sys.argv[1])
Cursors(database).set(sys.argv[2], "opened")
database.dispose()
"""


def test_eight_processes_that_start_at_once_upgrade_once(address):
    processes = [subprocess.Popen([sys.executable, "-c", OPENER, address, f"p{n}"]) for n in range(8)]
    assert [process.wait(120) for process in processes] == [0] * 8
    database = open_database(address)
    assert [Cursors(database).get(f"p{n}") for n in range(8)] == ["opened"] * 8
    database.dispose()


def test_a_retry_does_not_take_a_post_from_the_worker_that_is_taking_it(jobs, outbox, database):
    """The administrator's retry waits for the row, finds it taken, and leaves it."""
    job = accept(jobs)
    failed = jobs.claim("w", LEASE)
    jobs.finish(failed, "failed", {}, notice(failed))
    taken, go_on = threading.Event(), threading.Event()

    def claim():
        with database.writing() as session:
            outbox._leases.take(session, "w", LEASE, outbox._give_up)
            taken.set()
            go_on.wait(10)

    with ThreadPoolExecutor(2) as pool:
        claimed = pool.submit(claim)
        assert taken.wait(10)
        retried = pool.submit(jobs.retry, job, "ann")
        with pytest.raises(TimeoutError):
            retried.result(timeout=0.3)
        go_on.set()
        claimed.result(10)
        retried.result(10)
    view = jobs.show(job)
    assert (view.job.state, [post.state for post in view.posts]) == ("queued", ["running"])
