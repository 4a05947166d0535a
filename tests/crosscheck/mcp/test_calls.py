"""Many calls at once, progress, calls that are given up, and work that takes too long."""

import threading
import time
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from mcp.client.client import Client
from structlog.testing import capture_logs

from crosscheck.mcp.calls import Calls, Limits
from crosscheck.mcp.errors import Busy, TimedOut
from tests.crosscheck.mcp.fake import ANSWERS, Operations, server, text

pytestmark = pytest.mark.anyio
SEARCH = {"text": "holds"}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=["legacy", "2026-07-28"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def silent(_report: dict[str, Any]) -> None:
    """Nobody listens."""


class Gate:
    """Work that goes on when it is let."""

    def __init__(self) -> None:
        self.begun, self.ended = 0, 0
        self.most, self._now = 0, 0
        self.open = threading.Event()
        self._lock = threading.Lock()

    def __call__(self, *_asked: Any) -> Any:
        with self._lock:
            self.begun += 1
            self._now += 1
            self.most = max(self.most, self._now)
        assert self.open.wait(20)
        with self._lock:
            self.ended += 1
            self._now -= 1
        return ANSWERS["search"]


async def until(condition: Callable[[], bool]) -> None:
    with anyio.fail_after(20):
        while not condition():  # noqa: ASYNC110  what is waited for is in other threads
            await anyio.sleep(0.005)


def given_up(logs: list[Any]) -> bool:
    """Whether the server has heard that a call was given up."""
    return any(entry.get("outcome") == "given up" for entry in logs)


async def test_a_hundred_calls_at_once_are_all_answered_a_few_at_a_time(mode):
    lock, now, most = threading.Lock(), [0], [0]

    def search(_asked: Any, _report: Any) -> Any:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.005)
        with lock:
            now[0] -= 1
        return ANSWERS["search"]

    answers: list[str] = []
    async with Client(server(Operations(search=search), limits=Limits(at_once=4)), mode=mode) as client:

        async def call() -> None:
            answers.append(text(await client.call_tool("search", SEARCH)))

        async with anyio.create_task_group() as group:
            for _ in range(100):
                group.start_soon(call)
    assert len(answers) == 100
    assert all("[2] `BOOK-2 Hold bookings`" in answer for answer in answers)
    assert most[0] <= 4


async def test_progress_rises_and_says_what_is_done(mode):
    told: list[tuple[float, str | None]] = []
    heard = threading.Event()

    def plan(_asked: Any, report: Callable[[dict[str, Any]], None]) -> Any:
        for step in ("search", "history", "consumers"):
            heard.clear()
            report({"step": "plan", "name": step, "done": 1, "total": None})
            assert heard.wait(20)
        return ANSWERS["plan"]

    async def hear(progress: float, _total: float | None, message: str | None) -> None:
        told.append((progress, message))
        heard.set()

    async with Client(server(Operations(plan=plan)), mode=mode) as client:
        await client.call_tool("check_plan", {"plan": "a"}, progress_callback=hear)
    assert told == [(1, "plan search"), (2, "plan history"), (3, "plan consumers")]


async def test_reports_that_nobody_asked_for_do_no_harm(mode):
    def plan(_asked: Any, report: Callable[[dict[str, Any]], None]) -> Any:
        for number in range(1_000):
            report({"step": "plan", "done": number, "total": 1_000})
        return ANSWERS["plan"]

    async with Client(server(Operations(plan=plan)), mode=mode) as client:
        assert not (await client.call_tool("check_plan", {"plan": "a"})).is_error


async def test_who_gives_up_is_let_go_at_once_and_the_place_is_free_when_the_work_has_ended(mode):
    gate = Gate()
    operations = Operations(search=gate)
    async with Client(server(operations, limits=Limits(at_once=1)), mode=mode) as client:
        with anyio.move_on_after(0.2) as scope:
            await client.call_tool("search", SEARCH)
        assert scope.cancelled_caught
        assert (gate.begun, gate.ended) == (1, 0)
        async with anyio.create_task_group() as group:
            after: list[Any] = []

            async def call() -> None:
                after.append(await client.call_tool("lookup", {"key": "BOOK-1"}))

            group.start_soon(call)
            await anyio.sleep(0.1)
            assert after == []
            assert [name for name, _ in operations.asked] == ["search"]
            gate.open.set()
    assert not after[0].is_error
    assert gate.ended == 1


async def test_who_gives_up_while_waiting_is_never_worked_for(mode):
    gate = Gate()
    operations = Operations(search=gate)
    with capture_logs() as logs:
        async with (
            Client(server(operations, limits=Limits(at_once=1)), mode=mode) as client,
            anyio.create_task_group() as group,
        ):
            group.start_soon(client.call_tool, "search", SEARCH)
            await until(lambda: gate.begun == 1)
            with anyio.move_on_after(0.1):
                await client.call_tool("lookup", {"key": "given up"})
            await until(lambda: given_up(logs))
            gate.open.set()
            await client.call_tool("lookup", {"key": "BOOK-1"})
    assert [asked.get("key") for name, asked in operations.asked if name == "lookup"] == ["BOOK-1"]


async def test_work_that_takes_too_long_is_an_error_that_says_so(mode):
    gate = Gate()
    async with Client(server(Operations(search=gate), limits=Limits(seconds=0.1)), mode=mode) as client:
        result = await client.call_tool("search", SEARCH)
        gate.open.set()
    assert result.is_error
    assert text(result).startswith("No answer within 0.1 seconds. Ask for less")


async def test_no_place_in_time_and_too_long_a_queue_are_busy():
    gate = Gate()
    calls = Calls(Limits(at_once=1, waiting=1, seconds=0.3))
    failed: list[type[Exception]] = []

    async def call() -> None:
        try:
            await calls.run(gate, silent)
        except (Busy, TimedOut) as error:
            failed.append(type(error))

    async with anyio.create_task_group() as group:
        group.start_soon(call)
        await until(lambda: gate.begun == 1)
        group.start_soon(call)
        await anyio.sleep(0.05)
        with pytest.raises(Busy, match="Too many calls are waiting"):
            await calls.run(gate, silent)
    gate.open.set()
    assert failed == [TimedOut, Busy]
    await until(lambda: gate.ended == 1)
    assert await calls.run(gate, silent) == ANSWERS["search"]


async def test_work_that_outlives_its_server_ends_in_silence():
    gate = Gate()
    thread: list[threading.Thread] = []

    def work(_report: Any) -> Any:
        thread.append(threading.current_thread())
        return gate()

    async def brief() -> None:
        with anyio.move_on_after(0.1):
            await Calls(Limits()).run(work, silent)

    await anyio.to_thread.run_sync(lambda: anyio.run(brief))
    gate.open.set()
    thread[0].join(5)
    assert not thread[0].is_alive()
