"""What a scrape reads from the state: the database, queues, sources, the index, the day's tokens."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from core.types import Freshness
from crosscheck.generation import IndexView
from crosscheck.metrics import Read
from crosscheck.metrics_table import Sample
from state.db import Database
from state.errors import StateError
from state.jobs import Jobs
from state.outbox import Outbox


class Sources(Protocol):
    @property
    def minutes(self) -> Mapping[str, float]: ...
    def all(self) -> Sequence[Freshness]: ...


class Purse(Protocol):
    @property
    def limit(self) -> int: ...
    def left(self) -> int: ...


def state_readers(
    database: Database,
    jobs: Jobs,
    outbox: Outbox,
    sources: Sources,
    index: Callable[[], Sequence[IndexView]],
    purse: Purse | None,
) -> Mapping[str, Read]:
    """Readers by the name of their part. Without a purse nothing is told of tokens."""
    readers: dict[str, Read] = {
        "database": lambda: _database(database),
        "jobs": lambda: _jobs(jobs),
        "outbox": lambda: _outbox(outbox),
        "sources": lambda: _sources(sources),
        "index": lambda: _index(index()),
    }
    return readers | ({"tokens": lambda: _tokens(purse)} if purse else {})


def _database(database: Database) -> Iterator[Sample]:
    engine = ""
    try:
        with database.reading() as session:
            engine = session.get_bind().dialect.name
            session.connection()
    except StateError:
        yield Sample("crosscheck_database_up", 0, {"engine": engine})
    else:
        yield Sample("crosscheck_database_up", 1, {"engine": engine})


def _jobs(jobs: Jobs) -> Iterator[Sample]:
    for state, count in jobs.counts().items():
        yield Sample("crosscheck_jobs", count, {"state": state})
    age = jobs.oldest_due_age()
    yield Sample("crosscheck_queue_age_seconds", age.total_seconds() if age else 0.0)
    yield Sample("crosscheck_jobs_stalled", len(jobs.stalled()))


def _outbox(outbox: Outbox) -> Iterator[Sample]:
    for state, count in outbox.counts().items():
        yield Sample("crosscheck_outbox_posts", count, {"state": state})
    age = outbox.oldest_due_age()
    yield Sample("crosscheck_outbox_age_seconds", age.total_seconds() if age else 0.0)
    yield Sample("crosscheck_outbox_stalled", outbox.stalled())


def _sources(sources: Sources) -> Iterator[Sample]:
    for one in sources.all():
        labels = {"source": one.source}
        yield Sample("crosscheck_source_documents", one.documents, labels)
        yield Sample("crosscheck_source_partly_read_documents", one.partly, labels)
        yield Sample("crosscheck_source_period_seconds", 60 * sources.minutes[one.source], labels)
        yield Sample("crosscheck_source_stale", one.stale, labels)
        yield Sample("crosscheck_source_failed", one.last_error is not None, labels)
        if one.last_success is not None:
            moment = one.last_success.timestamp()
            yield Sample("crosscheck_source_last_success_timestamp_seconds", moment, labels)


def _index(views: Sequence[IndexView]) -> Iterator[Sample]:
    for view in views:
        role = {"role": "searched" if view.searched else "filled"}
        yield Sample("crosscheck_index_chunks", view.chunks, role)
        if view.disk is not None:
            yield Sample("crosscheck_index_disk_bytes", view.disk, role)
        if view.searched:
            yield Sample("crosscheck_index_complete", view.complete)


def _tokens(purse: Purse) -> Iterator[Sample]:
    yield Sample("crosscheck_model_day_limit_tokens", purse.limit)
    yield Sample("crosscheck_model_day_left_tokens", purse.left())
