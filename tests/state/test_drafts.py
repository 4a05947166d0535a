"""What was drafted in a thread is remembered with the end of the job, and counts once it was posted."""

import pytest

from state.drafts import Drafts
from state.errors import LeaseLost
from state.types import NewDraft
from tests.state.parts import LEASE, accept, answer

THREAD = "slack|T1|C1|1700000000.000100"


@pytest.fixture
def drafts(database) -> Drafts:
    return Drafts(database)


def new(clock, version=1, subject=THREAD) -> NewDraft:
    record = {"cases": [{"number": version}]}
    return NewDraft(subject, version, record, frozenset({"org", "slack:C1"}), frozenset({"d2", "d1"}), clock())


def drafted(jobs, key, draft, parts=1, **more):
    accept(jobs, key)
    claim = jobs.claim("w", LEASE)
    jobs.finish(claim, "done", {}, answer(claim, parts, **more), draft=draft)
    return claim


def send(outbox):
    outbox.sent(outbox.claim("w", LEASE), "1.2", "url", adopted=False)


def test_a_draft_counts_once_its_first_part_is_posted(jobs, outbox, clock, drafts):
    claim = drafted(jobs, "k1", new(clock), parts=2)
    made = clock()
    assert drafts.latest(THREAD) is None
    clock.tick(10)
    told = clock()
    send(outbox)
    clock.tick(10)
    send(outbox)
    view = drafts.latest(THREAD)
    assert (view.job_id, view.version, view.record, view.at, view.told_at) == (
        claim.id, 1, {"cases": [{"number": 1}]}, made, told,
    )  # fmt: skip
    assert (view.made_for, view.rests_on) == ({"org", "slack:C1"}, {"d1", "d2"})
    assert drafts.latest("slack|T1|C2|1700000000.000100") is None


def test_the_last_one_posted_is_the_latest(jobs, outbox, clock, drafts):
    for version in (1, 2):
        drafted(jobs, f"k{version}", new(clock, version))
        clock.tick()
        send(outbox)
    assert drafts.latest(THREAD).version == 2
    drafted(jobs, "k3", new(clock, 3))
    assert drafts.latest(THREAD).version == 2  # the third waits
    outbox.fail(outbox.claim("w", LEASE), "no", None)
    assert drafts.latest(THREAD).version == 2


def test_of_two_posted_in_one_moment_the_later_job_counts(jobs, outbox, clock, drafts):
    for version in (1, 2):
        drafted(jobs, f"k{version}", new(clock, version))
        send(outbox)
    assert drafts.latest(THREAD).version == 2


def test_what_is_held_was_not_shown(jobs, clock, drafts):
    drafted(jobs, "k1", new(clock), held=True)
    assert drafts.latest(THREAD) is None


def test_one_made_again_takes_the_place_of_the_one_that_was_not_shown(jobs, outbox, clock, drafts):
    drafted(jobs, "k1", new(clock))
    assert jobs.again(outbox.claim("w", LEASE), "a page was closed")
    claim = jobs.claim("w", LEASE)
    jobs.finish(claim, "done", {}, answer(claim), draft=new(clock, 7))
    assert drafts.latest(THREAD) is None
    send(outbox)
    assert drafts.latest(THREAD).version == 7


def test_an_answer_made_again_without_a_draft_shows_none(jobs, outbox, clock, drafts):
    drafted(jobs, "k1", new(clock))
    assert jobs.again(outbox.claim("w", LEASE), "a page was closed")
    claim = jobs.claim("w", LEASE)
    jobs.finish(claim, "done", {}, answer(claim))
    send(outbox)
    assert drafts.latest(THREAD) is None


def test_a_job_that_did_not_end_well_drafted_nothing(jobs, outbox, clock, drafts):
    accept(jobs)
    claim = jobs.claim("w", LEASE)
    jobs.finish(claim, "failed", {}, answer(claim), draft=new(clock))
    send(outbox)
    assert drafts.latest(THREAD) is None


def test_nothing_is_remembered_of_a_job_that_somebody_else_holds(jobs, clock, drafts, outbox):
    accept(jobs)
    claim = jobs.claim("w", LEASE)
    clock.tick(61)
    successor = jobs.claim("v", LEASE)
    with pytest.raises(LeaseLost):
        jobs.finish(claim, "done", {}, answer(claim), draft=new(clock))
    jobs.finish(successor, "done", {}, answer(successor))
    send(outbox)
    assert drafts.latest(THREAD) is None
