import pytest

from tests.crosscheck.console.browser.chromium import person
from tests.crosscheck.console.browser.company import console


@pytest.fixture(scope="package")
def opened(tmp_path_factory):
    with console(tmp_path_factory.mktemp("console")) as made:
        yield made


@pytest.fixture(scope="package")
def known(opened):
    """A browser whose person has logged in; each test begins at a page of its own."""
    with person(opened.url) as somebody:
        somebody.log_in(opened.token)
        yield somebody


@pytest.fixture
def visitor(known):
    known.size(1280)
    known.light()
    known.scripts(on=True)
    known.said()
    return known
