"""What is synced when: however often the service is started, deletions are looked for once a day."""

from datetime import UTC, datetime, timedelta
from typing import ClassVar

import pytest

from crosscheck.scheduler import schedule


class Planned:
    minutes: ClassVar = {"wiki": 30.0}

    def __init__(self, last_full):
        self._last_full = last_full

    def last_full(self, _name):
        return self._last_full

    def sync(self, name, full, report):
        raise AssertionError

    def sweep_labels(self, name):
        raise AssertionError


def planned(sources, *, whole=True):
    """Minutes from now until the next full run, the next ordinary one, the next sweep."""
    now = datetime.now(UTC)
    scheduler = schedule(sources, whole=whole)
    scheduler.start(paused=True)
    try:
        jobs = scheduler.get_jobs()
        at = {(job.func.__name__, job.args[-1]): job.next_run_time for job in jobs}
    finally:
        scheduler.shutdown(wait=False)
    order = [("_sync", True), ("_sync", False), ("_sweep", "wiki")]
    return [round((at[key] - now) / timedelta(minutes=1)) for key in order]


@pytest.mark.parametrize(
    ("ago", "expected"),
    [
        (None, [0, 30, 60]),
        (timedelta(hours=1), [23 * 60, 0, 60]),
        (timedelta(hours=23, minutes=50), [10, 0, 60]),
        (timedelta(days=3), [0, 30, 60]),
    ],
)
def test_a_full_run_is_due_a_day_after_the_last_one(ago, expected):
    last = None if ago is None else datetime.now(UTC) - ago
    assert planned(Planned(last)) == expected


def test_a_short_index_is_read_in_full_at_once():
    assert planned(Planned(datetime.now(UTC)), whole=False) == [0, 30, 60]
