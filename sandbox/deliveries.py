"""How webhooks are delivered: signed, in order unless told not, again and again until somebody takes them."""

import hashlib
import hmac
import http.client
import queue
import threading
import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

ATTEMPTS = 5
FIRST_WAIT = 0.05
"""Seconds before the second attempt, doubled each time. The vendors wait minutes; the count is Jira's."""
RETRIED = frozenset({408, 409, 425, 429, *range(500, 600)})


@dataclass(frozen=True, slots=True)
class Delivery:
    id: str
    event: str
    body: bytes
    attempt: int = 0


class Deliveries(ABC):
    """Delivers events to one URL from a thread of its own. `copies` sends each event that many times; `reorder` holds
    back events until so many are there and sends the newest first (or what is there after a moment).
    """

    def __init__(self, secret: str) -> None:
        self.secret = secret
        self._queue: queue.Queue[Delivery | None] = queue.Queue()
        self._thread: threading.Thread | None = None
        self._url = ""
        self._closed = threading.Event()
        self._open = 0
        self._idle = threading.Condition()
        self.copies = 1
        self.reorder = 1
        self.failed: list[Delivery] = []
        """Events given up after the last attempt."""
        self.answers: list[tuple[int, float]] = []
        """Status and seconds of each attempt that was answered."""

    @abstractmethod
    def headers(self, delivery: Delivery) -> Mapping[str, str]:
        """What the vendor sends beside the body."""

    def deliver_to(self, url: str) -> None:
        self._url = url
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="sandbox-webhooks", daemon=True)
            self._thread.start()

    def send(self, event: str, body: bytes) -> None:
        with self._idle:
            self._open += self.copies
        delivery = Delivery(str(uuid.uuid4()), event, body)
        for _ in range(self.copies):
            self._queue.put(delivery)

    def wait(self, timeout: float = 10) -> bool:
        """Until every event so far was delivered or given up."""
        with self._idle:
            return self._idle.wait_for(lambda: self._open == 0, timeout)

    def close(self) -> None:
        self._closed.set()
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join(10)

    def signature(self, body: bytes) -> str:
        return "sha256=" + hmac.new(self.secret.encode(), body, hashlib.sha256).hexdigest()

    def _run(self) -> None:
        while True:
            batch = self._batch()
            if batch is None:
                return
            for delivery in reversed(batch) if self.reorder > 1 else batch:
                self._deliver(delivery)
                with self._idle:
                    self._open -= 1
                    self._idle.notify_all()

    def _batch(self) -> list[Delivery] | None:
        first = self._queue.get()
        if first is None:
            return None
        batch = [first]
        until = time.monotonic() + 0.2
        while len(batch) < self.reorder and time.monotonic() < until:
            try:
                more = self._queue.get(timeout=0.02)
            except queue.Empty:
                continue
            if more is None:
                return None
            batch.append(more)
        return batch

    def _deliver(self, delivery: Delivery) -> None:
        for attempt in range(ATTEMPTS):
            if attempt and self._closed.wait(FIRST_WAIT * 2 ** (attempt - 1)):
                return
            if not self._retry(replace(delivery, attempt=attempt)):
                return
        self.failed.append(delivery)

    def _retry(self, delivery: Delivery) -> bool:
        """Send once; whether it must be sent again."""
        parts = urlsplit(self._url)
        headers = {"Content-Type": "application/json; charset=utf-8", **self.headers(delivery)}
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=20)
        begun = time.monotonic()
        try:
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.request("POST", path, delivery.body, headers)
            answer = connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException):
            return True
        finally:
            connection.close()
        self.answers.append((answer.status, time.monotonic() - begun))
        return answer.status in RETRIED
