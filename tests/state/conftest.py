from collections.abc import Iterator
from pathlib import Path

import pytest

from state.db import Database, open_database
from state.jobs import Jobs
from state.outbox import Outbox
from tests.state.parts import Clock


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "state.db"


@pytest.fixture
def database(path) -> Iterator[Database]:
    database = open_database(path)
    yield database
    database.dispose()


@pytest.fixture
def jobs(database, clock) -> Jobs:
    return Jobs(database, clock)


@pytest.fixture
def outbox(database, clock) -> Outbox:
    return Outbox(database, clock)
