"""Posting a stored reply: once, to nobody beyond the trigger's audience, and only what that audience may read now."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Protocol

import structlog

from bots.errors import BotError, CameOutWider, Gone, Misplaced, NotAllowed, Rejected, Uncertain
from bots.types import Place, Post, Posted, Trigger
from bots.visibility import no_wider
from core.spans import step
from core.types import Audience, Metrics
from crosscheck.assured import Labels, LabelsNow
from crosscheck.audience import Audiences
from crosscheck.worker import Delivers, Pause, patient
from state.errors import LeaseLost
from state.jobs import Jobs
from state.outbox import Outbox
from state.types import Delivery

log = structlog.get_logger(__name__)

PUBLICLY = "publicly"
"""In a post's payload: it says no more than that customers can read it."""
_ALARMS = {CameOutWider: "came out wider", Misplaced: "misplaced"}
NOT_POSTED = "The answer could not be posted here; an administrator can see why in the list of jobs."


class SignOfLife(Protocol):
    """What a surface shows while somebody waits, as a post's payload knows of it."""

    def becomes(self, payload: Mapping[str, Any], trigger: Trigger) -> str | None:
        """The bot's own message that said it was at work, and now becomes this post."""
        ...

    def end(self, payload: Mapping[str, Any], text: str, post: Post | None = None) -> None:
        """Nothing becomes of it: it says `text` at last, or without one is taken away. Raises nothing."""
        ...


class NoSign:
    """Of a surface that shows nothing meanwhile."""

    def becomes(self, _payload: Mapping[str, Any], _trigger: Trigger) -> str | None:
        """Nothing."""
        return None

    def end(self, _payload: Mapping[str, Any], _text: str, _post: Post | None = None) -> None:
        """Nothing is there."""


class Posts(Protocol):
    """The surface's client, as far as posting needs it."""

    @property
    def send_seconds(self) -> float:
        """The longest that one send can take."""
        ...

    def trigger(self, place_id: str, message_id: str) -> Trigger: ...
    def find(self, post: Post) -> Sequence[Posted]: ...
    def post(self, post: Post, *, until: float) -> Posted: ...
    def withdraw(self, place: Place, remote_id: str) -> None: ...


class BySurface:
    """Hands each post to the deliverer of the surface that its payload names."""

    def __init__(self, deliveries: Mapping[str, Delivers]) -> None:
        self._deliveries = deliveries

    def deliver(self, delivery: Delivery) -> None:
        """One attempt, with the errors of that surface's deliverer."""
        self._deliveries[delivery.payload["surface"]].deliver(delivery)


def why_not(payload: Mapping[str, Any], audience: Audience, labels: Labels) -> str | None:
    """Why a stored reply may not be shown to this audience as it is; `labels` are those of what it rests on, read just
    now.
    """
    if not audience.covers(Audience(frozenset(payload["made_for"]))):
        return "Who can read the answer changed after it was written."
    if not all(audience.may_read(labels.get(name) or ()) for name in payload["rests_on"]):
        return "A source is not readable for everybody who can read the answer any more."
    return None


class DeliveryHandler:
    """Delivers one part of a reply.

    The order matters (laws 1 and 3): the trigger is read again; the key is looked for on the platform; the labels of
    all that the text rests on are read live; then the trigger once more, and who can read it; the lease is renewed and
    must outlast the longest send; only then is it sent, and the row acknowledged. Where the reply is dropped,
    the sign of life ends before the row does, since nobody would come back to it; that a reply failed is said after,
    since it may not be said twice.
    """

    def __init__(
        self,
        *,
        client: Posts,
        audiences: Audiences,
        jobs: Jobs,
        outbox: Outbox,
        labels_now: LabelsNow,
        ignored: Callable[[Trigger], str | None],
        lease: timedelta,
        pause: Pause = patient,
        sign: SignOfLife | None = None,
        clock: Callable[[], datetime],
        metrics: Metrics,
    ) -> None:
        if lease.total_seconds() <= client.send_seconds:
            raise ValueError(f"a lease of {lease} is not longer than a send of {client.send_seconds:g} s")
        self._client = client
        self._audiences = audiences
        self._jobs = jobs
        self._outbox = outbox
        self._labels_now = labels_now
        self._ignored = ignored
        self._lease = lease
        self._pause = pause
        self._sign = sign or NoSign()
        self._clock = clock
        self._metrics = metrics

    def deliver(self, delivery: Delivery) -> None:
        """One attempt.

        Raises:
            BotError, CoreError, StateError: each carries `advice` for the worker. What is final is recorded here.

        """
        payload = delivery.payload
        trigger = self._asked(delivery)
        if trigger is None:
            return
        post = _post(delivery, trigger)
        if self._adopted(delivery, post):
            return
        if delivery.exhausted:
            self._outbox.fail(delivery, delivery.last_error or "The service was stopped while posting it.", None)
            self._metrics.count("crosscheck_exhausted_total", step="posting")
            log.error("reply given up", alarm="exhausted", reason=delivery.last_error)
            self._sign.end(payload, NOT_POSTED, post)
            return
        # The sources take their time: who can read the reply is looked at after them, right before it is sent.
        with step("post.labels", sources=len(payload["rests_on"])):
            labels = self._labels_now(payload["rests_on"]) if payload["rests_on"] else {}
        trigger = self._asked(delivery) if labels else trigger
        if trigger is None or self._dropped(delivery, self._ignored(trigger)):
            return
        if changed := self._changed(payload, trigger, labels):
            self._metrics.count("crosscheck_visibility_refusals_total", step="posting")
            self._jobs.again(delivery, changed)
            log.warning("review is made again", reason=changed)
            return
        self._send(delivery, replace(_post(delivery, trigger), becomes=self._sign.becomes(payload, trigger)))

    def _asked(self, delivery: Delivery) -> Trigger | None:
        """The trigger as it is now; None when it is gone, and with it the reply."""
        try:
            with step("post.read"):
                return self._client.trigger(delivery.payload["place_id"], delivery.payload["message_id"])
        except Gone as gone:
            self._sign.end(delivery.payload, "")
            self._outbox.dropped(delivery, str(gone))
            log.info("reply dropped", reason=str(gone))
            return None

    def _dropped(self, delivery: Delivery, ignored: str | None) -> bool:
        if ignored:
            self._sign.end(delivery.payload, "")
            self._outbox.dropped(delivery, f"Not answered: {ignored}.")
        return ignored is not None

    def _changed(self, payload: Mapping[str, Any], trigger: Trigger, labels: Labels) -> str | None:
        """Why the reply may not be shown as it is. What rests on nothing may be shown to anybody who asked; but who was
        only told to ask where customers do not read has done so by now.
        """
        if payload.get(PUBLICLY) and trigger.visibility.internal:
            return "Customers cannot read the question any more."
        if not (payload["made_for"] or payload["rests_on"]):
            return None
        return why_not(payload, self._audiences.of(trigger), labels)

    def _adopted(self, delivery: Delivery, post: Post) -> bool:
        """Whether an earlier attempt got through: its comment is adopted, and a second one withdrawn.

        One that more people can see than the question allows, or that was written from an earlier review, is withdrawn
        too, and does not count.
        """
        found = []
        with step("post.look"):
            there = self._client.find(post)
        for posted in there:
            if not no_wider(posted.visibility, post.visibility):
                self._metrics.count("crosscheck_leaked_labels_total", where="posting")
                log.error("reply was wider", alarm="came out wider", remote=posted.remote_id)
                self._withdraw(post.place, posted.remote_id)
            elif not posted.same_text:
                # Sent before the review was made again, and arrived since: it may say what must not be said any more.
                self._withdraw(post.place, posted.remote_id)
            else:
                found.append(posted)
        if not found:
            return False
        for extra in found[1:]:  # before the row is settled: if it fails now, it is tried again
            self._withdraw(post.place, extra.remote_id)
        self._outbox.sent(delivery, found[0].remote_id, found[0].url, adopted=True)
        self._metrics.count("crosscheck_posts_total", outcome="adopted")
        log.info("reply adopted", remote=found[0].remote_id)
        return True

    def _send(self, delivery: Delivery, post: Post) -> None:
        # Taken before the renewal, by a clock that goes on while the process is stopped: a send begun before this
        # moment ends within the lease.
        until = time.monotonic() + self._lease.total_seconds() - self._client.send_seconds
        renewed = self._outbox.heartbeat(delivery, self._lease)
        try:
            with step("post.send"):
                posted = self._client.post(post, until=until)
        except (NotAllowed, Rejected, CameOutWider, Misplaced, Gone) as refused:
            self._metrics.count("crosscheck_posts_total", outcome="refused")
            if isinstance(refused, CameOutWider):
                self._metrics.count("crosscheck_leaked_labels_total", where="posting")
            log.error("reply not posted", alarm=_ALARMS.get(type(refused), "refused"), reason=str(refused))  # noqa: TRY400  the reason is the message
            self._outbox.fail(renewed, str(refused), None)
            self._sign.end(delivery.payload, NOT_POSTED, post)
            return
        except Uncertain as lost:
            # It may still be on its way: nobody may look for it, or send again, before this lease would have run out.
            pause = max(self._pause(delivery.attempt, lost.retry_after), renewed.lease_until - self._clock())
            log.warning("reply uncertain", reason=str(lost), again_in=pause.total_seconds())
            reason = str(lost)
            self._settled(renewed, post, lambda: self._outbox.fail(renewed, reason, pause))
            return
        self._settled(renewed, post, lambda: self._outbox.sent(renewed, posted.remote_id, posted.url, adopted=False))
        self._metrics.count("crosscheck_posts_total", outcome="posted")
        log.info("reply posted", remote=posted.remote_id)

    def _settled(self, delivery: Delivery, post: Post, record: Callable[[], None]) -> None:
        """Record what became of a send. When another worker has the row by now, ours yields to it.

        That is so if we were stopped between the check and the send for longer than the lease. While the successor
        has not decided, it may still adopt our comment, so that is waited for; then what the row does not name is
        withdrawn.
        """
        try:
            record()
        except LeaseLost:
            log.warning("lease lost while sending")
            give_up = time.monotonic() + 2 * self._lease.total_seconds()
            while not self._outbox.is_settled(delivery.id) and time.monotonic() < give_up:
                time.sleep(0.05)
            kept = self._outbox.remote_id_of(delivery.id)
            if kept is not None:
                self._withdraw_others(post, kept)

    def _withdraw_others(self, post: Post, kept: str) -> None:
        """Nobody comes back to this later, so it is tried more than once here, and an alarm if that does not help."""
        for pause in (0.5, 2.0, 5.0, None):
            try:
                for posted in self._client.find(post):
                    if posted.remote_id != kept:
                        self._withdraw(post.place, posted.remote_id)
            except BotError as error:
                if pause is None:
                    log.error("second reply stands", alarm="doubled", reason=str(error))  # noqa: TRY400
                    return
                time.sleep(pause)
            else:
                return

    def _withdraw(self, place: Place, remote_id: str) -> None:
        self._client.withdraw(place, remote_id)
        self._metrics.count("crosscheck_posts_total", outcome="withdrawn")
        log.warning("reply withdrawn", remote=remote_id)


def _post(delivery: Delivery, trigger: Trigger) -> Post:
    return Post(
        place=trigger.place,
        visibility=trigger.visibility,
        body=delivery.payload["body"],
        delivery_key=delivery.delivery_key,
        trigger_id=trigger.comment_id,
        since=trigger.created,
    )
