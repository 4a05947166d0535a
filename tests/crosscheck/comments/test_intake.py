"""A comment becomes one job, and with many before it is told so."""

import pytest

from bots.errors import Unavailable
from bots.events import Noticed
from crosscheck.comments.intake import Intake
from tests import fakes


def intake(bench, queue=3, **more):
    settings = {"queue": queue, "posting": True, "metrics": bench.metrics, "wake": lambda: None, **more}
    return Intake(bench.jobs, bench.platform, **settings)


def notice(comment):
    return Noticed("jira", "10001", "PAY-1", comment, None, "test")


def notes(bench):
    return [comment.delivery_key for comment in bench.platform.comments.values() if "|queued|" in comment.delivery_key]


@pytest.fixture
def long(bench):
    """Three comments wait."""
    for number in range(3):
        intake(bench).accept(notice(f"c{number}"), "poll")
    return bench


def test_a_comment_is_one_job_however_it_is_noticed(bench):
    assert intake(bench).accept(notice("c1"), "poll") is not None
    assert intake(bench).accept(notice("c1"), "webhook") is None
    assert bench.jobs.list()[0].key == "jira|http://jira|c1|comment"


def test_who_waits_behind_many_is_told(long):
    intake(long).accept(notice("late"), "poll")
    long.worker().run_once()
    assert notes(long) == ["jira|http://jira|late|comment|queued|1"]
    (text,) = [str(comment.body) for comment in long.platform.comments.values()]
    assert "3 requests came before this one" in text


@pytest.mark.parametrize("settings", [{"queue": 4}, {"queue": 0}, {"posting": False}])
def test_nobody_is_told_who_waits_behind_few_or_where_it_is_not_wanted(long, settings):
    intake(long, **settings).accept(notice("late"), "poll")
    long.worker().run_once()
    assert notes(long) == []


def test_a_note_that_cannot_be_written_keeps_no_comment_away(long):
    def fails(_outline):
        raise Unavailable("Jira does not say what it is.")

    long.platform.render = fails
    assert intake(long).accept(notice("late"), "poll") is not None


def test_a_comment_that_asks_nothing_is_told_nothing(long):
    """The notice only names it: it is read before anything is said."""
    intake(long).accept(notice("late"), "poll")
    long.platform.trigger_now = fakes.trigger(command=None)
    long.drain()
    assert long.platform.comments == {}
