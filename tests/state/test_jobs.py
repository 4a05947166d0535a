from datetime import timedelta

import pytest

from state.errors import Conflict, LeaseLost, NotFound, NotRetryable, NotStorable
from state.types import NewPost
from tests.state.parts import LEASE, accept, answer, answered, notice


def fail_all_attempts(jobs, clock):
    for _ in range(5):
        claim = jobs.claim("w", LEASE)
        assert not claim.exhausted
        jobs.fail(claim, "no answer", timedelta(seconds=5))
        clock.tick(5)


def states(jobs, job):
    view = jobs.show(job)
    return view.job.state, [post.state for post in view.posts]


# Accepting


def test_a_key_is_accepted_once_however_it_comes(jobs):
    job = accept(jobs, "k", delivery_id="d1")
    assert jobs.accept("k", "other", {}, surface="slack", via="webhook", delivery_id="d2") is None
    assert accept(jobs, "K") not in {None, job}
    view = jobs.show(job)
    assert (view.job.kind, view.job.subject, view.payload) == ("review", "PAY-1", {"comment_id": "10"})


def test_a_key_stays_seen_when_its_job_is_over(jobs):
    answered(jobs, "k")
    assert accept(jobs, "k") is None


# Claiming


def test_the_oldest_due_job_comes_first(jobs, clock):
    ids = []
    for key in "abc":
        ids.append(accept(jobs, key))
        clock.tick()
    assert [jobs.claim("w", LEASE).id for _ in ids] == ids
    assert jobs.claim("w", LEASE) is None


def test_a_claim_tells_everything(jobs, clock):
    accept(jobs)
    claim = jobs.claim("w", LEASE)
    assert (claim.key, claim.kind, claim.payload) == ("k1", "review", {"comment_id": "10"})
    assert (claim.attempt, claim.exhausted, claim.last_error, claim.retries) == (1, False, None, 0)
    assert claim.created_at == clock() == claim.lease_until - LEASE


def test_a_job_is_held_until_its_lease_ends(jobs, clock):
    accept(jobs)
    first = jobs.claim("a", LEASE)
    clock.tick(59.999)
    assert jobs.claim("b", LEASE) is None
    assert jobs.stalled() == ()
    clock.tick(0.001)
    assert [job.worker for job in jobs.stalled()] == ["a"]
    second = jobs.claim("b", LEASE)
    assert (second.attempt, second.token != first.token) == (2, True)
    for late in (
        lambda: jobs.finish(first, "done", {}, answer(first)),
        lambda: jobs.fail(first, "x", LEASE),
        lambda: jobs.fail(first, "x", None),
        lambda: jobs.heartbeat(first, LEASE),
        lambda: jobs.release(first),
    ):
        with pytest.raises(LeaseLost):
            late()
    jobs.finish(second, "done", {}, answer(second))
    assert states(jobs, second.id) == ("done", ["queued"])


def test_a_heartbeat_keeps_the_job(jobs, clock):
    accept(jobs)
    claim = jobs.claim("a", LEASE)
    clock.tick(59)
    assert jobs.heartbeat(claim, LEASE).lease_until == clock() + LEASE
    clock.tick(59)
    assert jobs.claim("b", LEASE) is None
    clock.tick(1)  # run out, but nobody has taken it
    assert jobs.heartbeat(claim, LEASE).token == claim.token
    assert jobs.claim("b", LEASE) is None


def test_a_release_is_not_counted(jobs):
    accept(jobs)
    for _ in range(7):
        claim = jobs.claim("w", LEASE)
        assert claim.attempt == 1
        jobs.release(claim)


def test_a_failed_attempt_comes_back_later_with_its_error(jobs, clock):
    accept(jobs)
    jobs.fail(jobs.claim("w", LEASE), "Jira is down.", timedelta(seconds=30))
    clock.tick(29)
    assert jobs.claim("w", LEASE) is None
    assert jobs.oldest_due_age() is None
    clock.tick(3)
    assert jobs.oldest_due_age() == timedelta(seconds=2)
    claim = jobs.claim("w", LEASE)
    assert (claim.attempt, claim.last_error) == (2, "Jira is down.")


def test_a_failure_that_nothing_helps_ends_the_job(jobs):
    job = accept(jobs)
    jobs.fail(jobs.claim("w", LEASE), "Jira refuses the visibility.", None)
    assert states(jobs, job) == ("failed", [])
    assert jobs.show(job).job.error == "Jira refuses the visibility."


@pytest.mark.parametrize("lost", [True, False])
def test_after_five_attempts_only_the_notice_is_left(jobs, clock, lost):
    job = accept(jobs)
    for attempt in range(1, 6):
        claim = jobs.claim("w", LEASE)
        assert (claim.attempt, claim.exhausted) == (attempt, False)
        if not lost:
            jobs.fail(claim, "no answer", LEASE)
        clock.tick(60)
    claim = jobs.claim("w", LEASE)
    assert (claim.attempt, claim.exhausted, claim.last_error) == (5, True, None if lost else "no answer")
    jobs.finish(claim, "failed", {}, notice(claim), error="no answer")
    assert states(jobs, job) == ("failed", ["queued"])


def test_an_ending_that_never_succeeds_ends_by_itself(jobs, clock):
    job = accept(jobs)
    other = accept(jobs, "other")
    taken = []
    for _ in range(25):
        claim = jobs.claim("w", LEASE)
        taken.append(claim and (claim.id, claim.exhausted))
        clock.tick(60)
    assert taken[20:] == [None] * 5
    assert taken.count((job, False)) == taken.count((job, True)) == 5
    assert taken.count((other, False)) == 5
    assert states(jobs, job) == states(jobs, other) == ("failed", [])
    assert "nobody was told" in jobs.show(job).events[-1].detail


def test_a_released_ending_stays_an_ending(jobs, clock):
    accept(jobs)
    fail_all_attempts(jobs, clock)
    for _ in range(7):
        claim = jobs.claim("w", LEASE)
        assert (claim.attempt, claim.exhausted) == (5, True)
        jobs.release(claim)


# Finishing


def test_the_result_and_its_posts_are_stored_together(jobs):
    job = answered(jobs, parts=2)
    view = jobs.show(job)
    assert view.result == {"findings": []}
    assert [(post.delivery_key, post.part, post.parts, post.state) for post in view.posts] == [
        ("k1|answer|1", 1, 2, "queued"),
        ("k1|answer|2", 2, 2, "queued"),
    ]
    assert [event.what for event in view.events] == ["accepted", "claimed", "done"]


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        (NewPost("k1|answer|1", 2, 2, {}), Conflict),  # the same key twice
        (NewPost("other", 1, 2, {}), Conflict),  # the same part twice
        (NewPost("other", 3, 2, {}), NotStorable),  # part 3 of 2
        (NewPost("other", 2, 2, {"x": {1, 2}}), NotStorable),  # no JSON
    ],
)
def test_an_invalid_post_leaves_the_job_as_it_was(jobs, bad, error):
    job = accept(jobs)
    claim = jobs.claim("w", LEASE)
    with pytest.raises(error):
        jobs.finish(claim, "done", {"r": 1}, [NewPost("k1|answer|1", 1, 2, {}), bad])
    view = jobs.show(job)
    assert (view.job.state, view.result, view.posts, view.events[-1].what) == ("running", None, (), "claimed")
    jobs.finish(claim, "done", {"r": 1}, answer(claim))


def test_a_job_is_finished_once(jobs):
    accept(jobs)
    claim = jobs.claim("w", LEASE)
    jobs.finish(claim, "gone", {})
    for state in ("gone", "done"):
        with pytest.raises(LeaseLost):
            jobs.finish(claim, state, {}, answer(claim))


# Again


def test_again_frees_the_delivery_keys_for_another_review(jobs, outbox):
    job = answered(jobs, parts=2)
    delivery = outbox.claim("w", LEASE)
    assert jobs.again(delivery, "narrower now")
    assert states(jobs, job) == ("queued", ["cancelled", "cancelled"])
    assert outbox.claim("w", LEASE) is None
    claim = jobs.claim("w", LEASE)
    assert claim.attempt == 2
    jobs.finish(claim, "done", {}, answer(claim))
    assert [(post.round, post.state) for post in jobs.show(job).posts] == [
        (1, "cancelled"),
        (1, "cancelled"),
        (2, "queued"),
    ]
    assert outbox.claim("w", LEASE).delivery_key == delivery.delivery_key


def test_only_the_holder_of_a_post_may_ask_again(jobs, outbox, clock):
    job = answered(jobs)
    late = outbox.claim("a", LEASE)
    clock.tick(60)
    outbox.sent(outbox.claim("b", LEASE), "c1", "url", adopted=False)
    with pytest.raises(LeaseLost):
        jobs.again(late, "narrower now")
    assert states(jobs, job) == ("done", ["sent"])


def test_again_after_a_part_was_sent_withholds_the_rest(jobs, outbox):
    job = answered(jobs, parts=3)
    outbox.sent(outbox.claim("w", LEASE), "c1", "url", adopted=False)
    assert not jobs.again(outbox.claim("w", LEASE), "narrower now")
    assert states(jobs, job) == ("done", ["sent", "withheld", "withheld"])
    assert jobs.claim("w", LEASE) is None


def test_again_without_attempts_left_ends_in_the_notice(jobs, outbox):
    job = accept(jobs)
    for left in (True, True, True, True, False):
        claim = jobs.claim("w", LEASE)
        jobs.finish(claim, "done", {}, answer(claim))
        assert jobs.again(outbox.claim("w", LEASE), "narrower now") is left
    claim = jobs.claim("w", LEASE)
    assert (claim.attempt, claim.exhausted) == (5, True)
    jobs.finish(claim, "failed", {}, notice(claim), error="narrower now")
    assert states(jobs, job) == ("failed", ["cancelled"] * 5 + ["queued"])


def test_again_for_a_notice_that_a_retry_overtook_leaves_the_new_review_alone(jobs, outbox):
    job = accept(jobs)
    claim = jobs.claim("w", LEASE)
    jobs.finish(claim, "failed", {}, notice(claim), error="e")
    in_flight = outbox.claim("w", LEASE)
    jobs.retry(job, "admin")
    claim = jobs.claim("w", LEASE)
    assert jobs.again(in_flight, "narrower now")
    assert states(jobs, job) == ("running", ["cancelled"])
    jobs.finish(claim, "done", {}, answer(claim))


# Retry


def test_a_failed_review_is_retried_and_its_answer_still_posted_once(jobs, outbox, clock):
    job = accept(jobs)
    fail_all_attempts(jobs, clock)
    claim = jobs.claim("w", LEASE)
    jobs.finish(claim, "failed", {}, notice(claim), error="e")
    outbox.sent(outbox.claim("w", LEASE), "c1", "url", adopted=False)
    jobs.retry(job, "ann")
    claim = jobs.claim("w", LEASE)
    assert (claim.attempt, claim.retries, claim.exhausted) == (1, 1, False)
    jobs.finish(claim, "done", {}, answer(claim))
    assert states(jobs, job) == ("done", ["sent", "queued"])
    assert ("retried", "by ann") in [(event.what, event.detail) for event in jobs.show(job).events]


def test_a_second_failure_is_a_second_notice(jobs, outbox):
    job = accept(jobs)
    for _ in range(2):
        claim = jobs.claim("w", LEASE)
        jobs.finish(claim, "failed", {}, notice(claim), error="e")
        outbox.sent(outbox.claim("w", LEASE), "c", "url", adopted=False)
        jobs.retry(job, "ann")
    assert [post.delivery_key for post in jobs.show(job).posts] == ["k1|notice|0", "k1|notice|1"]


def test_a_retry_cancels_the_notice_that_was_not_begun(jobs, outbox):
    job = accept(jobs)
    claim = jobs.claim("w", LEASE)
    jobs.finish(claim, "failed", {}, notice(claim), error="e")
    jobs.retry(job, "ann")
    assert outbox.claim("w", LEASE) is None
    assert states(jobs, job) == ("queued", ["cancelled"])


def test_a_retry_lets_a_notice_under_way_arrive(jobs, outbox):
    job = accept(jobs)
    claim = jobs.claim("w", LEASE)
    jobs.finish(claim, "failed", {}, notice(claim), error="e")
    under_way = outbox.claim("w", LEASE)
    jobs.retry(job, "ann")
    outbox.sent(under_way, "c1", "url", adopted=False)
    assert states(jobs, job) == ("queued", ["sent"])


def test_posts_that_failed_are_retried_as_they_are(jobs, outbox, clock):
    job = answered(jobs, parts=2)
    outbox.fail(outbox.claim("w", LEASE), "refused", None)
    assert states(jobs, job) == ("done", ["failed", "withheld"])
    jobs.retry(job, "ann")
    assert states(jobs, job) == ("done", ["queued", "queued"])
    delivery = outbox.claim("w", LEASE)
    assert (delivery.attempt, delivery.delivery_key, delivery.last_error) == (1, "k1|answer|1", "refused")
    outbox.sent(delivery, "c1", "url", adopted=False)
    outbox.sent(outbox.claim("w", LEASE), "c2", "url", adopted=False)
    assert jobs.claim("w", LEASE) is None


def queued(jobs, outbox):
    return accept(jobs)


def running(jobs, outbox):
    accept(jobs)
    return jobs.claim("w", LEASE).id


def gone(jobs, outbox):
    accept(jobs)
    claim = jobs.claim("w", LEASE)
    jobs.finish(claim, "gone", {})
    return claim.id


def nothing_to_post(jobs, outbox):
    return answered(jobs, parts=0)


def on_its_way(jobs, outbox):
    return answered(jobs)


def held(jobs, outbox):
    return answered(jobs, held=True)


def posted(jobs, outbox):
    job = answered(jobs)
    outbox.sent(outbox.claim("w", LEASE), "c1", "url", adopted=False)
    return job


def dropped(jobs, outbox):
    job = answered(jobs)
    outbox.dropped(outbox.claim("w", LEASE), "deleted")
    return job


def test_a_job_that_ended_as_gone_can_be_retried(jobs, outbox):
    """It may only have been hidden from the bot, which somebody has mended since."""
    job = gone(jobs, outbox)
    jobs.retry(job, "ann")
    claim = jobs.claim("w", LEASE)
    assert (claim.id, claim.attempt) == (job, 1)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (queued, "waiting for its turn"),
        (running, "somebody is working on it"),
        (nothing_to_post, "nothing to post"),
        (on_its_way, "its reply is on its way"),
        (held, "posting is off"),
        (posted, "its reply was posted"),
        (dropped, "nobody to answer"),
    ],
)
def test_nothing_else_can_be_retried(jobs, outbox, make, why):
    job = make(jobs, outbox)
    before = jobs.show(job)
    with pytest.raises(NotRetryable, match=why):
        jobs.retry(job, "ann")
    assert jobs.show(job) == before


# Looking


def test_unknown_jobs(jobs):
    with pytest.raises(NotFound, match="no job 7"):
        jobs.show(7)
    with pytest.raises(NotFound):
        jobs.retry(7, "ann")


def test_a_person_sees_what_they_asked_for_the_newest_first(jobs):
    mine = [accept(jobs, key, asked_by="slack|T1|U1") for key in "abc"]
    accept(jobs, "d", asked_by="slack|T1|U2")
    accept(jobs, "e")
    assert [job.id for job in jobs.of_person("slack|T1|U1", 2)] == mine[:0:-1]
    assert [job.id for job in jobs.of_person("slack|T1|U1", 9)] == mine[::-1]
    assert jobs.of_person("", 9) == jobs.of_person("slack|T1|U3", 9) == ()


def test_lists_and_counts(jobs, clock):
    assert jobs.counts() == {"queued": 0, "running": 0, "done": 0, "gone": 0, "failed": 0}
    done = answered(jobs, "a")
    waiting = accept(jobs, "b")
    assert [job.id for job in jobs.list()] == [waiting, done]
    assert [job.id for job in jobs.list("done")] == [done]
    assert [job.id for job in jobs.list(limit=1)] == [waiting]
    assert jobs.counts() == {"queued": 1, "running": 0, "done": 1, "gone": 0, "failed": 0}
    clock.tick(90)
    assert jobs.oldest_due_age() == timedelta(seconds=90)
    assert jobs.list()[1].finished_at == clock() - timedelta(seconds=90)


def test_what_waits_for_its_next_attempt_need_not_wait_any_longer(jobs, outbox, clock):
    job = accept(jobs)
    jobs.fail(jobs.claim("w", LEASE), "the token may not do this", timedelta(minutes=10))
    jobs.retry(job, "an administrator")
    claim = jobs.claim("w", LEASE)
    assert claim is not None
    assert claim.attempt == 1
    jobs.finish(claim, "done", {}, answer(claim))
    outbox.fail(outbox.claim("w", LEASE), "busy", timedelta(minutes=10))
    jobs.retry(job, "an administrator")
    assert outbox.claim("w", LEASE) is not None
