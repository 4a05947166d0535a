"""What is older than it is kept is deleted; what stays of it is the key that refuses a repetition."""

from datetime import timedelta

import pytest
from sqlmodel import func, select

from state.db import open_database
from state.feedback import Feedback
from state.forgetting import OfPerson, OfSource, count_person, count_source, forget_person, forget_source
from state.jobs import Jobs
from state.restoring import MAY_HAVE_BEEN, mark, restored_at
from state.retention import Kept, Pruned, Retention, wipe
from state.revisions import all_revisions, downgrade
from state.tables import Document, Draft, Job, JobEvent, Post, Review, Seen, Table
from state.tables import Feedback as FeedbackRow
from state.types import NewDraft, NewPost, NewReview
from tests.state.parts import LEASE, pragma, sqlite_only

DAY = timedelta(days=1)
FOR_EVER = Kept(None, None, None)


@pytest.fixture
def retention(database, clock):
    return Retention(database, clock)


def asked(jobs, key, text, *, kind="comment", end="done"):
    """A job with a text in everything that can hold one; its id."""
    payload = {"surface": "slack", "text": f"{text} payload"}
    job = jobs.accept(
        key,
        kind,
        payload,
        surface="jira",
        via="poll",
        delivery_id=f"{text} delivery",
        subject=f"{text} subject",
        asked_by="ann",
    )
    claim = jobs.claim("w", LEASE)
    result = {"reply": f"{text} reply", "searches": [{"text": f"{text} search"}], "audit": [f"{text} audit"], "n": 1}
    about = {"subject": f"s|{key}", "made_for": frozenset({"org"}), "at": claim.created_at}
    jobs.finish(
        claim,
        end,
        result,
        [NewPost(f"{key}|answer|1", 1, 1, {"surface": "slack", "body": f"{text} body", "rests_on": ["git:a:1"]})],
        error=f"{text} error",
        review=NewReview(trigger_id="1", findings=[{"statement": f"{text} finding"}], **about),
        draft=NewDraft(version=1, record={"cases": [f"{text} case"]}, rests_on=frozenset(), **about),
    )
    return job


def post_it(outbox):
    delivery = outbox.claim("w", LEASE)
    outbox.sent(delivery, "77", "https://x/77", adopted=False)


def rows(database, table: type[Table]) -> int:
    with database.reading() as session:
        return session.exec(select(func.count()).select_from(table)).one()


def test_a_job_goes_with_all_that_hangs_on_it_and_its_key_stays(jobs, outbox, database, clock, retention):
    old = asked(jobs, "k1", "old")
    post_it(outbox)
    Feedback(database, clock).add(old, "ann", "down", "because")
    clock.tick(20 * 86_400)
    new = asked(jobs, "k2", "new")
    post_it(outbox)
    clock.tick(11 * 86_400)
    assert retention.prune(Kept(30 * DAY, None, None)) == Pruned(jobs=1, posts=0, traces=0)
    assert [one.id for one in jobs.list()] == [new]
    for table in (Post, Review, Draft):
        assert rows(database, table) == 1
    assert rows(database, FeedbackRow) == 0
    with database.reading() as session:
        assert {row.job_id for row in session.exec(select(JobEvent))} == {new}
        kept = session.get_one(Seen, "k1")
        assert (kept.surface, kept.via, kept.delivery_id) == ("jira", "poll", None)
    assert jobs.accept("k1", "comment", {}, surface="jira", via="poll") is None
    assert rows(database, Job) == 1
    assert retention.prune(Kept(30 * DAY, None, None)) == Pruned(0, 0, 0)


def test_what_is_under_way_is_left_alone(jobs, outbox, database, clock, retention):
    jobs.accept("waits", "comment", {"text": "x"}, surface="jira", via="poll")
    jobs.claim("w", LEASE)
    clock.tick(400 * 86_400)
    jobs.fail(jobs.claim("w", LEASE), "no", 500 * DAY)
    told = asked(jobs, "posting", "posting")
    clock.tick(400 * 86_400)
    assert retention.prune(Kept(DAY, DAY, None)) == Pruned(0, 0, 0)
    assert jobs.show(told).posts[0].payload["body"] == "posting body"
    post_it(outbox)
    clock.tick(2 * 86_400)
    assert retention.prune(Kept(DAY, DAY, DAY)) == Pruned(1, 0, 0)
    assert [one.key for one in jobs.list()] == ["waits"]


def test_the_text_of_a_post_goes_and_where_it_stands_remains(jobs, outbox, clock, retention):
    job = asked(jobs, "k1", "old")
    post_it(outbox)
    clock.tick(91 * 86_400)
    later = asked(jobs, "k2", "new")
    post_it(outbox)
    assert retention.prune(Kept(None, 90 * DAY, None)) == Pruned(0, 1, 0)
    view = jobs.show(job)
    assert "reply" not in view.result
    assert view.result["searches"]
    (post,) = view.posts
    assert (post.payload, post.remote_id, post.url, post.state) == ({}, "77", "https://x/77", "sent")
    assert post.delivery_key == "k1|answer|1"
    assert jobs.show(later).result["reply"] == "new reply"
    assert retention.prune(Kept(None, 90 * DAY, None)) == Pruned(0, 0, 0)
    clock.tick(91 * 86_400)
    assert retention.prune(Kept(None, 90 * DAY, None)) == Pruned(0, 1, 0)


def test_a_post_that_failed_keeps_its_text_as_it_can_be_sent_again(jobs, outbox, clock, retention):
    job = asked(jobs, "k1", "old")
    outbox.fail(outbox.claim("w", LEASE), "refused", None)
    clock.tick(91 * 86_400)
    assert retention.prune(Kept(None, 90 * DAY, None)) == Pruned(0, 0, 0)
    jobs.retry(job, "adm")
    post_it(outbox)
    clock.tick(91 * 86_400)
    assert retention.prune(Kept(None, 90 * DAY, None)) == Pruned(0, 1, 0)


def test_searches_and_model_calls_go_and_the_reply_stays(jobs, outbox, clock, retention):
    job = asked(jobs, "k1", "old")
    post_it(outbox)
    clock.tick(31 * 86_400)
    assert retention.prune(Kept(None, None, 30 * DAY)) == Pruned(0, 0, 1)
    assert jobs.show(job).result == {"reply": "old reply", "n": 1}
    assert retention.prune(Kept(None, None, 20 * DAY)) == Pruned(0, 0, 0)


def test_more_rows_than_a_transaction_takes(jobs, outbox, clock, retention):
    for number in range(250):
        jobs.accept(f"k{number}", "comment", {}, surface="jira", via="poll")
        jobs.finish(jobs.claim("w", LEASE), "done", {"searches": ["s"]})
    clock.tick(31 * 86_400)
    assert retention.prune(Kept(None, None, 30 * DAY)).traces == 250
    assert retention.prune(Kept(30 * DAY, None, None)).jobs == 250
    assert jobs.list() == ()


def test_for_ever_is_for_ever(jobs, outbox, clock, retention):
    asked(jobs, "k1", "old")
    clock.tick(10_000 * 86_400)
    assert retention.prune(FOR_EVER) == Pruned(0, 0, 0)


@sqlite_only
def test_it_is_gone_from_the_file(jobs, outbox, database, clock, retention, where):
    """Also from the log and from pages that are free; what an update replaced was written over at once."""
    assert pragma(database, "secure_delete") == 1
    for number in range(20):
        asked(jobs, f"old{number}", f"OLDTEXT{number}" * 200)
        post_it(outbox)
    clock.tick(20 * 86_400)
    asked(jobs, "new", "NEWTEXT")
    clock.tick(11 * 86_400)

    def held(text: bytes) -> set[str]:
        return {one.name for one in where.parent.iterdir() if text in one.read_bytes()}

    assert held(b"OLDTEXT")
    assert retention.prune(Kept(30 * DAY, None, None)).jobs == 20
    assert held(b"OLDTEXT") == set()
    assert held(b"NEWTEXT")


@sqlite_only
def test_rewriting_takes_what_was_deleted_without_being_written_over(database, where, clock):
    with database.writing() as session:
        session.connection().exec_driver_sql("PRAGMA secure_delete=OFF")
        session.add(Seen(key="LEFT BEHIND" * 500, surface="s", via="v", at=clock()))
    with database.writing() as session:
        session.connection().exec_driver_sql("PRAGMA secure_delete=OFF")
        session.connection().exec_driver_sql("DELETE FROM seen")
    wipe(database)
    assert b"LEFT BEHIND" in where.read_bytes()
    wipe(database, wholly=True)
    assert b"LEFT BEHIND" not in where.read_bytes()


def test_marking_a_restored_database(jobs, outbox, database, clock):
    """Whatever can be looked up begins anew; whatever cannot ends."""
    with database.writing() as session:
        about = {"generation": "g", "version": "1", "kind": "issue", "title": "t", "url": "u", "chunks": 1}
        times = {"updated": clock(), "indexed_at": clock()}
        session.add(Document(id="jira:1", source="jira", labels=["l"], **about, **times))
    sending = asked(jobs, "sending", "a")
    private_sending = asked(jobs, "private sending", "b", kind="private")
    private_begun = asked(jobs, "private begun", "c", kind="private")
    outbox.claim("w", LEASE)
    outbox.claim("w", LEASE)
    outbox.begin(outbox.claim("w", LEASE), LEASE)
    private = jobs.accept("private", "private", {}, surface="slack", via="command")
    note = NewPost("noted|queued|1", 1, 1, {})
    noted = jobs.accept("noted", "comment", {}, surface="jira", via="poll", note=note)
    running = jobs.accept("running", "comment", {}, surface="jira", via="poll")
    for _ in range(3):
        assert jobs.claim("w", LEASE)
    sent = asked(jobs, "sent", "d", kind="private")
    outbox.claim("w", LEASE)  # the note
    post_it(outbox)

    marked = mark(database, ("private",), clock)
    assert (marked.jobs, marked.posts, marked.never) == (2, 1, 3)
    assert restored_at(database) == clock()
    assert rows(database, Document) == 0
    assert {jobs.show(job).job.state for job in (noted, running)} == {"queued"}
    assert {jobs.show(job).job.attempts for job in (noted, running)} == {0}
    assert jobs.show(noted).posts[0].state == "cancelled"
    ended = jobs.show(private)
    assert (ended.job.state, ended.job.error) == ("done", MAY_HAVE_BEEN)
    for job in (private_sending, private_begun):
        (post,) = jobs.show(job).posts
        assert (post.state, post.begun, post.error) == ("failed", True, MAY_HAVE_BEEN)
    for job in (private, private_sending, private_begun):
        assert [one.detail for one in jobs.show(job).events if one.what == "backup restored"] == [MAY_HAVE_BEEN]
        with pytest.raises(Exception, match="cannot be retried"):
            jobs.retry(job, "adm")
    assert jobs.show(sending).posts[0].state == "queued"
    assert jobs.show(sent).posts[0].state == "sent"
    assert outbox.claim("w", LEASE).job_id == sending
    again = mark(database, ("private",), clock)
    assert (again.jobs, again.posts, again.never) == (2, 1, 0)


def test_a_person_is_taken_out(jobs, outbox, database, clock):
    """The rest is in `tests/crosscheck/lifecycle`; here on both engines."""
    asked(jobs, "k1", "hers")
    post_it(outbox)
    Feedback(database, clock).add(jobs.list()[0].id, "site|ann", "down", "because")
    jobs.accept("k2", "comment", {}, surface="jira", via="poll", asked_by="joann")
    assert count_person(database, "ann", "Ann") == forget_person(database, "ann", "Ann") == OfPerson(1, 0, 1, 0, 0)
    assert [one.key for one in jobs.list()] == ["k2"]
    assert rows(database, FeedbackRow) == 0


def test_a_source_is_taken_out(jobs, outbox, database, clock):
    resting = asked(jobs, "k1", "one")
    post_it(outbox)
    under_way = asked(jobs, "k2", "two")
    asked_beside = jobs.accept("k3", "comment", {}, surface="jira", via="poll")

    def rests(document: str) -> bool:
        return document == "git:a:1"

    assert count_source(database, "a", rests) == OfSource(jobs=1, under_way=1, documents=0, pictures=0)
    forget_source(database, "a", rests)
    assert jobs.show(resting).result == {"forgotten": "a"}
    assert jobs.show(resting).posts[0].payload == {}
    assert jobs.show(under_way).result["reply"] == "two reply"
    assert jobs.show(asked_beside).job.state == "queued"
    assert (rows(database, Review), rows(database, Draft)) == (1, 1)


def test_going_back_and_forward_again(jobs, database, where):
    asked(jobs, "k1", "one")
    newest, before, *_ = all_revisions()
    database.dispose()
    lost = downgrade(where, before)
    assert {"leader", "revocation", "job.place"} <= set(lost)
    again = open_database(where)
    assert [one.key for one in Jobs(again).list()] == ["k1"]
    again.dispose()
    assert all_revisions()[0] == newest
