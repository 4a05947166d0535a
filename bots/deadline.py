"""A limit on the whole of a request, since HTTP clients only limit each wait for the next bytes."""

import heapq
import itertools
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from typing import Any

from requests import PreparedRequest, RequestException, Response
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager
from urllib3.connection import HTTPConnection, HTTPSConnection

_current: ContextVar["Deadline | None"] = ContextVar("deadline", default=None)


class Deadline:
    """Ends one request at a moment of the monotonic clock, and knows whether any of it was sent.

    From then on not a byte is sent, even if the process was stopped in between; an answer that is still trickling in
    is cut off. Only looking up the host's name and connecting to it may take longer, with nothing sent.
    """

    def __init__(self, until: float) -> None:
        self.until = until
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self.sent = False

    @property
    def left(self) -> float:
        """Seconds, never less than a millisecond (a timeout of nothing would mean none to some)."""
        return max(self.until - time.monotonic(), 0.001)

    @property
    def over(self) -> bool:
        return time.monotonic() >= self.until

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Applies to what this thread sends through a `DeadlineAdapter` inside the block."""
        _watchdog(os.getpid()).watch(self)
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)
            with self._lock:
                self._socket = None  # the connection may serve another request now

    def sending(self, connection: socket.socket) -> None:
        """Called before every write to the connection; raises TimeoutError when it is too late for one."""
        with self._lock:
            if self.over:
                raise TimeoutError("the time for this request is over")
            self._socket = connection
            self.sent = True

    def cut(self) -> None:
        """End the request's answer, if it is still coming."""
        with self._lock, suppress(OSError):
            if isinstance(self._socket, socket.socket):
                # Not the TLS object's own shutdown, which must not run beside a read in another thread.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


class _Watchdog:
    """Cuts requests whose time is over: one thread for all of them, since starting one for each costs as much as the
    request. What has ended by then is let be.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: list[tuple[float, int, Deadline]] = []
        self._numbers = itertools.count()
        threading.Thread(target=self._run, name="deadlines", daemon=True).start()

    def watch(self, deadline: Deadline) -> None:
        with self._changed:
            heapq.heappush(self._waiting, (deadline.until, next(self._numbers), deadline))
            if self._waiting[0][2] is deadline:
                self._changed.notify()

    def _run(self) -> None:
        while True:
            self._next().cut()

    def _next(self) -> Deadline:
        """The first whose time is over, when it is."""
        with self._changed:
            while True:
                left = self._waiting[0][0] - time.monotonic() if self._waiting else None
                if left is not None and left <= 0:
                    return heapq.heappop(self._waiting)[2]
                self._changed.wait(left)


@cache
def _watchdog(process: int) -> _Watchdog:  # noqa: ARG001  a thread does not survive a fork
    return _Watchdog()


class _Watched(HTTPConnection):
    def send(self, data: Any) -> None:
        deadline = _current.get()
        if deadline is not None:
            if self.sock is None:
                self.connect()
            deadline.sending(self.sock)
        super().send(data)


class _WatchedTls(_Watched, HTTPSConnection):
    pass


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Watched


class _TlsPool(HTTPSConnectionPool):
    ConnectionCls = _WatchedTls


_POOLS = {"http": _Pool, "https": _TlsPool}


def whole(response: Response, most: int) -> bytes:
    """The body of a streamed answer, closed after it. Raises RequestException when it has more than `most` bytes."""
    parts: list[bytes] = []
    size = 0
    try:
        for part in response.iter_content(65_536):
            size += len(part)
            if size > most:
                raise RequestException(f"the answer is larger than {most} bytes")
            parts.append(part)
    finally:
        response.close()
    return b"".join(parts)


class DeadlineAdapter(HTTPAdapter):
    """Connections that obey the thread's current deadline. Nothing is ever sent twice."""

    def send(self, request: PreparedRequest, *args: Any, **settings: Any) -> Response:
        deadline = _current.get()
        if deadline is not None:
            settings["timeout"] = deadline.left
        return super().send(request, *args, **settings)

    def init_poolmanager(self, *args: Any, **settings: Any) -> None:
        super().init_poolmanager(*args, **settings)
        self.poolmanager.pool_classes_by_scheme = _POOLS

    def proxy_manager_for(self, proxy: str, **settings: Any) -> PoolManager:
        manager: PoolManager = super().proxy_manager_for(proxy, **settings)
        manager.pool_classes_by_scheme = _POOLS
        return manager
