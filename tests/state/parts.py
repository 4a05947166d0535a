"""What the tests of `state` share."""

from datetime import UTC, datetime, timedelta

import pytest

from state.types import Claim, NewPost

LEASE = timedelta(seconds=60)

sqlite_only = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
postgresql_only = pytest.mark.parametrize("engine", ["postgresql"], indirect=True)


def pragma(database, name):
    """Of an SQLite file."""
    with database.reading() as session:
        return session.connection().exec_driver_sql(f"PRAGMA {name}").scalar_one()


class Clock:
    """Stands still until told to go on."""

    def __init__(self):
        self.now = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def tick(self, seconds: float = 1) -> None:
        self.now += timedelta(seconds=seconds)


def accept(jobs, key="k1", **more):
    return jobs.accept(key, "review", {"comment_id": "10"}, surface="jira", via="poll", subject="PAY-1", **more)


def answer(claim: Claim, parts: int = 1, *, held: bool = False) -> list[NewPost]:
    return [
        NewPost(f"{claim.key}|answer|{part}", part, parts, {"text": f"part {part}"}, held)
        for part in range(1, parts + 1)
    ]


def notice(claim: Claim) -> list[NewPost]:
    return [NewPost(f"{claim.key}|notice|{claim.retries}", 1, 1, {"text": "it failed"})]


def answered(jobs, key="k1", parts=1, **more) -> int:
    """A job that is done, its reply queued."""
    job_id = accept(jobs, key)
    claim = jobs.claim("w", LEASE)
    assert claim.id == job_id
    jobs.finish(claim, "done", {"findings": []}, answer(claim, parts, **more))
    return job_id
