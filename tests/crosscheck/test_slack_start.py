"""What the log says when Slack is reached, is not reached, or what comes in is not signed."""

import threading
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from slack_sdk.web import WebClient
from structlog.testing import capture_logs

from bots.errors import NotAllowed, Unavailable
from bots.slack.events import Heard
from bots.slack.listeners import make_app
from crosscheck.settings_slack import Slack
from crosscheck.slack.intake import SlackIntake
from crosscheck.slack.role import Listening
from evals.playground import company as small_company
from sandbox.records import Person
from sandbox.server import Sandbox
from tests.bots.slack.test_events import BOT
from tests.bots.slack.test_listeners import Kept
from tests.crosscheck.live import Small
from tests.fakes import Tally


class Nothing:
    """There is nothing to catch up on."""

    behind = False

    def run(self, gap=False):
        """Nothing."""

    def listened(self):
        """Nothing."""


def test_what_is_not_signed_is_said_once_a_minute():
    app = make_app(WebClient(token="xoxb-1"), Kept(), "s3cret", BOT)
    listening = Listening(lambda: app, None, Nothing())
    with capture_logs() as logs:
        for _ in range(3):
            assert listening.receive({"Content-Type": "application/json"}, b"{}")[0] == 401
    (line,) = logs
    assert line == {"event": "refused: not signed with CROSSCHECK_SLACK_SIGNING_SECRET", "log_level": "warning"}


@pytest.mark.parametrize(
    ("error", "level", "look_at"),
    [
        (NotAllowed("Slack does not accept the bot's token"), "error", "CROSSCHECK_SLACK_BOT_TOKEN"),
        (Unavailable("the connection failed"), "warning", "slack.site"),
    ],
)
def test_a_start_that_fails_says_where_to_look(error, level, look_at):
    stop = threading.Event()

    def fails():
        stop.set()
        raise error

    with capture_logs() as logs:
        Listening(fails, None, Nothing()).run(stop)
    (line,) = logs
    assert (line["log_level"], line["reason"]) == (level, str(error))
    assert look_at in line["look_at"]
    assert "crosscheck doctor" in line["look_at"]


def test_a_start_names_the_bot_and_its_workspace(tmp_path):
    company = small_company(1)
    bot = Person("bot-1", "Crosscheck", "bot@example.com", bot=True)
    with Sandbox.start(replace(company, people=(*company.people, bot))) as box:
        slack = Slack(site=box.slack_url, mode="http")
        with closing(Small(box, tmp_path, changes={"slack": slack})) as program, capture_logs() as logs:
            for _ in range(2):
                program.listening.receive({}, b"{}")
        (line,) = [line for line in logs if line["event"] == "connected to Slack"]
        assert (line["workspace"], line["log_level"]) == (box.slack.workspace.name, "info")
        assert line["bot"] == box.slack.bot.name
        assert not [word for word in (box.slack.token, box.slack.signing_secret) if word in str(logs)]


class Jobs:
    """Takes each key once."""

    def __init__(self):
        self.keys = []

    def accept(self, key, *_args, **_more):
        self.keys.append(key)
        return None if self.keys.count(key) > 1 else 1


def test_a_question_that_was_seen_before_is_no_news():
    intake = SlackIntake(Jobs(), Tally(), lambda: None, lambda: datetime.now(UTC), team=lambda: "T0")
    heard = Heard("T0", "C0DEV", "1.1", "1.1", "U0ANA", "is it?", direct=False, mentioned=True, event_id="Ev1")
    with capture_logs() as logs:
        intake.message(heard)
        intake.message(heard)
    assert [(line["outcome"], line["log_level"]) for line in logs] == [("accepted", "info"), ("seen before", "debug")]
