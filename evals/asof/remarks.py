"""What could not be had as it was, told in sentences."""

import threading
from collections import defaultdict


class Remarks:
    """Things by what became of them. Safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: defaultdict[str, set[str]] = defaultdict(set)

    def add(self, sentence: str, what: str) -> None:
        """`sentence` is without its full stop; `what` is counted once, however often it is met."""
        with self._lock:
            self._found[sentence].add(what)

    def told(self) -> tuple[str, ...]:
        """Each sentence with how many things it is of."""
        with self._lock:
            return tuple(f"{sentence}: {len(self._found[sentence])}." for sentence in sorted(self._found))
