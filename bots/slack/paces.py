"""How often Slack may be asked: the waits it has ordered, and the pace at which a message is edited. No I/O."""

import math
import threading
import time
from collections.abc import Callable

Message = tuple[str, str]
"""Channel and ts."""

PAUSE = 3.0
"""Seconds between two edits of one message. Slack allows some fifty a minute in a workspace, for all messages
(https://docs.slack.dev/apis/web-api/rate-limits, tier 3)."""

_MOST = 10_000  # remembered at once


class Waits:
    """The waits that Slack has ordered, each for one method in one channel; the others go on."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._until: dict[tuple[str, str], float] = {}

    def order(self, method: str, channel: str, seconds: float) -> None:
        now = self._clock()
        with self._lock:
            self._until = {place: until for place, until in self._until.items() if until > now}
            self._until[method, channel] = max(now + seconds, self._until.get((method, channel), 0.0))

    def left(self, method: str, channel: str) -> float:
        """Seconds that are still to be waited; 0 when there is nothing to wait for."""
        with self._lock:
            return max(self._until.get((method, channel), 0.0) - self._clock(), 0.0)


class Edits:
    """When the bot's messages about its work were last edited."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._last: dict[Message, float] = {}
        self._lost: dict[Message, None] = {}

    def due(self, message: Message) -> float | None:
        """Takes the turn to edit a message: seconds since the last edit, infinite when none is known; None if it is
        too soon, or the message has become an answer.
        """
        now = self._clock()
        with self._lock:
            since = now - self._last.get(message, -math.inf)
            if since < PAUSE:
                return None
            self._note(message, now)
            return since

    def done(self, message: Message) -> None:
        """It was written just now."""
        with self._lock:
            self._note(message, self._clock())

    def lost(self, message: Message) -> None:
        """An edit was sent and not answered: it may still be acted on, whatever is written there meanwhile."""
        with self._lock:
            self._lost[message] = None
            while len(self._lost) > _MOST:
                del self._lost[next(iter(self._lost))]

    def finish(self, message: Message) -> bool:
        """It is to become an answer, and not to be edited otherwise any more; False if an edit of it was lost."""
        with self._lock:
            self._note(message, math.inf)
            return message not in self._lost

    def _note(self, message: Message, at: float) -> None:
        self._last.pop(message, None)
        self._last[message] = at
        while len(self._last) > _MOST:
            del self._last[next(iter(self._last))]
