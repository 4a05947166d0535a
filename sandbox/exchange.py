"""What went over the wire, kept for tests that judge it."""

import threading
from collections import deque
from dataclasses import dataclass, field


@dataclass(slots=True)
class Exchange:
    """One request and its answer. Header names are lower case; `status` is 0 when no answer was sent."""

    service: str
    """jira, confluence, slack, media, model, or the kind of a Git host."""
    method: str
    url: str
    path: str
    query: str
    headers: dict[str, str] = field(repr=False)
    body: bytes = field(default=b"", repr=False)
    status: int = 0
    response_headers: dict[str, str] = field(default_factory=dict, repr=False)
    response_body: bytes = field(default=b"", repr=False)


class Exchanges:
    """The latest exchanges, oldest first; `recording = False` keeps none (for load)."""

    def __init__(self, limit: int = 5000) -> None:
        self._kept: deque[Exchange] = deque(maxlen=limit)
        self._lock = threading.Lock()
        self.recording = True

    def add(self, exchange: Exchange) -> None:
        if self.recording:
            with self._lock:
                self._kept.append(exchange)

    def all(self, service: str | None = None) -> list[Exchange]:
        with self._lock:
            return [e for e in self._kept if service in {None, e.service}]

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()

    def __len__(self) -> int:
        return len(self._kept)
