"""Over standard input and output, as a client starts it: a real child process."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

from tests.crosscheck.mcp.fake import text
from tests.crosscheck.mcp.test_tools import CALLS

pytestmark = pytest.mark.anyio
ROOT = Path(__file__).parents[3]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=["legacy", "2026-07-28"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def program(labels: str = "org, jira:BOOK") -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable, args=["-m", "tests.crosscheck.mcp.stdio_program", labels], cwd=ROOT
    )


async def test_a_session_lists_calls_hears_gives_up_and_is_refused(mode):
    heard: list[str | None] = []

    async def hear(_progress: float, _total: float | None, message: str | None) -> None:
        heard.append(message)

    answers: list[Any] = []
    async with Client(program(), mode=mode) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == list(CALLS)
        for name, arguments in CALLS.items():
            assert not (await client.call_tool(name, arguments)).is_error
        await client.call_tool("search", {"text": "a"}, progress_callback=hear)
        with anyio.move_on_after(0.3) as scope:
            await client.call_tool("search", {"text": "slow"})
        assert scope.cancelled_caught

        async def call() -> None:
            answers.append(await client.call_tool("search", {"text": "a"}))

        async with anyio.create_task_group() as group:
            for _ in range(100):
                group.start_soon(call)
        wrong = await client.call_tool("search", {"text": 7})
        with pytest.raises(MCPError, match="There is no tool"):
            await client.call_tool("write_it", {})
    assert heard == ["search jira:BOOK,org"]
    assert len(answers) == 100
    assert not any(answer.is_error for answer in answers)
    assert wrong.is_error
    assert "Wrong arguments." in text(wrong)


def test_only_the_protocol_reaches_standard_output_and_the_end_of_input_is_the_end():
    hello = (
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
        '"clientInfo":{"name":"t","version":"1"}}}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\nnot json\n'
        '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search","arguments":{"text":"a"}}}\n'
    )
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.crosscheck.mcp.stdio_program", "org"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert child.stdin
    assert child.stdout
    assert child.stderr
    with child:
        child.stdin.write(hello)
        child.stdin.flush()
        lines = [child.stdout.readline(), child.stdout.readline()]
        begun = time.monotonic()
        child.stdin.close()
        rest, logged = child.stdout.read(), child.stderr.read()
        assert child.wait(20) == 0
    assert time.monotonic() - begun < 10
    assert all(line.startswith('{"jsonrpc":"2.0"') for line in [*lines, *rest.splitlines()])
    assert '"id":2' in lines[1]
    assert "printed by an operation" in logged


async def test_work_under_way_does_not_hold_the_end_up():
    begun = time.monotonic()
    async with Client(program()) as client:
        with anyio.move_on_after(0.3):
            await client.call_tool("search", {"text": "slow"})
    assert time.monotonic() - begun < 20
