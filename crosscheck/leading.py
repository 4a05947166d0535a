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

    def __init__(self, until: float, end: Callable[[], None]) -> None:
        """`end` has the work end."""
        self.until = until
        self.end = end
        self.told = False


class Leading:
    """Does tasks while this process leads them. `keep` has to run beside, in a thread of its own."""

    def __init__(self, leaders: Leads, metrics: Metrics, *, lease: timedelta = LEASE) -> None:
        self._leaders = leaders
        self._metrics = metrics
        self._lease = lease
        self._pause = lease.total_seconds() / 3
        self._holder = f"{socket.gethostname()}-{token_hex(4)}"
        self._terms: dict[str, _Term] = {}
        self._renewing = threading.Lock()
        self._stopped = threading.Event()
        self._over = threading.Event()
        """Stopped, and all work has ended."""

    def run(self, task: str, work: Callable[[threading.Event], None]) -> None:
        """Do the work whenever this process leads the task, until `stop`. The work gets an event that is set when it
        has to end, and may end by itself to begin anew.
        """
        while not self._stopped.is_set():
            over = threading.Event()
            if not self._begun(task, over.set):
                self._stopped.wait(self._pause)
                continue
            try:
                work(over)
            finally:
                self._ended(task)

    @contextmanager
    def led(self, task: str, end: Callable[[], None]) -> Iterator[None]:
        """Lead the task for as long as the block runs; `end` has it end when another process may lead.

        Raises:
            AlreadyRunning: another process does.

        """
        if not self._begun(task, end):
            raise AlreadyRunning(f"Another process does this already (the one that leads {task!r}). Use that one.")
        keeper = threading.Thread(target=self.keep, name="leading")
        keeper.start()
        try:
            yield
        finally:
            self._stopped.set()
            self._ended(task)
            keeper.join()

    def keep(self) -> None:
        """Renew what is led, until `stop` and the end of all work: what takes its time to end is still led.

        Work is told to end before its lease is over, though the database may not answer at all.
        """
        renewing = threading.Thread(target=self._renew_all, name="renewing", daemon=True)
        renewing.start()
        while not self._over.wait(self._pause / 4):
            for task, term in list(self._terms.items()):
                if term.until - time.monotonic() < self._pause / 2:
                    self._end(task, term, "leading not renewed in time")
        renewing.join(self._pause)

    def stop(self) -> None:
        """Have all work end."""
        self._stopped.set()
        for term in list(self._terms.values()):
            term.end()
        self._look()

    def _begun(self, task: str, end: Callable[[], None]) -> bool:
        asked = time.monotonic()
        if not self._is_ours(task):
            self._metrics.gauge("crosscheck_leader", 0, task=task)
            return False
        self._terms[task] = _Term(asked + self._lease.total_seconds(), end)
        if self._stopped.is_set():  # `stop` may not have seen it
            self._ended(task)
            return False
        self._metrics.gauge("crosscheck_leader", 1, task=task)
        return True

    def _is_ours(self, task: str) -> bool:
        try:
            return self._leaders.lead(task, self._holder, self._lease)
        except StateError as error:
            log.warning("not known who leads", task=task, reason=str(error))
            return False

    def _renew_all(self) -> None:
        while not self._over.wait(self._pause):
            for task, term in list(self._terms.items()):
                try:
                    self._renew(task, term)
                except StateError as error:
                    log.warning("leading not renewed", task=task, reason=str(error))
                except Exception as error:  # the thread's edge: it must not end in silence
                    log.exception("leading not renewed", task=task, error=type(error).__name__)

    def _renew(self, task: str, term: _Term) -> None:
        with self._renewing:
            if self._terms.get(task) is not term:
                return
            asked = time.monotonic()
            if self._leaders.lead(task, self._holder, self._lease):
                term.until = asked + self._lease.total_seconds()
            else:
                self._end(task, term, "another process leads")

    def _end(self, task: str, term: _Term, why: str) -> None:
        if not term.told:
            term.told = True
            log.warning(why, task=task)
            term.end()

    def _ended(self, task: str) -> None:
        self._terms.pop(task, None)
        self._look()
        self._metrics.gauge("crosscheck_leader", 0, task=task)
        try:
            with self._renewing:  # a renewal under way would take back what is left here
                self._leaders.leave(task, self._holder)
        except StateError as error:
            log.warning("leading not given up", task=task, reason=str(error))

    def _look(self) -> None:
        if self._stopped.is_set() and not self._terms:
            self._over.set()
