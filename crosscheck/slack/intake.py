"""From what comes in from Slack to jobs: stored in one transaction, and only then acknowledged."""

from collections.abc import Callable, Iterable
from datetime import datetime

import structlog

from bots.slack.events import Heard, Private
from bots.text import one_line
from core.spans import OFF, Spans, carried, forget
from core.types import Metrics
from crosscheck.comments.intake import Accepts

log = structlog.get_logger(__name__)

LONGEST = 4_000
"""Characters of a message that is asked about."""
SUBJECT = 120
"""Characters of a question that the list of jobs shows."""
LOOKING = "Looking into it. The answer comes here, for you alone."
HELD = "Posting is switched off here: an administrator can read the answer in the list of jobs."
AGAIN = "This was asked already; its answer comes, or has come, here."


class SlackIntake:
    """Turns messages and private questions into jobs; the same message in several deliveries is one job."""

    def __init__(
        self,
        jobs: Accepts,
        metrics: Metrics,
        wake: Callable[[], None],
        clock: Callable[[], datetime],
        *,
        team: Callable[[], str],
        follow_ups: Iterable[str] = (),
        posting: bool = True,
        spans: Spans = OFF,
    ) -> None:
        """`team` is the bot's own workspace: a delivery may name another one that shares the channel. `follow_ups` are
        channels in whose threads a message needs no mention.
        """
        self._jobs = jobs
        self._metrics = metrics
        self._wake = wake
        self._clock = clock
        self._team = team
        self._follow_ups = frozenset(follow_ups)
        self._posting = posting
        self._spans = spans

    def message(self, heard: Heard, via: str = "event") -> int | None:
        """The new job's id; None when the message was heard before, or is not meant for the bot. Raises StateError."""
        if not (heard.mentioned or heard.direct or heard.channel in self._follow_ups):
            return None
        payload: dict[str, object] = {
            "surface": "slack",
            "place_id": heard.channel,
            "message_id": heard.ts,
            "mentioned": heard.mentioned or heard.direct,
            "panel": heard.direct and heard.thread != heard.ts,
        }
        key = f"slack|{self._team()}|{heard.channel}|{heard.ts}|question"
        return self._accept(key, "message", payload, via, heard.event_id, heard.text, heard.user)

    def private(self, asked: Private) -> str:
        """What the person is told at once. Raises StateError."""
        payload: dict[str, object] = {
            "surface": "slack_private",
            "place_id": asked.channel,
            "user": asked.user,
            "text": asked.text or (asked.message.text[:LONGEST] if asked.message else ""),
            "response_url": asked.response_url,
            "asked_at": self._clock().isoformat(),
        }
        key = f"slack|{self._team()}|private|{asked.trigger_id}|question"
        job = self._accept(key, "private", payload, "command", None, str(payload["text"]), asked.user)
        if job is None:
            return AGAIN
        return LOOKING if self._posting else HELD

    def _accept(
        self, key: str, kind: str, payload: dict[str, object], via: str, delivery: str | None, text: str, user: str
    ) -> int | None:
        with self._spans.begin("intake", surface="slack", via=via):
            job = self._jobs.accept(
                key,
                kind,
                {**payload, **carried()},
                surface="slack",
                via=via,
                delivery_id=delivery,
                subject=one_line(text, SUBJECT),
                asked_by=user,
            )
            if job is None:
                forget()
        outcome = "seen before" if job is None else "accepted"
        self._metrics.count("crosscheck_triggers_total", surface="slack", via=via, outcome=outcome)
        (log.debug if job is None else log.info)(
            "question noticed", trigger=key, via=via, delivery=delivery, job=job, outcome=outcome
        )
        if job is not None:
            self._wake()
        return job
