"""Rows as what others see of them."""

from collections.abc import Sequence
from typing import TypeVar

from state.tables import Job, JobEvent, Post
from state.types import Claim, Delivery, EventView, JobSummary, PostView

Value = TypeVar("Value")


def stored(value: Value | None) -> Value:
    """A column that is only empty before the row is stored, or while nobody holds it."""
    if value is None:
        raise TypeError("the row is not stored, or not held")
    return value


def claim(row: Job) -> Claim:
    """A job just taken."""
    return Claim(
        id=stored(row.id),
        key=row.key,
        kind=row.kind,
        payload=row.payload,
        attempt=row.attempts,
        token=stored(row.token),
        lease_until=stored(row.due),
        exhausted=row.closings > 0,
        last_error=row.error,
        created_at=row.created_at,
        retries=row.retries,
    )


def delivery(row: Post) -> Delivery:
    """A post just taken."""
    return Delivery(
        id=stored(row.id),
        job_id=row.job_id,
        delivery_key=row.delivery_key,
        part=row.part,
        parts=row.parts,
        payload=row.payload,
        attempt=row.attempts,
        token=stored(row.token),
        lease_until=stored(row.due),
        exhausted=row.closings > 0,
        last_error=row.error,
        begun=row.begun,
        created_at=row.created_at,
    )


def summary(row: Job) -> JobSummary:
    """A line of the list."""
    return JobSummary(
        id=stored(row.id),
        key=row.key,
        kind=row.kind,
        subject=row.subject,
        state=row.state,
        attempts=row.attempts,
        retries=row.retries,
        error=row.error,
        created_at=row.created_at,
        finished_at=row.finished_at,
        due=row.due,
        worker=row.worker,
    )


def event(row: JobEvent) -> EventView:
    """A line of the story."""
    return EventView(at=row.at, what=row.what, detail=row.detail)


def post(row: Post) -> PostView:
    """A post for an administrator."""
    return PostView(
        id=stored(row.id),
        round=row.round,
        delivery_key=row.delivery_key,
        part=row.part,
        parts=row.parts,
        state=row.state,
        attempts=row.attempts,
        error=row.error,
        remote_id=row.remote_id,
        url=row.url,
        adopted=row.adopted,
        begun=row.begun,
        payload=row.payload,
        settled_at=row.settled_at,
    )


def why_not_retryable(job: Job, posts: Sequence[Post]) -> str:
    """A sentence for the administrator."""
    states = {row.state for row in posts if row.round == job.round}
    if job.state == "queued":
        return "it is waiting for its turn."
    if job.state == "running":
        return "somebody is working on it."
    if "dropped" in states:
        return "the comment that asked is not there any more, so there is nobody to answer."
    if "held" in states:
        return "its reply was held because posting is off; turn posting on and ask again."
    if states & {"queued", "running"}:
        return "its reply is on its way."
    if any(row.begun for row in posts if row.state in {"failed", "withheld"}):
        return (
            "its reply may have been shown, which cannot be looked up; a second one would be one too many. Ask again."
        )
    if "sent" in states:
        return "its reply was posted; a second one would be one too many."
    return "it is done and there was nothing to post."
