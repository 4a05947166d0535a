"""From a notice to a job: the seen key and the job row in one transaction; only then is a delivery acknowledged."""

import logging
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import structlog

from bots.errors import BotError
from bots.events import Noticed
from bots.outline import words
from core.spans import OFF, Spans, carried, ended, forget
from core.types import Metrics
from crosscheck.comments.surface import CommentClient
from state.types import NewPost

log = structlog.get_logger(__name__)

KIND = "comment"
"""Of the jobs."""


class Accepts(Protocol):
    def accept(
        self,
        key: str,
        kind: str,
        payload: Mapping[str, Any],
        *,
        surface: str,
        via: str,
        delivery_id: str | None = None,
        subject: str = "",
        asked_by: str = "",
        note: NewPost | None = None,
    ) -> int | None: ...

    def waiting(self) -> int: ...


class Intake:
    """Turns notices of one site into jobs. Polls and webhooks end in the same key."""

    def __init__(
        self,
        jobs: Accepts,
        client: CommentClient,
        *,
        queue: int,
        posting: bool,
        metrics: Metrics,
        wake: Callable[[], None],
        spans: Spans = OFF,
    ) -> None:
        """With `queue` requests waiting before it, or more, a request is told so; 0: never."""
        self._jobs = jobs
        self._client = client
        self._queue = queue if posting else 0
        self._metrics = metrics
        self._wake = wake
        self._spans = spans

    def accept(self, notice: Noticed, via: str, since: int | None = None) -> int | None:
        """The new job's id, or None when this comment was noticed before. `since` is when its delivery came
        (`core.spans.now`), which was read since.
        """
        with self._spans.begin("intake", since=since, surface=notice.surface, via=via):
            if since is not None:
                ended("intake.parse", since)
            job = self._accepted(notice, via)
            if job is None:
                forget()
        return job

    def _accepted(self, notice: Noticed, via: str) -> int | None:
        key = f"{notice.surface}|{self._client.site}|{notice.comment_id}|{KIND}"
        payload = {"surface": notice.surface, "place_id": notice.place_id, "message_id": notice.comment_id, **carried()}
        job = self._jobs.accept(
            key,
            KIND,
            payload,
            surface=notice.surface,
            via=via,
            delivery_id=notice.delivery_id,
            subject=notice.place_key,
            note=self._note(key, payload),
        )
        outcome = "seen before" if job is None else "accepted"
        self._metrics.count("crosscheck_triggers_total", surface=notice.surface, via=via, outcome=outcome)
        level = logging.DEBUG if job is None else logging.INFO  # each poll tells of what the last ones told of
        log.log(level, "trigger noticed", trigger=key, via=via, delivery=notice.delivery_id, job=job, outcome=outcome)
        if job is not None:
            self._wake()
        return job

    def _note(self, key: str, payload: Mapping[str, Any]) -> NewPost | None:
        """What is said at once where the queue is long. A courtesy: what is posted goes the way of every post."""
        before = self._jobs.waiting() if self._queue else 0
        if before < (self._queue or 1):
            return None
        text = f"{before} requests came before this one and wait as well. The answer comes here, as a comment."
        try:
            body = self._client.render((words(text),))[0]
        except BotError as error:
            log.info("not told of the queue", reason=str(error))
            return None
        empty: dict[str, Any] = {"made_for": [], "rests_on": []}
        return NewPost(f"{key}|queued|1", part=1, parts=1, payload={**payload, **empty, "body": dict(body)})
