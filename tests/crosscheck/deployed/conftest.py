import pytest

from evals.postgres import programs
from tests.conftest import missing
from tests.core.schema import servers
from tests.crosscheck.deployed.stage import opened


@pytest.fixture(scope="package")
def company(tmp_path_factory):
    with opened(tmp_path_factory.mktemp("deployed")) as made:
        yield made


@pytest.fixture(scope="package")
def postgres(tmp_path_factory):
    if (installed := programs()) is None:
        missing("PostgreSQL's server is not installed")
    with servers.postgresql(installed, tmp_path_factory.mktemp("postgres")) as server:
        yield server
