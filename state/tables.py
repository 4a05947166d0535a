"""The tables. Everything here must mean the same in SQLite and in PostgreSQL.

A row that workers take by lease (`Job`, `Post`) has one time, `due`: queued, it may not be taken before; running, the
lease ends then; settled, it is empty. Whoever finds `due` in the past may take the row, so one index and one
comparison serve waiting, backing off and lost leases alike.
"""

from datetime import date, datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, CheckConstraint, Dialect, Index, MetaData, Text, UniqueConstraint, false, text
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field, SQLModel

LONGEST = 4_000
"""Characters of prose that are kept: an error may quote a whole page of somebody's server."""


class WholeProse(TypeDecorator[str]):
    """Text for people. What a database cannot hold (NUL, lone surrogates) is replaced."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Make any Python string storable."""
        del dialect
        if value is None:
            return None
        return value.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()


class Prose(WholeProse):
    """As `WholeProse`, and what is too long is cut."""

    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Make any Python string storable, within the limit."""
        if value is not None and len(value) > LONGEST:
            value = value[: LONGEST - 1] + "…"
        return super().process_bind_param(value, dialect)


class Table(SQLModel):
    """Root of our tables. Constraints have names, since SQLite migrations can only drop what has one."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class Leased(Table):
    """The columns of what workers take by lease."""

    id: int | None = Field(default=None, primary_key=True)
    state: str
    due: datetime | None = None
    attempts: int = 0
    """Counted when taken, so that a lost lease counts."""
    closings: int = 0
    """Times taken after the attempts were used up, to end it properly: a failure notice, a look for what arrived."""
    token: str | None = None
    worker: str | None = Field(default=None, sa_type=Prose)
    error: str | None = Field(default=None, sa_type=Prose)
    created_at: datetime


class Seen(Table, table=True):
    """A request that has been accepted. The primary key refuses the second."""

    key: str = Field(primary_key=True)
    surface: str
    via: str
    """How it reached us: poll, webhook, and so on."""
    delivery_id: str | None = Field(default=None, sa_type=Prose)
    """The platform's name of the delivery, for the log only."""
    at: datetime


class Job(Leased, table=True):
    """Something to review, and its result."""

    __table_args__ = (
        Index(None, "due", "id"),
        Index(None, "state"),
        Index(None, "asked_by", "id"),
        Index(None, "place", "created_at"),
    )

    key: str = Field(foreign_key="seen.key", unique=True)
    kind: str
    subject: str = Field(sa_type=Prose)
    payload: dict[str, Any] = Field(sa_type=JSON)
    result: dict[str, Any] | None = Field(default=None, sa_type=JSON(none_as_null=True))
    retries: int = 0
    """New counts of attempts that an administrator started."""
    round: int = 1
    """Raised when the job is queued anew; its posts carry the round that made them."""
    finished_at: datetime | None = None
    passed_over: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """It ended without anything to do: another notice of the same key opens it again."""
    noticed_again: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Its key came again before it had ended."""
    asked_by: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """The person, unique among all sites and surfaces; empty when nobody in particular did."""
    place: str = Field(default="", sa_column_kwargs={"server_default": ""})
    """Where it was asked: a project, a space or a channel, unique among all sites and surfaces. Empty while it does not
    count: nothing was made yet, or it was refused.
    """


class JobEvent(Table, table=True):
    """A line of a job's story."""

    __tablename__ = "job_event"

    id: int | None = Field(default=None, primary_key=True)
    job_id: int = Field(foreign_key="job.id", index=True)
    at: datetime
    what: str
    detail: str = Field(sa_type=Prose)


class Post(Leased, table=True):
    """A post to be sent. No two that may be visible have the same delivery key: the index refuses the second."""

    __tablename__ = "outbox"
    __table_args__ = (
        Index(
            "uq_outbox_delivery_key_alive",
            "delivery_key",
            unique=True,
            sqlite_where=text("state <> 'cancelled' OR begun"),
            postgresql_where=text("state <> 'cancelled' OR begun"),
        ),
        UniqueConstraint("job_id", "round", "part"),
        CheckConstraint("part BETWEEN 1 AND parts", name="part"),
        Index(None, "due", "id"),
        Index(None, "state"),
    )

    job_id: int = Field(foreign_key="job.id")
    round: int
    delivery_key: str
    part: int
    parts: int
    payload: dict[str, Any] = Field(sa_type=JSON)
    remote_id: str | None = None
    url: str | None = Field(default=None, sa_type=Prose)
    adopted: bool = False
    settled_at: datetime | None = None
    begun: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """It may have been sent, and the platform cannot be asked whether it was."""


class Cursor(Table, table=True):
    """How far a poller or a source has got."""

    name: str = Field(primary_key=True)
    value: str


class Generation(Table, table=True):
    """An index, by what it was made with. At most one is searched: the index refuses the second."""

    __table_args__ = (
        Index(
            "uq_generation_searched",
            "searched",
            unique=True,
            sqlite_where=text("searched"),
            postgresql_where=text("searched"),
        ),
    )

    name: str = Field(primary_key=True)
    settings: dict[str, Any] = Field(sa_type=JSON)
    """What its embedders are made from."""
    searched: bool
    complete: bool
    """Every source was read in full into it, once."""
    created_at: datetime


class Document(Table, table=True):
    """A document in the index of a generation."""

    __table_args__ = (Index(None, "generation", "source"),)

    generation: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    source: str
    version: str
    kind: str
    title: str = Field(sa_type=Prose)
    url: str = Field(sa_type=Prose)
    labels: list[str] = Field(sa_type=JSON)
    """Sorted."""
    chunks: int
    updated: datetime
    indexed_at: datetime
    unread: list[str] = Field(default_factory=list, sa_type=JSON, sa_column_kwargs={"server_default": "[]"})
    """What of it could not be read."""
    masked: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """Strings that looked like credentials."""


class Source(Table, table=True):
    """How a source's synchronisation into a generation is doing."""

    generation: str = Field(primary_key=True)
    name: str = Field(primary_key=True)
    last_success: datetime | None = None
    last_attempt: datetime | None = None
    last_error: str | None = Field(default=None, sa_type=Prose)
    running_since: datetime | None = None


class Picture(Table, table=True):
    """A picture that was shown to a model. Without description and refusal that came to nothing so far."""

    content: str = Field(primary_key=True)
    """SHA-256 of its bytes."""
    describer: str = Field(primary_key=True)
    description: str | None = Field(default=None, sa_type=WholeProse)
    refusal: str | None = Field(default=None, sa_type=Prose)
    tokens: int = Field(default=0, sa_type=BigInteger)
    attempts: int = 0
    at: datetime = Field(index=True)
    """Of the last attempt."""


class Feedback(Table, table=True):
    """What a person thought of a reply."""

    id: int | None = Field(default=None, primary_key=True)
    job_id: int = Field(foreign_key="job.id", index=True)
    person: str = Field(sa_type=Prose)
    verdict: str
    reason: str = Field(sa_type=Prose)
    at: datetime


class Review(Table, table=True):
    """What the reply of a job told about its subject."""

    __table_args__ = (Index(None, "subject"),)

    job_id: int = Field(primary_key=True, foreign_key="job.id")
    round: int
    """The job's, whose posts tell it. A review that is made again takes the place of the one that was not told."""
    subject: str
    trigger_id: str
    """The comment that asked."""
    made_for: list[str] = Field(sa_type=JSON)
    """Labels, sorted."""
    findings: list[dict[str, Any]] = Field(sa_type=JSON)
    """In the order in which they are numbered."""
    at: datetime


class Draft(Table, table=True):
    """What the reply of a job drafted in a thread, for the next request there to go on with."""

    __table_args__ = (UniqueConstraint("subject", "version"),)

    job_id: int = Field(primary_key=True, foreign_key="job.id")
    round: int
    """The job's, whose posts show it. One that is made again takes the place of the one that was not shown."""
    subject: str
    version: int
    record: dict[str, Any] = Field(sa_type=JSON)
    made_for: list[str] = Field(sa_type=JSON)
    """Labels, sorted."""
    rests_on: list[str] = Field(sa_type=JSON)
    """Ids of documents, sorted."""
    at: datetime


class Dismissal(Table, table=True):
    """A finding that somebody set aside. The primary key refuses the second by the same comment."""

    subject: str = Field(primary_key=True)
    comment_id: str = Field(primary_key=True)
    fingerprint: str = Field(primary_key=True)
    reason: str = Field(sa_type=Prose)
    by: str = Field(sa_type=Prose)
    at: datetime


class Spending(Table, table=True):
    """What a day (UTC) has cost."""

    day: date = Field(primary_key=True)
    purpose: str = Field(primary_key=True)
    tokens: int = Field(sa_type=BigInteger)


class Deployed(Table, table=True):
    """A version that a probe read of an environment, as long as each reading told it."""

    __table_args__ = (Index(None, "probe", "last"),)

    id: int | None = Field(default=None, primary_key=True)
    probe: str
    version: str = Field(sa_type=Prose)
    commit: str
    first: datetime
    last: datetime
    """Of the last reading that told it."""


class Leader(Table, table=True):
    """Who does what only one process may do at a time."""

    name: str = Field(primary_key=True)
    """Of the task."""
    holder: str
    until: datetime


class Refusal(Table, table=True):
    """That a person was told that too much was asked: not again before it ends."""

    person: str = Field(primary_key=True)
    """As `Job.asked_by`."""
    place: str = Field(primary_key=True)
    """As `Job.place`, where it was too much there; empty where it was too much of the person."""
    job_id: int
    """Whose reply tells it."""
    until: datetime


class Revocation(Table, table=True):
    """A token that is not taken any more, whatever the settings say."""

    sha256: str = Field(primary_key=True)
    name: str
    by: str = Field(sa_type=Prose)
    at: datetime
