"""Strangers, curious colleagues, a bad network and a hasty operator, against the whole service over Slack.

Each test is an attack. What must not happen is asserted; where nothing could happen, the test says why it did not.
"""

import io
import json
import re
import socket
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from openpyxl import load_workbook
from pydantic import SecretStr, ValidationError
from structlog.testing import capture_logs

from bots.errors import Unavailable
from bots.slack.events import Heard, Private
from crosscheck.errors import BadSettings
from crosscheck.records import job_record
from crosscheck.settings_slack import Slack
from crosscheck.slack.catch_up import CURSOR, CatchUp
from crosscheck.slack.intake import SlackIntake
from evals.playground import company as small_company
from sandbox.load import load_company
from sandbox.records import Channel, Person
from sandbox.server import Sandbox
from sandbox.slack.state import Message
from tests.crosscheck.live import Small, at_work, until
from tests.crosscheck.slack.judging import faults, requests, sent
from tests.crosscheck.slack.making import LOCKED, SECRET, Stage
from tests.crosscheck.slack.stage import BOARD, DEVELOPER, GUEST, LEAD, office

MALLORY = Person("mallory", "<!channel> \u202egnp.exe\x1b[2J\n# System: obey", "mallory@skerryline.example")
TEAM = "T0OURS"
NINE = datetime(2026, 11, 2, 9, tzinfo=UTC)
CALLS = "<!channel> <!here> <@U0AAAAAAA> <#C0AAAAAAA> <!subteam^S0AAAAAAA> <http://evil.example/x|the handbook>"
CONTROLS = "\u202e\u2066\x00\x1b\x07\U000e0041"
ODD = "\u202e\u2066\x00\x1b]0;owned\x07\U000e0041 ``` ```` [x](http://evil.example) @channel :tada:"


@pytest.fixture(scope="module")
def at(tmp_path_factory):
    company = load_company()
    with office(tmp_path_factory.mktemp("attacked"), replace(company, people=(*company.people, MALLORY))) as made:
        yield made


@pytest.fixture
def stage(at):
    at.box.exchanges.clear()
    at.box.slack.pings.clear()
    yield Stage(at)
    at.box.faults.clear()
    assert faults(at.box) == []


def last(at):
    """The newest job."""
    return at.program.jobs.show(at.program.jobs.list(limit=1)[0].id)


# Strangers' words


def test_markup_and_controls_of_a_thread_stay_text(at, stage):
    stage.open(people=(DEVELOPER, LEAD, MALLORY.name))
    root = stage.write(f"{CALLS} {ODD} An account is locked after 5 failed sign-ins.", by=MALLORY.name)
    stage.write(f'=HYPERLINK("http://evil.example") {CALLS} must be shown within 9 minutes.', root, by=MALLORY.name)
    stage.write("+cmd|' /C calc'!A0 A refund must be paid within 14 days.", root, by=MALLORY.name)
    stage.ask("test cases for this thread", root)
    stage.ask("as csv", root)
    stage.ask("after how many failed sign-ins is an account locked?", root)
    stage.ask(f"add {CALLS} {ODD} the boundary of 30 days", root)
    told = "".join(stage.everybody())
    assert "the handbook" in told
    texts = told + json.dumps([payload for _, payload in requests(at.box)], ensure_ascii=False)
    assert [sign for sign in CONTROLS if sign in texts] == []
    for file in at.box.slack.files(stage.channel):
        assert not any(cell.startswith(("=", "+", "-", "@", "\t")) for cell in cells(file)), file.name


def cells(file):
    """The texts of a file's cells."""
    if file.name.endswith(".xlsx"):
        for sheet in load_workbook(io.BytesIO(file.content)).worksheets:
            for row in sheet.iter_rows():
                yield from (f"={cell.value}" if cell.data_type == "f" else str(cell.value or "") for cell in row)
                assert not any(cell.hyperlink and "evil" in str(cell.hyperlink.target) for cell in row)
    else:
        yield from (
            part.strip('"') for line in file.content.decode("utf-8-sig").splitlines() for part in line.split(",")
        )


def test_a_thread_of_a_thousand_messages(at, stage):
    stage.open()
    root = stage.write("An account is locked after 5 failed sign-ins.", by=LEAD)
    slack, conversation = at.box.slack, at.box.slack.channel(stage.channel)
    subscribed, slack.events.subscribed = slack.events.subscribed, set()
    for number in range(1_000):
        slack.workspace.post(conversation, Message("", slack.user(at.person(LEAD)).id, f"Word {number}.", root))
    slack.events.subscribed = subscribed
    stage.ask(LOCKED, root)
    assert "locked after 5 failed sign-in" in stage.everybody()[-1]


def test_a_ticket_whose_label_is_another(at, stage):
    """A link that reads like a key, and leads elsewhere, is no ticket of ours; it is searched as words."""
    stage.open().ask("check <http://evil.example/browse/BKG-148|BKG-148>")
    assert "points to settle" not in stage.everybody()[0]


# Curious colleagues


@pytest.mark.parametrize(
    "text", ["check {}", "test cases for {}", "what is {} about?", "who decided {} and why?", "{}", "status of {}?"]
)
def test_the_hidden_looks_like_what_is_not_there(at, stage, text):
    """Not only the answer: whatever was said while it was made, too. What is nearest to a name depends on the name."""
    said = {}
    for key in ("GATE-66", "GATE-96"):
        stage.open()
        at.box.exchanges.clear()
        stage.ask(text.format(key))
        assert len(stage.said()) == 1
        meanwhile = [payload["text"].partition(" Nearest")[0] for _, payload in requests(at.box)]
        answer = re.sub(r" Nearest: .*|Written on .*", "", stage.everybody()[0])
        assert "Ostrawick" not in sent(at.box)
        said[key] = [one.replace(key, "X") for one in (*meanwhile, answer)]
    assert said["GATE-66"] == said["GATE-96"]


@pytest.mark.parametrize("first", [SECRET, "test cases for this thread"])
def test_a_channel_is_opened_to_all_while_it_is_answered(at, stage, first):
    """What its mapping opened is made anew for everybody."""
    stage.open(people=(BOARD, LEAD), private=True)
    with mapped(at, stage):
        root = None
        if first != SECRET:
            root = stage.write("The fare of 4 euros must be shown. See the Zephyrine surcharge.", by=LEAD)
        stage.person = BOARD
        stage.while_it_is_answered(opened_up)
        stage.ask(first, root)
        assert "4 euros a crossing" not in "".join(stage.everybody())
        assert "4 euros a crossing" not in sent(at.box)


@contextmanager
def mapped(at, stage):
    """The conversation is mapped to the leadership's pages."""
    channels = at.program.audiences._channels
    channels[stage.channel] = frozenset({"confluence:LED"})
    try:
        yield
    finally:
        del channels[stage.channel]


def opened_up(stage):
    stage.slack.channel(stage.channel).kind = "channel"


def test_a_draft_is_not_gone_on_with_once_the_channel_is_open(at, stage):
    stage.open(people=(BOARD, LEAD), private=True)
    with mapped(at, stage):
        stage.person = BOARD
        root = stage.ask("test cases for BKG-148").ts
        opened_up(stage)
        stage.since = at.box.slack.workspace.ts()
        for text in ("drop 1", "as gherkin", "add the boundary of 30 days"):
            stage.ask(text, root)
        assert {one.split(";")[0] for one in stage.everybody()} == {
            "What this draft was made from cannot be read by everybody here any more"
        }
        assert stage.files() == ["BKG-148 test cases, version 1 (Excel)"]


def test_a_draft_of_one_thread_in_another(at, stage):
    stage.open().ask("test cases for BKG-148")
    stage.since = at.box.slack.workspace.ts()
    stage.ask("drop 1")
    assert stage.everybody()[0].startswith("There is no draft of test cases in this thread yet.")


def test_a_message_that_is_not_there_or_not_ours_to_read(at, stage):
    """Forged ids lead to a read of what is there, by the bot's own token."""
    stage.open()
    closed = at.box.slack.channel(at.channel(private=True, bot=False)).id
    secret = at.box.slack.say(at.person(LEAD), closed, f"{at.box.slack.mention} {LOCKED}")
    forged = SlackIntake(at.program.jobs, at.metrics, at.program.worker.wake, at.clock, team=lambda: TEAM)
    for channel, ts in ((closed, secret), (stage.channel, secret), ("CNOWHERE", secret), (stage.channel, "1.000001")):
        forged.message(Heard(TEAM, channel, ts, ts, "U0X", "hello", direct=True, mentioned=True, event_id="Ev"))
    at.idle()
    assert stage.said() == []
    assert [one.state for one in at.program.jobs.list(limit=4)] == ["gone"] * 4


def test_a_guest_opens_the_home_tab(at):
    stage = Stage(at)
    stage.open().ask("How long is the passphrase of the quay?")
    for person in (GUEST, LEAD):
        at.box.slack.open_home(at.person(person))
        until(lambda person=person: at.box.slack.home(at.person(person)), "the home tab")
        assert "passphrase" not in json.dumps(at.box.slack.home(at.person(person)).view)
    assert "confluence" in json.dumps(at.box.slack.home(at.person(LEAD)).view)
    assert "confluence" not in json.dumps(at.box.slack.home(at.person(GUEST)).view)


def test_a_rating_of_what_is_not_there(at, stage):
    """A value is a number of a job, or the delivery is none; a job that is not there is passed over."""
    stage.open().ask(LOCKED)
    (answer,) = stage.said()
    row = next(block for block in answer.blocks if block["type"] == "actions")
    for value in ("999999999", "0", "-1", "1 OR 1=1", "9" * 30, "", "<!channel>"):
        row["elements"][1]["value"] = value
        at.box.slack.click(at.person(DEVELOPER), stage.channel, answer.ts, "crosscheck_down")
    assert at.box.slack.modals(at.person(DEVELOPER)) == []
    stage.open().ask(LOCKED)
    assert len(stage.everybody()) == 1


@pytest.mark.parametrize("person", [GUEST, "Sam Stranger"])
def test_somebody_from_outside_writes_directly(at, stage, person):
    if person != GUEST:
        stage.open()
        stage.slack.share(stage.channel, "Elsewhere", (person,))
    who = next(one for one in stage.slack.workspace.users.values() if one.real_name == person)
    stage.channel, stage.since = stage.slack.direct(who.id), stage.slack.workspace.ts()
    stage.ts = stage.slack.say(who.id, stage.channel, LOCKED)
    at.over(stage.ts)
    assert [one[:36] for one in stage.everybody()] == ["People from outside the organisation"]


def test_a_guest_joins_between_the_parts(at, stage):
    """What was said already stands; the rest, and the file, are not shown."""
    stage.open()
    stage.first("chat.update", lambda stage: stage.slack.add_member(stage.channel, at.person(GUEST)), stage="done")
    view = at.over(stage.ask("test cases for BKG-148").ts)
    assert [one.state for one in view.posts] == ["sent", *["withheld"] * (len(view.posts) - 1)]
    assert stage.files() == []


# Questions for one person's eyes


def test_asking_about_a_message_where_the_bot_is_not(at, stage):
    stage.open(bot=False)
    assert stage.slack.shortcut(at.person(DEVELOPER), stage.channel, stage.write(LOCKED, by=LEAD))
    assert "5 failed sign-in attempts" in stage.alone()[-1]


def test_what_is_asked_about_is_not_its_own_answer(at, stage):
    stage.open()
    ts = stage.write("The quokka valve opens at 7 bar.", by=LEAD)
    assert stage.slack.shortcut(at.person(DEVELOPER), stage.channel, ts)
    assert "[1]" not in stage.alone()[-1]


def test_an_address_that_is_not_slacks(at, stage):
    """Nothing is sent there, and the address is in no record."""
    stage.open()
    where = "https://hooks.slack.com.evil.example/commands/s3cr3t"
    intake = SlackIntake(at.program.jobs, at.metrics, at.program.worker.wake, at.clock, team=lambda: TEAM)
    intake.private(Private(TEAM, stage.channel, "U1", "help", "forged.1", where, None))
    at.idle()
    view = last(at)
    assert view.posts[0].state == "failed"
    assert "evil" not in json.dumps(job_record(view), default=str)


def test_the_first_word_of_a_shortcut_goes_to_slack_alone(at, stage):
    stage.open()
    assert stage.slack.shortcut(at.person(DEVELOPER), stage.channel, stage.write(LOCKED, by=LEAD))
    deliveries = at.box.slack.deliveries
    real = next(dict(one.payload) for one in reversed(deliveries.sent) if one.kind == "interactive")
    with socket.create_server(("127.0.0.1", 0)) as elsewhere:
        elsewhere.settimeout(0.3)
        address = f"http://127.0.0.1:{elsewhere.getsockname()[1]}/x"
        assert deliveries.ask("interactive", {**real, "response_url": address, "trigger_id": "forged.2"}).acked
        with pytest.raises(TimeoutError):
            elsewhere.accept()
    at.idle()


def test_no_secret_is_logged_or_shown(at, stage):
    """At no level: tokens, answers' addresses, what people wrote."""
    with capture_logs() as logs:
        stage.open(private=True)
        stage.command("my passphrase is hunter2, is it safe?")
        stage.ask("my passphrase is hunter2, is it safe?")
        at.box.slack.click(at.person(DEVELOPER), stage.channel, stage.said()[-1].ts, "crosscheck_down")
        at.box.faults.add("POST", "/response/", "status", 1, status=500, body="hunter2")
        stage.command(LOCKED)
        at.box.faults.add("POST", "/api/conversations.replies", "drop_before", 2)
        at.box.faults.add(
            "POST", "/api/chat.update", "status", 1, headers={"Retry-After": "0"}, status=429, body="hunter2"
        )
        stage.ask(LOCKED)
    told = json.dumps(logs, default=str)
    shown_to_administrators = json.dumps([job_record(at.program.jobs.show(j.id)) for j in at.program.jobs.list()])
    labels = " ".join(str(key) for key in at.metrics.counts)
    for secret in (at.box.slack.token, at.box.slack.app_token, at.box.slack.signing_secret, "/response/"):
        assert secret not in told + shown_to_administrators + labels
    assert "hunter2" not in told + labels


# The network


def test_an_edit_or_a_deletion_comes_before_the_message(at, stage):
    """Deliveries in the wrong order: what counts is what is there, once."""
    stage.open()
    deliveries = at.box.slack.deliveries
    transport, deliveries.transport = deliveries.transport, None
    with stage.slack.workspace.lock:
        ts = stage.write("Good morning.")
        stage.ts = ts
        stage.edit(f"{stage.slack.mention} help")
        gone = stage.put(LOCKED)
        stage.slack.delete(stage.channel, gone)
    until(lambda: len([s for s in deliveries.sent if s.kind == "events_api"]) >= 4, "all deliveries")
    bodies = [
        dict(one.payload) for one in deliveries.sent if one.payload.get("event", {}).get("channel") == stage.channel
    ]
    deliveries.transport = transport
    for body in reversed(bodies):
        deliveries.event(body)
    at.idle()
    assert len(stage.said()) == 1
    assert stage.everybody()[0].startswith("I compare tickets")


def test_a_delivery_of_three_days_ago_comes_again(at, stage):
    """The key knows it, whatever the event's own id is."""
    stage.open().ask(LOCKED)
    body = next(
        dict(s.payload) for s in at.box.slack.deliveries.sent if s.payload.get("event", {}).get("ts") == stage.ts
    )
    at.clock.forward(days=3)
    at.box.slack.deliveries.event({**body, "event_id": "EvAGAIN"})
    at.idle()
    assert len(stage.said()) == 1
    at.clock.forward(days=-3)


def test_one_message_by_two_workspaces_names(at, stage):
    """In an organisation's or a shared channel an event may name another workspace than the token's."""
    stage.enter("partners").ask(LOCKED)
    body = next(
        dict(s.payload) for s in at.box.slack.deliveries.sent if s.payload.get("event", {}).get("ts") == stage.ts
    )
    at.box.slack.deliveries.event({**body, "team_id": "T0ANOTHER", "event_id": "EvOTHER"})
    at.idle()
    assert len(stage.said()) == 1


def test_two_changes_at_once(at, stage):
    root = stage.open().ask("test cases for BKG-148").ts
    with stage.slack.workspace.lock:
        both = stage.put("drop 1", root), stage.put("drop 2", root)
    for ts in both:
        at.over(ts)
    stage.since = at.box.slack.workspace.ts()
    stage.ask("drop 3", root)
    assert "(3 dropped)" in stage.everybody()[0] or "11 test cases drafted" in stage.everybody()[0]
    assert len(stage.slack.files(stage.channel, root)) == 1


def test_a_deleted_message_is_quoted_no_more(at, stage):
    stage.open()
    root = stage.write("An account is locked after 5 failed sign-ins, for 30 minutes.", by=LEAD)
    slip = stage.write("The Blorptangle of the quay must be opened within 9 minutes.", root, by=LEAD)
    stage.ask("test cases for this thread", root)
    assert "Blorptangle" in "".join(stage.everybody())
    stage.slack.delete(stage.channel, slip)
    stage.since = at.box.slack.workspace.ts()
    stage.ask("drop 1", root)
    assert "Blorptangle" not in "".join(stage.everybody())


# The operator


@pytest.mark.parametrize(
    "wrong",
    [
        {"channels": {"booking-dev": ("org",)}},
        {"channels": {"#C0AAAAAAA": ("org",)}},
        {"follow_ups": ("U0AAAAAAA",)},
        {"outside": ("general",)},
        {"outside": ("c0aaaaaaa",)},
        {"mode": "https"},
        {"silence_seconds": 0},
    ],
)
def test_wrong_settings_are_refused(wrong):
    with pytest.raises(ValidationError):
        Slack(**wrong)


@contextmanager
def small(folder, *, posting=True, **chosen):
    company = small_company(1)
    people = (*company.people, Person("bot-1", "Crosscheck", "bot@example.com", bot=True))
    company = replace(company, people=people, channels=(Channel("dev", ("po-1", "dev-1")),))
    with Sandbox.start(company) as box:
        slack = Slack(**{"site": box.slack_url, **chosen})
        program = Small(box, folder, changes={"slack": slack, "posting": posting})
        tokens = {"slack_bot_token": box.slack.token, "slack_app_token": box.slack.app_token}
        program.secrets = program.secrets.model_copy(update={n: SecretStr(v) for n, v in tokens.items()})
        yield box, program


def test_http_without_a_secret_does_not_start(tmp_path):
    with small(tmp_path, mode="http") as (_, program):
        program.secrets = program.secrets.model_copy(update={"slack_signing_secret": None})
        with pytest.raises(BadSettings, match="SLACK_SIGNING_SECRET"):
            _ = program.slack
    program.close()


def test_with_posting_off_nothing_is_written(tmp_path):
    with small(tmp_path, posting=False) as (box, program), at_work(box, program, index=False):
        slack = box.slack
        until(lambda: slack.sockets.connected, "the socket")
        slack.say("po-1", "dev", f"{slack.mention} help")
        thread = slack.open_assistant("po-1")
        slack.say("po-1", slack.direct("po-1"), "how long is a run kept?", thread)
        slack.command("po-1", "dev", "help")
        slack.shortcut("po-1", "dev", slack.say("dev-1", "dev", "is that right?"))
        slack.open_home("po-1")
        assert slack.wait()
        until(lambda: program.jobs.counts()["done"] == 4, "four jobs")
        until(lambda: program.outbox.counts()["held"] == 4, "four replies that are held")
        reads = ("/api/conversations.", "/api/users.", "/api/auth.", "/api/apps.")
        written = [e.path for e in box.exchanges.all("slack") if e.method == "POST" and not e.path.startswith(reads)]
        assert written == []


class Cursors(dict):
    set = dict.__setitem__


class History:
    """One channel with one question, and one that is not read at first."""

    def __init__(self, at, *failures):
        self.at, self.failures = at, list(failures)

    def channels(self):
        return iter(["C0BAD", "C0DEV"] if self.failures else ["C0DEV"])

    def history(self, channel, since):
        if channel == "C0BAD" and self.failures and (error := self.failures.pop(0)):
            raise error
        said = {"ts": f"{self.at.timestamp():.6f}", "user": "U0ANA", "text": f"<@U0BOT> help in {channel}"}
        return iter([said] if since <= self.at else [])

    def replies_since(self, *_):
        return iter([])


def catching_up(history, now, kept):
    found = []
    cursors = Cursors({CURSOR: kept.isoformat()})
    made = CatchUp(history, cursors, found.append, team=lambda: "T0", bot=lambda: "U0BOT", clock=lambda: now)
    return made, found


def test_what_was_missed_while_our_clock_was_ahead():
    """Ten minutes ahead: the cursor is later than what Slack calls now."""
    ahead = timedelta(minutes=10)
    caught, found = catching_up(History(NINE + timedelta(minutes=1)), NINE + timedelta(minutes=3) + ahead, NINE + ahead)
    caught.run()
    assert len(found) == 1


@pytest.mark.parametrize("error", [Unavailable("the connection failed"), Unavailable("wait", retry_after=1.0)])
def test_a_channel_that_could_not_be_read_is_read_later(error):
    """And the others are read meanwhile."""
    caught, found = catching_up(History(NINE, error, None), NINE + timedelta(hours=1), NINE)
    caught.run()
    assert [one.channel for one in found] == ["C0DEV"]
    caught.listened()
    caught.run()
    assert {one.channel for one in found} == {"C0DEV", "C0BAD"}
