"""The same client on both kinds of Jira: a test that takes `client` runs on each."""

from collections.abc import Iterator

import pytest

from bots.jira.client import JiraClient

FLAVOURS = ("cloud", "data center")


@pytest.fixture(params=FLAVOURS)
def flavour(request) -> str:
    return request.param


@pytest.fixture
def connect(box, flavour):
    """Makes clients: the bot's, or of another person."""
    made = []

    def connect(person: str = "bot", **settings) -> JiraClient:
        if flavour == "cloud":
            client = JiraClient(box.jira_url, *box.login(person), **{"timeout": 3, **settings})
        else:
            client = JiraClient(box.jira_data_center_url, "", box.login(person)[1], **{"timeout": 3, **settings})
        made.append(client)
        return client

    yield connect
    for client in made:
        client.close()


@pytest.fixture
def client(connect) -> Iterator[JiraClient]:
    return connect()
