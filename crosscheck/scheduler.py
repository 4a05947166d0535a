"""Syncs on their own period, beside queries. One source is never synced twice at once: the program holds a lock."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

import structlog
from apscheduler.schedulers.background import BackgroundScheduler

from core.errors import CoreError
from crosscheck.periods import FULL, LABELS
from state.errors import StateError

log = structlog.get_logger(__name__)

DAY = timedelta(days=1)


class Syncs(Protocol):
    @property
    def minutes(self) -> Mapping[str, float]: ...
    def last_full(self, name: str) -> datetime | None: ...
    def sync(self, name: str, full: bool, report: Callable[[dict[str, Any]], None]) -> object: ...
    def sweep_labels(self, name: str) -> None: ...


def schedule(sources: Syncs, *, whole: bool, daily: Sequence[Callable[[], None]] = ()) -> BackgroundScheduler:
    """A scheduler, not started. Each source is synced at the start and then on its period; its labels are swept and it
    is read in full on theirs, however often the service is started. An index that is not `whole` is read in full now.
    What is `daily` is done at the start and once a day, and raises nothing.

    `misfire_grace_time=None`: a run that a busy pool could not start in time is late, not lost.
    """
    scheduler = BackgroundScheduler(
        timezone=UTC, job_defaults={"max_instances": 1, "coalesce": True, "misfire_grace_time": None}
    )
    now = datetime.now(UTC)
    for source, minutes in sources.minutes.items():
        period, last = timedelta(minutes=minutes), sources.last_full(source)
        full = max(now, last + FULL) if whole and last else now
        _add(scheduler, FULL, full, _sync, sources, source, True)
        _add(scheduler, period, now if full > now else now + period, _sync, sources, source, False)
        _add(scheduler, LABELS, now + LABELS, _sweep, sources, source)
    for work in daily:
        _add(scheduler, DAY, now, work)
    return scheduler


def _add(scheduler: BackgroundScheduler, every: timedelta, first: datetime, work: object, *arguments: object) -> None:
    scheduler.add_job(work, "interval", seconds=every.total_seconds(), args=arguments, next_run_time=first)


def _sync(sources: Syncs, source: str, full: bool) -> None:
    try:
        sources.sync(source, full, lambda _message: None)
    except (CoreError, StateError) as error:
        log.warning("sync failed", source=source, reason=str(error), advice=error.advice)


def _sweep(sources: Syncs, source: str) -> None:
    try:
        sources.sweep_labels(source)
    except (CoreError, StateError) as error:
        log.warning("sweep failed", source=source, reason=str(error), advice=error.advice)
