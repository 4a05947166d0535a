"""Calls that report progress, that are given up, and a hundred of them at once, on the real service."""

import anyio
import pytest
from mcp.client.client import Client

from tests.crosscheck.mcp.fake import text
from tests.crosscheck.programs.session import PLAN, STEPS

pytestmark = pytest.mark.anyio
CALLS = [(step.tool, step.arguments) for step in STEPS if not step.goes_on]

QUICK = [(tool, arguments) for tool, arguments in CALLS if tool not in {"check_plan", "consumers"}]
"""Those below a tenth of a second each."""


@pytest.fixture(params=["http", "stdio"])
async def client(stage, request):
    if request.param == "http":
        async with stage.client() as made:
            yield made
    else:
        async with Client(stage.process(stage.company.file)) as made:
            yield made


async def test_a_plan_tells_its_progress(client):
    heard = []

    async def hear(progress, _total, message):
        heard.append((progress, message))

    await client.call_tool("check_plan", {"plan": PLAN}, progress_callback=hear)
    numbers = [progress for progress, _ in heard]
    assert numbers == sorted(set(numbers))
    assert numbers
    assert all(message.startswith("plan ") for _, message in heard)


async def test_a_hundred_calls_at_once_are_answered_as_each_alone(client):
    alone = [text(await client.call_tool(tool, arguments)) for tool, arguments in QUICK]
    wrong = []

    async def one(number):
        tool, arguments = QUICK[number % len(QUICK)]
        said = text(await client.call_tool(tool, arguments))
        expected = alone[number % len(QUICK)]
        if said.partition("cursor")[0] != expected.partition("cursor")[0]:
            wrong.append((tool, said))

    async with anyio.create_task_group() as group:
        for number in range(100):
            group.start_soon(one, number)
    assert wrong == []


async def test_calls_that_are_given_up_take_no_place_from_others(client):
    for _ in range(3):
        with anyio.move_on_after(0.02):
            async with anyio.create_task_group() as group:
                for _ in range(20):
                    group.start_soon(client.call_tool, "check_plan", {"plan": PLAN})
    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            for tool, arguments in CALLS:
                group.start_soon(client.call_tool, tool, arguments)
