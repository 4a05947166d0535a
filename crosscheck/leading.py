"""Tasks that only one of several processes may do at a time, such as polling: each is done by whoever leads it."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from secrets import token_hex
from typing import Protocol

import structlog

from core.types import Metrics
from crosscheck.errors import AlreadyRunning
from state.errors import StateError

log = structlog.get_logger(__name__)

LEASE = timedelta(seconds=15)
"""How long the others wait for a leader that is gone without a word."""


class Leads(Protocol):
    """See `state.leaders.Leaders`."""

    def lead(self, task: str, holder: str, lease: timedelta) -> bool: ...
    def leave(self, task: str, holder: str) -> None: ...


class Alone:
    """For the one process that owns the data folder: it leads whatever it wants to."""

    def lead(self, task: str, holder: str, lease: timedelta) -> bool:
        """Yes."""
        del task, holder, lease
        return True

    def leave(self, task: str, holder: str) -> None:
        """Nobody waits for it."""


class _Term:
    """The time for which a task is this process's."""

    def __init__(self, until: float) -> None:
        self.until = until
        self.over = threading.Event()


class Leading:
    """Does tasks while this process leads them. `keep` has to run beside, in a thread of its own."""

    def __init__(self, leaders: Leads, metrics: Metrics, *, lease: timedelta = LEASE) -> None:
        self._leaders = leaders
        self._metrics = metrics
        self._lease = lease
        self._pause = lease.total_seconds() / 3
        self._holder = f"{socket.gethostname()}-{token_hex(4)}"
        self._terms: dict[str, _Term] = {}
        self._stopped = threading.Event()

    def run(self, task: str, work: Callable[[threading.Event], None]) -> None:
        """Do the work whenever this process leads the task, until `stop`. The work gets an event that is set when it
        has to end, and may end by itself to begin anew.
        """
        while not self._stopped.is_set():
            term = self._begun(task)
            if term is None:
                self._stopped.wait(self._pause)
                continue
            try:
                work(term.over)
            finally:
                self._ended(task)

    @contextmanager
    def led(self, task: str) -> Iterator[None]:
        """Lead the task for as long as the block runs.

        Raises:
            AlreadyRunning: another process does.

        """
        if self._begun(task) is None:
            raise AlreadyRunning(f"Another process does this already (the one that leads {task!r}). Use that one.")
        keeper = threading.Thread(target=self.keep, name="leading")
        keeper.start()
        try:
            yield
        finally:
            self.stop()
            keeper.join()
            self._ended(task)

    def keep(self) -> None:
        """Renew what is led, until `stop`."""
        while not self._stopped.wait(self._pause):
            for task, term in list(self._terms.items()):
                self._renew(task, term)

    def stop(self) -> None:
        """Have all work end."""
        self._stopped.set()
        for term in list(self._terms.values()):
            term.over.set()

    def _begun(self, task: str) -> _Term | None:
        asked = time.monotonic()
        if not self._is_ours(task):
            self._metrics.gauge("crosscheck_leader", 0, task=task)
            return None
        term = self._terms[task] = _Term(asked + self._lease.total_seconds())
        if self._stopped.is_set():  # `stop` may not have seen it
            term.over.set()
        self._metrics.gauge("crosscheck_leader", 1, task=task)
        return term

    def _is_ours(self, task: str) -> bool:
        try:
            return self._leaders.lead(task, self._holder, self._lease)
        except StateError as error:
            log.warning("not known who leads", task=task, reason=str(error))
            return False

    def _renew(self, task: str, term: _Term) -> None:
        """Led until the lease is over, though the database may be away for a while; not once somebody else leads."""
        asked = time.monotonic()
        try:
            kept = self._leaders.lead(task, self._holder, self._lease)
        except StateError as error:
            log.warning("leading not renewed", task=task, reason=str(error))
            kept = asked + self._pause < term.until
        else:
            term.until = asked + self._lease.total_seconds()
        if not kept and not term.over.is_set():
            log.warning("another process leads", task=task)
            term.over.set()

    def _ended(self, task: str) -> None:
        self._terms.pop(task, None)
        self._metrics.gauge("crosscheck_leader", 0, task=task)
        try:
            self._leaders.leave(task, self._holder)
        except StateError as error:
            log.warning("leading not given up", task=task, reason=str(error))
