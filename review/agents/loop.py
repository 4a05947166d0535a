"""Runs coroutines for synchronous callers on one event loop thread.

A provider's client keeps connections that belong to the loop on which they were opened; run from several threads
with a loop each, it fails with "bound to a different event loop". So the process has one.
"""

import asyncio
import os
import threading
from collections.abc import Coroutine
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T], seconds: float) -> T:
    """The coroutine's result. Raises TimeoutError after `seconds` of wall time; the coroutine is then cancelled."""
    future = asyncio.run_coroutine_threadsafe(coroutine, _loop_of(os.getpid()))
    try:
        return future.result(seconds)
    finally:
        future.cancel()


@cache
def _loop_of(process: int) -> asyncio.AbstractEventLoop:
    """The process's loop, running in a daemon thread. Keyed by process, since a thread does not survive a fork."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name=f"model-{process}", daemon=True).start()
    return loop
