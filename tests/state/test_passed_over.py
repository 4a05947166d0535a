"""A job that found nothing to do is opened again by its key, and no other is."""

from tests.state.parts import LEASE, accept, answer


def passed_over(jobs):
    claim = jobs.claim("w", LEASE)
    jobs.finish(claim, "done", {"ignored": "no command"}, passed_over=True)


def test_another_notice_opens_it_again(jobs):
    job = accept(jobs)
    passed_over(jobs)
    assert jobs.claim("w", LEASE) is None
    assert accept(jobs) is None
    again = jobs.claim("w", LEASE)
    assert (again.id, again.attempt) == (job, 1)
    jobs.finish(again, "done", {"findings": []}, answer(again))
    assert [post.state for post in jobs.show(job).posts] == ["queued"]


def test_a_notice_while_it_is_read_opens_it_again_once(jobs):
    """What was read may be older than the notice."""
    accept(jobs)
    claim = jobs.claim("w", LEASE)
    accept(jobs)
    jobs.finish(claim, "done", {}, passed_over=True)
    passed_over(jobs)
    assert jobs.claim("w", LEASE) is None


def test_what_was_answered_stays_answered(jobs):
    accept(jobs)
    claim = jobs.claim("w", LEASE)
    accept(jobs)
    jobs.finish(claim, "done", {}, answer(claim))
    accept(jobs)
    assert jobs.claim("w", LEASE) is None


def test_what_failed_is_not_opened(jobs):
    accept(jobs)
    jobs.fail(jobs.claim("w", LEASE), "no", None)
    accept(jobs)
    assert jobs.claim("w", LEASE) is None


def test_it_is_opened_as_often_as_it_was_passed_over(jobs):
    job = accept(jobs)
    for _ in range(3):
        passed_over(jobs)
        accept(jobs)
    assert jobs.claim("w", LEASE).id == job
