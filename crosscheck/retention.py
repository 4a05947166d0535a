"""Retention by the settings: once a day while the service runs, or by `crosscheck prune`."""

from dataclasses import asdict
from datetime import timedelta
from typing import Any

import structlog

from core.types import Metrics
from crosscheck.settings_running import Retention as Days
from state.db import Database
from state.errors import StateError
from state.leases import Clock
from state.retention import Kept, Retention

log = structlog.get_logger(__name__)


def prune(database: Database, days: Days, clock: Clock) -> dict[str, Any]:
    """Delete what is older than the settings want it kept; how many of each. Raises StateError."""
    kept = Kept(_time(days.jobs_days), _time(days.posts_days), _time(days.traces_days))
    pruned = Retention(database, clock).prune(kept)
    log.info("pruned", **asdict(pruned))
    return {**asdict(pruned), "days": days.model_dump()}


def prune_daily(database: Database, days: Days, clock: Clock, metrics: Metrics) -> None:
    """For the scheduler. One that fails is told, counted, and made again a day later."""
    try:
        pruned = prune(database, days, clock)
    except StateError as error:
        metrics.count("crosscheck_errors_total", part="prune", kind=type(error).__name__)
        log.warning("not pruned", reason=str(error), advice=error.advice)
        return
    for what in ("jobs", "posts", "traces"):
        metrics.count("crosscheck_pruned_total", pruned[what], what=what)


def _time(days: int) -> timedelta | None:
    return timedelta(days=days) if days else None
