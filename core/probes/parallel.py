"""Several things at once, and none waited for longer than is allowed."""

import threading
import time
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future, wait
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def begun(task: Callable[[], Value], name: str) -> "Future[Value]":
    """The task in a thread of its own, which keeps no program from ending. Cancelled if the task fails."""
    future: Future[Value] = Future()

    def run() -> None:
        try:
            future.set_result(task())
        finally:
            if not future.done():
                future.cancel()

    threading.Thread(target=run, name=name, daemon=True).start()
    return future


def in_time(tasks: Mapping[Key, Callable[[], Value]], until: float, name: str) -> dict[Key, Value]:
    """What is done before this moment of the monotonic clock. The rest goes on unheard."""
    futures = {key: begun(task, name) for key, task in tasks.items()}
    wait(futures.values(), max(0.0, until - time.monotonic()))
    return {key: future.result() for key, future in futures.items() if future.done() and not future.cancelled()}
