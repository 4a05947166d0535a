"""Syncs on their own period, beside queries. One source is never synced twice at once: the program holds a lock."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

import structlog
from apscheduler.schedulers.background import BackgroundScheduler

from core.errors import CoreError
from state.errors import StateError

log = structlog.get_logger(__name__)

FULL = timedelta(hours=24)  # between two complete listings, which find what was deleted
LABELS = timedelta(hours=1)  # between two sweeps of the access labels


class Syncs(Protocol):
    def sync(self, name: str, full: bool, report: Callable[[dict[str, Any]], None]) -> object: ...
    def sweep_labels(self, name: str) -> None: ...


def schedule(minutes: Mapping[str, float], program: Syncs, *, whole: bool) -> BackgroundScheduler:
    """A scheduler, not started. Each source is synced at the start (in full if the index is not `whole`) and then on
    its period; its labels are swept and it is listed in full on theirs.

    `misfire_grace_time=None`: a run that a busy pool could not start in time is late, not lost.
    """
    scheduler = BackgroundScheduler(
        timezone=UTC, job_defaults={"max_instances": 1, "coalesce": True, "misfire_grace_time": None}
    )
    for source, period in minutes.items():
        now = datetime.now(UTC)
        _add(
            scheduler,
            timedelta(minutes=period),
            now if whole else now + timedelta(minutes=period),
            _sync,
            program,
            source,
            False,
        )
        _add(scheduler, FULL, now + FULL if whole else now, _sync, program, source, True)
        _add(scheduler, LABELS, now + LABELS, _sweep, program, source)
    return scheduler


def _add(scheduler: BackgroundScheduler, every: timedelta, first: datetime, work: object, *arguments: object) -> None:
    scheduler.add_job(work, "interval", seconds=every.total_seconds(), args=arguments, next_run_time=first)


def _sync(program: Syncs, source: str, full: bool) -> None:
    try:
        program.sync(source, full, lambda _message: None)
    except (CoreError, StateError) as error:
        log.warning("sync failed", source=source, reason=str(error), advice=error.advice)


def _sweep(program: Syncs, source: str) -> None:
    try:
        program.sweep_labels(source)
    except (CoreError, StateError) as error:
        log.warning("sweep failed", source=source, reason=str(error), advice=error.advice)
