"""What is said where something of an answer cannot be had."""

from dataclasses import replace

from bots.errors import NotAllowed, Unavailable
from bots.types import Post, Visibility
from core.errors import SourceGone
from crosscheck.comments.telling import FileLost
from crosscheck.posts import NOBODY, posts
from review.errors import NothingToReview
from tests import fakes


def reply(bench, job):
    worker = bench.worker()
    while worker.run_once():
        pass
    return bench.jobs.show(job)


def test_a_ticket_that_our_own_account_does_not_see_is_no_ticket_that_is_not_there(bench):
    """Whoever asks stands in it."""
    bench.review_errors = [NothingToReview("There is no ticket PAY-1 that everybody may read.")]

    def ticket(_key):
        raise SourceGone("PAY-1 is not there, or not for us to see.")

    bench.ticket = ticket
    assert "does not see this ticket" in reply(bench, bench.ask()).result["reply"]


def test_a_ticket_that_not_every_reader_may_read_is_not_told_from_none(bench):
    bench.review_errors = [NothingToReview("There is no ticket PAY-1 that everybody may read.")]
    bench.ticket = lambda _key: None
    assert reply(bench, bench.ask()).result["reply"] == "There is no ticket PAY-1 that everybody may read."


def test_of_a_file_that_cannot_be_attached_the_people_are_told_once(bench):
    """The answer stands already."""
    bench.platform.failures = [None, NotAllowed("It takes the permission Create attachments.")]
    bench.ask()
    claim = bench.jobs.claim("w", bench.lease)
    bodies = [{"type": "doc", "content": []}, {"type": "file", "name": "cases.csv", "content": ""}]
    bench.jobs.finish(claim, "done", {}, parts(claim, bodies))
    worker = bench.worker()
    while worker.run_once():
        pass
    texts = [str(post.body) for post in bench.platform.comments.values()]
    assert ["could not be attached" in text for text in texts] == [False, True]
    assert bench.outbox.counts()["failed"] == 1


def parts(claim, bodies):
    return posts(claim, bodies, answer="answer", made_for=NOBODY, rests_on=(), held=False)


def test_an_ended_place_is_not_written_in(bench):
    place = replace(fakes.trigger().place, ended="the thread is resolved")
    bench.platform.trigger_now = fakes.trigger(place=place)
    view = reply(bench, bench.ask())
    assert (view.result, bench.platform.comments) == ({"ignored": "the thread is resolved"}, {})


def test_a_question_that_becomes_internal_meanwhile_is_answered(bench):
    """Not told to ask internally, as it does by then."""
    place = replace(fakes.trigger().place, customers=True)
    bench.platform.trigger_now = fakes.trigger(place=place)
    bench.review_errors = [NothingToReview("There is nothing here that customers may see.")]
    job, worker = bench.ask(), bench.worker()
    worker.run_once()
    bench.platform.trigger_now = fakes.trigger(place=place, visibility=Visibility(internal=True))
    while worker.run_once():
        pass
    assert "review" in bench.jobs.show(job).result
    assert [post.visibility.internal for post in bench.platform.comments.values()] == [True]


def test_a_surface_that_was_switched_off_meanwhile_is_not_answered_on(bench):
    """Its comment waits in the database."""
    payload = {"surface": "confluence", "place_id": "1", "message_id": "2"}
    job = bench.jobs.accept("confluence|x|2|comment", "comment", payload, surface="confluence", via="poll")
    assert "by the settings" in reply(bench, job).result["ignored"]


def test_what_cannot_even_be_written_of_a_lost_file_is_let_be(bench):
    """The post is settled by then: nothing may be raised."""

    def fails(_outline):
        raise Unavailable("Jira does not say what it is.")

    bench.platform.render = fails
    asked = fakes.trigger()
    post = Post(asked.place, asked.visibility, {"type": "file"}, "k", asked.comment_id, asked.created)
    FileLost(bench.platform).end({"body": {"type": "file"}}, "not posted", post)
    assert bench.platform.comments == {}
