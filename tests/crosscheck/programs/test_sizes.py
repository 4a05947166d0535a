"""The benchmark of sizes counts what a client's model is given, and the server's estimate errs high."""

import pytest
from mcp_types import CallToolResult, ResourceLink, TextContent

from crosscheck.mcp.tools import TOOLS
from evals.answer_sizes import TYPICAL, Sizes, quantiles

SIZES = Sizes()


@pytest.mark.anyio
async def test_typical_calls_cost_no_more_than_the_server_says(stage):
    async with stage.client() as client:
        for tool, arguments in TYPICAL.values():
            result = await client.call_tool(tool, dict(arguments))
            assert not result.is_error
            size = SIZES.of(result)
            assert 0 < size.counted <= size.estimated <= TOOLS[tool].budget
    assert {tool for tool, _ in TYPICAL.values()} == set(TOOLS)
    assert len(TYPICAL) == 10


def test_links_count():
    text = TextContent(text="A hold ends after 30 minutes.")
    link = ResourceLink(name="[1] BOOK-1", uri="https://jira.example/browse/BOOK-1")
    alone, linked = SIZES.of(CallToolResult(content=[text])), SIZES.of(CallToolResult(content=[text, link]))
    assert alone.text == linked.text == text.text
    assert linked.counted > alone.counted
    assert linked.estimated > alone.estimated


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([7], {"p50": 7, "p95": 7, "max": 7}),
        (range(1, 101), {"p50": 50, "p95": 95, "max": 100}),
        ([3, 1, 2], {"p50": 2, "p95": 3, "max": 3}),
    ],
)
def test_quantiles_are_measured_values(values, told):
    assert quantiles(values) == told
