"""One graphics card, many processes: one lock for all of a host's embedding and reranking.

The lock is a lock of the kernel's on an open file (flock(2)), so a holder that dies gives it back, and the threads of
one process exclude each other as processes do. Two files make it fair to people. Who holds the `room` works on the
card. A question holds the `door`, together with other questions, from when it begins to wait until it is in the room;
indexing must have the door for itself at the moment in which it goes in. So a question waits for the batch that is
running and for questions before it, and indexing for all questions that wait.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.embedding.base import Side
from core.errors import Busy, CoreError, LockUnusable
from core.types import Metrics, NullMetrics

# Seconds between two attempts: the kernel waits for a lock without end or not at all.
_EVERY: dict[Side, float] = {"query": 0.002, "passage": 0.01}


class HostLock:
    """The lock of one graphics card. `path` is the same for every process on the host, in a folder that nobody cleans.

    A turn within a turn of the same thread waits for itself, and ends in Busy.
    """

    def __init__(
        self,
        path: Path,
        patience_seconds: float,
        *,
        indexing_patience_seconds: float = 600,
        metrics: Metrics | None = None,
    ) -> None:
        """`patience_seconds` is how long a question waits, then what works without the card answers; indexing has
        nothing to fall back on and nobody who waits for it. LockUnusable if the files cannot be made.
        """
        self._room = path
        self._door = path.with_name(f"{path.name}.door")
        self._patience: dict[Side, float] = {"query": patience_seconds, "passage": indexing_patience_seconds}
        self._metrics = metrics or NullMetrics()
        with _unusable(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        for file in (self._room, self._door):
            with _opened(file):
                pass

    @contextmanager
    def turn(self, side: Side) -> Iterator[None]:
        """Hold the card for one question, or for one batch of indexing. Busy if it does not come in time."""
        with _opened(self._door) as door, _opened(self._room) as room:
            started = time.monotonic()
            entered = self._wait(side, door, room)
            self._metrics.observe("crosscheck_gpu_wait_seconds", time.monotonic() - started, side=side)
            if not entered:
                raise Busy(f"The graphics card was not free within {self._patience[side]:g} s.")
            fcntl.flock(door, fcntl.LOCK_UN)
            yield

    def _wait(self, side: Side, door: int, room: int) -> bool:
        until = time.monotonic() + self._patience[side]
        with _unusable(self._room):
            while not _enter(side, door, room):
                if time.monotonic() >= until:
                    return False
                time.sleep(_EVERY[side])
        return True


@contextmanager
def turn_of(lock: HostLock | None, side: Side, raised: type[CoreError]) -> Iterator[None]:
    """A model's turn. One that does not come is `raised`; where there is no lock, every model may run at once."""
    if lock is None:
        yield
        return
    try:
        with lock.turn(side):
            yield
    except Busy as error:
        raise raised(str(error)) from error


def _enter(side: Side, door: int, room: int) -> bool:
    """One attempt; whether the room is held now. A question stays at the door until it is."""
    if not _locked(door, fcntl.LOCK_SH if side == "query" else fcntl.LOCK_EX):
        return False
    if _locked(room, fcntl.LOCK_EX):
        return True
    if side == "passage":
        fcntl.flock(door, fcntl.LOCK_UN)
    return False


def _locked(file: int, how: int) -> bool:
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    """The file, opened anew and so with a lock of its own. It is given back even if a child process inherited it."""
    with _unusable(path):
        file = _open(path)
    try:
        yield file
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)
        os.close(file)


def _open(path: Path) -> int:
    """Whoever may read the file may lock it: another user of the host has made it, and the umask took the right to
    write. (Over NFS only who may write gets a lock.) A link is not followed: in a folder of many it may be a trap.
    """
    how = os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        return os.open(path, how | os.O_RDWR | os.O_CREAT, 0o660)
    except PermissionError:
        return os.open(path, how | os.O_RDONLY)


@contextmanager
def _unusable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise LockUnusable(f"The graphics card's lock {path} cannot be used: {error.strerror}.") from error
