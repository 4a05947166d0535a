"""Slack in every situation, from a person's message to what stands there afterwards."""

import pytest

from tests.crosscheck.slack.making import Stage
from tests.crosscheck.slack.page import BEGIN, END, PAGE, table
from tests.crosscheck.slack.situations import SITUATIONS, Situation


@pytest.fixture
def stage(request, situation):
    return Stage(request.getfixturevalue(situation.house))


def named(situation: Situation) -> str:
    return situation.name


def check(seen, wanted):
    """The same messages in the same order: word for word, or with what they must hold."""
    assert len(seen) == len(wanted), seen
    for text, words in zip(seen, wanted, strict=True):
        if isinstance(words, str):
            assert text == words
        else:
            assert [part for part in words.holds if part not in text] == [], text
            assert [part for part in words.lacks if part in text] == [], text


@pytest.mark.parametrize("situation", SITUATIONS, ids=named)
def test_what_people_see(stage, situation):
    situation.put(stage)
    everybody, alone = stage.everybody(), stage.alone()
    check(everybody, situation.everybody)
    check(alone, situation.alone)
    assert stage.files() == list(situation.files)
    assert stage.record() == situation.record.replace("NAME", stage.slack.channel(stage.channel).name)
    threads = {one.thread for one in stage.said()}
    assert None not in threads, "an answer stands in its thread"
    assert len(threads) <= 1


def test_the_page_shows_the_same():
    shown = PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    assert shown == table(), "run python -m tests.crosscheck.slack.page"


def test_every_situation_has_a_name_of_its_own():
    assert len({situation.name for situation in SITUATIONS}) == len(SITUATIONS)
