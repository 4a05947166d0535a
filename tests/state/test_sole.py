"""What nobody may do while the service uses the database, on whatever host."""

import psycopg
import pytest

from state.db import open_database
from state.errors import DatabaseLocked
from state.restoring import mark, restored_at
from state.revisions import all_revisions, downgrade


@pytest.fixture
def address(cluster):
    return cluster.create()


@pytest.fixture
def engine():
    return "postgresql"


def test_a_database_in_use_is_neither_marked_nor_brought_back(address):
    """A worker that goes on would not look first, and answer a second time."""
    service = open_database(address)
    database = open_database(address)
    with pytest.raises(DatabaseLocked, match="Stop all its processes"):
        mark(database, ())
    assert restored_at(database) is None
    with psycopg.connect(address) as shell:  # a person who looks is no process of ours
        shell.execute("SELECT 1")
        service.dispose()
        database.dispose()
    database = open_database(address)
    mark(database, ())
    assert restored_at(database) is not None
    with pytest.raises(DatabaseLocked, match="nothing was changed"):
        downgrade(address, all_revisions()[1])
    database.dispose()
    assert "leader" in downgrade(address, all_revisions()[1])
