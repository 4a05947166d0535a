"""What is refused, and what the client is told of it."""

from typing import Any

import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from structlog.testing import capture_logs

from crosscheck.errors import BadSettings
from crosscheck.mcp.caller import Caller
from tests.crosscheck.mcp.fake import Operations, server, text

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=["legacy", "2026-07-28"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def test_an_unknown_tool_is_a_protocol_error_that_names_those_there_are(mode):
    async with Client(server(Operations()), mode=mode) as client:
        with pytest.raises(MCPError, match=r"There is no tool `write_it`\. There are: search, lookup,") as refused:
            await client.call_tool("write_it", {})
    assert refused.value.code == -32602


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("search", {}, "`text`: Field required"),
        ("search", {"text": 7}, "`text`: Input should be a valid string"),
        ("search", {"text": ["a"]}, "`text`: Input should be a valid string"),
        ("search", {"text": "a", "limit": "many"}, "`limit`: Input should be a valid integer"),
        ("search", {"text": "a", "limit": 51}, "`limit`: Input should be less than or equal to 50"),
        ("search", {"text": "a", "sources": "jira"}, "`sources`: Input should be a valid list"),
        ("search", {"text": "a", "kinds": ["secret"]}, "`kinds.0`: Input should be 'ticket'"),
        ("search", {"text": "a", "audience": "jira:SECRET"}, "`audience`: there is no such argument"),
        ("search", {"text": "x" * 200_000}, "`text`: String should have at most 4000 characters"),
        ("check_plan", {"plan": "x" * 200_000}, "`plan`: String should have at most 60000 characters"),
        ("lookup", {"key": ""}, "`key`: String should have at least 1 character"),
        ("open_source", {"source": "a", "start": -1}, "`start`: Input should be greater than or equal to 0"),
        ("deployed_state", {"pull": "abc"}, "`pull`: Input should be a valid integer"),
        ("freshness", {"cursor": "a" * 5_000}, "`cursor`: String should have at most 200 characters"),
    ],
)
async def test_wrong_arguments_are_an_error_that_says_what_is_wrong(tool, arguments, said):
    operations = Operations()
    async with Client(server(operations)) as client:
        result = await client.call_tool(tool, arguments)
    assert result.is_error
    assert text(result).startswith("Wrong arguments. ")
    assert said in text(result)
    assert "xxx" not in text(result)
    assert len(text(result)) < 700
    assert operations.asked == []


async def test_of_many_wrong_arguments_a_few_are_told():
    async with Client(server(Operations())) as client:
        result = await client.call_tool("freshness", {f"a{number}": 1 for number in range(50)})
    assert "and 45 more" in text(result)


async def test_a_caller_without_a_label_is_told_who_can_help():
    operations = Operations()
    async with Client(server(operations, Caller("nobody", frozenset()))) as client:
        result = await client.call_tool("search", {"text": "a"})
    assert result.is_error
    assert "This token holds no label" in text(result)
    assert operations.asked == []


def test_a_label_with_a_comma_is_no_label():
    with pytest.raises(ValueError, match="no comma"):
        Caller("alice", frozenset({"org,jira:SECRET"}))


def failing(error: Exception) -> Any:
    def fail(_arguments: Any, _report: Any) -> Any:
        raise error

    return fail


async def test_what_an_operation_says_is_told_as_an_error(mode):
    operations = Operations(search=failing(BadSettings("'soon' is no date; write it like 2026-03-31.")))
    async with Client(server(operations), mode=mode) as client:
        result = await client.call_tool("search", {"text": "a", "as_of": "soon"})
    assert result.is_error
    assert text(result) == "'soon' is no date; write it like 2026-03-31."


async def test_the_unexpected_is_masked_and_logged(mode):
    operations = Operations(search=failing(RuntimeError("password hunter2 at /srv/data")))
    with capture_logs() as logs:
        async with Client(server(operations), mode=mode) as client:
            result = await client.call_tool("search", {"text": "a"})
    assert result.is_error
    assert "hunter2" not in text(result)
    assert "its log has the details" in text(result)
    assert {"tool failed", "tool called"} == {entry["event"] for entry in logs}


async def test_an_answer_of_another_form_is_masked_too():
    async with Client(server(Operations(search={"evidence": [{}]}))) as client:
        result = await client.call_tool("search", {"text": "a"})
    assert result.is_error
    assert "evidence" not in text(result)
