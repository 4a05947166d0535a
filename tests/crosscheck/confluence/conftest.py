from contextlib import ExitStack

import pytest

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
    "strict": {"commands": STRICT},
    "silent": {"posting": False},
    "mute": {"confluence": {"answers": False}},
}
"""`library` has an index; `narrow` reads with an account that is not of the leadership."""


@pytest.fixture(scope="package")
def houses(tmp_path_factory):
    """Opens the house that is entered, and closes the one before: what nobody is in would go on polling."""
    with ExitStack() as stack:
        last = None, None, None

        def enter(name, flavour):
            nonlocal last
            if last[:2] != (name, flavour):
                stack.pop_all().close()
                home = tmp_path_factory.mktemp(f"{name}-{flavour}")
                last = name, flavour, stack.enter_context(wiki(home, flavour, **HOUSES[name]))
            return last[2]

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
