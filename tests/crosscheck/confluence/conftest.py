from contextlib import ExitStack

import pytest

from crosscheck.settings import Worker
from crosscheck.settings_commands import Commands
from tests.crosscheck.confluence.judging import Requests, judged
from tests.crosscheck.confluence.making import Stage
from tests.crosscheck.confluence.stage import AUTHOR, wiki
from tests.specs import judge

STRICT = Commands(review=("pruefen",), ask=("frage",), groups=("engineering",), cooldown_minutes=10, queue=2)
HOUSES = {
    "library": {"indexed": True},
    "desk": {},
    "narrow": {"reader": AUTHOR},
    "strict": {"commands": STRICT, "worker": Worker(threads=1)},
    "silent": {"posting": False},
    "mute": {"confluence": {"answers": False}},
}
"""`library` has an index; `narrow` reads with an account that is not of the leadership."""


@pytest.fixture(scope="package")
def houses(tmp_path_factory):
    """Opens each house when it is first entered."""
    with ExitStack() as stack:
        opened = {}

        def enter(name, flavour):
            if (name, flavour) not in opened:
                home = tmp_path_factory.mktemp(f"{name}-{flavour}")
                opened[name, flavour] = stack.enter_context(wiki(home, flavour, **HOUSES[name]))
            return opened[name, flavour]

        yield enter


@pytest.fixture(scope="package")
def requests_judge(shared):
    return Requests(judge(shared))


@pytest.fixture
def stage(houses, requests_judge, situation, flavour):
    """The page on which a situation happens. Whatever it is about, what is asked of Confluence is judged."""
    house = houses(situation.house, flavour)
    with judged(house.box, requests_judge), house.scene():
        yield Stage(house)
