"""What each tool asks and how it answers, by the SDK's client in this process: old protocol and new."""

from typing import Any

import pytest
from mcp.client.client import Client

from crosscheck.mcp.tools import TOOLS
from tests.crosscheck.mcp.fake import ALICE, ANSWERS, Operations, check, links, passage, plan_source, server, size, text

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=["legacy", "2026-07-28"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


CALLS: dict[str, dict[str, Any]] = {
    "search": {"text": "how long is a hold"},
    "lookup": {"key": "BOOK-1"},
    "open_source": {"source": "jira:10001"},
    "check_plan": {"plan": "Raise the hold to 45 minutes."},
    "consumers": {"name": "bookings.hold_until"},
    "deployed_state": {"ticket": "BOOK-1"},
    "schema_history": {"table": "bookings"},
    "freshness": {},
}


async def test_eight_tools_are_listed_that_only_read_and_say_their_budget(mode):
    async with Client(server(Operations()), mode=mode) as client:
        tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == list(CALLS)
    for tool in tools:
        assert tool.annotations
        assert tool.annotations.read_only_hint
        assert f"at most {TOOLS[tool.name].budget:,} tokens" in (tool.description or "")
        assert tool.input_schema["additionalProperties"] is False
        assert all(one.get("description") for one in tool.input_schema["properties"].values())


@pytest.mark.parametrize("name", CALLS)
async def test_each_tool_answers_as_its_caller_within_its_budget(name, mode):
    operations = Operations()
    async with Client(server(operations), mode=mode) as client:
        result = await client.call_tool(name, CALLS[name])
    assert not result.is_error
    assert size(result) <= TOOLS[name].budget
    asked_name, asked = operations.asked[0]
    assert asked_name == TOOLS[name].operation
    assert asked["audience"] == ALICE.audience == "=jira:BOOK,org"


async def called(operations: Operations, name: str, /, **arguments: Any) -> Any:
    async with Client(server(operations)) as client:
        return await client.call_tool(name, arguments or CALLS[name])


async def test_search_passes_its_filters_on():
    operations = Operations()
    await called(
        operations,
        "search",
        text="holds",
        variants=["reservations"],
        sources=["jira"],
        repositories=["booking-api"],
        path="src/*",
        languages=["python"],
        branch="hold-45",
        as_of="2026-03-01",
        kinds=["ticket"],
        limit=3,
    )
    assert operations.asked[0][1] == {
        "text": "holds",
        "variants": ["reservations"],
        "limit": 3,
        "audience": "=jira:BOOK,org",
        "filters": {
            "sources": ["jira"],
            "repos": ["booking-api"],
            "path": "src/*",
            "languages": ["python"],
            "branch": "hold-45",
            "as_of": "2026-03-01",
            "kinds": ["ticket"],
        },
    }


async def test_search_shows_passages_and_links_that_open_at_the_place():
    result = await called(Operations(), "search")
    assert "[1] `BOOK-1 Hold bookings` ticket in `jira`, updated 2026-03-04, id `jira:10001`" in text(result)
    assert "> A hold ends after 30 minutes." in text(result)
    assert "- BOOK-1 was found by its key." in text(result)
    assert [(link.name, link.uri) for link in links(result)] == [
        ("[1] BOOK-1 Hold bookings", "https://jira.example/browse/BOOK-1"),
        ("[2] BOOK-2 Hold bookings", "https://jira.example/browse/BOOK-2"),
    ]


async def test_only_addresses_of_the_web_become_links():
    evidence = [passage(1, url="javascript:alert(1)"), passage(2, url="file:///etc/passwd"), passage(3, url="")]
    result = await called(Operations(search={"evidence": evidence, "notes": [], "degraded": []}), "search")
    assert links(result) == []
    assert "javascript" not in text(result)


async def test_nothing_found_is_said_with_what_could_not_be_searched():
    result = await called(Operations(search={"evidence": [], "notes": [], "degraded": ["jira is stale."]}), "search")
    assert text(result) == "Nothing found for `how long is a hold` that you may read.\nNotes:\n- jira is stale."


async def test_a_plan_with_nothing_new_is_answered_in_one_line():
    nothing = {"nothing_new": True, "sources": [], "checks": [], "unknowns": [], "degraded": []}
    result = await called(Operations(plan=nothing), "check_plan")
    assert text(result) == "Nothing new: no source that you may read says anything that this plan does not show. Go on."
    assert len(result.content) == 1


async def test_a_plan_with_nothing_new_says_in_a_second_line_where_it_was_not_looked():
    unknowns = [
        {"what": "web-shop is not indexed.", "settled_by": "Index it."},
        {"what": "Jira is stale.", "settled_by": ""},
    ]
    nothing = {"nothing_new": True, "sources": [], "checks": [], "unknowns": unknowns, "degraded": ["No model."]}
    result = await called(Operations(plan=nothing), "check_plan")
    first, second = text(result).split("\n")
    assert first.startswith("Nothing new:")
    assert second == "Not settled: web-shop is not indexed. Index it. Jira is stale. No model."


async def test_a_full_plan_check_fits_at_once():
    sources = [
        {**plan_source(n), "text": "A hold ends after 30 minutes, whatever the shop says. " * 20} for n in (1, 2, 3)
    ]
    checks = [check(n) for n in range(4, 9)]
    full = {"nothing_new": False, "sources": sources, "checks": checks, "unknowns": [], "degraded": []}
    result = await called(Operations(plan=full), "check_plan")
    assert "[1] Check P1, past regression: Check that a hold still ends" in text(result)
    assert "[8] Source `BOOK-3 Hold bookings`" in text(result)
    assert "cursor" not in text(result)
    assert len(links(result)) == 8
    assert size(result) <= TOOLS["check_plan"].budget < 1_500


async def test_an_absence_says_what_was_looked_for():
    absent = {**check(2), "evidence": [{**check(2)["evidence"][0], "quote": "", "looked_for": "hold_until"}]}
    found = {"nothing_new": False, "sources": [], "checks": [absent], "unknowns": [], "degraded": []}
    assert "Not there: `hold_until`." in text(await called(Operations(plan=found), "check_plan"))


async def test_consumers_say_how_surely_and_where_was_not_looked():
    result = await called(Operations(), "consumers")
    assert "[2] `reports` `src/holds.py` line 12: likely, by text" in text(result)
    assert "> `SELECT hold_until FROM bookings`" in text(result)
    assert "- Not looked: web-shop: it is not indexed." in text(result)


async def test_what_is_deployed_says_what_stands_between_and_what_was_not_read():
    said = text(await called(Operations(), "deployed_state"))
    assert "`booking-api` on `staging`: contained no\n- `BOOK-1 is not on staging yet.`" in said
    assert "- Commits that are missing there, the newest first: `aaaaaaaaaaaa` and 6 more" in said
    assert "- No commit names another ticket." in said


async def test_a_schema_says_what_was_edited_afterwards():
    said = text(await called(Operations(), "schema_history"))
    assert "`V7` `hold until`: edited 2026-03-01 10:00 UTC; `bookings.hold_until made`; tickets `BOOK-1`" in said
    assert "- Its file was changed on 2026-03-04, after it was applied." in said


async def test_freshness_says_what_is_stale():
    said = text(await called(Operations(), "freshness"))
    assert "`jira`: 120 documents, 2 of them partly unread, last read 2026-03-31 11:00 UTC, STALE" in said


async def test_a_source_is_opened_at_a_place_and_a_ref():
    operations = Operations()
    result = await called(operations, "open_source", source="git:a:b.py", ref="v1", start=5)
    assert operations.asked[0][1] == {
        "source": "git:a:b.py",
        "ref": "v1",
        "start": 5,
        "size": 12_000,
        "audience": ALICE.audience,
    }
    assert "Characters 0 to 29 of 29." in text(result)


async def test_of_a_long_passage_the_part_that_was_asked_for_is_shown():
    said = "It has a preface. " * 40 + "\nA hold ends after 30 minutes.\n" + "Then comes the rest. " * 40
    evidence = [passage(n, said) for n in range(1, 11)]
    result = await called(Operations(search={"evidence": evidence, "notes": [], "degraded": []}), "search")
    assert text(result).count("> A hold ends after 30 minutes.") == 10
    sizes = [len(part) for part in text(result).split("\n[")[1:]]
    assert sizes[2] > 1.3 * sizes[3], "the best three are shown longer"


async def test_a_source_that_a_check_has_quoted_is_not_quoted_again_and_code_keeps_its_lines():
    sources = [
        {**plan_source(2), "text": "ends after 30 minutes"},
        {**plan_source(3), "text": "a\n  b", "kind": "code"},
    ]
    plan = {"nothing_new": False, "sources": sources, "checks": [check(2)], "unknowns": [], "degraded": []}
    said = text(await called(Operations(plan=plan), "check_plan"))
    assert said.count("ends after 30 minutes") == 1
    assert "> a\n>   b" in said
    only = {**plan, "checks": []}
    assert text(await called(Operations(plan=only), "check_plan")).startswith("2 sources that could change the plan. ")


async def test_databases_without_what_was_asked_for_are_only_named():
    (history,) = ANSWERS["schema"]["histories"]
    empty = {**history, "database": "reports", "steps": []}
    found = Operations(schema={"histories": [history, empty]})
    narrowed, whole = [
        text(await called(found, "schema_history", **asked)) for asked in ({"table": "a"}, {"database": ""})
    ]
    assert "- No such migration: `reports`." in narrowed
    assert "Database `reports`" not in narrowed
    assert "Database `reports`" in whole
    none = text(await called(Operations(schema={"histories": [empty]}), "schema_history", table="a"))
    assert none == "No such migration: `reports`."
