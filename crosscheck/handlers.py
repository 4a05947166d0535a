"""What the worker does with a job: a review is made and its reply stored in one transaction with the job's end."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import structlog

from bots.jira.render import render
from bots.outline import Outline
from bots.plain import plain
from bots.types import Trigger
from core.types import Audience, Freshness, Metrics
from crosscheck import outlines
from crosscheck.audience import Audiences
from crosscheck.records import review_record
from crosscheck.types import Request
from review.errors import NothingToReview
from review.types import Review, Unknown
from state.jobs import Jobs
from state.types import Claim, NewPost, Outcome

log = structlog.get_logger(__name__)

LabelsNow = Callable[[Iterable[str]], Mapping[str, frozenset[str] | None]]
"""Document ids -> access labels as the sources give them now; None: gone or unreadable."""

NOBODY = Audience(frozenset())  # what a text without any source was made for

ASK_INTERNALLY = (
    "Customers can read this comment, and nothing that Crosscheck may show them says more than the ticket itself. "
    "Ask again in an internal comment."
)


class ReadsTriggers(Protocol):
    def trigger(self, issue_id: str, comment_id: str) -> Trigger: ...


class Reviews(Protocol):
    def review(self, key: str, audience: Audience, *, trigger: str | None = None) -> Review: ...


class ReviewHandler:
    """Handles jobs of kind `review`."""

    def __init__(
        self,
        *,
        client: ReadsTriggers,
        reviewer: Reviews,
        audiences: Audiences,
        jobs: Jobs,
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
        trigger = self._client.trigger(claim.payload["issue_id"], claim.payload["comment_id"])
        ignored = self._ignored(trigger)
        if ignored:
            self._jobs.finish(claim, "done", {"ignored": ignored})
            log.info("trigger ignored", reason=ignored)
            return
        request = Request(claim.key, "review", trigger.place.key, trigger, self._audiences.of(trigger))
        try:
            review = self._readable_now(
                self._reviewer.review(request.subject, request.audience, trigger=trigger.comment_id)
            )
        except NothingToReview as refused:
            reason = ASK_INTERNALLY if _for_customers(trigger) else str(refused)
            self._finish(claim, outlines.refusal(reason), {"refused": reason})
            return
        sources = self._freshness(request.audience)
        outline = outlines.review_outline(review, sources, asked=trigger.created)
        cited = {cited.locator.document_id for finding in review.findings for cited in finding.evidence}
        result = {"review": review_record(review)}
        self._finish(claim, outline, result, made_for=request.audience, cited=cited)

    def give_up(self, claim: Claim, reason: str, attempts: int) -> None:
        """End the job as failed; the person is told once, in the same place.

        Nothing is read here, for that may be what failed: the delivery reads the trigger, with attempts of its own.
        """
        self._finish(
            claim,
            outlines.failure(reason, attempts),
            {"failed": reason},
            state="failed",
            answer=f"notice {claim.retries}",
        )

    def _readable_now(self, review: Review) -> Review:
        """Without the findings that cite a source whose labels, read live, the audience does not hold any more."""
        ids = {cited.locator.document_id for finding in review.findings for cited in finding.evidence}
        now = self._labels_now(ids)
        lost = {name for name in ids if not review.audience.may_read(now.get(name) or ())}
        if not lost:
            return review
        self._metrics.count("crosscheck_visibility_refusals_total", len(lost), step="review")
        kept = tuple(f for f in review.findings if not any(c.locator.document_id in lost for c in f.evidence))
        dropped = len(review.findings) - len(kept)
        log.warning("findings dropped", count=dropped, reason="a cited source is not readable any more")
        unknown = Unknown(
            "A source changed or was closed while this was written, so what rested on it was left out.",
            "Ask again once the index has been updated.",
        )
        return replace(review, findings=kept, unknowns=(*review.unknowns, unknown))

    def _finish(
        self,
        claim: Claim,
        outline: Outline,
        result: dict[str, Any],
        *,
        state: Outcome = "done",
        answer: str = "answer",
        made_for: Audience = NOBODY,
        cited: Iterable[str] = (),
    ) -> None:
        bodies = render(outline)
        posts = [
            NewPost(
                delivery_key=f"{claim.key}|{answer}|{part}",
                part=part,
                parts=len(bodies),
                payload={**claim.payload, "body": body, "cited": sorted(cited), "made_for": sorted(made_for.labels)},
                held=not self._posting,
            )
            for part, body in enumerate(bodies, 1)
        ]
        self._jobs.finish(claim, state, {**result, "reply": plain(outline)}, posts, error=result.get("failed"))
        log.info("reply stored", state=state, parts=len(posts), held=not self._posting)


def _for_customers(trigger: Trigger) -> bool:
    return trigger.place.customers and not trigger.visibility.internal
