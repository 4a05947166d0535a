"""How events, commands and clicks reach the app: over sockets or by signed requests, again when not acknowledged."""

import heapq
import itertools
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Kind = Literal["events_api", "slash_commands", "interactive"]

ATTEMPTS = 4
"""The first and three more (https://docs.slack.dev/apis/events-api#retries)."""
PATIENCE = 3.0
"""Seconds in which a delivery must be acknowledged."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One delivery of an event in a plan for tests."""

    number: int = 0
    """What it says of itself: 0 for the first, then the number of the retry."""
    reason: str = "http_timeout"
    after: float = 0.0
    """Seconds after the attempt before it."""
    same_envelope: bool = False
    """Over a socket: the id of the envelope before it is used again."""
    reconnect: bool = False
    """The app is first told to connect anew, and that is waited for."""
    lose_ack: bool = False
    """The acknowledgement gets lost."""


@dataclass(slots=True)
class Sent:
    """One delivery as it went out."""

    kind: Kind
    payload: Mapping[str, Any] = field(repr=False)
    envelope: str
    number: int
    reason: str
    at: float
    """Seconds of `time.monotonic`."""
    acked: float | None = None
    answer: Mapping[str, Any] | None = None
    """What came with the acknowledgement."""
    done: threading.Event = field(default_factory=threading.Event, repr=False)
    lose_ack: bool = False

    @property
    def seconds(self) -> float | None:
        """From delivery to acknowledgement."""
        return None if self.acked is None else self.acked - self.at


class Transport(Protocol):
    def send(self, sent: Sent, on_ack: Callable[[Sent, Mapping[str, Any] | None], None]) -> bool:
        """Send without waiting; whether there was anybody to send to. `on_ack` is called once it is acknowledged."""

    def renew(self) -> None:
        """Make the app connect anew, and wait for it a moment."""


@dataclass(slots=True)
class _Job:
    """An event on its way. `plan` is what is left of the ordered attempts."""

    payload: Mapping[str, Any]
    plan: list[Attempt]
    attempts: int = 0
    acked: bool = False
    over: bool = False
    last: Sent | None = None


class Deliveries:
    """`plan` orders the deliveries of each further event; by default there is one, repeated when not acknowledged."""

    def __init__(self) -> None:
        self.patience = PATIENCE
        self.plan: Sequence[Attempt] = (Attempt(),)
        self.sent: list[Sent] = []
        """Every delivery, the oldest first."""
        self.lost: list[Mapping[str, Any]] = []
        """Events given up after the last attempt."""
        self.transport: Transport | None = None
        self._changed = threading.Condition()
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._open = 0
        self._thread: threading.Thread | None = None
        self._closed = False

    def event(self, payload: dict[str, Any]) -> None:
        """Deliver an event, in its turn."""
        job = _Job(payload, list(self.plan))
        with self._changed:
            self._open += 1
        self._at(0.0, lambda: self._attempt(job))

    def ask(self, kind: Kind, payload: Mapping[str, Any]) -> Sent:
        """Deliver a command or a click, once, and wait for the acknowledgement as long as Slack does."""
        sent = Sent(kind, payload, str(uuid.uuid4()), 0, "", time.monotonic())
        self._keep(sent)
        if self.transport is not None and self.transport.send(sent, self._acked):
            sent.done.wait(self.patience)
        return sent

    def wait(self, timeout: float = 10.0) -> bool:
        """Until every event so far was acknowledged or given up."""
        with self._changed:
            return self._changed.wait_for(lambda: self._open == 0, timeout)

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(10)

    def _attempt(self, job: _Job) -> None:
        ordered = job.plan.pop(0) if job.plan else Attempt(job.attempts, reason="http_timeout")
        if ordered.reconnect and self.transport is not None:
            self.transport.renew()
        again = job.last.envelope if ordered.same_envelope and job.last else str(uuid.uuid4())
        reason = ordered.reason if ordered.number else ""
        sent = Sent("events_api", job.payload, again, ordered.number, reason, time.monotonic())
        sent.lose_ack = ordered.lose_ack
        job.last, job.attempts = sent, job.attempts + 1
        self._keep(sent)
        if self.transport is not None:
            self.transport.send(sent, lambda found, answer: self._event_acked(job, found, answer))
        if job.plan:
            self._at(job.plan[0].after, lambda: self._attempt(job))
        else:
            self._at(self.patience, lambda: self._expired(job))

    def _event_acked(self, job: _Job, sent: Sent, answer: Mapping[str, Any] | None) -> None:
        self._acked(sent, answer)
        if not sent.lose_ack:
            job.acked = True
            if not job.plan and sent is job.last:
                self._finish(job)

    def _expired(self, job: _Job) -> None:
        """After the last ordered attempt: again, unless that or an earlier one was acknowledged."""
        if job.acked:
            self._finish(job)
        elif job.attempts < max(ATTEMPTS, len(self.plan)):
            self._attempt(job)
        else:
            self.lost.append(job.payload)
            self._finish(job)

    def _finish(self, job: _Job) -> None:
        with self._changed:
            self._open -= 0 if job.over else 1
            job.over = True
            self._changed.notify_all()

    def _acked(self, sent: Sent, answer: Mapping[str, Any] | None) -> None:
        sent.acked, sent.answer = time.monotonic(), answer
        sent.done.set()

    def _keep(self, sent: Sent) -> None:
        with self._changed:
            self.sent.append(sent)

    def _at(self, seconds: float, action: Callable[[], None]) -> None:
        with self._changed:
            heapq.heappush(self._due, (time.monotonic() + seconds, next(self._order), action))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="sandbox-slack", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                if self._closed:
                    return
                pause = self._due[0][0] - time.monotonic() if self._due else None
                if pause is None or pause > 0:
                    self._changed.wait(pause)
                    continue
                action = heapq.heappop(self._due)[2]
            action()
