"""What the worker does with a job: a review is made and its reply stored in one transaction with the job's end."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import structlog

from bots.jira.render import render
from bots.outline import Outline
from bots.plain import plain
from bots.types import Trigger
from core.errors import SourceForbidden
from core.types import Audience, Freshness, Metrics
from crosscheck import outlines
from crosscheck.assured import LabelsNow, assured
from crosscheck.audience import Audiences
from crosscheck.dismissing import set_aside
from crosscheck.memory import Memory
from crosscheck.posts import NOBODY, posts
from crosscheck.records import review_result
from crosscheck.types import Request
from review.dismissal import Dismissal, Malformed, parse_dismissal
from review.errors import NothingToReview
from review.previous import told_records
from review.types import Review
from state.jobs import Jobs
from state.types import Claim, Dismissed, NewReview, Outcome

log = structlog.get_logger(__name__)

ASK_INTERNALLY = (
    "Customers can read this comment, and nothing that Crosscheck may show them says more than the ticket itself. "
    "Ask again in an internal comment."
)


class ReadsTriggers(Protocol):
    def trigger(self, place_id: str, message_id: str) -> Trigger: ...


class Reviews(Protocol):
    def review(
        self, key: str, audience: Audience, *, trigger: str | None = None, closed: frozenset[str] = frozenset()
    ) -> Review: ...


class ReviewHandler:
    """Handles jobs of kind `review`."""

    def __init__(
        self,
        *,
        client: ReadsTriggers,
        reviewer: Reviews,
        audiences: Audiences,
        jobs: Jobs,
        memory: Memory,
        labels_now: LabelsNow,
        freshness: Callable[[Audience], Sequence[Freshness]],
        ignored: Callable[[Trigger], str | None],
        posting: bool,
        metrics: Metrics,
    ) -> None:
        self._client = client
        self._reviewer = reviewer
        self._audiences = audiences
        self._jobs = jobs
        self._memory = memory
        self._labels_now = labels_now
        self._freshness = freshness
        self._ignored = ignored
        self._posting = posting
        self._metrics = metrics

    def handle(self, claim: Claim) -> None:
        """One attempt: read the comment, judge whether it asks, review, store the reply.

        Raises:
            BotError, CoreError, ReviewError, StateError: each carries `advice` for the worker.

        """
        trigger = self._client.trigger(claim.payload["place_id"], claim.payload["message_id"])
        ignored = self._ignored(trigger)
        if ignored:
            self._jobs.finish(claim, "done", {"ignored": ignored})
            log.info("trigger ignored", reason=ignored)
            return
        request = Request(claim.key, "review", trigger.place.key, trigger, self._audiences.of(trigger))
        document_id = f"jira:{claim.payload['place_id']}"
        wish = parse_dismissal(trigger.argument)
        if wish is not None:
            self._dismiss(claim, request, wish, document_id)
            return
        try:
            review = assured(lambda closed: self._review(request, closed), self._labels_now, self._metrics)
        except NothingToReview as refused:
            reason = ASK_INTERNALLY if _for_customers(trigger) else str(refused)
            self._finish(claim, outlines.refusal(reason), {"refused": reason})
            return
        outline = outlines.review_outline(review, self._freshness(request.audience), asked=trigger.created)
        told = NewReview(
            subject=self._memory.subject(document_id),
            trigger_id=trigger.comment_id,
            made_for=request.audience.labels,
            findings=told_records(review.findings),
            at=review.at,
        )
        self._finish(
            claim,
            outline,
            review_result(review),
            made_for=request.audience,
            rests_on=review.rests_on,
            review=told,
        )

    def _dismiss(self, claim: Claim, request: Request, wish: Dismissal | Malformed, document_id: str) -> None:
        """Set points of the last review aside, or say why that is not possible."""
        if isinstance(wish, Malformed):
            self._finish(claim, outlines.refusal(wish.told), {"refused": wish.told})
            return
        aside = set_aside(wish, request, document_id, self._memory)
        result = {"dismissed": [one.fingerprint for one in aside.dismissed], "reason": wish.reason}
        self._finish(
            claim,
            aside.outline,
            result,
            made_for=request.audience if aside.rests_on else NOBODY,
            rests_on=aside.rests_on,
            dismissals=aside.dismissed,
        )

    def give_up(self, claim: Claim, reason: str, told: str, attempts: int) -> None:
        """End the job as failed; the person is told once, in the same place. `reason` is for the record, `told` for
        people: it names nothing that they may not know of.

        Nothing is read here, for that may be what failed: the delivery reads the trigger, with attempts of its own.
        """
        outline = outlines.failure(told, attempts)
        self._finish(claim, outline, {"failed": reason}, state="failed", answer=f"notice {claim.retries}")

    def _review(self, request: Request, closed: frozenset[str]) -> Review:
        trigger = request.trigger.comment_id
        try:
            return self._reviewer.review(request.subject, request.audience, trigger=trigger, closed=closed)
        except SourceForbidden as refused:
            raise SourceForbidden(
                f"{refused}. The account that reads (jira.read_user with CROSSCHECK_JIRA_READ_TOKEN) needs the "
                f"permission Browse Projects in {request.place.container}."
            ) from refused

    def _finish(
        self,
        claim: Claim,
        outline: Outline,
        result: dict[str, Any],
        *,
        state: Outcome = "done",
        answer: str = "answer",
        made_for: Audience = NOBODY,
        rests_on: Iterable[str] = (),
        review: NewReview | None = None,
        dismissals: Iterable[Dismissed] = (),
    ) -> None:
        parts = posts(
            claim, render(outline), answer=answer, made_for=made_for, rests_on=rests_on, held=not self._posting
        )
        self._jobs.finish(
            claim,
            state,
            {**result, "reply": plain(outline)},
            parts,
            error=result.get("failed"),
            review=review,
            dismissals=dismissals,
        )
        log.info("reply stored", state=state, parts=len(parts), held=not self._posting)


def _for_customers(trigger: Trigger) -> bool:
    return trigger.place.customers and not trigger.visibility.internal
