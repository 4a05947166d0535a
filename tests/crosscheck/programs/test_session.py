"""An agent's work with the SDK's client: over HTTP, through `crosscheck mcp` beside the service, and without one."""

from contextlib import ExitStack, asynccontextmanager

import anyio
import pytest
from mcp.client.client import Client

from crosscheck import settings as config
from crosscheck.mcp.tools import TOOLS
from crosscheck.wiring import Program
from tests.crosscheck.live import at_work
from tests.crosscheck.mcp.fake import text
from tests.crosscheck.programs.session import STEPS, held, stable
from tests.crosscheck.programs.transcript import PAGE, SESSION, TABLE, session, table, transcript

ON_THE_INDEX = [step for step in STEPS if step.tool in {"lookup", "open_source", "search", "check_plan", "consumers"}]


@pytest.fixture(scope="module")
async def answers(stage):
    return await session(stage)


@pytest.fixture(scope="module")
def anyio_backend():
    return "asyncio"


@asynccontextmanager
async def over(stage, way):
    if way == "stdio":
        async with Client(stage.process(stage.company.file)) as client:
            yield client
    else:
        async with stage.client(mode=way) as client:
            yield client


@pytest.mark.anyio
async def test_every_call_is_answered_within_its_budget(answers):
    for answer in answers:
        assert answer.failed == answer.step.refused, answer.text
        assert answer.tokens <= TOOLS[answer.step.tool].budget
        assert (
            answer.failed or answer.links or answer.step.tool in {"deployed_state", "freshness"} or answer.tokens < 30
        )
    assert {answer.step.tool for answer in answers} == set(TOOLS)
    assert any(answer.text.startswith("Nothing new:") and "\n" not in answer.text for answer in answers)


@pytest.mark.anyio
async def test_a_cursor_goes_on_where_the_answer_was_cut(answers):
    first, rest = answers[-2:]
    shown = int(first.text.rpartition(" of 20 shown")[0].rpartition(" ")[2])
    assert f"\n[{shown}] " in first.text
    assert f"\n[{shown + 1}] " in rest.text
    assert f"\n[{shown}] " not in rest.text


@pytest.mark.anyio
@pytest.mark.parametrize("way", ["stdio", "legacy", "2026-07-28"])
async def test_every_way_gives_the_same_words(stage, answers, way):
    async with over(stage, way) as client:
        found = await held(client)
    assert [stable(one.text, stage.box) for one in found] == [stable(one.text, stage.box) for one in answers]
    assert [one.links for one in found] == [one.links for one in answers]


@pytest.mark.anyio
async def test_without_the_service_the_command_answers_itself_and_owns_the_folder(stage, answers):
    parameters = stage.process(stage.apart)
    async with Client(parameters) as client:
        found = await held(client, ON_THE_INDEX[:7])
        command = [parameters.command, *parameters.args]
        second = await anyio.run_process(command, env=parameters.env, check=False)
    alike = [one for one in answers if one.step in ON_THE_INDEX[:7]]
    assert [_first(one.text) for one in found] == [_first(one.text) for one in alike]
    assert second.returncode == 3
    assert "is in use by `crosscheck mcp`" in second.stderr.decode()
    assert second.stdout == b""


def _first(words):
    """Of an answer the first result, which says how old nothing is: each process has a clock of its own."""
    return words.partition("\n[2] ")[0].partition("\nNotes:")[0].partition("\nNot settled:")[0]


@pytest.mark.anyio
async def test_when_the_service_has_stopped_the_command_says_so(stage):
    program = Program(config.load(stage.apart), stage.company.secrets)
    with ExitStack() as work:
        work.enter_context(at_work(stage.box, program, index=False, webhooks=False))
        async with Client(stage.process(stage.apart)) as client:
            assert not (await client.call_tool("freshness", {})).is_error
            work.close()
            ended = await client.call_tool("freshness", {})
    assert ended.is_error
    assert text(ended).startswith("The service is not running any more.")


@pytest.mark.anyio
async def test_the_page_shows_the_same_session(stage, answers):
    shown = PAGE.read_text("utf-8").partition(SESSION[0])[2].partition(SESSION[1])[0]
    assert shown == transcript(answers, stage.box), "run python -m tests.crosscheck.programs.transcript"


def test_the_page_shows_the_same_tools():
    shown = PAGE.read_text("utf-8").partition(TABLE[0])[2].partition(TABLE[1])[0]
    assert shown == table(), "run python -m tests.crosscheck.programs.transcript"
