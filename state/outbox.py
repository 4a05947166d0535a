"""The outbox: posts waiting to be sent, part after part, each once."""

from dataclasses import replace
from datetime import timedelta
from typing import get_args

from sqlalchemy import ColumnElement, func
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, select

from state import views
from state.db import Database
from state.errors import Conflict
from state.leases import MAX_ATTEMPTS, Clock, Leases, note, requeue, settle, utc_now
from state.tables import Post
from state.types import Delivery, PostState


class Outbox:
    """The posts. Every method is one transaction and raises `StateError`."""

    def __init__(self, database: Database, clock: Clock = utc_now, max_attempts: int = MAX_ATTEMPTS) -> None:
        self._database = database
        self._clock = clock
        self._leases = Leases(Post, clock, max_attempts)

    def claim(self, worker: str, lease: timedelta) -> Delivery | None:
        """The oldest due post whose earlier parts are all sent, ours for `lease`; None when there is none."""
        with self._database.writing() as session:
            post = self._leases.take(session, worker, lease, self._give_up, _earlier_parts_are_sent())
            if post is None:
                return None
            attempt = "attempts used up, taken to be ended" if post.closings else f"attempt {post.attempts}"
            self._note(session, post, "posting", f"{attempt}, by {worker}")
            return views.delivery(post)

    def heartbeat(self, delivery: Delivery, lease: timedelta) -> Delivery:
        """The delivery with a lease of `lease` from now. Raises `LeaseLost`."""
        with self._database.writing() as session:
            return replace(delivery, lease_until=self._leases.extend(session, delivery, lease))

    def begin(self, delivery: Delivery, lease: timedelta) -> Delivery:
        """As `heartbeat`, right before a send that cannot be looked up afterwards: nobody will send this post again.

        Whoever takes it next finds it `begun`, even if it never left. It can only be begun once.

        Raises:
            LeaseLost: somebody else has the post.
            Conflict: it was begun before.

        """
        with self._database.writing() as session:
            post = self._leases.mine(session, delivery)
            if post.begun:
                raise Conflict(f"Post {delivery.id} may have been sent already.")
            post.begun = True
            self._note(session, post, "sending", "at most once, since it cannot be looked up")
            return replace(delivery, lease_until=self._leases.extend(session, delivery, lease), begun=True)

    def sent(self, delivery: Delivery, remote_id: str, url: str, *, adopted: bool) -> None:
        """It is on the platform; `adopted` when it was found there. Raises `LeaseLost`."""
        with self._database.writing() as session:
            post = self._leases.mine(session, delivery)
            settle(post, "sent")
            post.remote_id, post.url, post.adopted = remote_id, url, adopted
            post.error, post.settled_at = None, self._clock()
            self._note(session, post, "found on the platform" if adopted else "posted", url)

    def fail(self, delivery: Delivery, error: str, retry_in: timedelta | None) -> None:
        """The attempt came to nothing. None: no other can help, and later parts are withheld. Raises `LeaseLost`."""
        with self._database.writing() as session:
            post = self._leases.mine(session, delivery)
            if retry_in is None:
                self._end(session, post, error)
                return
            requeue(post, self._clock() + retry_in)
            post.error = error
            self._note(session, post, "posting failed", f"{error} (again in {retry_in.total_seconds():.0f} s)")

    def dropped(self, delivery: Delivery, reason: str) -> None:
        """Nobody is there to be answered any more; later parts are dropped as well. Raises `LeaseLost`."""
        with self._database.writing() as session:
            post = self._leases.mine(session, delivery)
            self._settle(session, post, "dropped", rest="dropped", reason=reason)
            self._note(session, post, "dropped", reason)

    def release(self, delivery: Delivery) -> None:
        """Put the post back uncounted: for a clean shutdown before anything was sent. Raises `LeaseLost`."""
        with self._database.writing() as session:
            self._note(session, self._leases.hand_back(session, delivery), "released", "")

    def postpone(self, delivery: Delivery, reason: str, pause: timedelta) -> None:
        """Put the post back uncounted, since nothing of it was sent. Raises `LeaseLost`."""
        with self._database.writing() as session:
            post = self._leases.hand_back(session, delivery, pause)
            self._note(session, post, "postponed", f"{reason} (again in {pause.total_seconds():.0f} s)")

    def remote_id_of(self, delivery_id: int) -> str | None:
        """The platform's id of what was posted, by whomever; None while nothing is known to be."""
        with self._database.reading() as session:
            return session.exec(select(Post.remote_id).where(col(Post.id) == delivery_id)).one_or_none()

    def is_settled(self, delivery_id: int) -> bool:
        """Whether nobody will send it, or has it in hand, any more."""
        with self._database.reading() as session:
            state = session.exec(select(Post.state).where(col(Post.id) == delivery_id)).one_or_none()
            return state not in {"queued", "running", "held"}

    def counts(self) -> dict[str, int]:
        """How many posts are in each state, every state named."""
        with self._database.reading() as session:
            found = session.exec(select(Post.state, func.count()).group_by(col(Post.state)))
            return dict.fromkeys(get_args(PostState), 0) | dict(found.all())

    def oldest_due_age(self) -> timedelta | None:
        """How long the post that has waited longest could have been sent; None when none waits."""
        now = self._clock()
        waits = (Post.state == "queued", col(Post.due) <= now, _earlier_parts_are_sent())
        with self._database.reading() as session:
            due = session.exec(select(func.min(Post.due)).where(*waits)).one()
            return None if due is None else now - due

    def stalled(self) -> int:
        """How many posts' holders let the lease run out, and nobody has taken them since."""
        left = (Post.state == "running", col(Post.due) <= self._clock())
        with self._database.reading() as session:
            return session.exec(select(func.count()).where(*left)).one()

    def _give_up(self, session: Session, post: Post) -> None:
        self._end(session, post, post.error or "Every attempt was cut short.")

    def _end(self, session: Session, post: Post, error: str) -> None:
        self._settle(session, post, "failed", rest="withheld", reason=error)
        self._note(session, post, "not posted", error)

    def _settle(self, session: Session, post: Post, state: PostState, *, rest: PostState, reason: str) -> None:
        later = session.exec(
            select(Post)
            .where(
                col(Post.job_id) == post.job_id,
                col(Post.round) == post.round,
                col(Post.part) > post.part,
                col(Post.state).in_(("queued", "held")),
            )
            .order_by(col(Post.part))
            .with_for_update(key_share=True)
        ).all()
        for part, outcome in ((post, state), *((part, rest) for part in later)):
            settle(part, outcome)
            part.error, part.settled_at = reason, self._clock()

    def _note(self, session: Session, post: Post, what: str, detail: str) -> None:
        part = f"part {post.part} of {post.parts}: " if post.parts > 1 else ""
        note(session, post.job_id, self._clock(), what, part + detail)


def _earlier_parts_are_sent() -> ColumnElement[bool]:
    earlier = aliased(Post)
    return ~(
        select(earlier.id)
        .where(
            col(earlier.job_id) == col(Post.job_id),
            col(earlier.round) == col(Post.round),
            col(earlier.part) < col(Post.part),
            col(earlier.state) != "sent",
        )
        .exists()
    )
