"""Laws 2 and 7 where a job is worked on: five attempts, and nobody is left without an answer or a reason."""

import threading
import time

import pytest

from bots.errors import Gone, NotAllowed, Unavailable
from core.errors import SourceForbidden, SourceUnavailable
from crosscheck.outlines import plain_reason
from review.errors import NothingToReview
from tests import fakes


def said(bench):
    return " ".join(str(post.body) for post in bench.platform.comments.values())


def test_a_review_is_tried_five_times_then_the_person_is_told_once(bench):
    bench.review_errors = [SourceUnavailable("Jira does not answer.")] * 50
    bench.ask()
    bench.drain()
    assert len(bench.reviewed) == 5
    assert len(bench.platform.comments) == 1
    assert "did not answer as it should" in said(bench)
    assert bench.jobs.show(1).job.state == "failed"
    assert bench.jobs.show(1).job.error == "Jira does not answer."


def test_the_person_is_told_though_the_platform_was_down_all_the_time(bench):
    bench.platform.reads = [Unavailable("Jira does not answer.") for _ in range(5)]
    bench.ask()
    bench.drain()
    assert "did not answer as it should" in said(bench)


def test_an_unexpected_error_is_counted_and_its_words_are_not_shown(bench):
    bench.review_errors = [ZeroDivisionError("token=abc")] * 50
    bench.ask()
    bench.drain()
    assert len(bench.reviewed) == 5
    assert plain_reason(ZeroDivisionError()) in said(bench)
    assert "token=abc" not in said(bench)
    assert "token=abc" not in str(bench.jobs.show(1))


def test_lost_leases_count_and_the_sixth_worker_only_says_so(bench):
    bench.ask()
    for _ in range(5):
        assert bench.jobs.claim("dies", bench.lease)
        bench.clock.forward(seconds=2 * bench.lease.total_seconds())
    bench.drain()
    assert not bench.reviewed
    assert "could not be answered" in said(bench)


def test_what_an_administrator_must_mend_is_not_tried_again_within_minutes(bench):
    bench.review_errors = [SourceForbidden("The reading account lacks Browse Projects in PAY.")]
    bench.ask()
    worker = bench.worker()
    worker.run_once()
    bench.clock.forward(minutes=9)
    assert not worker.run_once()
    assert "Browse Projects" in bench.jobs.show(1).job.error


def test_a_ticket_that_is_gone_is_not_tried_again(bench):
    bench.platform.reads = [Gone("The ticket is not there any more.")]
    bench.ask()
    bench.drain()
    view = bench.jobs.show(1)
    assert (view.job.state, view.job.attempts) == ("gone", 1)
    assert not bench.platform.comments


def test_a_comment_that_cannot_be_read_gets_no_reply_and_the_job_says_why(bench):
    """Field report V2: 403 and time-outs are not public."""
    bench.platform.reads = [NotAllowed("The posting account may not read this comment.") for _ in range(100)]
    bench.ask()
    bench.drain()
    view = bench.jobs.show(1)
    assert view.job.state == "failed"
    assert "may not read" in view.job.error
    assert not bench.platform.comments


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"by_bot": True}, "the bot itself"),
        ({"command": None}, "no command"),
        ({"place": fakes.replace(fakes.trigger().place, container="OTHER")}, "not among the configured projects"),
        ({"created": fakes.START - fakes.timedelta(days=400)}, "before this installation"),
    ],
)
def test_what_is_no_trigger_ends_quietly(bench, changes, reason):
    bench.platform.trigger_now = fakes.trigger(**changes)
    bench.ask()
    bench.drain()
    assert not bench.platform.comments
    assert not bench.reviewed
    assert reason in bench.jobs.show(1).result["ignored"]


def test_what_may_not_be_reviewed_is_answered_with_a_sentence(bench):
    bench.review_errors = [NothingToReview("There is nothing here that I may show you.")]
    bench.ask()
    bench.drain()
    assert "nothing here that I may show" in said(bench)


def test_a_customers_question_is_sent_to_an_internal_comment(bench):
    place = fakes.replace(fakes.trigger().place, customers=True)
    bench.platform.trigger_now = fakes.trigger(place=place)
    bench.review_errors = [NothingToReview("There is nothing here.")]
    bench.ask()
    bench.drain()
    assert "internal comment" in said(bench)
    assert bench.reviewed[0].labels == frozenset()


def test_an_administrators_retry_starts_a_new_count_and_the_answer_still_comes_once(bench):
    bench.review_errors = [SourceUnavailable("Jira does not answer.")] * 5
    bench.ask()
    bench.drain()
    bench.jobs.retry(1, by="root")
    bench.drain()
    assert len(bench.platform.comments) == 2
    assert "nothing found that is missing" in said(bench)
    assert any(event.what == "retried" and "root" in event.detail for event in bench.jobs.show(1).events)


def test_a_clean_shutdown_returns_the_lease_uncounted(bench):
    begun, go_on = threading.Event(), threading.Event()

    def slow(key, audience, *, trigger=None, closed=frozenset(), **more):
        begun.set()
        go_on.wait(10)
        return fakes.review(audience)

    bench.review = slow
    bench.ask()
    worker = bench.worker()
    worker.start()
    begun.wait(5)
    worker.stop(grace=0.1)
    job = bench.jobs.show(1).job
    go_on.set()
    assert (job.state, job.attempts) == ("queued", 0)


def test_started_threads_work_and_wake_at_once(bench):
    worker = bench.worker()
    worker.start()
    try:
        bench.ask()
        worker.wake()
        give_up = time.monotonic() + 5
        while not bench.platform.comments and time.monotonic() < give_up:
            time.sleep(0.01)
    finally:
        worker.stop()
    assert len(bench.platform.comments) == 1


def test_a_failure_notice_names_nothing_that_people_may_not_know_of(bench):
    """The record has the reason; people get its kind."""
    reason = "Confluence does not show us the space BOARD; /srv/crosscheck/data is full; CROSSCHECK_JIRA_READ_TOKEN"
    bench.review_errors = [SourceUnavailable(reason)] * 5
    bench.ask()
    bench.drain()
    assert reason in bench.jobs.show(1).job.error
    for word in ("BOARD", "/srv", "CROSSCHECK_"):
        assert word not in said(bench)
