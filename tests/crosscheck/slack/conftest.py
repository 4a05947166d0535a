from dataclasses import replace

import pytest

from crosscheck.settings_reviewing import Model
from sandbox.load import load_company
from sandbox.records import Person
from tests.crosscheck.slack.judging import judged
from tests.crosscheck.slack.outside import with_outside_text
from tests.crosscheck.slack.stage import office

OTHER_BOT = Person("release-bot", "Release Bot", "release.bot@skerryline.example", bot=True)


@pytest.fixture(scope="package")
def company():
    """The company with another bot, and with texts that would like to be more than text."""
    loaded = load_company()
    return with_outside_text(replace(loaded, people=(*loaded.people, OTHER_BOT)))


@pytest.fixture(scope="package")
def usual_house(company, tmp_path_factory):
    with office(tmp_path_factory.mktemp("usual"), company) as made:
        yield made


@pytest.fixture(scope="package")
def bad_house(company, tmp_path_factory):

    def modelled(box):
        return {"model": Model(name="openai:scripted", base_url=f"{box.model_url}/v1", seconds=2)}

    with office(tmp_path_factory.mktemp("bad-day"), company, changes=modelled) as made:
        yield made


@pytest.fixture
def usual(usual_house):
    """The service over the company's Slack; whatever a test is about, what goes to Slack is judged."""
    with judged(usual_house.box):
        yield usual_house


@pytest.fixture
def bad_day(bad_house):
    """The same with a model that gives no answer, and a clock that can be moved."""
    with judged(bad_house.box):
        yield bad_house
