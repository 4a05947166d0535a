"""What environments say, read side by side, each by one reader at a time, and kept for a while."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass
from datetime import datetime

from core.probes.parallel import begun
from core.probes.types import Memory, Probe, Reading

_OVERDUE = 2  # times its seconds, after which nobody waits for a read any more


@dataclass(frozen=True, slots=True)
class _Asked:
    reading: "Future[Reading]"
    at: float
    """When it was begun, by the monotonic clock."""


class Readings:
    """For any number of threads. Whoever asks while a probe is being read waits for that, and reads nothing."""

    def __init__(self, memory: Memory, *, clock: Callable[[], datetime], seconds: float, fresh: float) -> None:
        """`seconds` are those of one read; for `fresh` seconds since it began, a reading is not made again."""
        self._memory = memory
        self._clock = clock
        self._seconds = seconds
        self._fresh = fresh
        self._asked: dict[str, _Asked] = {}
        self._lock = threading.Lock()

    def read(self, probe: Probe, until: float) -> Reading:
        """What is not there before `until`, of the monotonic clock, is unread."""
        began, asked = time.monotonic(), self._asked_for(probe)
        limit = min(until, asked.at + _OVERDUE * self._seconds)
        wait([asked.reading], max(0.0, limit - began))
        if asked.reading.done() and not asked.reading.cancelled():
            return asked.reading.result()
        why = "reading it failed" if asked.reading.done() else f"no answer within {max(until - began, 0):.2g} s"
        return Reading(probe.name, probe.environment, probe.repo, self._clock(), unread=why)

    def _asked_for(self, probe: Probe) -> _Asked:
        with self._lock:
            known = self._asked.get(probe.name)
            if known is None or (known.reading.done() and time.monotonic() - known.at >= self._fresh):
                known = _Asked(begun(lambda: self._read(probe), f"probe {probe.name}"), time.monotonic())
                self._asked[probe.name] = known
            return known

    def _read(self, probe: Probe) -> Reading:
        reading = probe.read(self._seconds)
        self._memory.keep(reading)
        return reading
