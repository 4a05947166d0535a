import pytest

from tests.crosscheck.console.stage import staged


@pytest.fixture
def stage(tmp_path):
    with staged(tmp_path) as made:
        yield made


@pytest.fixture(scope="module")
def shared_stage(tmp_path_factory):
    """One for tests that do not mind what others left there: a program's first page costs a second."""
    with staged(tmp_path_factory.mktemp("console")) as made:
        yield made
