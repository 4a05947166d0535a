import pytest

from core.mirror import Mirror
from evals.postgres import programs
from tests.conftest import missing
from tests.core.connectors.git_origin import Origin
from tests.core.schema import servers


@pytest.fixture(scope="session")
def postgres(tmp_path_factory):
    if (installed := programs()) is None:
        missing("PostgreSQL's server is not installed")
    with servers.postgresql(installed, tmp_path_factory.mktemp("pg")) as server:
        yield server


@pytest.fixture(scope="session")
def mariadb(tmp_path_factory):
    if (programs := servers.mariadb_programs()) is None:
        missing("MariaDB's server is not installed")
    with servers.mariadb(programs, tmp_path_factory.mktemp("maria")) as server:
        yield server


@pytest.fixture
def origin(tmp_path):
    return Origin(tmp_path / "origin")


@pytest.fixture
def mirror(tmp_path, origin):
    return Mirror(tmp_path / "mirror", str(origin.folder))
