"""What goes over the border of `state`. Everything stored is JSON; every time is aware and in UTC."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol

JobState = Literal["queued", "running", "done", "gone", "failed"]
"""`running`: a worker holds it. `gone`: what was asked about is not there any more. The last three are final."""
Outcome = Literal["done", "gone", "failed"]
PostState = Literal["queued", "running", "held", "sent", "failed", "withheld", "dropped", "cancelled"]
"""`held`: posting is off. `withheld`: an earlier part failed. `dropped`: the trigger is gone. `cancelled`: replaced by
another review before anything was sent."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A job that is ours until `lease_until`, proven by `token`."""

    id: int
    key: str
    kind: str
    payload: Mapping[str, Any]
    attempt: int
    """From 1."""
    token: str
    lease_until: datetime
    exhausted: bool
    """All attempts are used up: only the failure notice may be written now."""
    last_error: str | None
    created_at: datetime
    retries: int
    """How often an administrator started a new count. A failure notice's delivery key must contain it, an answer's
    must not: see `Jobs.retry`."""


@dataclass(frozen=True, slots=True)
class NewPost:
    """One part of a reply, to be queued with the result that it tells."""

    delivery_key: str
    part: int
    """From 1 to `parts`."""
    parts: int
    payload: Mapping[str, Any]
    held: bool = False
    """Kept to be looked at, never sent."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """A post that is ours to send until `lease_until`, proven by `token`."""

    id: int
    job_id: int
    delivery_key: str
    part: int
    parts: int
    payload: Mapping[str, Any]
    attempt: int
    token: str
    lease_until: datetime
    exhausted: bool
    """All attempts are used up: only look whether an earlier one arrived, and do not send."""
    last_error: str | None
    begun: bool
    """It may have been sent already, and cannot be looked up (`Outbox.begin`): do not send it."""
    created_at: datetime


@dataclass(frozen=True, slots=True)
class NewReview:
    """What a reply tells, to be remembered with its job's end."""

    subject: str
    """What it is about, unique among all sites and surfaces."""
    trigger_id: str
    """The comment that asked."""
    made_for: frozenset[str]
    """Labels."""
    findings: Sequence[Mapping[str, Any]]
    """In the order in which they are numbered, from 1."""
    at: datetime


@dataclass(frozen=True, slots=True)
class ReviewView(NewReview):
    """A review whose reply was posted."""

    job_id: int
    told_at: datetime
    """When the reply's first part was posted."""


@dataclass(frozen=True, slots=True)
class NewDraft:
    """What a reply drafts, to be remembered with its job's end."""

    subject: str
    """The thread, unique among all sites and surfaces."""
    version: int
    """Counted in the thread, from 1."""
    record: Mapping[str, Any]
    """The draft as JSON."""
    made_for: frozenset[str]
    """Labels."""
    rests_on: frozenset[str]
    """Ids of the documents that it was made from."""
    at: datetime


@dataclass(frozen=True, slots=True)
class DraftView(NewDraft):
    """A draft whose reply was posted."""

    job_id: int
    told_at: datetime
    """When the reply's first part was posted."""


@dataclass(frozen=True, slots=True)
class Dismissed:
    """A finding that somebody set aside, by a comment."""

    subject: str
    fingerprint: str
    reason: str
    by: str
    """Display name."""
    comment_id: str
    at: datetime


@dataclass(frozen=True, slots=True)
class JobSummary:
    """A line of the list of jobs."""

    id: int
    key: str
    kind: str
    subject: str
    state: str
    attempts: int
    retries: int
    error: str | None
    created_at: datetime
    finished_at: datetime | None
    due: datetime | None
    """Queued: not to be taken before. Running: the lease's end."""
    worker: str | None


@dataclass(frozen=True, slots=True)
class EventView:
    """One line of a job's story."""

    at: datetime
    what: str
    detail: str


@dataclass(frozen=True, slots=True)
class PostView:
    """A post as an administrator sees it."""

    id: int
    round: int
    delivery_key: str
    part: int
    parts: int
    state: str
    attempts: int
    error: str | None
    remote_id: str | None
    url: str | None
    adopted: bool
    """It was found on the platform rather than written now."""
    begun: bool
    """It may have been sent, and cannot be looked up."""
    payload: Mapping[str, Any]
    settled_at: datetime | None


@dataclass(frozen=True, slots=True)
class JobView:
    """Everything about a job, its story and posts in order."""

    job: JobSummary
    payload: Mapping[str, Any]
    result: Mapping[str, Any] | None
    events: tuple[EventView, ...]
    posts: tuple[PostView, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of an indexed document."""

    version: str
    chunks: int
    labels: frozenset[str]
    url: str
    updated: datetime
    unread: tuple[str, ...] = ()
    masked: int = 0


class Indexed(Protocol):
    """A document as it was just indexed, whatever class the indexer has for it."""

    @property
    def id(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def url(self) -> str: ...
    @property
    def labels(self) -> frozenset[str]: ...
    @property
    def unread(self) -> tuple[str, ...]: ...
    @property
    def masked(self) -> int: ...
    @property
    def chunks(self) -> int: ...
    @property
    def updated(self) -> datetime: ...


@dataclass(frozen=True, slots=True)
class GenerationView:
    """An index that exists, or is being made."""

    name: str
    settings: Mapping[str, Any]
    """What its embedders are made from."""
    searched: bool
    complete: bool
    """Every source was read in full into it, once."""


@dataclass(frozen=True, slots=True)
class LabelledCount:
    """The documents of a source that have the same labels."""

    labels: frozenset[str]
    documents: int
    partly: int
    """Of which something could not be read."""
    masked: int
    """Strings in them that looked like credentials."""


@dataclass(frozen=True, slots=True)
class SourceView:
    """How a source is doing."""

    name: str
    documents: int
    last_success: datetime | None
    last_attempt: datetime | None
    last_error: str | None
    """None after a success."""
    running_since: datetime | None
    partly: int = 0
    """Documents of which something could not be read."""
    masked: int = 0
    """Strings that looked like credentials and are masked in the index."""


@dataclass(frozen=True, slots=True)
class PictureView:
    """A picture that was shown to a model, and what that came to."""

    description: str | None
    refusal: str | None
    """Why the model gave none, and would not if it were asked again."""
    attempts: int
    at: datetime


@dataclass(frozen=True, slots=True)
class UnreadView:
    """A document of which something could not be read."""

    id: str
    title: str
    url: str
    unread: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FeedbackView:
    """What a person thought of a reply."""

    person: str
    verdict: str
    reason: str
    at: datetime
