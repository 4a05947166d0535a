"""Jobs: accepted once, worked on under a lease, ended together with the posts that tell their result."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, get_args

from sqlalchemy import func
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from state import drafts, reviews, views
from state.db import Database
from state.errors import Conflict, NotFound, NotRetryable
from state.leases import MAX_ATTEMPTS, Clock, Leases, note, requeue, settle, start_over, utc_now
from state.rows import FOR_CHANGE
from state.tables import Job, JobEvent, Post, Seen
from state.types import (
    Claim,
    Delivery,
    Dismissed,
    JobState,
    JobSummary,
    JobView,
    NewDraft,
    NewPost,
    NewReview,
    Outcome,
)

BEFORE = 0
"""The round of what is posted before a job's first round has ended."""


class Jobs:
    """The jobs. Every method is one transaction and raises `StateError`."""

    def __init__(self, database: Database, clock: Clock = utc_now, max_attempts: int = MAX_ATTEMPTS) -> None:
        self._database = database
        self._clock = clock
        self._max_attempts = max_attempts
        self._leases = Leases(Job, clock, max_attempts)
        self._posts = Leases(Post, clock, max_attempts)

    def accept(
        self,
        key: str,
        kind: str,
        payload: Mapping[str, Any],
        *,
        surface: str,
        via: str,
        delivery_id: str | None = None,
        subject: str = "",
        asked_by: str = "",
        note: NewPost | None = None,
    ) -> int | None:
        """The new job's id once it is safely stored; None when the key has been accepted before, whoever asked.

        A job that was passed over is opened again by its key. A `note` is posted meanwhile, unless the job ends before;
        it is no part of the reply.
        """
        with self._database.reading() as session:  # most repetitions end here, without a turn at writing
            if session.get(Seen, key) is not None and not session.exec(_opened_by(key)).first():
                return None
        now = self._clock()
        try:
            with self._database.writing() as session:
                session.add(Seen(key=key, surface=surface, via=via, delivery_id=delivery_id, at=now))
                session.flush()  # the primary key refuses here, before anything else is tried
                job = Job(
                    key=key,
                    kind=kind,
                    subject=subject,
                    payload=dict(payload),
                    state="queued",
                    due=now,
                    created_at=now,
                    asked_by=asked_by,
                )
                session.add(job)
                session.flush()
                if note is not None:
                    session.add(_outbox_row(note, job, now, round=BEFORE))
                self._note(session, job, "accepted", f"by {via}")
                return job.id
        except Conflict:
            self._notice_again(key, via)
            return None

    def _notice_again(self, key: str, via: str) -> None:
        """What was passed over may ask by now; what is under way may have been read before it did."""
        with self._database.writing() as session:
            for job in session.exec(_opened_by(key).with_for_update(key_share=True)).all():
                job.noticed_again = True
                if job.state == "done":
                    self._open(session, job, f"noticed again by {via}")

    def _open(self, session: Session, job: Job, why: str) -> None:
        start_over(job, self._clock())
        job.round += 1
        job.finished_at, job.passed_over, job.noticed_again = None, False, False
        self._note(session, job, "opened again", why)

    def claim(self, worker: str, lease: timedelta) -> Claim | None:
        """The oldest due job, ours for `lease`; None when nothing is due. The attempt counts from here on."""
        with self._database.writing() as session:
            job = self._leases.take(session, worker, lease, self._give_up)
            if job is None:
                return None
            attempt = "attempts used up, taken to be ended" if job.closings else f"attempt {job.attempts}"
            self._note(session, job, "claimed", f"{attempt}, by {worker}")
            return views.claim(job)

    def heartbeat(self, claim: Claim, lease: timedelta) -> Claim:
        """The claim with a lease of `lease` from now. Raises `LeaseLost`."""
        with self._database.writing() as session:
            return replace(claim, lease_until=self._leases.extend(session, claim, lease))

    def finish(
        self,
        claim: Claim,
        state: Outcome,
        result: Mapping[str, Any],
        posts: Iterable[NewPost] = (),
        error: str | None = None,
        *,
        review: NewReview | None = None,
        dismissals: Iterable[Dismissed] = (),
        draft: NewDraft | None = None,
        passed_over: bool = False,
    ) -> None:
        """End the job, queue what is to be posted and remember what it tells, sets aside and drafts: all or nothing.

        `passed_over`: there was nothing to do, but there may be when the same key is accepted once more.

        Raises:
            LeaseLost: somebody else has the job; nothing is queued.
            Conflict: a post's delivery key is already taken by one that was not cancelled, or was begun.
            Overtaken: another job has stored this version of the draft.

        """
        now = self._clock()
        with self._database.writing() as session:
            job = self._leases.mine(session, claim)
            settle(job, state)
            job.result, job.error, job.finished_at = dict(result), error, now
            self._withhold_note(session, job, now)
            session.add_all(_outbox_row(post, job, now, round=job.round) for post in posts)
            reviews.remember(session, job, review, dismissals)
            drafts.remember(session, job, draft)
            self._note(session, job, state, error or "")
            job.passed_over = passed_over
            if passed_over and job.noticed_again:
                self._open(session, job, "it was noticed again while it was read")

    def fail(self, claim: Claim, error: str, retry_in: timedelta | None) -> None:
        """The attempt came to nothing. None: no other can help, and nobody is told but the administrator.

        After the last attempt the job comes back as `exhausted`, so that the person can be told. Raises `LeaseLost`.
        """
        now = self._clock()
        with self._database.writing() as session:
            job = self._leases.mine(session, claim)
            if retry_in is None:
                self._end(session, job, error)
                return
            requeue(job, now + retry_in)
            job.error = error
            self._note(session, job, "attempt failed", f"{error} (again in {retry_in.total_seconds():.0f} s)")

    def release(self, claim: Claim) -> None:
        """Put the job back uncounted: for a clean shutdown. Raises `LeaseLost`."""
        with self._database.writing() as session:
            self._note(session, self._leases.hand_back(session, claim), "released")

    def postpone(self, claim: Claim, reason: str, pause: timedelta) -> None:
        """Put the job back uncounted, since nothing could be tried yet. Raises `LeaseLost`."""
        with self._database.writing() as session:
            job = self._leases.hand_back(session, claim, pause)
            self._note(session, job, "postponed", f"{reason} (again in {pause.total_seconds():.0f} s)")

    def again(self, delivery: Delivery, reason: str) -> bool:
        """Have the job reviewed anew, since its reply may not be posted as it is. False: it will not be.

        Only the holder of a post may ask, and should first have looked for its key on the platform. The posts of this
        round are cancelled and their delivery keys become free, so the next round's posts have the same keys and find
        on the platform what an attempt of this round may have left there.

        It will not be reviewed when a part was already sent, or may have been: a second text beside it would be a
        second reply, so the rest is withheld. Nor when all attempts are used up: then the job comes back as
        `exhausted` and the person is told. Raises `LeaseLost`.
        """
        now = self._clock()
        with self._database.writing() as session:
            job = session.get_one(Job, delivery.job_id, with_for_update=FOR_CHANGE)
            post = self._posts.mine(session, delivery)
            parts = session.exec(_posts_of(job).where(col(Post.round) == post.round)).all()
            sent = any(part.state == "sent" or part.begun for part in parts)
            for part in parts:
                if part.state != "sent":
                    settle(part, "withheld" if sent else "cancelled")
                    part.error, part.settled_at = reason, now
            if sent:
                self._note(session, job, "rest withheld", reason)
                return False
            self._note(session, job, "review is made again", reason)
            if post.round == job.round:  # otherwise an administrator's retry has done it already
                requeue(job, now)
                job.error = reason
                job.round += 1
                job.finished_at = None
            return job.attempts < self._max_attempts

    def retry(self, job_id: int, by: str) -> None:
        """An administrator's new start, with a new count of attempts.

        A failed review is reviewed again, and so is one that ended as gone: a platform does not tell what was deleted
        from what is hidden from the bot, and the latter can be mended. What it had queued but not begun to send (its
        failure notice) is cancelled; a notice that was posted stays, and the answer can still come once, since its
        delivery keys are others. A second failure in the new count is a new notice, hence `Claim.retries` in its key.

        A finished review whose reply could not be posted: those posts are queued again as they are, under the same
        keys. Not if one of them was begun: it may have been sent, and what follows it would be half a reply.

        What waits for its next attempt need not wait any longer.

        Raises:
            NotFound: no such job.
            NotRetryable: nothing of it has failed, or it may have been sent.

        """
        now = self._clock()
        with self._database.writing() as session:
            job = _found(session, job_id, lock=True)
            posts = session.exec(_posts_of(job)).all()
            stuck = [post for post in posts if post.state in {"failed", "withheld"} and post.round != BEFORE]
            waiting = [row for row in (job, *posts) if row.state == "queued" and views.stored(row.due) > now]
            if job.state in {"failed", "gone"}:
                for post in posts:
                    if post.state in {"queued", "held", "failed", "withheld"}:
                        settle(post, "cancelled")
                        post.settled_at = now
                start_over(job, now)
                job.round += 1
                job.finished_at = None
            elif waiting:
                for row in waiting:
                    start_over(row, now)
            elif job.state == "done" and stuck and not any(post.begun for post in stuck):
                for post in stuck:
                    start_over(post, now)
                    post.settled_at = None
            else:
                raise NotRetryable(f"Job {job_id} cannot be retried: {views.why_not_retryable(job, posts)}")
            job.retries += 1
            self._note(session, job, "retried", f"by {by}")

    def show(self, job_id: int) -> JobView:
        """Everything about a job. Raises `NotFound`."""
        with self._database.reading() as session:
            job = _found(session, job_id, lock=False)
            events = session.exec(select(JobEvent).where(JobEvent.job_id == job_id).order_by(col(JobEvent.id))).all()
            posts = session.exec(
                select(Post).where(Post.job_id == job_id).order_by(col(Post.round), col(Post.part))
            ).all()
            return JobView(
                job=views.summary(job),
                payload=job.payload,
                result=job.result,
                events=tuple(map(views.event, events)),
                posts=tuple(map(views.post, posts)),
            )

    def list(self, state: JobState | None = None, limit: int = 50) -> tuple[JobSummary, ...]:
        """The newest jobs first."""
        wanted = [] if state is None else [col(Job.state) == state]
        with self._database.reading() as session:
            rows = session.exec(select(Job).where(*wanted).order_by(col(Job.id).desc()).limit(limit))
            return tuple(map(views.summary, rows))

    def of_person(self, person: str, limit: int = 50) -> tuple[JobSummary, ...]:
        """What this person asked for, the newest first; nobody in particular asked for nothing."""
        theirs = [col(Job.asked_by) == person, col(Job.asked_by) != ""]
        with self._database.reading() as session:
            rows = session.exec(select(Job).where(*theirs).order_by(col(Job.id).desc()).limit(limit))
            return tuple(map(views.summary, rows))

    def counts(self) -> dict[str, int]:
        """How many jobs are in each state, every state named."""
        with self._database.reading() as session:
            found = session.exec(select(Job.state, func.count()).group_by(col(Job.state)))
            return dict.fromkeys(get_args(JobState), 0) | dict(found.all())

    def waiting(self) -> int:
        """How many jobs nobody has taken yet."""
        with self._database.reading() as session:
            return session.exec(select(func.count()).where(Job.state == "queued")).one()

    def oldest_due_age(self) -> timedelta | None:
        """How long the job that has waited longest could have been taken; None when none waits."""
        now = self._clock()
        with self._database.reading() as session:
            due = session.exec(select(func.min(Job.due)).where(Job.state == "queued", col(Job.due) <= now)).one()
            return None if due is None else now - due

    def stalled(self) -> tuple[JobSummary, ...]:
        """Jobs whose holder let the lease run out and that nobody has taken since."""
        with self._database.reading() as session:
            rows = session.exec(
                select(Job).where(Job.state == "running", col(Job.due) <= self._clock()).order_by(col(Job.due))
            )
            return tuple(map(views.summary, rows))

    def _withhold_note(self, session: Session, job: Job, now: datetime) -> None:
        """What was to be said while the job waited is not said after it."""
        mine = (col(Post.round) == BEFORE, col(Post.state) == "queued")
        for post in session.exec(_posts_of(job).where(*mine)).all():
            settle(post, "cancelled")
            post.settled_at = now

    def _give_up(self, session: Session, job: Job) -> None:
        self._end(session, job, job.error or "Every attempt was cut short.")

    def _end(self, session: Session, job: Job, error: str) -> None:
        settle(job, "failed")
        job.error, job.finished_at = error, self._clock()
        self._note(session, job, "failed", f"{error} (nobody was told)")

    def _note(self, session: Session, job: Job, what: str, detail: str = "") -> None:
        note(session, views.stored(job.id), self._clock(), what, detail)


def _opened_by(key: str) -> SelectOfScalar[Job]:
    """The job that another notice of its key changes, if it does."""
    waits = col(Job.state).in_(("queued", "running")) & ~col(Job.noticed_again)
    return select(Job).where(Job.key == key, waits | ((col(Job.state) == "done") & col(Job.passed_over)))


def _posts_of(job: Job) -> SelectOfScalar[Post]:
    """The posts of a job that is locked, locked in order: a worker may be taking one."""
    mine = select(Post).where(col(Post.job_id) == job.id)
    return mine.order_by(col(Post.round), col(Post.part)).with_for_update(key_share=True)


def _found(session: Session, job_id: int, *, lock: bool) -> Job:
    job = session.get(Job, job_id, with_for_update=FOR_CHANGE if lock else None)
    if job is None:
        raise NotFound(f"There is no job {job_id}.")
    return job


def _outbox_row(post: NewPost, job: Job, now: datetime, *, round: int) -> Post:  # noqa: A002  the column's name
    return Post(
        job_id=views.stored(job.id),
        round=round,
        delivery_key=post.delivery_key,
        part=post.part,
        parts=post.parts,
        payload=dict(post.payload),
        state="held" if post.held else "queued",
        due=None if post.held else now,
        created_at=now,
    )
