"""Laws 1 to 3 where a reply is posted: once, five attempts, never wider."""

import threading
import time

import pytest

from bots.errors import CameOutWider, NotAllowed, Unavailable, Uncertain
from core.errors import SourceUnavailable
from tests import fakes


def posts(bench, job=1):
    return bench.jobs.show(job).posts


def again(bench, body=None):
    """The post that is queued, as another worker would have written it."""
    row = posts(bench)[-1]
    place = fakes.trigger().place
    text = row.payload["body"] if body is None else body
    return fakes.Post(place, fakes.Visibility(), text, row.delivery_key, "501", fakes.START)


def test_a_reply_has_the_triggers_visibility_as_it_is_when_posted(bench):
    bench.ask()
    worker = bench.worker()
    worker.run_once()
    bench.platform.trigger_now = fakes.trigger(visibility=fakes.restricted("Leads"))
    worker.run_once()
    (posted,) = bench.platform.comments.values()
    assert posted.visibility == fakes.restricted("Leads")
    assert posts(bench)[0].state == "sent"


def test_a_send_that_was_written_but_not_answered_is_adopted(bench):
    lost = Uncertain("The connection broke.")
    lost.written = True
    bench.platform.failures = [lost]
    bench.ask()
    bench.drain()
    assert len(bench.platform.comments) == 1
    assert posts(bench)[0].adopted
    assert bench.metrics.total("crosscheck_posts_total", outcome="adopted") == 1


def test_after_an_uncertain_send_nobody_looks_before_the_lease_would_have_run_out(bench):
    bench.platform.failures = [Uncertain("The connection broke.")]
    bench.ask()
    worker = bench.worker()
    worker.run_once()
    worker.run_once()
    bench.clock.forward(seconds=bench.lease.total_seconds() - 1)
    assert bench.outbox.claim("other", bench.lease) is None


def test_two_comments_with_one_key_leave_the_older(bench):
    bench.ask()
    worker = bench.worker()
    worker.run_once()
    post = again(bench)
    first, second = bench.platform.post(post), bench.platform.post(post)
    worker.run_once()
    assert set(bench.platform.comments) == {first.remote_id}
    assert second.remote_id not in bench.platform.comments
    assert posts(bench)[0].remote_id == first.remote_id


def test_a_worker_stopped_before_its_send_longer_than_its_lease_takes_its_comment_back(bench):
    """The window that no check can close: stopped between the check and the send, another has posted meanwhile."""
    bench.ask()
    slow, quick = bench.worker("slow"), bench.worker("quick")
    slow.run_once()

    def meanwhile():
        bench.platform.before_post = None
        bench.clock.forward(seconds=2 * bench.lease.total_seconds())
        assert quick.run_once()

    bench.platform.before_post = meanwhile
    slow.run_once()
    row = posts(bench)[0]
    assert set(bench.platform.comments) == {row.remote_id}
    assert bench.metrics.total("crosscheck_posts_total", outcome="withdrawn") == 1


def test_the_loser_waits_for_a_successor_that_may_adopt_its_comment(bench):
    bench.lease = fakes.timedelta(seconds=6)
    bench.ask()
    slow, quick = bench.worker("slow"), bench.worker("quick")
    slow.run_once()
    claimed = threading.Event()

    def meanwhile():
        bench.platform.before_post = None
        bench.clock.forward(seconds=20)
        delivery = bench.outbox.claim("quick", bench.lease)

        def adopt():
            claimed.wait(5)
            bench.outbox.sent(delivery, "100", "http://jira/100", adopted=True)

        threading.Thread(target=adopt).start()
        threading.Timer(0.2, claimed.set).start()

    bench.platform.before_post = meanwhile
    slow.run_once()
    assert set(bench.platform.comments) == {"100"}
    assert quick.run_once() is False


def test_a_comment_that_was_lost_and_came_out_wider_is_withdrawn_and_written_again(bench):
    bench.platform.trigger_now = fakes.trigger(visibility=fakes.restricted("Leads"))
    bench.ask()
    worker = bench.worker()
    worker.run_once()
    wide = bench.platform.post(again(bench))
    worker.run_once()
    assert wide.remote_id not in bench.platform.comments
    assert [post.visibility for post in bench.platform.comments.values()] == [fakes.restricted("Leads")]


def test_no_send_without_more_lease_than_it_can_take(bench):
    bench.platform.send_seconds = bench.lease.total_seconds()
    with pytest.raises(ValueError, match="not longer than a send"):
        bench.deliverer()


def test_a_deleted_trigger_gets_no_reply_and_the_record_says_so(bench):
    bench.ask()
    worker = bench.worker()
    worker.run_once()
    bench.platform.trigger_now = None
    bench.drain(worker)
    assert not bench.platform.comments
    assert posts(bench)[0].state == "dropped"
    assert "not there any more" in posts(bench)[0].error


def test_a_command_taken_out_meanwhile_gets_no_reply(bench):
    bench.ask()
    worker = bench.worker()
    worker.run_once()
    bench.platform.trigger_now = fakes.trigger(command=None)
    bench.drain(worker)
    assert not bench.platform.comments


def test_a_refused_visibility_fails_at_once_with_its_reason(bench):
    bench.platform.failures = [NotAllowed("The bot is not in the role Leads.")]
    bench.ask()
    bench.drain()
    (row,) = posts(bench)
    assert (row.state, row.attempts) == ("failed", 1)
    assert "role Leads" in row.error
    assert not bench.platform.comments


def test_a_reply_that_came_out_wider_is_an_alarm_and_not_sent_again(bench):
    bench.platform.failures = [CameOutWider("Jira showed it to everybody; it was deleted.")]
    bench.ask()
    bench.drain()
    assert posts(bench)[0].state == "failed"
    assert not bench.platform.comments


def test_posting_is_tried_five_times_and_not_more(bench):
    bench.platform.failures = [Unavailable("Jira does not answer.")] * 50
    bench.ask()
    bench.drain()
    (row,) = posts(bench)
    assert (row.state, row.attempts) == ("failed", 5)
    assert len(bench.platform.failures) == 45


def test_a_told_wait_is_kept(bench):
    bench.platform.failures = [Unavailable("Too many requests.", retry_after=3000)]
    bench.ask()
    worker = bench.worker()
    worker.run_once()
    worker.run_once()
    bench.clock.forward(seconds=2999)
    assert not worker.run_once()


def test_when_the_comment_was_opened_up_the_review_is_made_again_for_the_wider_audience(bench):
    bench.platform.trigger_now = fakes.trigger(visibility=fakes.restricted("Leads"))
    bench.ask()
    worker = bench.worker()
    worker.run_once()
    bench.platform.trigger_now = fakes.trigger()
    bench.drain(worker)
    assert [("jira:PAY:role:Leads" in audience.labels) for audience in bench.reviewed] == [True, False]
    (posted,) = bench.platform.comments.values()
    assert posted.visibility == fakes.Visibility()


def test_when_a_cited_source_was_closed_the_review_is_made_again_without_it(bench):
    bench.findings = [fakes.finding("confluence:7", "five tries", ["confluence:POL"])]
    bench.labels["confluence:7"] = frozenset({"confluence:POL"})
    bench.ask()
    worker = bench.worker()
    worker.run_once()
    bench.labels["confluence:7"] = frozenset({"confluence:POL", "restriction:abc"})
    bench.drain(worker)
    assert len(bench.reviewed) > 1
    (posted,) = bench.platform.comments.values()
    assert "five tries" not in str(posted.body)
    assert "left out" not in str(posted.body), "what is closed is answered like what does not exist"


def test_while_labels_cannot_be_read_nothing_is_posted(bench):
    bench.findings = [fakes.finding("confluence:7", "five tries", ["confluence:POL"])]
    bench.labels["confluence:7"] = frozenset({"confluence:POL"})
    bench.ask()
    worker = bench.worker()
    worker.run_once()

    def unreadable(_ids):
        raise SourceUnavailable("Confluence does not answer.")

    bench.labels_now = unreadable
    bench.drain(bench.worker())
    assert not bench.platform.comments
    assert posts(bench)[0].state == "failed"


def test_posting_switched_off_keeps_the_reply_to_be_looked_at(bench):
    bench.ask()
    bench.drain(bench.worker(posting=False))
    view = bench.jobs.show(1)
    assert not bench.platform.comments
    assert view.posts[0].state == "held"
    assert "PAY-1" in view.result["reply"]


def test_what_could_not_be_read_any_more_is_left_out_and_that_is_said(bench):
    bench.findings = [fakes.finding("confluence:7", "five tries", ["confluence:POL"])]
    bench.ask()
    bench.drain()
    (posted,) = bench.platform.comments.values()
    assert "five tries" not in str(posted.body)
    assert "left out" in str(posted.body)


def test_with_posting_off_not_even_what_was_queued_before_is_sent(bench):
    bench.ask()
    bench.worker().run_once()
    bench.drain(bench.worker(posting=False))
    assert not bench.platform.comments
    assert posts(bench)[0].state == "queued"


def test_a_second_comment_that_cannot_be_withdrawn_now_is_withdrawn_later(bench):
    bench.ask()
    worker = bench.worker()
    worker.run_once()
    post = again(bench)
    first, _second = bench.platform.post(post), bench.platform.post(post)
    bench.platform.refusals = [Unavailable("Jira does not answer.")]
    bench.drain(worker)
    assert set(bench.platform.comments) == {first.remote_id}
    assert posts(bench)[0].state == "sent"


def test_the_last_attempt_that_arrived_is_found_afterwards(bench):
    lost = Uncertain("The connection broke.")
    lost.written = True
    bench.platform.failures = [*[Unavailable("Jira does not answer.")] * 4, lost]
    bench.ask()
    bench.drain()
    assert (posts(bench)[0].state, posts(bench)[0].attempts) == ("sent", 5)
    assert len(bench.platform.comments) == 1


def test_a_send_may_begin_only_while_it_can_end_within_the_lease(bench):
    before = time.monotonic()
    bench.ask()
    bench.drain()
    latest = time.monotonic() + bench.lease.total_seconds() - bench.platform.send_seconds
    assert before < bench.platform.until <= latest


def test_a_lost_lease_after_an_uncertain_send_leaves_what_the_row_names(bench):
    lost = Uncertain("The connection broke.")
    lost.written = True
    bench.ask()
    slow, quick = bench.worker("slow"), bench.worker("quick")
    slow.run_once()

    def meanwhile():
        bench.platform.before_post = None
        bench.clock.forward(seconds=2 * bench.lease.total_seconds())
        assert quick.run_once()
        bench.platform.failures = [lost]

    bench.platform.before_post = meanwhile
    slow.run_once()
    assert set(bench.platform.comments) == {posts(bench)[0].remote_id}


def test_a_text_of_an_earlier_review_that_arrives_late_is_not_taken_for_the_answer(bench):
    bench.ask()
    worker = bench.worker()
    worker.run_once()
    old = bench.platform.post(again(bench, {"type": "doc", "content": ["what must not be said any more"]}))
    worker.run_once()
    assert old.remote_id not in bench.platform.comments
    assert len(bench.platform.comments) == 1
    assert not posts(bench)[0].adopted
