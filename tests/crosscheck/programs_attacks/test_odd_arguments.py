"""Arguments that no person would write, to every tool: each is answered, or refused with a sentence, and quickly."""

import time

import pytest
from mcp.client.client import Client

from crosscheck.operations import Local
from review.plan.given import read
from review.plan.known import Known
from tests.crosscheck.mcp.fake import server, text

ODD = [
    "a\x00b",
    "\ud800",
    "\u202eevil",
    "../x",
    "git:booking-api:../../HEAD",
    "git:booking-api:/etc/passwd",
    "git:booking-api:a\x00b",
    "git:booking-api:" + "a/" * 140,
    "git:booking-api!0",
    "jira:99999999999999999999",
    "BKG-99999999999999999999999999999999",
    "*a" * 150,
    "[a" * 150,
    "(?" * 150,
    "{" * 300,
    "'; drop table x; --",
    "--upload-pack=x",
    "HEAD~1",
    "main^{tree}",
    ":/x",
    "main@{1}",
    "\U0001d538" * 200,
    "${jndi:ldap://x}",
    "x\n```\n",
]
KINDS = ("symbol", "route", "event", "config", "table", "column")
FOREVER = 5.0
"""Seconds; what is answered at all is answered in a fraction of one."""


def calls(odd):
    yield "search", {"text": odd, "variants": [odd]}
    yield "search", {"text": "hold", "path": odd, "branch": odd}
    yield "search", {"text": "hold", "sources": [odd], "repositories": [odd], "languages": [odd], "as_of": odd[:40]}
    yield "lookup", {"key": odd}
    yield "open_source", {"source": odd}
    yield "open_source", {"source": odd, "ref": "main"}
    yield "open_source", {"source": "git:booking-api:src/booking/holds.py", "ref": odd}
    for kind in KINDS:
        yield "consumers", {"name": odd, "kind": kind, "repositories": [odd], "branches": [odd]}
    for name in ("environment", "repository", "commit", "ticket"):
        yield "deployed_state", {name: odd}
    yield "deployed_state", {"pull": 10**9, "repository": odd}
    yield "schema_history", {"database": odd}
    yield "schema_history", {"table": odd, "column": odd}
    yield "check_plan", {"plan": odd, "repository": odd, "branch": odd}


@pytest.mark.anyio
@pytest.mark.parametrize("odd", ODD)
async def test_odd_arguments_do_no_harm(program, everything, odd):
    async with Client(server(Local(program), everything)) as client:
        for tool, arguments in calls(odd):
            begun = time.monotonic()
            said = text(await client.call_tool(tool, arguments))
            assert "unexpected error" not in said, (tool, arguments)
            assert time.monotonic() - begun < FOREVER, (tool, arguments)


@pytest.mark.anyio
@pytest.mark.parametrize(
    "as_of",
    ["0001-01-01", "0001-01-01T00:00:00+14:00", "9999-12-31", "9999-12-31T23:59:59-14:00", "99991231", "2026-02-30"],
)
async def test_the_first_and_the_last_of_days(program, everything, as_of):
    async with Client(server(Local(program), everything)) as client:
        assert "unexpected error" not in text(await client.call_tool("search", {"text": "hold", "as_of": as_of}))


@pytest.mark.parametrize(
    "piece",
    [
        "/a",
        "A-1 ",
        "x_y ",
        "_a",
        "a.",
        "/{a}",
        '"a_b" ',
        "http://",
        "def x ",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@ def f\n-a\n+b\n",
        "diff --git a/x b/x b/x b/x\n",
        '  File "a.py", line 1, in f\n',
        "a\u200b",
        "```a",
        "a\n",
        "1 2 3.5% 10 minutes ",
    ],
)
def test_a_plan_of_sixty_thousand_characters_of_anything_is_read_quickly(piece):
    plan = (piece * (60_000 // len(piece) + 1))[:60_000]
    begun = time.monotonic()
    Known(read(plan))
    assert time.monotonic() - begun < FOREVER
