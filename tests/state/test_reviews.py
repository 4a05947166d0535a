"""What reviews told and people set aside is remembered with the end of the job, and counts once it was posted."""

from datetime import UTC, timedelta

import pytest

from state.errors import LeaseLost
from state.jobs import Jobs
from state.reviews import LATEST, Reviews
from state.types import Dismissed, NewReview
from tests.state.parts import LEASE, accept, answer

OPEN, LEADS = frozenset({"org"}), frozenset({"org", "role"})


@pytest.fixture
def reviews(database) -> Reviews:
    return Reviews(database)


def new(clock, findings=({"n": 1},), made_for=OPEN, subject="jira|site|1") -> NewReview:
    return NewReview(subject, "10", made_for, findings, clock())


def dismissed(clock, fingerprint="f1", comment="20", **more) -> Dismissed:
    return Dismissed(
        **{
            "subject": "jira|site|1",
            "fingerprint": fingerprint,
            "reason": "as sold",
            "by": "Ann",
            "comment_id": comment,
            "at": clock(),
        }
        | more
    )


def reviewed(jobs, key, review, parts=1, **more):
    accept(jobs, key)
    claim = jobs.claim("w", LEASE)
    jobs.finish(claim, "done", {}, answer(claim, parts), review=review, **more)
    return claim


def send(outbox, parts=1):
    for _ in range(parts):
        outbox.sent(outbox.claim("w", LEASE), "c", "url", adopted=False)


def test_a_review_counts_once_its_reply_is_posted(jobs, outbox, clock, reviews):
    claim = reviewed(jobs, "k1", new(clock), parts=2)
    assert reviews.told("jira|site|1") == ()
    clock.tick(10)
    first = clock()
    send(outbox)
    clock.tick(10)
    send(outbox)
    (view,) = reviews.told("jira|site|1")
    assert (view.job_id, view.told_at, view.trigger_id, view.made_for) == (claim.id, first, "10", OPEN)
    assert (view.findings, view.at) == (({"n": 1},), first - timedelta(seconds=10))
    assert view.told_at.tzinfo is not None
    assert view.told_at.astimezone(UTC) == first
    assert reviews.told("jira|site|2") == ()
    assert reviews.told("jira|site|1", before=first) == ()
    assert reviews.told("jira|site|1", before=first + timedelta(seconds=1)) == (view,)


def test_what_was_reviewed_is_listed_a_page_at_a_time_once_it_was_told(jobs, outbox, clock, reviews):
    for key, subject in (("k1", "s|2"), ("k2", "s|1"), ("k3", "s|2"), ("k4", "s|3")):
        clock.tick(10)
        reviewed(jobs, key, new(clock, subject=subject))
        send(outbox)
    reviewed(jobs, "k5", new(clock, subject="s|4"))
    assert reviews.subjects(None, "", 2) == ("s|1", "s|2")
    assert reviews.subjects(None, "s|2", 2) == ("s|3",)
    assert reviews.subjects(clock() - timedelta(seconds=15), "", 9) == ("s|2", "s|3")
    assert reviews.subjects(clock() + timedelta(seconds=1), "", 9) == ()


def test_what_is_held_failed_or_cancelled_was_not_told(jobs, outbox, clock, reviews):
    accept(jobs)
    claim = jobs.claim("w", LEASE)
    jobs.finish(claim, "done", {}, answer(claim, held=True), review=new(clock))
    reviewed(jobs, "k2", new(clock))
    outbox.fail(outbox.claim("w", LEASE), "no", None)
    assert reviews.told("jira|site|1") == ()


def test_a_review_made_again_takes_the_place_of_the_one_that_was_not_told(jobs, outbox, clock, reviews):
    reviewed(jobs, "k1", new(clock, [{"n": 1}, {"n": 2}]))
    assert jobs.again(outbox.claim("w", LEASE), "a page was closed")
    claim = jobs.claim("w", LEASE)
    jobs.finish(claim, "done", {}, answer(claim), review=new(clock, [{"n": 3}]))
    assert reviews.told("jira|site|1") == ()
    send(outbox)
    assert [view.findings for view in reviews.told("jira|site|1")] == [({"n": 3},)]


def test_the_notice_of_a_failure_tells_no_review(jobs, outbox, clock, reviews):
    """Posted in the round before the one whose review still waits."""
    accept(jobs)
    claim = jobs.claim("w", LEASE)
    jobs.finish(claim, "failed", {}, answer(claim))
    send(outbox)
    jobs.retry(claim.id, "admin")
    again = jobs.claim("w", LEASE)
    jobs.finish(again, "done", {}, [*answer(again)][:0], review=new(clock))
    assert reviews.told("jira|site|1") == ()


def test_the_last_one_that_holders_of_these_labels_saw(jobs, outbox, clock, reviews):
    for number, made_for in enumerate([OPEN, LEADS, OPEN, LEADS]):
        reviewed(jobs, f"k{number}", new(clock, [{"n": number}], made_for))
        clock.tick()
        send(outbox)
    assert [view.findings[0]["n"] for view in reviews.told("jira|site|1")] == [0, 1, 2, 3]
    assert reviews.last("jira|site|1", LEADS).findings == ({"n": 3},)
    assert reviews.last("jira|site|1", OPEN).findings == ({"n": 2},)
    assert reviews.last("jira|site|1", OPEN, before=reviews.told("jira|site|1")[2].told_at).findings == ({"n": 0},)
    assert reviews.last("jira|site|1", ()) is None
    assert reviews.last("jira|site|9", LEADS) is None


def test_only_the_latest_are_looked_at(jobs, outbox, clock, reviews):
    for number in range(LATEST + 3):
        reviewed(jobs, f"k{number}", new(clock, [{"n": number}]))
        clock.tick()
        send(outbox)
    assert [view.findings[0]["n"] for view in reviews.told("jira|site|1")] == list(range(3, LATEST + 3))


def test_dismissals_are_kept_once_and_the_last_wording_counts(jobs, clock, reviews):
    reviewed(jobs, "k1", None, dismissals=[dismissed(clock), dismissed(clock, "f2")])
    clock.tick()
    reviewed(jobs, "k2", None, dismissals=[dismissed(clock, reason="as agreed"), dismissed(clock, comment="21")])
    kept = reviews.dismissals("jira|site|1")
    assert [(one.fingerprint, one.comment_id, one.reason) for one in kept] == [
        ("f2", "20", "as sold"),
        ("f1", "20", "as agreed"),
        ("f1", "21", "as sold"),
    ]
    assert reviews.dismissals("jira|other|1") == ()


def test_nothing_is_remembered_of_a_job_that_somebody_else_holds(jobs, clock, reviews, outbox):
    accept(jobs)
    claim = jobs.claim("w", LEASE)
    clock.tick(61)
    successor = jobs.claim("v", LEASE)
    with pytest.raises(LeaseLost):
        jobs.finish(claim, "done", {}, answer(claim), review=new(clock), dismissals=[dismissed(clock)])
    assert reviews.dismissals("jira|site|1") == ()
    jobs.finish(successor, "done", {}, answer(successor))
    send(outbox)
    assert reviews.told("jira|site|1") == ()


def test_any_text_of_a_person_can_be_kept(database, clock):
    jobs = Jobs(database, clock)
    reviewed(jobs, "k1", None, dismissals=[dismissed(clock, reason="\0 \ud800 " + "x" * 9_000, by="\0")])
    assert len(Reviews(database).dismissals("jira|site|1")[0].reason) <= 4_000
