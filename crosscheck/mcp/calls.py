"""Runs work that is synchronous for a server that is not."""

import asyncio
import math
import threading
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import anyio

from crosscheck.call_rate import CallRate
from crosscheck.mcp.errors import Busy, TimedOut, TooMany
from crosscheck.operations import Report

Found = TypeVar("Found")
Progress = Callable[[dict[str, Any]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one server, over all its callers."""

    at_once: int = 8
    """That are worked on at one time."""
    of_one: int = 0
    """That are of them of one caller's at most, so that others have their turn; 0: all."""
    waiting: int = 400
    """That may wait for one of those to end, of each caller's."""
    seconds: float = 120
    """That the work may take, and that a call may wait for its turn."""


class Calls:
    """Runs calls in threads, so many at once; the others wait in the order they came.

    Whoever gives up a call is let go at once. Its thread cannot be stopped: what it finds is dropped, and its place is
    free only when it has ended, so that calls that were given up never become more work than `at_once`.
    """

    def __init__(self, limits: Limits, rate: CallRate | None = None) -> None:
        """`rate` may be shared with other servers of the same event loop."""
        self._limits = limits
        self._rate = rate or CallRate(0)
        self._places = asyncio.Semaphore(limits.at_once)
        self._shares = defaultdict[str, asyncio.Semaphore](lambda: asyncio.Semaphore(limits.of_one or limits.at_once))
        self._waiting = Counter[str]()

    async def run(self, work: Callable[[Report], Found], progress: Progress, who: str = "") -> Found:
        """What the work finds. It is given whom to report to. `who` is the name of the caller.

        Raises:
            TooMany: the caller has made as many as it may in a minute.
            Busy: too many wait, or no place came free in time.
            TimedOut: it took too long.
            Exception: whatever the work raised.

        """
        if wait := self._rate.take(who):
            seconds = math.ceil(wait)
            raise TooMany(
                f"As many calls as this token may make in a minute. Try again in {seconds} s.", seconds=seconds
            )
        running = _Running(work, await self._place(who))
        threading.Thread(target=copy_context().run, args=(running.run,), name="mcp-call", daemon=True).start()
        with anyio.move_on_after(self._limits.seconds):
            return await running.result(progress)
        raise TimedOut(
            f"No answer within {self._limits.seconds:g} seconds. Ask for less (a narrower filter, a shorter text), or "
            "try again later."
        )

    async def _place(self, who: str) -> ExitStack:
        """A place among the caller's own, and one among all; to be closed in the event loop."""
        if self._waiting[who] >= self._limits.waiting:
            raise Busy("Too many calls are waiting. Try again in a minute.")
        self._waiting[who] += 1
        try:
            with anyio.fail_after(self._limits.seconds), ExitStack() as held:
                for place in (self._shares[who], self._places):
                    await place.acquire()
                    held.callback(place.release)
                return held.pop_all()
        except TimeoutError as error:
            raise Busy("Other calls have taken all the time of this one. Try again in a minute.") from error
        finally:
            self._waiting[who] -= 1


class _Running(Generic[Found]):
    """Work in its thread, and what has come of it so far. Made in the event loop."""

    def __init__(self, work: Callable[[Report], Found], place: ExitStack) -> None:
        self._work = work
        self._place = place
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._latest: dict[str, Any] | None = None
        self._outcome: asyncio.Future[Found] = self._loop.create_future()

    async def result(self, progress: Progress) -> Found:
        """Reports progress until there is a result. What comes faster than it can be told is told by its latest."""
        while True:
            await self._news.wait()
            self._news.clear()
            latest, self._latest = self._latest, None
            if latest is not None:
                await progress(latest)
            if self._outcome.done():
                return self._outcome.result()

    def run(self) -> None:
        """In the thread."""
        try:
            found = self._work(lambda told: self._tell(self._report, told))
        except Exception as error:  # noqa: BLE001  the thread's edge: it is raised again where the call is awaited
            self._tell(self._fail, error)
        else:
            self._tell(self._end, found)

    def _tell(self, what: Callable[..., None], told: Any) -> None:
        try:
            self._loop.call_soon_threadsafe(what, told)
        except RuntimeError:  # the loop is closed: nobody waits any more
            return

    def _report(self, told: dict[str, Any]) -> None:
        self._latest = told
        self._news.set()

    def _end(self, found: Found) -> None:
        self._place.close()
        self._outcome.set_result(found)
        self._news.set()

    def _fail(self, error: Exception) -> None:
        self._place.close()
        self._outcome.set_exception(error)
        self._outcome.exception()  # looked at, also when the call was given up
        self._news.set()
