import pytest

from tests.evals.report import made


@pytest.fixture(scope="package")
def figures(tmp_path_factory):
    """The flow and the map of a search in the make-believe company."""
    with made.searched(tmp_path_factory.mktemp("searched")) as drawn:
        return drawn
