"""The tools over the product's own operations and index, against the make-believe company."""

import re
from collections.abc import Iterator
from contextlib import closing

import pytest
from mcp.client.client import Client

from crosscheck.mcp.caller import Caller
from crosscheck.mcp.tools import TOOLS
from crosscheck.operations import Local
from crosscheck.owner import owning
from crosscheck.wiring import Program
from sandbox.load import load_company
from tests.crosscheck.live import opened
from tests.crosscheck.mcp.fake import links, server, size, text

QUESTIONS = ["how long is a hold", "who may cancel a booking", "refund of a fee", "time zone", "lockout"]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    with opened(load_company(), tmp_path_factory.mktemp("company")) as company:
        made = Program(company.settings, company.secrets)
        with owning(made.settings.data, "serve"), closing(made):
            for name in made.sources.names([]):
                made.sources.sync(name, True, lambda _message: None)
            yield made


@pytest.fixture
def everything(program: Program) -> Caller:
    return Caller("everything", frozenset[str]().union(*(source.labels for source in program.sources.all())))


@pytest.mark.anyio
async def test_searches_are_answered_within_the_budget_and_what_is_found_can_be_opened(program, everything):
    async with Client(server(Local(program), everything)) as client:
        for question in QUESTIONS:
            result = await client.call_tool("search", {"text": question})
            assert not result.is_error, text(result)
            assert size(result) <= TOOLS["search"].budget
            assert links(result)
            for source in re.findall(r"^\[\d+\] .* id `([^`]+)`$", text(result), re.MULTILINE)[:3]:
                whole = await client.call_tool("open_source", {"source": source})
                assert not whole.is_error, (source, text(whole))
                assert size(whole) <= TOOLS["open_source"].budget


@pytest.mark.anyio
async def test_a_symbol_is_looked_up_and_its_consumers_are_told(program, everything):
    async with Client(server(Local(program), everything)) as client:
        found = await client.call_tool("lookup", {"key": "HOLD_MINUTES"})
        users = await client.call_tool("consumers", {"name": "HOLD_MINUTES"})
    assert "src/booking/holds.py" in text(found)
    assert "`booking-api`" in text(users)


@pytest.mark.anyio
async def test_nothing_beyond_its_labels_is_answered(program):
    narrow = Caller("narrow", frozenset({"repo:gate-app"}))
    assert program.audiences.named(narrow.audience).labels == narrow.labels
    async with Client(server(Local(program), narrow)) as client:
        found = [text(await client.call_tool("search", {"text": question, "limit": 50})) for question in QUESTIONS]
        sources = text(await client.call_tool("freshness", {}))
        key = text(await client.call_tool("lookup", {"key": "HOLD_MINUTES"}))
        hidden = await client.call_tool("open_source", {"source": "git:booking-api:src/booking/holds.py"})
        unknown = await client.call_tool("open_source", {"source": "git:booking-none:src/booking/holds.py"})
    assert not any("`booking-api`" in one or "in `jira`" in one or "in `confluence`" in one for one in found)
    assert any("`gate-app`" in one for one in found)
    assert sources.startswith("1 source.\n")
    assert key.startswith("Nothing found for `HOLD_MINUTES`")
    assert hidden.is_error
    assert text(hidden).replace("booking-api", "booking-none") == text(unknown)


@pytest.mark.anyio
async def test_a_plan_is_checked(program, everything):
    plan = "Raise HOLD_MINUTES from 10 to 45 in src/booking/holds.py, so that unpaid bookings keep their seats longer."
    async with Client(server(Local(program), everything)) as client:
        result = await client.call_tool("check_plan", {"plan": plan, "repository": "booking-api"})
    assert not result.is_error, text(result)
    assert size(result) <= TOOLS["check_plan"].budget
