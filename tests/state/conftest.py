from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from evals.postgres import Cluster, programs, running
from state.db import Database, open_database
from state.jobs import Jobs
from state.outbox import Outbox
from state.tables import Table
from tests.conftest import missing
from tests.state.parts import Clock

EMPTY = f"TRUNCATE {', '.join(Table.metadata.tables)} RESTART IDENTITY"


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "state.db"


@pytest.fixture(scope="session")
def cluster(tmp_path_factory) -> Iterator[Cluster]:
    if (installed := programs()) is None:
        missing("PostgreSQL's server is not installed")
    with running(installed, tmp_path_factory.mktemp("pg")) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def shared_address(cluster) -> str:
    """One database for all tests that only need it to be empty, with the schema in it."""
    address = cluster.create()
    open_database(address).dispose()
    return address


@pytest.fixture(params=["sqlite", "postgresql"])
def engine(request) -> str:
    return request.param


@pytest.fixture
def fresh(engine, tmp_path, request) -> Callable[[], Path | str]:
    """Where a database without rows can be opened. On PostgreSQL that is always the same one, emptied."""
    made = 0

    def sqlite() -> Path:
        nonlocal made
        made += 1
        return tmp_path / f"{made}.db"

    def postgres() -> str:
        address = request.getfixturevalue("shared_address")
        with psycopg.connect(address) as connection:
            connection.execute(EMPTY)
        return address

    return sqlite if engine == "sqlite" else postgres


@pytest.fixture
def where(engine, path, fresh) -> Path | str:
    return path if engine == "sqlite" else fresh()


@pytest.fixture
def nowhere(engine, path, request) -> Path | str:
    """Where a database is opened for the first time."""
    return path if engine == "sqlite" else request.getfixturevalue("cluster").create()


@pytest.fixture
def database(where) -> Iterator[Database]:
    database = open_database(where)
    yield database
    database.dispose()


@pytest.fixture
def jobs(database, clock) -> Jobs:
    return Jobs(database, clock)


@pytest.fixture
def outbox(database, clock) -> Outbox:
    return Outbox(database, clock)
