"""How many calls one caller may make in a minute."""

import time
from collections import defaultdict, deque
from collections.abc import Callable

MINUTE = 60.0
"""Seconds."""


class CallRate:
    """A sliding window over each caller's calls, of one process: of several processes each counts its own."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        """`most` calls in any minute; 0: no limit. For one thread, or one event loop."""
        self._most = most
        self._clock = clock
        self._calls = defaultdict[str, deque[float]](deque)

    def take(self, who: str) -> float:
        """0 where the call may be made, and then it counts; else the seconds after which it may."""
        if not self._most:
            return 0.0
        calls, now = self._calls[who], self._clock()
        while calls and now - calls[0] >= MINUTE:
            calls.popleft()
        if len(calls) >= self._most:
            return MINUTE - (now - calls[0])
        calls.append(now)
        return 0.0
