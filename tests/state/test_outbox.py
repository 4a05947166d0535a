from datetime import timedelta

import pytest

from state.errors import LeaseLost
from tests.state.parts import LEASE, answered


def states(jobs, job):
    return [post.state for post in jobs.show(job).posts]


def test_parts_are_sent_in_order(jobs, outbox, clock):
    first = answered(jobs, "a", parts=2)
    clock.tick()
    answered(jobs, "b")
    one = outbox.claim("w", LEASE)
    assert (one.job_id, one.part, one.parts, one.payload, one.attempt) == (first, 1, 2, {"text": "part 1"}, 1)
    other = outbox.claim("w", LEASE)
    assert other.delivery_key == "b|answer|1"  # a's second part waits for its first
    assert outbox.claim("w", LEASE) is None
    outbox.fail(one, "busy", timedelta(seconds=5))
    assert outbox.claim("w", LEASE) is None
    clock.tick(5)
    one = outbox.claim("w", LEASE)
    assert (one.part, one.attempt, one.last_error) == (1, 2, "busy")
    outbox.sent(one, "c1", "https://jira.example/c1", adopted=False)
    two = outbox.claim("w", LEASE)
    assert (two.job_id, two.part) == (first, 2)
    outbox.sent(two, "c2", "https://jira.example/c2", adopted=True)
    posts = jobs.show(first).posts
    assert [(post.remote_id, post.adopted, post.error) for post in posts] == [("c1", False, None), ("c2", True, None)]
    assert posts[0].settled_at == clock()


def test_a_post_is_not_sent_before_the_job_is_finished(jobs, outbox):
    assert outbox.claim("w", LEASE) is None


def test_held_posts_are_never_claimed(jobs, outbox, clock):
    job = answered(jobs, parts=2, held=True)
    clock.tick(1e9)
    assert outbox.claim("w", LEASE) is None
    assert states(jobs, job) == ["held", "held"]
    assert outbox.counts()["held"] == 2


def test_the_loser_of_a_lease_learns_who_won(jobs, outbox, clock):
    answered(jobs)
    loser = outbox.claim("a", LEASE)
    clock.tick(60)
    winner = outbox.claim("b", LEASE)
    assert (winner.attempt, winner.id) == (2, loser.id)
    assert (outbox.is_settled(loser.id), outbox.remote_id_of(loser.id)) == (False, None)
    outbox.sent(winner, "c7", "url", adopted=False)
    for late in (
        lambda: outbox.sent(loser, "c8", "url", adopted=False),
        lambda: outbox.fail(loser, "x", None),
        lambda: outbox.fail(loser, "x", LEASE),
        lambda: outbox.dropped(loser, "x"),
        lambda: outbox.heartbeat(loser, LEASE),
        lambda: outbox.release(loser),
    ):
        with pytest.raises(LeaseLost):
            late()
    assert (outbox.is_settled(loser.id), outbox.remote_id_of(loser.id)) == (True, "c7")


def test_a_heartbeat_keeps_the_post(jobs, outbox, clock):
    answered(jobs)
    delivery = outbox.claim("a", LEASE)
    clock.tick(59)
    assert outbox.heartbeat(delivery, LEASE).lease_until == clock() + LEASE
    clock.tick(59)
    assert outbox.claim("b", LEASE) is None


def test_a_release_is_not_counted(jobs, outbox):
    answered(jobs)
    for _ in range(7):
        delivery = outbox.claim("w", LEASE)
        assert delivery.attempt == 1
        outbox.release(delivery)


def test_a_final_failure_withholds_the_rest(jobs, outbox):
    job = answered(jobs, parts=3)
    outbox.sent(outbox.claim("w", LEASE), "c1", "url", adopted=False)
    outbox.fail(outbox.claim("w", LEASE), "The body is refused.", None)
    assert states(jobs, job) == ["sent", "failed", "withheld"]
    assert outbox.claim("w", LEASE) is None
    assert jobs.show(job).events[-1].detail == "part 2 of 3: The body is refused."


def test_a_deleted_trigger_drops_the_rest(jobs, outbox):
    job = answered(jobs, parts=3)
    outbox.sent(outbox.claim("w", LEASE), "c1", "url", adopted=False)
    outbox.dropped(outbox.claim("w", LEASE), "The comment was deleted.")
    assert states(jobs, job) == ["sent", "dropped", "dropped"]
    assert outbox.claim("w", LEASE) is None


def test_after_five_attempts_it_is_only_looked_for(jobs, outbox, clock):
    job = answered(jobs, parts=2)
    for attempt in range(1, 6):
        delivery = outbox.claim("w", LEASE)
        assert (delivery.attempt, delivery.exhausted) == (attempt, False)
        clock.tick(60)
    delivery = outbox.claim("w", LEASE)
    assert (delivery.attempt, delivery.exhausted) == (5, True)
    outbox.sent(delivery, "c1", "url", adopted=True)
    assert states(jobs, job) == ["sent", "queued"]


def test_an_ending_that_never_succeeds_ends_by_itself(jobs, outbox, clock):
    job = answered(jobs, parts=2)
    taken = []
    for _ in range(12):
        taken.append(outbox.claim("w", LEASE) is not None)
        clock.tick(60)
    assert taken == [True] * 10 + [False] * 2
    assert states(jobs, job) == ["failed", "withheld"]


def test_counts_name_every_state(jobs, outbox):
    answered(jobs)
    assert outbox.counts() == {
        "queued": 1, "running": 0, "held": 0, "sent": 0, "failed": 0, "withheld": 0, "dropped": 0, "cancelled": 0,
    }  # fmt: skip


def test_an_unknown_post_is_settled(outbox):
    assert outbox.is_settled(99)
    assert outbox.remote_id_of(99) is None
