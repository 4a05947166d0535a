import pytest

from tests.crosscheck.confluence.making import Stage
from tests.crosscheck.confluence.stage import FLAVOURS, wiki


@pytest.fixture(scope="package", params=FLAVOURS)
def told(request, tmp_path_factory):
    """The service over the wiki, which tells it of every comment."""
    with wiki(tmp_path_factory.mktemp(f"told-{request.param}"), request.param) as house:
        hooks = house.box.confluence_webhooks
        hooks.shape = "automation" if request.param == "cloud" else "data-center"
        hooks.deliver_to(house.hook)
        yield house


@pytest.fixture
def at(told):
    """A page where something happens."""
    hooks = told.box.confluence_webhooks
    told.box.confluence.notes.fire = hooks.fire
    with told.scene():
        yield Stage(told)
