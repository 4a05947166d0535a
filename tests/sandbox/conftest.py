import pytest

from sandbox.server import Sandbox
from tests.sandbox_fixtures import Client, as_bot, as_reader, company


@pytest.fixture
def sandbox():
    with Sandbox.start(company()) as running:
        yield running


@pytest.fixture
def reader(sandbox) -> Client:
    client = as_reader(sandbox)
    yield client
    client.session.close()


@pytest.fixture
def bot(sandbox) -> Client:
    client = as_bot(sandbox)
    yield client
    client.session.close()
