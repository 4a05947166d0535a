"""Questions that one person asks alone: answered for that person's eyes, at most once.

Such an answer cannot be looked up afterwards, so it is never sent a second time, whatever became of the first.
"""

import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

import structlog

from bots.errors import BotError, Gone, Unavailable
from bots.outline import Outline, words
from bots.plain import plain
from bots.slack.render import render
from bots.wishes import Cases, Check, Help, Question, Refine, Unclear, parse
from core.spans import step
from core.types import Audience, Metrics
from crosscheck import outlines
from crosscheck.assured import LabelsNow
from crosscheck.audience import Audiences
from crosscheck.delivery import why_not
from crosscheck.posts import NOBODY, posts
from crosscheck.replies import Asked, Reply, refusal
from crosscheck.slack.desk import AGAIN, NOT_ANSWERED, OUTSIDERS, Desk
from crosscheck.slack.helping import help_text
from crosscheck.slack.ports import Reads, Tells
from review.discussion import silent
from state.jobs import Jobs
from state.outbox import Outbox
from state.types import Claim, Delivery

log = structlog.get_logger(__name__)

MOST = 4
"""Messages of one private answer; Slack takes five at one address (docs.slack.dev, Handling user interaction)."""
VALID = timedelta(minutes=29)
"""How long an answer can be sent; Slack says 30 minutes (the same page)."""
NOT_HERE = (
    "I am not in this conversation, so I cannot tell who else reads it. Invite me to it, or write to me directly."
)
NO_PRIVATE_DRAFT = "A private draft is not kept and cannot be changed. Ask for one in a channel, and change it there."
THE_REST = "The rest is too long for a private answer. Ask in a channel, or write to me directly."


class PrivateHandler:
    """Handles jobs of kind `private`."""

    def __init__(self, desk: Desk, client: Reads) -> None:
        self._desk = desk
        self._client = client

    def handle(self, claim: Claim) -> None:
        """One attempt.

        Raises:
            BotError, CoreError, ReviewError, StateError: each carries `advice` for the worker.

        """
        too_much = self._desk.too_much(claim, claim.payload["user"])
        if too_much:  # each is told, for its own eyes: "Looking into it" stands there already
            self._finish(claim, refusal(too_much.sentence))
            return
        try:
            place = self._client.place(claim.payload["place_id"], member=False)
        except Gone:
            self._finish(claim, refusal(NOT_HERE))
            return
        if self._desk.is_closed(place):
            self._finish(claim, refusal(OUTSIDERS))
            return
        audience = self._desk.audiences.in_channel(place)
        asked = Asked(audience, claim.created_at, silent)
        self._finish(claim, self._reply(claim.payload["text"], asked))

    def give_up(self, claim: Claim, reason: str, told: str, attempts: int) -> None:
        """End the job as failed; the person is told once, if it is not too late."""
        outline = outlines.failure(told, attempts, what=NOT_ANSWERED, again=AGAIN)
        self._finish(claim, Reply(outline, {"failed": reason}, rated=False), answer=f"notice {claim.retries}")

    def _reply(self, text: str, asked: Asked) -> Reply:
        wish = parse(text, self._desk.jira_site)
        if isinstance(wish, Help):
            return help_text(privately=True)
        if isinstance(wish, Check):
            return self._desk.replies.review(wish.key, asked)
        if isinstance(wish, Cases):
            return self._desk.replies.test_cases(wish.key, self._desk.form, asked)
        if isinstance(wish, Unclear):
            return refusal(wish.told)
        if isinstance(wish, Refine) and (wish.drop or wish.form):
            return refusal(NO_PRIVATE_DRAFT)
        return self._desk.replies.answer(wish.text if isinstance(wish, Question) else text, asked)

    def _finish(self, claim: Claim, reply: Reply, answer: str = "answer") -> None:
        failed = reply.result.get("failed")
        parts = posts(
            claim,
            _messages(reply.outline, claim.id if reply.rated else None),
            answer=answer,
            made_for=reply.made_for,
            rests_on=reply.rests_on,
            held=not self._desk.posting,
        )
        result = {**reply.result, "reply": plain(reply.outline)}
        with step("job.store", parts=len(parts)):
            self._desk.jobs.finish(claim, "failed" if failed else "done", result, parts, error=failed)
        log.info("private reply stored", parts=len(parts), held=not self._desk.posting)


class PrivateDelivery:
    """Delivers one message of a private answer."""

    def __init__(
        self,
        *,
        client: Tells,
        audiences: Audiences,
        jobs: Jobs,
        outbox: Outbox,
        labels_now: LabelsNow,
        lease: timedelta,
        clock: Callable[[], datetime],
        metrics: Metrics,
    ) -> None:
        if lease.total_seconds() <= client.send_seconds:
            raise ValueError(f"a lease of {lease} is not longer than a send of {client.send_seconds:g} s")
        self._client = client
        self._audiences = audiences
        self._jobs = jobs
        self._outbox = outbox
        self._labels_now = labels_now
        self._lease = lease
        self._clock = clock
        self._metrics = metrics

    def deliver(self, delivery: Delivery) -> None:
        """One attempt; once it was begun, the last.

        Raises:
            BotError, CoreError, StateError: before anything was sent.

        """
        payload = delivery.payload
        if delivery.begun:
            self._end(delivery, "It may have been sent; an answer for one person is not sent twice.")
            return
        if delivery.exhausted:
            self._metrics.count("crosscheck_exhausted_total", step="posting")
            self._end(delivery, delivery.last_error or "The service was stopped before it was sent.")
            return
        if self._clock() - datetime.fromisoformat(payload["asked_at"]) > VALID:
            self._end(delivery, "Too late: Slack takes a private answer for 30 minutes only.")
            return
        labels = self._labels_now(payload["rests_on"]) if payload["rests_on"] else {}  # before who reads is looked at
        changed = why_not(payload, self._audience(payload), labels)
        if changed:
            self._metrics.count("crosscheck_visibility_refusals_total", step="posting")
            self._jobs.again(delivery, changed)
            log.warning("answer is made again", reason=changed)
            return
        self._send(delivery)

    def _audience(self, payload: Mapping[str, Any]) -> Audience:
        """As it is now; a text that rests on nothing may be shown to anybody who asked."""
        if not payload["made_for"]:
            return NOBODY
        try:
            place = self._client.place(payload["place_id"], member=False)
        except Gone:
            return NOBODY
        return self._audiences.in_channel(place)

    def _send(self, delivery: Delivery) -> None:
        until = time.monotonic() + self._lease.total_seconds() - self._client.send_seconds
        begun = self._outbox.begin(delivery, self._lease)
        try:
            with step("post.send"):
                self._told(delivery.payload, until)
        except BotError as error:
            self._metrics.count("crosscheck_posts_total", outcome="refused")
            self._end(begun, str(error))
            return
        self._outbox.sent(begun, "private", "", adopted=False)
        self._metrics.count("crosscheck_posts_total", outcome="posted")
        log.info("private reply sent")

    def _told(self, payload: Mapping[str, Any], until: float) -> None:
        """What surely was not sent is tried again here, while the lease lasts: nobody may come back to it later."""
        body = {"response_type": "ephemeral", "replace_original": False, **_shown(payload["body"])}
        pause = 0.5
        while True:
            try:
                self._client.tell(payload["response_url"], body, until=until)
            except Unavailable as error:
                pause = max(pause * 2, error.retry_after or 0.0)
                if time.monotonic() + pause >= until:
                    raise
                time.sleep(pause)
            else:
                return

    def _end(self, delivery: Delivery, reason: str) -> None:
        log.error("private reply not sent", alarm="refused", reason=reason)
        self._outbox.fail(delivery, reason, None)


def _shown(body: Mapping[str, Any]) -> dict[str, Any]:
    return {"text": body["text"], "blocks": body["blocks"]}


def _messages(outline: Outline, job: int | None) -> list[dict[str, Any]]:
    """As many messages as Slack takes; the last one says when that is not all."""
    every = render(outline, job)
    if len(every) <= MOST:
        return every
    return [*every[: MOST - 1], *render((words(THE_REST),), job)]
