"""The worker: claims jobs and posts, keeps their leases, and decides what becomes of each error."""

import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Protocol

import structlog

from bots.errors import Gone, Unavailable
from core.spans import OFF, TRACEPARENT, Spans, ended, now, tell
from core.types import Metrics
from crosscheck.outlines import CUT_SHORT, NO_END, plain_reason
from state.backoff import backoff
from state.errors import LeaseLost, Overtaken, StateError
from state.jobs import Jobs
from state.outbox import Outbox
from state.types import Claim, Delivery

log = structlog.get_logger(__name__)

IDLE_SECONDS = 0.5  # how long a job that another process stored may wait to be seen
MOMENT = timedelta(minutes=1)
BEGINNING = timedelta(minutes=30)
"""Who asks for no more than a moment is given it, and that is no attempt, as nothing was tried; but not for ever."""
ADMINISTRATOR_PAUSE = timedelta(minutes=10)  # what a person must mend is not tried again within a minute


Pause = Callable[[int, float | None], timedelta]
"""How long to wait after an attempt (from 1) that failed; the second is what the other side asked for, in seconds."""


POSTING_MINUTES = (0.25, 2, 10, 30)  # an outage of half an hour must not leave a question without its answer


def patient(attempt: int, asked: float | None) -> timedelta:
    """The wait after a post's `attempt`-th failure, a quarter more or less; never shorter than asked for."""
    minutes = POSTING_MINUTES[min(attempt, len(POSTING_MINUTES)) - 1]
    return timedelta(seconds=minutes * 60 * random.uniform(0.75, 1.25) + max(0.0, asked or 0.0))


class Handler(Protocol):
    """One kind of job."""

    def handle(self, claim: Claim) -> None: ...
    def give_up(self, claim: Claim, reason: str, told: str, attempts: int) -> None: ...


class Delivers(Protocol):
    def deliver(self, delivery: Delivery) -> None: ...


class Worker:
    """Runs `threads` threads; posts go before reviews, since somebody already waits for them."""

    def __init__(
        self,
        jobs: Jobs,
        outbox: Outbox,
        handlers: Mapping[str, Handler],
        deliveries: Delivers,
        *,
        name: str,
        threads: int,
        lease: timedelta,
        limit: timedelta,
        pause: Pause = backoff,
        posting_pause: Pause = patient,
        posting: bool = True,
        max_attempts: int = 5,
        clock: Callable[[], datetime],
        metrics: Metrics,
        spans: Spans = OFF,
        redacted: Callable[[str], str] = str,
    ) -> None:
        """`redacted` takes secrets out of the reasons that are recorded."""
        self._jobs = jobs
        self._outbox = outbox
        self._handlers = handlers
        self._deliveries = deliveries
        self._name = name
        self._lease = lease
        self._limit = limit
        self._pause = pause
        self._posting_pause = posting_pause
        self._posting = posting
        self._max_attempts = max_attempts
        self._clock = clock
        self._metrics = metrics
        self._spans = spans
        self._redacted = redacted
        self._stop = threading.Event()
        self._work = threading.Event()
        self._held: dict[str, tuple[Claim | Delivery, datetime]] = {}
        self._lock = threading.Lock()
        # Daemons: an attempt that outlasts the grace of a shutdown has lost its lease and must not keep the process.
        self._threads = [threading.Thread(target=self._loop, name=f"{name}-{n}", daemon=True) for n in range(threads)]
        self._keeper = threading.Thread(target=self._keep, name=f"{name}-leases", daemon=True)

    def start(self) -> None:
        self._metrics.gauge("crosscheck_worker_threads", len(self._threads))
        self._metrics.gauge("crosscheck_worker_busy", 0)
        self._keeper.start()
        for thread in self._threads:
            thread.start()

    def wake(self) -> None:
        """There is something to do."""
        self._work.set()

    def stop(self, grace: float = 30.0) -> None:
        """Stop claiming, give what is under way `grace` seconds, return the leases of reviews that are not done.

        A post under way is never returned: it may be half sent. Its lease runs out instead.
        """
        self._stop.set()
        self._work.set()
        end = time.monotonic() + grace
        for thread in self._threads:
            if thread.ident is not None:  # not told to stop before it had begun
                thread.join(max(0.0, end - time.monotonic()))
        with self._lock:
            left = [claim for claim, _ in self._held.values() if isinstance(claim, Claim)]
        for claim in left:
            try:
                self._jobs.release(claim)
            except StateError as error:
                log.warning("lease not returned", job=claim.id, reason=str(error))

    def run_once(self) -> bool:
        """Do one post or one job, if there is any."""
        since = now()
        delivery = self._outbox.claim(self._name, self._lease) if self._posting else None
        if delivery is not None:
            with self._at_work(delivery, since), _logging(job=delivery.job_id, trigger=delivery.delivery_key):
                self._deliver(delivery)
            return True
        since = now()
        claim = self._jobs.claim(self._name, self._lease)
        if claim is None:
            return False
        with self._at_work(claim, since), _logging(job=claim.id, trigger=claim.key, attempt=claim.attempt):
            self._handle(claim)
        return True

    def _loop(self) -> None:
        while not self._stop.is_set():
            self._work.clear()
            try:
                busy = self.run_once()
            except StateError as error:  # nothing is lost: what was claimed comes back when its lease runs out
                self._metrics.count("crosscheck_errors_total", part="worker", kind=type(error).__name__)
                log.error("database not usable", reason=str(error))  # noqa: TRY400  the reason is the message
                busy = False
            except Exception as error:  # the worker's edge: whatever happens, the next job gets its turn
                self._metrics.count("crosscheck_errors_total", part="worker", kind=type(error).__name__)
                log.exception("worker error", error=type(error).__name__)
                busy = False
            if not busy:
                self._work.wait(IDLE_SECONDS)

    def _handle(self, claim: Claim) -> None:
        handler = self._handlers[claim.kind]
        if claim.exhausted:
            self._exhausted(handler, claim, claim.last_error or CUT_SHORT, NO_END if claim.last_error else CUT_SHORT)
            return
        try:
            handler.handle(claim)
            tell(outcome="done")
            self._metrics.count("crosscheck_attempts_total", step="review", outcome="done")
        except LeaseLost as lost:
            tell(outcome="lease lost")
            log.warning("lease lost", reason=str(lost))
        except Gone as gone:
            tell(outcome="gone")
            reason = self._redacted(str(gone))
            self._jobs.finish(claim, "gone", {"gone": reason}, error=reason)
            log.info("job gone", reason=reason)
        except Exception as error:  # noqa: BLE001  the worker's edge: it is judged, counted and recorded
            self._failed(handler, claim, error)

    def _failed(self, handler: Handler, claim: Claim, error: Exception) -> None:
        if moment := self._moment(error, claim.created_at):
            tell(outcome="postponed")
            log.info("job postponed", reason=str(error), again_in=moment.total_seconds())
            self._jobs.postpone(claim, self._redacted(str(error)), moment)
            return
        reason, advice, pause = self._judged(error, claim.attempt, self._pause)
        _tell_failed(error, advice)
        log.warning("attempt failed", reason=reason, advice=advice, exc_info=error if advice == "bug" else None)
        self._metrics.count("crosscheck_attempts_total", step="review", outcome=advice)
        self._metrics.count("crosscheck_errors_total", part="review", kind=type(error).__name__)
        if advice == "tell" or claim.attempt >= self._max_attempts:
            self._exhausted(handler, claim, reason, plain_reason(error))
        else:
            self._jobs.fail(claim, reason, pause)

    def _exhausted(self, handler: Handler, claim: Claim, reason: str, told: str) -> None:
        self._metrics.count("crosscheck_exhausted_total", step="review")
        log.error("job given up", alarm="exhausted", reason=reason)
        handler.give_up(claim, reason, told, claim.attempt)

    def _deliver(self, delivery: Delivery) -> None:
        try:
            self._deliveries.deliver(delivery)
            tell(outcome="done")
            self._metrics.count("crosscheck_attempts_total", step="posting", outcome="done")
        except LeaseLost as lost:
            tell(outcome="lease lost")
            log.warning("lease lost", reason=str(lost))
        except Exception as error:
            if moment := self._moment(error, delivery.created_at):
                tell(outcome="postponed")
                log.info("post postponed", reason=str(error), again_in=moment.total_seconds())
                self._outbox.postpone(delivery, self._redacted(str(error)), moment)
                return
            reason, advice, pause = self._judged(error, delivery.attempt, self._posting_pause)
            _tell_failed(error, advice)
            self._metrics.count("crosscheck_attempts_total", step="posting", outcome=advice)
            self._metrics.count("crosscheck_errors_total", part="posting", kind=type(error).__name__)
            log.warning("posting failed", reason=reason, advice=advice, exc_info=error if advice == "bug" else None)
            # After the last attempt too: it comes back once more, only to look whether one of them arrived.
            self._outbox.fail(delivery, reason, pause)

    def _moment(self, error: Exception, since: datetime) -> timedelta | None:
        """How long to wait uncounted where a platform asked for a moment; a little more, lest all come at once."""
        if not isinstance(error, Unavailable | Overtaken) or not error.retry_after:
            return None
        asked = timedelta(seconds=error.retry_after)
        if asked > MOMENT or self._clock() - since > BEGINNING:
            return None
        return asked * random.uniform(1.0, 1.5)

    def _judged(self, error: Exception, attempt: int, pause: Pause) -> tuple[str, str, timedelta]:
        """What to say, what to do (retry, tell, wake, or bug) and how long to wait before the next attempt.

        Only our own errors' messages are said: a foreign one may hold an address with a token, or a ticket's text.
        """
        advice = getattr(error, "advice", None)
        if advice is None:
            return plain_reason(error), "bug", pause(attempt, None)
        wait = pause(attempt, getattr(error, "retry_after", None))
        return self._redacted(str(error)), str(advice), max(wait, ADMINISTRATOR_PAUSE) if advice == "wake" else wait

    @contextmanager
    def _at_work(self, held: Claim | Delivery, since: int) -> Iterator[None]:
        """One attempt, claimed since then: a span of the trace that began with the trigger, whoever took that."""
        name, parent = "job" if isinstance(held, Claim) else "post", held.payload.get(TRACEPARENT, "")
        age = round((self._clock() - held.created_at).total_seconds(), 3)
        with self._holding(held), self._spans.begin(name, since=since, parent=parent, attempt=held.attempt, age=age):
            ended(f"{name}.claim", since)
            yield

    @contextmanager
    def _holding(self, held: Claim | Delivery) -> Iterator[None]:
        with self._lock:
            self._held[held.token] = (held, self._clock() + self._limit)
            self._metrics.gauge("crosscheck_worker_busy", len(self._held))
        try:
            yield
        finally:
            with self._lock:
                self._held.pop(held.token, None)
                self._metrics.gauge("crosscheck_worker_busy", len(self._held))

    def _keep(self) -> None:
        """Renew leases until their attempt's limit: an attempt that hangs loses its lease and counts."""
        self._beat()
        while not self._stop.wait(self._lease.total_seconds() / 3):
            self._beat()
            with self._lock:
                held = list(self._held.values())
            for claim, limit in held:
                if self._clock() < limit:
                    self._renew(claim)

    def _beat(self) -> None:
        self._metrics.gauge("crosscheck_worker_heartbeat_timestamp_seconds", self._clock().timestamp())

    def _renew(self, held: Claim | Delivery) -> None:
        try:
            if isinstance(held, Claim):
                self._jobs.heartbeat(held, self._lease)
            else:
                self._outbox.heartbeat(held, self._lease)
        except StateError as error:
            log.warning("lease not renewed", reason=str(error))


def _tell_failed(error: Exception, advice: str) -> None:
    """Its message stays in the log: it may say what was asked."""
    tell(outcome=advice, **{"error.type": type(error).__name__})


@contextmanager
def _logging(**values: object) -> Iterator[None]:
    with structlog.contextvars.bound_contextvars(**values):
        yield
