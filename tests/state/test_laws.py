"""Laws 1 and 2 over every order of events: a job is answered once, and tried at most five times a count.

The platform here keeps what it was sent for ever, whatever `state` remembers. Workers are killed by forgetting what
they held, or paused by using what they held long after its lease ran out.
"""

from collections import Counter
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
from sqlalchemy import text

from state.db import open_database
from state.errors import LeaseLost, NotRetryable
from state.jobs import Jobs
from state.outbox import Outbox
from tests.state.parts import LEASE, Clock, accept, answer, notice

MAX = 5
waits = st.sampled_from([0, 20, 70]).map(lambda seconds: timedelta(seconds=seconds))
which = st.integers(0, 5)


class Laws(RuleBasedStateMachine):
    def __init__(self, fresh):
        super().__init__()
        self.fresh = fresh

    @initialize()
    def start(self):
        self.database = open_database(self.fresh())
        self.clock = Clock()
        self.jobs = Jobs(self.database, self.clock, MAX)
        self.outbox = Outbox(self.database, self.clock, MAX)
        self.accepted = {}
        self.claims = []  # what workers believe to hold, the latest last
        self.deliveries = []
        self.leases = {}  # (table, id) -> (token, lease's end): who may work, as the workers were told
        self.attempts = Counter()  # (table, id) -> taken to do the work in the present count
        self.posted = Counter()  # the platform: delivery key -> visible comments
        self.rounds = {}  # delivery key -> the round whose text is visible

    def teardown(self):
        self.database.dispose()

    # What the workers know

    def held(self, table, row):
        """A fresh lease: nobody else's may be valid, and the attempt is counted."""
        end = self.leases.get((table, row.id), (None, self.clock()))[1]
        assert end <= self.clock(), "two valid leases"
        self.leases[table, row.id] = (row.token, row.lease_until)
        if not row.exhausted:
            self.attempts[table, row.id] += 1
        assert row.attempt == self.attempts[table, row.id] <= MAX

    def mine(self, table, row) -> bool:
        return self.leases.get((table, row.id), ("",))[0] == row.token

    def end(self, table, row, change) -> bool:
        """Give the lease up by `change`; whoever lost theirs is refused."""
        if not self.mine(table, row):
            with pytest.raises(LeaseLost):
                change()
            return False
        change()
        del self.leases[table, row.id]
        return True

    def renew(self, table, row, heartbeat) -> bool:
        if not self.mine(table, row):
            with pytest.raises(LeaseLost):
                heartbeat(row, LEASE)
            return False
        self.leases[table, row.id] = (row.token, heartbeat(row, LEASE).lease_until)
        return True

    # Requests and time

    @precondition(lambda self: len(self.accepted) < 2 or not self.claims)
    @rule(key=st.sampled_from("ab"))
    def accept(self, key):
        job = accept(self.jobs, key)
        assert (job is None) == (key in self.accepted)
        self.accepted.setdefault(key, job)

    @rule(seconds=st.sampled_from([1, 30, 60, 3600]))
    def time_passes(self, seconds):
        self.clock.tick(seconds)

    # Reviewing

    @precondition(lambda self: self.accepted)
    @rule()
    def claim(self):
        claim = self.jobs.claim("w", LEASE)
        if claim is not None:
            self.held("job", claim)
            self.claims.append(claim)

    @precondition(lambda self: self.claims)
    @rule(n=which, parts=st.integers(1, 3), failed=st.sampled_from([False, False, True]))
    def finish(self, n, parts, failed):
        claim = self.claims[-1 - n % len(self.claims)]
        failed = failed or claim.exhausted
        posts = notice(claim) if failed else answer(claim, parts)
        self.end("job", claim, lambda: self.jobs.finish(claim, "failed" if failed else "done", {}, posts))

    @precondition(lambda self: self.claims)
    @rule(n=which, wait=waits)
    def fail(self, n, wait):
        claim = self.claims[-1 - n % len(self.claims)]
        self.end("job", claim, lambda: self.jobs.fail(claim, "busy", wait))

    @precondition(lambda self: self.claims)
    @rule(n=which)
    def heartbeat(self, n):
        self.renew("job", self.claims[-1 - n % len(self.claims)], self.jobs.heartbeat)

    @precondition(lambda self: self.claims)
    @rule(n=which, later=st.booleans())
    def release(self, n, later):
        claim = self.claims[-1 - n % len(self.claims)]
        postpone = lambda: self.jobs.postpone(claim, "wait", timedelta(seconds=2))  # noqa: E731
        released = self.end("job", claim, postpone if later else lambda: self.jobs.release(claim))
        self.attempts["job", claim.id] -= released and not claim.exhausted

    @precondition(lambda self: self.accepted)
    @rule(parts=st.integers(1, 3))
    def review(self, parts):
        """The usual way, so that the unusual is also tried further on."""
        before = len(self.claims)
        self.claim()
        if len(self.claims) > before:
            self.finish(0, parts, failed=False)

    # Posting

    @precondition(lambda self: self.accepted)
    @rule()
    def take_post(self):
        delivery = self.outbox.claim("w", LEASE)
        if delivery is not None:
            self.held("post", delivery)
            self.deliveries.append(delivery)

    @precondition(lambda self: self.deliveries)
    @rule(
        n=which,
        outcome=st.sampled_from(["sent", "sent", "sent", "killed", "again", "again", "dropped", "refused", "busy"]),
        wait=waits,
    )
    def deliver(self, n, outcome, wait):
        """As the delivery handler does: look for the key, renew the lease, send, remember."""
        post = self.deliveries[-1 - n % len(self.deliveries)]
        changes = {
            "again": lambda: self.jobs.again(post, "narrower"),
            "dropped": lambda: self.outbox.dropped(post, "deleted"),
            "refused": lambda: self.outbox.fail(post, "refused", None),
            "busy": lambda: self.outbox.fail(post, "busy", wait),
        }
        if self.posted[post.delivery_key]:
            self.end("post", post, lambda: self.outbox.sent(post, "c", "url", adopted=True))
        elif post.exhausted:
            self.end("post", post, changes["refused"])
        elif outcome in changes:
            self.end("post", post, changes[outcome])
        elif self.renew("post", post, self.outbox.heartbeat):
            ((round_,),) = self.rows("SELECT round FROM outbox WHERE id = :id", id=post.id)
            self.posted[post.delivery_key] += 1
            self.rounds[post.delivery_key] = round_
            if outcome == "sent":
                self.end("post", post, lambda: self.outbox.sent(post, "c", "url", adopted=False))

    @precondition(lambda self: self.deliveries)
    @rule(n=which, later=st.booleans())
    def release_post(self, n, later):
        delivery = self.deliveries[-1 - n % len(self.deliveries)]
        postpone = lambda: self.outbox.postpone(delivery, "wait", timedelta(seconds=2))  # noqa: E731
        released = self.end("post", delivery, postpone if later else lambda: self.outbox.release(delivery))
        self.attempts["post", delivery.id] -= released and not delivery.exhausted

    @precondition(lambda self: self.accepted)
    @rule(outcome=st.sampled_from(["sent", "sent", "again"]))
    def post(self, outcome):
        before = len(self.deliveries)
        self.take_post()
        if len(self.deliveries) > before:
            self.deliver(0, outcome, LEASE)

    # The administrator

    @precondition(lambda self: self.accepted)
    @rule(key=st.sampled_from("ab"))
    def retry(self, key):
        if key not in self.accepted:
            return
        job = self.accepted[key]
        before = self.jobs.show(job)
        try:
            self.jobs.retry(job, "ann")
        except NotRetryable:
            assert self.jobs.show(job) == before
            return
        if before.job.state in {"failed", "queued"}:
            self.attempts["job", job] = 0
        else:
            for post in before.posts:
                if post.state in {"failed", "withheld", "queued"}:
                    self.attempts["post", post.id] = 0

    # The laws

    def rows(self, sql, **values):
        with self.database.reading() as session:
            return session.connection().execute(text(sql), values).all()

    @invariant()
    def nothing_is_visible_twice(self):
        assert all(count <= 1 for count in self.posted.values())

    @invariant()
    def a_visible_answer_is_of_one_round_and_in_order(self):
        answers = {}
        for key, round_ in self.rounds.items():
            job, kind, part = key.split("|")
            if kind == "answer":
                answers.setdefault(job, []).append((round_, int(part)))
        for parts in answers.values():
            assert len({round_ for round_, _ in parts}) == 1
            assert [part for _, part in parts] == list(range(1, len(parts) + 1))

    @invariant()
    def the_database_holds_one_post_for_each_key(self):
        alive = Counter(key for (key,) in self.rows("SELECT delivery_key FROM outbox WHERE state <> 'cancelled'"))
        assert all(count == 1 for count in alive.values())

    @invariant()
    def what_is_due_is_unfinished_and_what_is_held_has_a_token(self):
        for table in ("job", "outbox"):
            for state, due, token, attempts, closings in self.rows(
                f"SELECT state, due, token, attempts, closings FROM {table}"
            ):
                assert (due is not None) == (state in {"queued", "running"})
                assert (token is not None) == (state == "running")
                assert 0 <= attempts <= MAX
                assert 0 <= closings <= MAX + 1


def test_laws(fresh):
    run_state_machine_as_test(lambda: Laws(fresh), settings=settings(max_examples=40, stateful_step_count=50))
