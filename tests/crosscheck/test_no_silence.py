"""Law 7: whatever fails, in whatever order, whoever addressed the bot gets an answer, or the record has a reason."""

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bots.errors import CameOutWider, Gone, NotAllowed, Rejected, Unavailable, Uncertain
from core.errors import IndexMismatch, SourceForbidden, SourceUnavailable
from review.errors import NothingToReview
from tests.crosscheck.conftest import Bench

READING = st.sampled_from([Unavailable("x", retry_after=3.0), NotAllowed("x"), Uncertain("x"), Gone("x")])
REVIEWING = st.sampled_from(
    [SourceUnavailable("x"), SourceForbidden("x"), IndexMismatch("x"), NothingToReview("x"), ZeroDivisionError("x")]
)


def lost(*, written):
    error = Uncertain("x")
    error.written = written
    return error


POSTING = st.sampled_from(["down", "lost, written", "lost, not written", "refused", "rejected", "wider", "gone"])
MADE = {
    "down": lambda: Unavailable("x"),
    "lost, written": lambda: lost(written=True),
    "lost, not written": lambda: lost(written=False),
    "refused": lambda: NotAllowed("x"),
    "rejected": lambda: Rejected("x"),
    "wider": lambda: CameOutWider("x"),
    "gone": lambda: Gone("x"),
}


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(
    st.lists(READING, max_size=12),
    st.lists(REVIEWING, max_size=6),
    st.lists(POSTING, max_size=7),
    st.integers(0, 2),
)
def test_an_answer_or_a_reason(reading, reviewing, posting, killed):
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        bench.platform.reads = list(reading)
        bench.platform.failures = [MADE[name]() for name in posting]
        bench.review_errors = list(reviewing)
        bench.ask()
        for _ in range(killed):  # workers that die with the job in hand
            bench.jobs.claim("dies", bench.lease)
            bench.clock.forward(minutes=5)
        bench.drain()
        view = bench.jobs.show(1)
        told = [post for post in view.posts if post.state == "sent"]
        reasons = [view.job.error, *(post.error for post in view.posts)]
        gone = view.job.state == "gone" and view.result
        assert view.job.state in {"done", "failed", "gone"}
        assert told or gone or any(reasons), view
        assert len(bench.platform.comments) <= 1
        assert view.job.attempts <= 5
        assert all(post.attempts <= 5 for post in view.posts)
        bench.engine.dispose()
