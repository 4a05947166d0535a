"""A small company, served on loopback, and connectors to it that do not wait long."""

import pytest

from core.connectors.confluence import ConfluenceConnector
from core.connectors.http import Limits
from core.connectors.jira import JiraConnector, JiraReader
from sandbox.server import Sandbox
from tests.sandbox_fixtures import company

QUICK = Limits(attempts=3, longest_wait=0.2, silence_seconds=5)


@pytest.fixture
def box():
    with Sandbox.start(company()) as running:
        yield running


@pytest.fixture
def reader(box):
    return reader_of(box)


@pytest.fixture
def jira(reader):
    return JiraConnector("jira", reader, ["SHOP", "HELP"])


@pytest.fixture
def wiki(box):
    return ConfluenceConnector("wiki", box.confluence_url, box.read_user, box.read_token, ["POL", "LED"], limits=QUICK)


def reader_of(box, **options):
    return JiraReader(box.jira_url, box.read_user, box.read_token, **{"limits": QUICK, **options})
