"""Field reports D1, S1 and S2: the same message in several deliveries, to several processes, and edited."""

import time
from contextlib import ExitStack, contextmanager
from functools import cached_property

import pytest

from crosscheck.settings_slack import Slack
from evals.playground import company
from sandbox.server import Sandbox
from sandbox.slack.deliveries import Attempt
from state.db import Database, open_database
from tests.crosscheck.live import Small, at_work, until
from tests.crosscheck.slack.judging import judged
from tests.crosscheck.slack.making import LOCKED, Stage

PERSON = "po-1"
CHANNEL = "general"
ANSWERED = "I compare tickets, policies and code."
"""How the answer to `help` begins, which needs no index."""
EIGHT = (
    Attempt(),
    Attempt(1, after=0.1),
    Attempt(0, after=0.1, same_envelope=True),
    Attempt(2, "http_error", after=0.1),
)
"""Of each of the two events that a mention is."""


class Twin(Small):
    """One of several services on one database."""

    def __init__(self, box, folder, database):
        super().__init__(box, folder, changes={"slack": Slack(site=box.slack_url)})
        self._file = database

    @cached_property
    def database(self) -> Database:
        return open_database(self._file)


@pytest.fixture
def box():
    with Sandbox.start(company(1)) as started, judged(started):
        yield started


@contextmanager
def serving(box, tmp_path, *names):
    """Services on one database, each with a connection of its own."""
    with ExitStack() as stack:
        programs = []
        for name in names:
            program = Twin(box, tmp_path / name, tmp_path / "shared.sqlite")
            stack.enter_context(at_work(box, program, index=False, webhooks=False))
            programs.append(program)
        assert box.slack.sockets.wait_connected(len(names))
        yield programs


def mentioned(box):
    return box.slack.say(PERSON, CHANNEL, f"{box.slack.mention} help")


def replies(box, channel=CHANNEL):
    """The bot's messages, once every job is over."""
    said = [one.text for one in box.slack.messages(channel) if one.user == box.slack.bot.id]
    return said if said and all(ANSWERED in text for text in said) else None


def settled(box, program, channel=CHANNEL):
    assert box.slack.wait()
    until(lambda: replies(box, channel), "an answer")

    def idle():
        counts = (program.jobs.counts(), program.outbox.counts())
        return not any(one[state] for one in counts for state in ("queued", "running"))

    until(idle, "nothing queued")
    return replies(box, channel)


def test_one_answer_to_a_message_that_is_delivered_eight_times_with_a_restart_between(box, tmp_path):
    """D1. The answer takes longer than the first deliveries, and is not done when the service is stopped."""
    box.faults.add("POST", "/api/conversations.replies$", "latency", 1, seconds=1.0)
    box.slack.deliveries.plan = EIGHT[:2]
    with serving(box, tmp_path, "one"):
        mentioned(box)
        assert box.slack.wait()
    payloads = [one.payload for one in box.slack.deliveries.sent[:2]]
    assert {one["event"]["type"] for one in payloads} == {"app_mention", "message"}
    with serving(box, tmp_path, "two") as (program,):
        for payload in payloads:
            box.slack.deliveries.event(payload)
        assert len(settled(box, program)) == 1
        assert len(program.jobs.list()) == 1
    assert len([one for one in box.slack.deliveries.sent if one.payload in payloads]) == 8


def test_one_answer_to_eight_deliveries_with_the_connection_made_anew_between(box, tmp_path):
    """D1. The retry counter begins again with the same envelope, and one acknowledgement is lost."""
    box.slack.deliveries.plan = (
        EIGHT[0],
        Attempt(1, after=0.1, lose_ack=True),
        Attempt(0, after=0.1, reconnect=True),
        EIGHT[3],
    )
    with serving(box, tmp_path, "one") as (program,):
        mentioned(box)
        assert len(settled(box, program)) == 1
        assert len(program.jobs.list()) == 1
    sent = [one.payload["event"] for one in box.slack.deliveries.sent]
    assert len([one for one in sent if one.get("user") == box.slack.user(PERSON).id]) == 8


def test_a_retry_is_answered_although_the_first_delivery_never_came(box, tmp_path):
    """D1, the reverse."""
    box.slack.deliveries.plan = (Attempt(1),)
    with serving(box, tmp_path, "one") as (program,):
        mentioned(box)
        assert len(settled(box, program)) == 1
    assert {one.number for one in box.slack.deliveries.sent} == {1}


@pytest.mark.parametrize("place", ["channel", "thread", "direct"])
def test_one_answer_to_a_mention_that_two_services_hear_of(box, tmp_path, place):
    """S1: an `app_mention` and a `message` of other event ids, 250 ms apart."""
    channel = box.slack.direct(PERSON) if place == "direct" else CHANNEL
    box.slack.events.subscribed -= {"message.channels"}
    root = box.slack.say(PERSON, CHANNEL, "Good morning.") if place == "thread" else None
    with serving(box, tmp_path, "one", "two") as programs:
        ts = box.slack.say(PERSON, channel, f"{box.slack.mention} help", root)
        assert box.slack.wait()
        first = next(one.payload for one in box.slack.deliveries.sent if one.payload["event"].get("ts") == ts)
        time.sleep(0.25)
        kind = "im" if place == "direct" else "channel"
        event = {**first["event"], "type": "message", "channel_type": kind}
        box.slack.deliveries.event({**first, "event": event, "event_id": "Ev0OTHER0ID0"})
        assert len(settled(box, programs[0], channel)) == 1
        assert len(programs[0].jobs.list()) == 1
        heard = [one.metrics.total("crosscheck_triggers_total", surface="slack", via="event") for one in programs]
        assert min(heard) >= 1, "each of the two services heard of it"


def test_no_edit_brings_a_second_answer(usual):
    """S2: a preview (a), a slip corrected (b), another question (c), the bot's own edits (d), and the end of it (e)."""
    stage = Stage(usual).open().ask()
    before = stage.everybody()
    stage.edit(stage.slack.message(stage.channel, stage.ts).text, quiet=True)
    usual.idle()
    for text in (f"{LOCKED} Thanks!", "what is a pontoon?"):
        stage.edit(f"{stage.slack.mention} {text}")
        usual.idle()
    assert stage.everybody() == before
    stage.slack.delete(stage.channel, stage.ts)
    assert stage.everybody() == before
    delivered = [one.payload.get("event", {}) for one in stage.slack.deliveries.sent]
    here = [one for one in delivered if one.get("channel") == stage.channel]
    changed = [one for one in here if one.get("subtype") == "message_changed"]
    authors = {one["message"].get("user") for one in changed}
    assert usual.bot in authors, "the bot's own edits were delivered too"
    assert [one.key for one in usual.program.jobs.list(limit=1000) if stage.channel in one.key] == [
        f"slack|{stage.slack.workspace.team}|{stage.channel}|{stage.ts}|question"
    ]
