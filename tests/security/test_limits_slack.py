"""How much one may ask on Slack: told in the thread once, and to the person alone each time."""

from dataclasses import replace

import pytest

from bots.slack.events import Heard
from bots.types import Place, Trigger, Visibility
from core.types import NullMetrics
from crosscheck.admission import Admission
from crosscheck.settings_running import Limits
from crosscheck.slack.desk import Desk
from crosscheck.slack.handler import MessageHandler
from crosscheck.slack.intake import SlackIntake
from state.drafts import Drafts
from state.limits import Asked
from tests import fakes
from tests.crosscheck.test_private_answers import Counter

CHANNEL = Place("slack", "https://slack.example", "C1DEV", "dev", "https://slack.example/C1DEV", "T1", thread="1.1")
MESSAGE = Trigger(CHANNEL, "1.1", "Ana", "U1", fakes.START, "ask", Visibility(), False, "https://slack.example/1")


class Channel:
    """A channel with one message; of what the bot does while it works nothing is shown."""

    def __init__(self):
        self.begun = 0

    def trigger(self, _channel, ts):
        return replace(MESSAGE, comment_id=ts, place=replace(CHANNEL, thread=ts), text="why?")

    def thread(self, *_args, **_more):
        return ()

    def working(self, *_args):
        self.begun += 1
        return ""

    say = end = status = title = thread


@pytest.fixture
def counter(tmp_path):
    counter = Counter(tmp_path)
    yield counter
    counter.database.dispose()


def results(counter):
    views = [counter.jobs.show(job.id) for job in counter.jobs.list(limit=100)]
    assert {view.job.state for view in views} == {"done"}
    return [view.result for view in reversed(views)]


def test_a_flood_in_a_channel_is_answered_as_often_as_one_may_and_told_once(counter):
    """And no sign of life is shown for what is not answered."""
    channel, desk = Channel(), desk_of(counter, person_hour=2)
    intake = SlackIntake(counter.jobs, counter.metrics, lambda: None, counter.clock, team=lambda: "T1")
    for number in range(10):
        intake.message(heard(number))
    handler = MessageHandler(desk, channel, Drafts(counter.database), lambda _trigger: None)
    while claim := counter.jobs.claim("w", fakes.timedelta(seconds=60)):
        handler.handle(claim)
    found = results(counter)
    assert len(counter.replied) == channel.begun == 2
    assert ["nothing more of yours" in one.get("refused", "") for one in found].count(True) == 1
    assert sum("told before" in one.get("ignored", "") for one in found) == 7
    assert counter.outbox.counts()["queued"] == 3


def test_a_private_question_that_is_one_too_many_is_told_each_time(counter):
    """It was told that it is looked into, and nobody else is disturbed."""
    for number in range(5):
        counter.ask(trigger=f"1.{number}")
    worker = counter.worker()
    while worker.run_once():
        pass
    assert len(counter.replied) == 3
    assert [("refused" in one) for one in results(counter)] == [False] * 3 + [True] * 2


def desk_of(counter, **limits):
    return Desk(
        replies=counter,
        admission=Admission(Asked(counter.database, counter.clock), Limits(**limits), NullMetrics()),
        audiences=counter.audiences,
        jobs=counter.jobs,
        outside=frozenset(),
        jira_site="https://jira.example",
        form="xlsx",
        posting=True,
    )


def heard(number):
    ts = f"1.{number}"
    return Heard("T1", "C1DEV", ts, ts, "U1", "why?", direct=False, mentioned=True, event_id=f"E{number}")
