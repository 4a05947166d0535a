"""A small company, served on loopback, and connectors to it that do not wait long."""

import pytest

from core.connectors.confluence import ConfluenceConnector
from core.connectors.http import Limits
from core.connectors.jira import JiraConnector, JiraReader
from sandbox.server import Sandbox
from tests.sandbox_fixtures import company

both = pytest.mark.parametrize("flavour", ["cloud", "data center"], indirect=True)
"""A test of Jira Cloud and of Data Center."""
QUICK = Limits(attempts=3, longest_wait=0.2, silence_seconds=5)


@pytest.fixture
def box():
    with Sandbox.start(company()) as running:
        yield running


@pytest.fixture
def flavour(request):
    """Which Jira is read; Cloud, if a test does not say `both`."""
    return getattr(request, "param", "cloud")


@pytest.fixture
def reader(box, flavour):
    return reader_of(box, flavour)


@pytest.fixture
def jira(reader):
    return JiraConnector("jira", reader, ["SHOP", "HELP"])


@pytest.fixture
def wiki(box):
    return ConfluenceConnector("wiki", box.confluence_url, box.read_user, box.read_token, ["POL", "LED"], limits=QUICK)


def reader_of(box, flavour="cloud", **options):
    """Of the same tickets on Cloud, or on Data Center with a personal access token."""
    site, user = (box.jira_url, box.read_user) if flavour == "cloud" else (box.jira_data_center_url, "")
    return JiraReader(site, user, box.read_token, **{"limits": QUICK, **options})
