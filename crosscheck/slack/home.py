"""What people open: the home tab, the assistant's panel, and what they thought of a reply."""

from collections.abc import Callable, Sequence
from datetime import datetime

import structlog

from bots.errors import BotError
from bots.slack.home import RequestLine, SourceLine, home_view
from bots.slack.modals import reason_modal
from core.types import ORG, Audience, Freshness
from crosscheck.audience import Audiences
from crosscheck.slack.ports import Greets
from state.errors import NotFound
from state.feedback import Feedback
from state.jobs import Jobs

log = structlog.get_logger(__name__)

REQUESTS = 10
"""Of a person, the newest, on the home tab."""
PROMPTS = (
    ("Check a ticket", "check KEY-1"),
    ("Ask about a rule", "How long is an account locked after failed logins, and where is that decided?"),
    ("Draft test cases", "test cases for KEY-1"),
)


class Greeting:
    """Fills what a person opened. Failing here costs only this: it is told in the log."""

    def __init__(
        self,
        client: Greets,
        jobs: Jobs,
        feedback: Feedback,
        audiences: Audiences,
        freshness: Callable[[Audience], Sequence[Freshness]],
        clock: Callable[[], datetime],
        *,
        shown: bool,
    ) -> None:
        """Not `shown`: nothing is written to Slack."""
        self._client = client
        self._jobs = jobs
        self._feedback = feedback
        self._audiences = audiences
        self._freshness = freshness
        self._clock = clock
        self._shown = shown

    def home(self, user: str) -> None:
        """Sources and their age as the whole organisation may know them, and the person's own requests."""
        if not self._shown:
            return
        try:
            held = Audience(frozenset()) if self._client.is_outsider(user) else self._audiences.holding({ORG})
            sources = [SourceLine(one.source, one.last_success, one.stale) for one in self._freshness(held)]
            requests = [
                RequestLine(job.created_at, job.subject, job.state, None)
                for job in self._jobs.of_person(user, REQUESTS)
            ]
            self._client.publish_home(user, home_view(sources, requests, self._clock()))
        except BotError as error:
            log.warning("home tab not shown", reason=str(error), advice=error.advice)

    def assistant(self, channel: str, thread: str) -> None:
        """Suggestions for a conversation that was just opened."""
        if not self._shown:
            return
        try:
            self._client.prompts(channel, thread, PROMPTS)
        except BotError as error:
            log.warning("prompts not shown", reason=str(error), advice=error.advice)

    def feedback(self, job: int, user: str, verdict: str, reason: str, trigger_id: str | None) -> None:
        """Keep a verdict; after a bad one the person may say why. Raises StateError."""
        try:
            self._feedback.add(job, user, verdict, reason)
        except NotFound as error:
            log.warning("feedback without a job", reason=str(error))
            return
        if verdict == "down" and trigger_id is not None and self._shown:
            try:
                self._client.open_modal(trigger_id, reason_modal(job, verdict))
            except BotError as error:
                log.info("reason not asked for", reason=str(error))
