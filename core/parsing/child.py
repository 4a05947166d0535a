"""Reads files in processes that can be killed, so that no file can take the program's time, memory or secrets."""

import os
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

import core
from core.parsing.frames import BadFrame, Reply, Request, receive_reply, send_request
from core.parsing.parsed import Parsed, unreadable

_KEPT = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH")
_SET = {
    # Each thread of a numeric library, and each of malloc's arenas, takes address space.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}


@dataclass(frozen=True, slots=True)
class ChildLimits:
    """What reading one file may take."""

    seconds: int = 60
    memory: int = 1_500_000_000
    """Bytes of address space, the interpreter and its libraries (about 200 MB) included."""
    output: int = 100_000_000
    """Bytes of text, and of pictures."""
    documents: int = 200
    """After so many a fresh process takes over, which bounds what a leaking library costs."""


class Children:
    """Reading processes, each started when it is first needed and then kept. Several threads may read at once, each
    with a process of its own; `most` is how many.
    """

    def __init__(self, limits: ChildLimits | None = None, most: int = 2) -> None:
        self._limits = limits or ChildLimits()
        self._slots = threading.BoundedSemaphore(most)
        self._idle: list[_Child] = []
        self._lock = threading.Lock()

    def read(self, request: Request) -> Parsed:
        """What the file holds, or why it could not be read. Raises nothing."""
        with self._slots:
            try:
                child = self._take()
            except OSError as error:
                return unreadable(f"its reader could not be started ({error.strerror})")
            reply = child.ask(request)
            if reply.last:
                child.end()
            else:
                with self._lock:
                    self._idle.append(child)
        return reply.parsed

    def close(self) -> None:
        """End the processes that are not reading. A later `read` starts new ones."""
        with self._lock:
            idle, self._idle = self._idle, []
        for child in idle:
            child.end()

    def _take(self) -> "_Child":
        with self._lock:
            while self._idle:
                child = self._idle.pop()
                if child.alive():
                    return child
                child.end()
        return _Child(self._limits)


class _Child:
    """One reading process. Used by one thread at a time."""

    def __init__(self, limits: ChildLimits) -> None:
        self._limits = limits
        arguments = [str(limits.memory), str(limits.seconds), str(limits.documents)]
        self._process = subprocess.Popen(
            [sys.executable, "-s", "-P", "-m", "core.parsing.worker", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            start_new_session=True,  # a Ctrl-C at the terminal is the parent's to handle
        )
        self._requests = cast("IO[bytes]", self._process.stdin)
        self._replies = cast("IO[bytes]", self._process.stdout)

    def alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, request: Request) -> Reply:
        """The reply; one of the parent's own, with `last`, when the process had to be killed or died."""
        late = threading.Event()

        def kill() -> None:
            late.set()
            self._process.kill()

        timer = threading.Timer(self._limits.seconds, kill)
        timer.start()
        try:
            send_request(self._requests, request)
            reply = receive_reply(self._replies, self._limits.output)
        except (BadFrame, OSError) as error:
            slow = f"reading it took longer than {self._limits.seconds} seconds"
            return Reply(unreadable(slow if late.is_set() else self._cause(error)), last=True)
        finally:
            timer.cancel()
        return Reply(reply.parsed, last=reply.last or late.is_set())

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._replies.close()
        with suppress(BrokenPipeError):  # what it was sent and never read
            self._requests.close()

    def _cause(self, error: Exception) -> str:
        try:
            code = self._process.wait(0.5)
        except subprocess.TimeoutExpired:
            return f"its reader had to be stopped ({error})"
        return f"its reader crashed on it (signal {-code})" if code < 0 else "its reader ended on it"


def _environment() -> dict[str, str]:
    """No secret of the parent's. The child finds the packages where the parent did."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**kept, **_SET, "PYTHONPATH": str(Path(core.__file__).parents[1])}
