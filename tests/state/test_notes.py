"""What is posted while a job waits: no part of its reply, and not said after it."""

import pytest

from state.errors import NotRetryable
from state.types import NewPost
from tests.state.parts import LEASE, accept, answer

NOTE = NewPost("k1|queued|1", 1, 1, {"text": "3 came before"})


def posts(jobs, job):
    return [(post.delivery_key, post.state) for post in jobs.show(job).posts]


def test_a_note_can_be_sent_before_its_job_has_ended(jobs, outbox):
    job = accept(jobs, note=NOTE)
    sending = outbox.claim("w", LEASE)
    assert sending.payload == {"text": "3 came before"}
    outbox.sent(sending, "c1", "url", adopted=False)
    claim = jobs.claim("w", LEASE)
    jobs.finish(claim, "done", {}, answer(claim))
    assert posts(jobs, job) == [("k1|queued|1", "sent"), ("k1|answer|1", "queued")]
    assert outbox.claim("w", LEASE).delivery_key == "k1|answer|1"


def test_a_note_that_was_not_sent_in_time_is_not_sent(jobs, outbox):
    job = accept(jobs, note=NOTE)
    claim = jobs.claim("w", LEASE)
    jobs.finish(claim, "done", {}, answer(claim))
    assert posts(jobs, job) == [("k1|queued|1", "cancelled"), ("k1|answer|1", "queued")]
    assert outbox.claim("w", LEASE).delivery_key == "k1|answer|1"
    assert outbox.claim("w", LEASE) is None


def test_a_note_says_nothing_of_the_reply(jobs, outbox):
    """A reply that is made again is, although its note was sent."""
    job = accept(jobs, note=NOTE)
    outbox.sent(outbox.claim("w", LEASE), "c1", "url", adopted=False)
    claim = jobs.claim("w", LEASE)
    jobs.finish(claim, "done", {}, answer(claim))
    assert jobs.again(outbox.claim("w", LEASE), "the audience changed")
    assert posts(jobs, job)[-1] == ("k1|answer|1", "cancelled")
    assert jobs.claim("w", LEASE).id == job


def test_the_second_notice_of_a_comment_has_no_note(jobs):
    job = accept(jobs)
    assert accept(jobs, note=NOTE) is None
    assert posts(jobs, job) == []


def test_those_who_wait_are_counted(jobs):
    assert jobs.waiting() == 0
    for key in ("k1", "k2", "k3"):
        accept(jobs, key)
    assert jobs.waiting() == 3
    jobs.claim("w", LEASE)
    assert jobs.waiting() == 2


def test_a_note_that_could_not_be_sent_is_not_sent_after_the_answer(jobs, outbox):
    """Nothing of the reply has failed, so there is nothing to try again."""
    job = accept(jobs, note=NOTE)
    outbox.fail(outbox.claim("w", LEASE), "no permission", None)
    claim = jobs.claim("w", LEASE)
    jobs.finish(claim, "done", {}, answer(claim))
    outbox.sent(outbox.claim("w", LEASE), "c1", "url", adopted=False)
    with pytest.raises(NotRetryable):
        jobs.retry(job, "ann")
    assert outbox.claim("w", LEASE) is None
