"""Answers for one person's eyes: sent at most once, to nobody who may read less than they rest on."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.errors import Gone, Rejected, Unavailable, Uncertain
from bots.outline import words
from bots.slack.events import Private
from bots.types import Place
from core.types import Audience, NullMetrics
from crosscheck.admission import Admission
from crosscheck.audience import Audiences
from crosscheck.delivery import BySurface
from crosscheck.replies import Reply
from crosscheck.settings_running import Limits
from crosscheck.slack.desk import Desk
from crosscheck.slack.intake import AGAIN, LOOKING, SlackIntake
from crosscheck.slack.private import NOT_HERE, VALID, PrivateDelivery, PrivateHandler
from crosscheck.worker import Worker
from state.db import open_database
from state.jobs import Jobs
from state.limits import Asked
from state.outbox import Outbox
from tests import fakes

OPEN = Place("slack", "https://slack.com", "C1DEV", "#dev", "https://slack.com/archives/C1DEV", "T1")
LEASE = timedelta(seconds=60)


class Killed(BaseException):
    """The process is gone."""


class Slack:
    """One channel, and a person's private answers."""

    send_seconds = 5.0

    def __init__(self) -> None:
        self.place_now: Place | None = OPEN
        self.told: list[str] = []
        self.ends: list[BaseException | None] = []
        """What the next sends end in; with `arrived` set, after the text was shown."""

    def place(self, _channel: str, _thread: str = "", *, member: bool = True) -> Place:
        if self.place_now is None:
            raise Gone("The bot was removed from the channel #dev")
        return self.place_now

    def tell(self, _response_url: str, body: Mapping[str, Any], *, until: float) -> None:
        end = self.ends.pop(0) if self.ends else None
        if end is not None and not getattr(end, "arrived", False):
            raise end
        self.told.append(body["text"])
        if end is not None:
            raise end

    def thread(self, *_args: Any, **_more: Any) -> tuple[()]:
        return ()

    trigger = thread


class Counter:
    """The worker over a real database, with replies that are what the test says."""

    def __init__(self, folder):
        self.clock = fakes.Clock()
        self.database = open_database(folder / "test.sqlite")
        self.jobs, self.outbox = Jobs(self.database, self.clock), Outbox(self.database, self.clock)
        self.slack, self.metrics = Slack(), fakes.Tally()
        self.audiences = Audiences({"org": ["jira:PAY"]}, outsiders=("outside",))
        self.labels = {"jira:1": frozenset({"jira:PAY"})}
        self.intake = SlackIntake(self.jobs, self.metrics, lambda: None, self.clock, team=lambda: "T1")
        self.replied: list[str] = []

    def answer(self, question, asked):
        self.replied.append(question)
        found = frozenset({"jira:1"}) if asked.audience.may_read(self.labels["jira:1"]) else frozenset()
        text = f"Answer to {question}" if found else "I found nothing"
        return Reply((words(text),), {"answer": {}}, asked.audience, found)

    def labels_now(self, ids):
        return {name: self.labels.get(name) for name in ids}

    def ask(self, text="why?", trigger="1.2.abc"):
        return self.intake.private(Private("T1", "C1DEV", "U1", text, trigger, "https://hooks.slack.com/x", None))

    def worker(self):
        more = {"audiences": self.audiences, "jobs": self.jobs}
        desk = Desk(
            replies=self,
            admission=Admission(Asked(self.database, self.clock), Limits(person_hour=3), NullMetrics()),
            outside=frozenset({"C1OUT"}),
            jira_site="https://jira.example",
            form="xlsx",
            posting=True,
            **more,
        )
        handler = PrivateHandler(desk, self.slack)
        delivery = PrivateDelivery(
            client=self.slack,
            outbox=self.outbox,
            labels_now=self.labels_now,
            lease=LEASE,
            clock=self.clock,
            metrics=self.metrics,
            **more,
        )
        return Worker(
            self.jobs,
            self.outbox,
            {"private": handler},
            BySurface({"slack_private": delivery}),
            name="w",
            threads=1,
            lease=LEASE,
            limit=timedelta(minutes=15),
            clock=self.clock,
            metrics=self.metrics,
        )

    def drain(self, *, step=timedelta(minutes=3), rounds=40):
        worker, idle = self.worker(), 0
        for _ in range(rounds):
            if worker.run_once():
                idle = 0
            else:
                idle += 1
                if idle == 3:
                    return
                self.clock.now += step

    def post(self):
        return self.jobs.show(1).posts[-1]


@pytest.fixture
def desk(tmp_path):
    made = Counter(tmp_path)
    yield made
    made.database.dispose()


def test_asked_once_told_once(desk):
    assert desk.ask() == LOOKING
    assert desk.ask() == AGAIN, "the same use of the command, delivered again"
    desk.drain()
    assert desk.slack.told == ["Answer to why?"]
    assert desk.post().state == "sent"


def test_what_surely_was_not_sent_is_sent_again_at_once(desk):
    desk.ask()
    desk.slack.ends = [Unavailable("busy"), Unavailable("busy", retry_after=0.01)]
    desk.drain()
    assert desk.slack.told == ["Answer to why?"]


@pytest.mark.parametrize("end", [Uncertain("no answer came"), Rejected("invalid_blocks"), Gone("time is over")])
def test_what_may_have_been_sent_or_was_refused_is_never_sent_again(desk, end):
    desk.ask()
    desk.slack.ends = [end]
    desk.drain()
    assert (desk.slack.told, desk.post().state, desk.post().error) == ([], "failed", str(end))


@settings(max_examples=12, deadline=None)
@given(ends=st.lists(st.sampled_from(["killed", "killed after", "uncertain after", "unavailable", None]), max_size=4))
def test_whatever_happens_it_is_shown_once_at_most(tmp_path_factory, ends):
    desk = Counter(tmp_path_factory.mktemp("once"))
    desk.ask()
    desk.slack.ends = [_end(one) for one in ends]
    for _ in range(12):
        try:
            desk.drain(step=timedelta(seconds=90), rounds=8)
        except Killed:
            desk.clock.now += timedelta(minutes=2)
        else:
            break
    assert len(desk.slack.told) <= 1
    assert desk.post().state in {"sent", "failed"}
    assert (desk.post().state == "failed") or desk.slack.told
    desk.database.dispose()


def _end(how):
    if how is None:
        return None
    made = {"killed": Killed(), "killed after": Killed(), "uncertain after": Uncertain("?")}.get(how, Unavailable("!"))
    made.arrived = how.endswith("after")
    return made


def test_a_channel_that_was_opened_up_meanwhile_gets_an_answer_made_for_its_readers(desk):
    desk.ask()
    worker = desk.worker()
    worker.run_once()
    desk.audiences = Audiences({}, outsiders=())
    desk.drain()
    assert len(desk.replied) == 2, "made again for the narrower audience"
    assert desk.slack.told == ["I found nothing"]


def test_without_the_bot_nobody_knows_who_reads_a_channel(desk):
    desk.slack.place_now = None
    desk.ask()
    desk.drain()
    assert (desk.slack.told, desk.replied) == ([NOT_HERE], [])


def test_people_from_outside_get_no_answer_and_a_reason(desk):
    desk.slack.place_now = Place(*("slack", "s", "C1DEV", "#dev", "u", "T1"), customers=True)
    desk.ask()
    desk.drain()
    assert desk.replied == []
    assert "outside the organisation" in desk.slack.told[0]


def test_too_late_is_said_in_the_job_alone(desk):
    desk.ask()
    desk.worker().run_once()
    desk.clock.now += VALID + timedelta(seconds=1)
    desk.drain()
    assert (desk.slack.told, desk.post().state) == ([], "failed")
    assert "30 minutes" in desk.post().error


def test_the_address_to_answer_at_is_in_no_view_of_the_job(desk):
    from crosscheck.records import job_record, listed_record

    desk.ask()
    desk.drain()
    view = desk.jobs.show(1)
    assert "hooks.slack.com" not in f"{job_record(view)} {listed_record(view)}"


def test_an_audience_is_the_channels_readers():
    audiences = Audiences(
        {"org": ["jira:PAY"], "jira:HR": ["confluence:HR"]}, ("made for outsiders",), {"G1": ["jira:HR"], "U7": ["x"]}
    )

    def of(**changes: Any) -> Audience:
        return audiences.in_channel(Place(*("slack", "s", changes.pop("id", "C1"), "#c", "u", "T1"), **changes))

    assert of().labels == {"org", "jira:PAY", "slack:C1"}
    assert of(id="G1").labels == {"org", "jira:PAY", "slack:G1"}, "whatever is mapped to an open channel"
    assert of(id="G1", closed=True).labels == {"org", "jira:PAY", "slack:G1", "jira:HR", "confluence:HR"}
    assert of(id="G2", closed=True).labels == {"org", "jira:PAY", "slack:G2"}
    assert of(id="D1", closed=True, partner="U7").labels == {"org", "jira:PAY", "slack:D1", "x"}
    assert of(id="G1", closed=True, customers=True).labels == {"slack:G1", "made for outsiders"}
