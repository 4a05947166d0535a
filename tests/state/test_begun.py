"""Posts that cannot be looked up once they are sent: at most once, whatever happens (law 1)."""

from collections import Counter
from contextlib import suppress
from datetime import timedelta

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from state.db import open_database
from state.errors import Conflict, LeaseLost, NotRetryable
from state.jobs import Jobs
from state.outbox import Outbox
from tests.state.parts import LEASE, Clock, accept, answer, answered, notice

ENDS = ["killed", "busy", "final", "again", "release", "sent"]
LOST = "It may have been shown, which cannot be looked up."


def states(jobs, job):
    return [(post.state, post.begun) for post in jobs.show(job).posts]


def test_a_successor_learns_that_it_may_have_been_sent(jobs, outbox, clock):
    job = answered(jobs)
    first = outbox.claim("a", LEASE)
    clock.tick(30)
    begun = outbox.begin(first, LEASE)
    assert (first.begun, begun.begun, begun.lease_until) == (False, True, clock() + LEASE)
    assert jobs.show(job).events[-1].what == "sending"
    clock.tick(60)
    second = outbox.claim("b", LEASE)
    assert (second.id, second.attempt, second.begun) == (first.id, 2, True)
    with pytest.raises(LeaseLost):
        outbox.begin(first, LEASE)
    with pytest.raises(Conflict):
        outbox.begin(second, LEASE)
    outbox.fail(second, LOST, None)
    assert states(jobs, job) == [("failed", True)]


def test_it_is_begun_once_by_its_holder_too(jobs, outbox):
    answered(jobs)
    begun = outbox.begin(outbox.claim("a", LEASE), LEASE)
    with pytest.raises(Conflict):
        outbox.begin(begun, LEASE)
    outbox.sent(begun, "ephemeral", "", adopted=False)


@pytest.mark.parametrize("let_go", ["fail", "release", "lose"])
def test_it_stays_begun_however_it_is_let_go(jobs, outbox, clock, let_go):
    answered(jobs)
    begun = outbox.begin(outbox.claim("a", LEASE), LEASE)
    if let_go == "fail":
        outbox.fail(begun, "no answer", timedelta())
    elif let_go == "release":
        outbox.release(begun)
    else:
        clock.tick(60)
    assert outbox.claim("b", LEASE).begun


def test_an_administrator_does_not_get_it_sent_again(jobs, outbox):
    job = answered(jobs, parts=2)
    outbox.fail(outbox.begin(outbox.claim("a", LEASE), LEASE), LOST, None)
    before = jobs.show(job)
    with pytest.raises(NotRetryable, match="may have been shown"):
        jobs.retry(job, "ann")
    assert jobs.show(job) == before
    assert outbox.claim("a", LEASE) is None


def test_what_failed_before_it_was_begun_is_sent_by_a_retry(jobs, outbox):
    job = answered(jobs, parts=2)
    outbox.sent(outbox.begin(outbox.claim("a", LEASE), LEASE), "ephemeral", "", adopted=False)
    outbox.fail(outbox.claim("a", LEASE), "The address has run out.", None)
    jobs.retry(job, "ann")
    assert (second := outbox.claim("a", LEASE)).part == 2
    assert not second.begun


def test_nothing_is_reviewed_again_beside_what_may_have_been_shown(jobs, outbox, clock):
    job = answered(jobs, parts=2)
    outbox.begin(outbox.claim("a", LEASE), LEASE)
    clock.tick(60)
    assert not jobs.again(outbox.claim("b", LEASE), "a page was closed")
    assert states(jobs, job) == [("withheld", True), ("withheld", False)]
    with pytest.raises(NotRetryable):
        jobs.retry(job, "ann")


def test_the_key_of_what_was_begun_stays_taken(jobs, outbox):
    accept(jobs)
    claim = jobs.claim("w", LEASE)
    jobs.finish(claim, "failed", {}, notice(claim))
    outbox.fail(outbox.begin(outbox.claim("a", LEASE), LEASE), LOST, None)
    jobs.retry(claim.id, "ann")
    assert states(jobs, claim.id) == [("cancelled", True)]
    again = jobs.claim("w", LEASE)
    with pytest.raises(Conflict):
        jobs.finish(again, "failed", {}, notice(claim))
    jobs.finish(again, "failed", {}, notice(again))


class AtMostOnce(RuleBasedStateMachine):
    """One request whose reply cannot be looked up. Killed workers forget what they held, paused ones use it later."""

    def __init__(self, fresh):
        super().__init__()
        self.fresh = fresh

    @initialize(parts=st.integers(1, 2), failed=st.booleans(), end=st.sampled_from(ENDS))
    def start(self, parts, failed, end):
        self.database = open_database(self.fresh())
        self.clock = Clock()
        self.jobs = Jobs(self.database, self.clock)
        self.outbox = Outbox(self.database, self.clock)
        self.job = accept(self.jobs)
        self.held = []  # the latest last
        self.begun = set()  # delivery keys
        self.shown = Counter()
        self.work(parts, failed)
        self.claim_and_deliver(end)

    def teardown(self):
        self.database.dispose()

    @rule(parts=st.integers(1, 2), failed=st.booleans())
    def work(self, parts, failed):
        claim = self.jobs.claim("w", LEASE)
        if claim is not None:
            failed = failed or claim.exhausted
            posts = notice(claim) if failed else answer(claim, parts)
            self.jobs.finish(claim, "failed" if failed else "done", {}, posts)

    @rule(seconds=st.sampled_from([1, 60]))
    def time_passes(self, seconds):
        self.clock.tick(seconds)

    @rule()
    def claim(self):
        post = self.outbox.claim("w", LEASE)
        if post is not None:
            assert post.begun == (post.delivery_key in self.begun)
            self.held.append(post)

    @precondition(lambda self: self.held)
    @rule(
        n=st.integers(0, 3),
        end=st.sampled_from(ENDS),
    )
    def deliver(self, n, end):
        """Begin and send, unless that was done before; then let go, or be killed."""
        post = self.held[-1 - n % len(self.held)]
        with suppress(LeaseLost):
            if not (post.begun or post.exhausted):
                self.begin_and_send(post)
            self.let_go(post, end)

    @rule(end=st.sampled_from(ENDS))
    def claim_and_deliver(self, end):
        """The usual way, so that the unusual is also tried further on."""
        before = len(self.held)
        self.claim()
        if len(self.held) > before:
            self.deliver(0, end)

    def begin_and_send(self, post):
        try:
            self.outbox.begin(post, LEASE)
        except Conflict:
            assert post.delivery_key in self.begun
        else:
            self.begun.add(post.delivery_key)
            self.shown[post.delivery_key] += 1

    @precondition(lambda self: self.held)
    @rule(n=st.integers(0, 3), end=st.sampled_from(["busy", "final", "again", "release"]))
    def let_go_without_sending(self, n, end):
        with suppress(LeaseLost):
            self.let_go(self.held[-1 - n % len(self.held)], end)

    def let_go(self, post, end):
        if end == "sent":
            self.outbox.sent(post, "ephemeral", "", adopted=False)
        elif end in {"busy", "final"}:
            self.outbox.fail(post, end, timedelta() if end == "busy" else None)
        elif end == "again":
            if self.jobs.again(post, "narrower"):
                self.work(1, failed=False)
        elif end == "release":
            self.outbox.release(post)

    @rule()
    def retry(self):
        try:
            self.jobs.retry(self.job, "ann")
        except NotRetryable:
            return
        assert not any(post.begun for post in self.jobs.show(self.job).posts if post.state == "queued")

    @invariant()
    def nothing_is_shown_twice(self):
        assert all(count == 1 for count in self.shown.values())

    @invariant()
    def what_was_begun_is_remembered(self):
        remembered = {post.delivery_key for post in self.jobs.show(self.job).posts if post.begun}
        assert remembered == self.begun


def test_at_most_once(fresh):
    run_state_machine_as_test(lambda: AtMostOnce(fresh), settings=settings(max_examples=25, stateful_step_count=15))
