from datetime import UTC, datetime, timedelta

from state.db import open_database
from state.jobs import Jobs

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def test_what_was_stored_before_the_clock_was_set_back_is_taken_at_once(tmp_path):
    now = [NOW + timedelta(hours=1)]
    database = open_database(tmp_path / "crosscheck.sqlite")
    jobs = Jobs(database, clock=lambda: now[0])
    jobs.accept("k", "message", {}, surface="slack", via="event")
    now[0] = NOW
    claim = jobs.claim("w", timedelta(minutes=1))
    assert claim is not None
    assert jobs.claim("w", timedelta(minutes=1)) is None, "held, whatever its time of making"
    database.dispose()
