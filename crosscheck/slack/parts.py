"""Slack's part of the program: every piece, made when it is first asked for."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

import structlog

from bots.errors import BotError
from bots.slack.client import SlackClient
from bots.slack.events import Heard, Private
from bots.slack.mrkdwn import escape
from bots.text import one_line
from bots.types import Trigger
from core.spans import OFF, Spans
from core.types import Audience, Freshness, Metrics
from crosscheck.admission import Admission
from crosscheck.assured import LabelsNow
from crosscheck.audience import Audiences
from crosscheck.delivery import DeliveryHandler
from crosscheck.errors import BadSettings
from crosscheck.replies import Replies
from crosscheck.settings import Secrets
from crosscheck.settings_slack import Slack
from crosscheck.slack.catch_up import CatchUp
from crosscheck.slack.desk import Desk
from crosscheck.slack.handler import MessageHandler
from crosscheck.slack.home import Greeting
from crosscheck.slack.intake import SlackIntake
from crosscheck.slack.private import PrivateDelivery, PrivateHandler
from crosscheck.slack.role import Listening, Session
from crosscheck.slack.threads import with_threads
from crosscheck.slack.waiting import Signs
from crosscheck.worker import Delivers, Handler, Pause
from state.cursors import Cursors
from state.db import Database
from state.drafts import Drafts
from state.errors import StateError
from state.feedback import Feedback
from state.jobs import Jobs
from state.outbox import Outbox

log = structlog.get_logger(__name__)

if TYPE_CHECKING:  # bolt is imported where somebody listens
    from slack_bolt import App


def slack_client(chosen: Slack, secrets: Secrets, *, timeout: float = 10.0) -> SlackClient:
    """The bot. Raises BadSettings when the site or the token cannot be one."""
    try:
        return SlackClient(secrets.need("slack_bot_token"), site=chosen.site, timeout=timeout)
    except ValueError as error:
        raise BadSettings(f"Slack: {error}.") from error


def why_ignored(trigger: Trigger, floor: datetime, follow_ups: Collection[str]) -> str | None:
    """Why a message, as read now, is not answered; None when it is. In the threads of the channels `follow_ups` it may
    address the bot without a mention.
    """
    follows = trigger.place.id in follow_ups and trigger.place.thread != trigger.comment_id
    if trigger.by_bot:
        return "written by a bot"
    if trigger.command is None and not follows:
        return "the message does not address the bot (any more)"
    if trigger.created < floor:
        return "written before this installation began to answer"
    return None


class SlackParts:
    """All of Slack over one workspace. Nothing is asked of Slack until somebody listens or works."""

    def __init__(
        self,
        settings: Slack,
        *,
        client: SlackClient,
        app_token: str,
        signing_secret: str,
        database: Database,
        jobs: Jobs,
        outbox: Outbox,
        audiences: Audiences,
        admission: Admission,
        freshness: Callable[[Audience], Sequence[Freshness]],
        labels_now: LabelsNow,
        floor: Callable[[], datetime],
        jira_site: str,
        posting: bool,
        lease: timedelta,
        pause: Pause,
        clock: Callable[[], datetime],
        metrics: Metrics,
        spans: Spans = OFF,
    ) -> None:
        self.settings = settings
        self._app_token = app_token
        self._signing_secret = signing_secret
        self.client = client
        self._database = database
        self._jobs = jobs
        self._outbox = outbox
        self._audiences = audiences
        self._admission = admission
        self._freshness = freshness
        self.labels_now = with_threads(labels_now, self.client)
        self._floor = floor
        self._jira_site = jira_site
        self._posting = posting
        self._lease = lease
        self._pause = pause
        self._clock = clock
        self._metrics = metrics
        self._spans = spans

    def ignored(self, trigger: Trigger) -> str | None:
        return why_ignored(trigger, self._floor(), self.settings.follow_ups)

    def handlers(self, replies: Replies) -> Mapping[str, Handler]:
        """By kind of job."""
        desk = Desk(
            replies,
            self._audiences,
            self._jobs,
            self._admission,
            outside=frozenset(self.settings.outside),
            jira_site=self._jira_site,
            form=self.settings.form,
            posting=self._posting,
        )
        messages = MessageHandler(desk, self.client, Drafts(self._database), self.ignored)
        return {"message": messages, "private": PrivateHandler(desk, self.client)}

    def deliveries(self) -> Mapping[str, Delivers]:
        """By the surface that a post's payload names."""
        threads = DeliveryHandler(
            client=self.client,
            audiences=self._audiences,
            jobs=self._jobs,
            outbox=self._outbox,
            labels_now=self.labels_now,
            ignored=self.ignored,
            lease=self._lease,
            pause=self._pause,
            sign=Signs(self.client),
            clock=self._clock,
            metrics=self._metrics,
        )
        private = PrivateDelivery(
            client=self.client,
            audiences=self._audiences,
            jobs=self._jobs,
            outbox=self._outbox,
            labels_now=self.labels_now,
            lease=self._lease,
            clock=self._clock,
            metrics=self._metrics,
        )
        return {"slack": threads, "slack_private": private}

    def listening(self, wake: Callable[[], None]) -> Listening:
        """What listens. Messages are stored by the thread that acknowledges them."""
        intake = SlackIntake(
            self._jobs,
            self._metrics,
            wake,
            self._clock,
            team=lambda: self.client.whoami().team_id,
            follow_ups=self.settings.follow_ups,
            posting=self._posting,
            spans=self._spans,
        )
        caught_up = CatchUp(
            self.client,
            Cursors(self._database),
            lambda heard: intake.message(heard, "catch-up"),
            team=lambda: self.client.whoami().team_id,
            bot=lambda: self.client.whoami().user_id,
            clock=self._clock,
        )
        incoming = Incoming(intake, self.greeting, caught_up, self.client if self._posting else None)

        def make_app() -> "App":
            from slack_sdk import WebClient

            from bots.slack.listeners import make_app

            me = self.client.whoami()
            log.info("connected to Slack", bot=one_line(me.user or me.user_id, 80), workspace=one_line(me.team, 80))
            return make_app(WebClient(token=""), incoming, self._signing_secret or None, me.user_id)

        def make_session(app: "App") -> Session:
            from bots.slack.socket import Socket

            return Socket(
                app,
                self._app_token,
                site=self.settings.site,
                silence=self.settings.silence_seconds,
                metrics=self._metrics,
                on_gap=caught_up.run,
            )

        return Listening(make_app, make_session if self.settings.mode == "socket" else None, caught_up)

    @cached_property
    def greeting(self) -> Greeting:
        return Greeting(
            self.client,
            self._jobs,
            Feedback(self._database),
            self._audiences,
            self._freshness,
            self._clock,
            shown=self._posting,
        )


SECONDS = 5.0  # for a courtesy


class Incoming:
    """`bots.slack.listeners.Handlers`."""

    def __init__(self, intake: SlackIntake, greeting: Greeting, caught_up: CatchUp, client: SlackClient | None) -> None:
        """Without a client nobody is told anything."""
        self._intake = intake
        self._greeting = greeting
        self._caught_up = caught_up
        self._client = client

    def message(self, heard: Heard) -> None:
        """What cannot be stored is not acknowledged, and read from its channel later: Slack repeats it thrice only."""
        try:
            self._intake.message(heard)
        except StateError:
            self._caught_up.missed()
            raise

    def private(self, asked: Private) -> str:
        return self._intake.private(asked)

    def tell(self, response_url: str, text: str) -> None:
        """A courtesy: the answer comes all the same."""
        if self._client is None:
            return
        body = {"response_type": "ephemeral", "replace_original": False, "text": escape(text)}
        try:
            self._client.tell(response_url, body, until=time.monotonic() + SECONDS)
        except BotError as error:
            log.info("not told that it is at work", reason=str(error))

    def home(self, user: str) -> None:
        self._greeting.home(user)

    def assistant(self, channel: str, thread: str) -> None:
        self._greeting.assistant(channel, thread)

    def feedback(self, job: int, user: str, verdict: str, reason: str, trigger_id: str | None) -> None:
        self._greeting.feedback(job, user, verdict, reason, trigger_id)
