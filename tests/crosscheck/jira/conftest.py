from contextlib import ExitStack

import pytest

from tests.crosscheck.jira.judging import Judging
from tests.crosscheck.jira.stage import town


@pytest.fixture(scope="package")
def towns(tmp_path_factory):
    """A firm with each kind of Jira, made when it is first asked for."""
    made = {}
    with ExitStack() as stack:

        def of(flavour):
            if flavour not in made:
                made[flavour] = stack.enter_context(town(flavour, tmp_path_factory.mktemp("town")))
            return made[flavour]

        yield of


@pytest.fixture(scope="package")
def judging():
    return Judging()
