import pytest

from tests.crosscheck.programs.stage import staged


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="package")
def stage(tmp_path_factory):
    with staged(tmp_path_factory.mktemp("programs")) as made:
        yield made
