"""Where an answer goes on: for the same caller, tool and arguments, and while it is still the same answer."""

import base64
import re
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.client.client import Client

from crosscheck.mcp.caller import Caller
from crosscheck.mcp.cursors import Cursors
from crosscheck.mcp.errors import BadCursor
from crosscheck.mcp.tools import TOOLS
from tests.crosscheck.mcp.fake import ALICE, ANSWERS, KEY, NOW, Operations, passage, server, size, text

BOB = Caller("bob", ALICE.labels)
SEARCH = {"text": "holds", "limit": 40}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def many(count: int = 40) -> dict[str, Any]:
    return {"evidence": [passage(n, f"Passage {n}. " * 60) for n in range(1, count + 1)], "notes": [], "degraded": []}


def cursor_of(said: str) -> str:
    found = re.search(r'cursor "([\w=-]+)"', said)
    return found[1] if found else ""


async def all_pages(operations: Operations, tool: str, arguments: dict[str, Any]) -> list[Any]:
    pages = []
    async with Client(server(operations)) as client:
        cursor = ""
        while not pages or cursor:
            result = await client.call_tool(tool, {**arguments, **({"cursor": cursor} if cursor else {})})
            assert not result.is_error, text(result)
            pages.append(result)
            cursor = cursor_of(text(result))
    return pages


@pytest.mark.anyio
async def test_pages_show_everything_once_within_the_budget():
    pages = await all_pages(Operations(search=many()), "search", SEARCH)
    assert len(pages) > 2
    assert all(size(one) <= TOOLS["search"].budget for one in pages)
    shown = [int(number) for one in pages for number in re.findall(r"^\[(\d+)\] ", text(one), re.MULTILINE)]
    assert shown == list(range(1, 41))
    assert "of 40 shown" in text(pages[0])


@pytest.mark.anyio
async def test_a_long_source_is_read_to_its_end_without_gap_or_overlap():
    whole = "".join(f"Line {n} says that a hold ends after {n} minutes.\n" for n in range(900))

    def opened(asked: dict[str, Any], _report: Any) -> dict[str, Any]:
        part = whole[asked["start"] : asked["start"] + asked["size"]]
        end = asked["start"] + len(part)
        return {**ANSWERS["open"], "text": part, "start": asked["start"], "end": end, "total": len(whole)}

    pages = await all_pages(Operations(open=opened), "open_source", {"source": "jira:10001"})
    assert len(pages) > 3
    assert all(size(one) <= TOOLS["open_source"].budget for one in pages)
    read = [line[2:] for one in pages for line in text(one).splitlines() if line.startswith("> Line")]
    assert read == whole.splitlines()


async def refused(operations: Operations, tool: str, arguments: dict[str, Any], caller: Caller = ALICE) -> str:
    async with Client(server(operations, caller)) as client:
        result = await client.call_tool(tool, arguments)
    assert result.is_error
    return text(result)


@pytest.mark.anyio
async def test_a_cursor_of_another_token_tool_or_question_is_refused():
    operations = Operations(search=many(), lookup=many())
    async with Client(server(operations)) as client:
        cursor = cursor_of(text(await client.call_tool("search", SEARCH)))
    asked = len(operations.asked)
    for said in (
        await refused(operations, "search", {**SEARCH, "cursor": cursor}, BOB),
        await refused(operations, "search", {**SEARCH, "cursor": cursor}, Caller("alice", frozenset({"org"}))),
        await refused(operations, "search", {**SEARCH, "text": "hold", "cursor": cursor}),
        await refused(operations, "lookup", {"key": "holds", "limit": 40, "cursor": cursor}),
        await refused(operations, "search", {**SEARCH, "cursor": cursor[:-2] + "AA"}),
        await refused(operations, "search", {**SEARCH, "cursor": "é no cursor"}),
    ):
        assert said.startswith("This cursor was not made for this call.")
        assert said.endswith("call again without a cursor.")
    assert len(operations.asked) == asked


@pytest.mark.anyio
async def test_a_cursor_of_an_answer_that_has_changed_is_refused():
    operations = Operations(search=many())
    async with Client(server(operations)) as client:
        cursor = cursor_of(text(await client.call_tool("search", SEARCH)))
        operations.answers["search"] = {**many(), "evidence": list(reversed(many()["evidence"]))}
        result = await client.call_tool("search", {**SEARCH, "cursor": cursor})
    assert result.is_error
    assert "has changed" in text(result)


def test_a_cursor_lives_an_hour():
    now = [NOW]
    cursors = Cursors(KEY, lambda: now[0])
    cursor = cursors.make(ALICE, "search", SEARCH, 4, "shown")
    now[0] = NOW + timedelta(minutes=60)
    assert cursors.read(cursor, ALICE, "search", SEARCH).position == 4
    now[0] = NOW + timedelta(minutes=61)
    with pytest.raises(BadCursor, match="more than an hour old"):
        cursors.read(cursor, ALICE, "search", SEARCH)


@given(st.integers(0, 35), st.integers(1, 255))
def test_a_cursor_with_any_byte_changed_is_refused(at, by):
    cursors = Cursors(KEY, lambda: NOW)
    raw = bytearray(base64.urlsafe_b64decode(cursors.make(ALICE, "search", SEARCH, 4, "shown")))
    raw[at] ^= by
    with pytest.raises(BadCursor):
        cursors.read(base64.urlsafe_b64encode(bytes(raw)).decode(), ALICE, "search", SEARCH)


@given(st.text(max_size=100))
def test_no_text_is_a_cursor(made_up):
    with pytest.raises(BadCursor):
        Cursors(KEY, lambda: NOW).read(made_up, ALICE, "search", SEARCH)
