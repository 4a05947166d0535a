"""How often an address may try a token."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime, timedelta

MOST = 10
WITHIN = timedelta(minutes=10)
_ADDRESSES = 10_000


class Tries:
    """Wrong tokens by address, of the last while. Of too many addresses the oldest are forgotten."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._failed = OrderedDict[str, list[datetime]]()
        self._lock = threading.Lock()

    def exhausted(self, address: str) -> bool:
        """Whether this address has to wait."""
        with self._lock:
            return len(self._recent(address)) >= MOST

    def failed(self, address: str) -> None:
        with self._lock:
            self._failed[address] = [*self._recent(address), self._clock()]
            self._failed.move_to_end(address)
            while len(self._failed) > _ADDRESSES:
                self._failed.popitem(last=False)

    def _recent(self, address: str) -> list[datetime]:
        since = self._clock() - WITHIN
        return [at for at in self._failed.get(address, ()) if at > since][-MOST:]
