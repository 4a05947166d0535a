"""What a token may read is all that there is for it: no name, no number and no error tells of more."""

import re

import httpx
import pytest

from tests.crosscheck.mcp.fake import links, text
from tests.crosscheck.mcp.test_http import HEADERS, call, post, session
from tests.crosscheck.programs.session import CURSOR, PLAN, STEPS

pytestmark = pytest.mark.anyio
ELSEWHERE = re.compile(r"booking[-_]api|confluence|wiki|BKG-\d|src/booking|Ferretti", re.IGNORECASE)
"""What only the developers' token may see: their repository, its tickets and pages."""
QUESTIONS = (
    ("search", {"text": "seats on hold while the passenger pays", "limit": 50}),
    ("search", {"text": "sign the code of a boarding pass", "limit": 50}),
    ("lookup", {"key": "HOLD_MINUTES"}),
    ("lookup", {"key": "src/booking/holds.py"}),
    ("consumers", {"name": "hold"}),
    ("consumers", {"name": "account.locked_at"}),
    ("check_plan", {"plan": "Check the signature of a pass twice in the gate's tablet."}),
    ("deployed_state", {}),
    ("deployed_state", {"ticket": "GATE-49"}),
    ("schema_history", {}),
    ("freshness", {}),
)
TWINS = (
    ("open_source", {"source": "BKG-148"}, {"source": "XYZ-148"}),
    ("open_source", {"source": "confluence:7105"}, {"source": "confluence:9105"}),
    (
        "open_source",
        {"source": "git:booking-api:src/booking/holds.py"},
        {"source": "git:nothing-api:src/booking/holds.py"},
    ),
    ("open_source", {"source": "git:booking-api!12"}, {"source": "git:nothing-api!12"}),
    ("lookup", {"key": "BKG-148"}, {"key": "XYZ-148"}),
    ("search", {"text": "seats", "sources": ["confluence"]}, {"text": "seats", "sources": ["confidence"]}),
    ("search", {"text": "seats", "repositories": ["booking-api"]}, {"text": "seats", "repositories": ["nothing-api"]}),
    ("consumers", {"name": "hold", "repositories": ["booking-api"]}, {"name": "hold", "repositories": ["nothing-api"]}),
    ("check_plan", {"plan": PLAN, "repository": "booking-api"}, {"plan": PLAN, "repository": "nothing-api"}),
    ("deployed_state", {"repository": "booking-api"}, {"repository": "nothing-api"}),
    ("deployed_state", {"ticket": "BKG-88"}, {"ticket": "XYZ-88"}),
    (
        "deployed_state",
        {"repository": "booking-api", "commit": "0c375be"},
        {"repository": "nothing-api", "commit": "0c375be"},
    ),
    ("schema_history", {"database": "staging_booking_api"}, {"database": "staging_nothing_api"}),
    ("schema_history", {"table": "voucher"}, {"table": "vouchee"}),
)
"""What the narrower token may not see, and beside it what is nowhere."""


@pytest.mark.parametrize(("tool", "arguments"), QUESTIONS)
async def test_a_narrower_token_sees_its_own_and_no_trace_of_the_rest(stage, tool, arguments):
    async with stage.client("gate_agents") as client:
        result = await client.call_tool(tool, arguments)
    asked = [str(value) for value in arguments.values()]
    said = text(result)
    for word in asked:
        said = said.replace(word, "")
    assert ELSEWHERE.findall(said) == []
    assert [link.uri for link in links(result) if ELSEWHERE.search(link.uri)] == []


async def test_what_it_may_see_is_there(stage):
    async with stage.client("gate_agents") as client:
        found = text(await client.call_tool("search", {"text": "sign the code of a boarding pass"}))
        running = text(await client.call_tool("deployed_state", {"ticket": "GATE-49"}))
        opened = text(await client.call_tool("open_source", {"source": "GATE-49"}))
        told = text(await client.call_tool("schema_history", {}))
    assert "in `gate-app`" in found
    assert "`gate-app` on `staging`: contained yes" in running
    assert "GATE-49" in opened
    assert "`staging_gate_app`" in told


@pytest.mark.parametrize(("tool", "hidden", "absent"), TWINS)
async def test_what_is_hidden_is_answered_like_what_is_not_there(stage, tool, hidden, absent):
    async with stage.client("gate_agents") as client:
        first, second = [await client.call_tool(tool, arguments) for arguments in (hidden, absent)]
    blank = text(first), text(second)
    for key, value in hidden.items():
        if value != absent[key]:
            one, other = ("".join(value), "".join(absent[key]))
            blank = (blank[0].replace(one, "*"), blank[1].replace(other, "*"))
            for part, counterpart in zip(re.split(r"[:!/]", one), re.split(r"[:!/]", other), strict=True):
                if part != counterpart:
                    blank = (blank[0].replace(part, "*"), blank[1].replace(counterpart, "*"))
    assert first.is_error == second.is_error
    assert blank[0] == blank[1]
    assert links(first) == links(second)


async def test_freshness_counts_only_what_it_may_read(stage):
    async with stage.client("developers") as client:
        wide = text(await client.call_tool("freshness", {}))
    async with stage.client("gate_agents") as client:
        narrow = text(await client.call_tool("freshness", {}))
    assert re.findall(r"`([\w-]+)`: ", narrow) == ["jira", "gate-app"]
    (of_all,), (of_gate,) = [re.findall(r"`jira`: (\d+) documents", said) for said in (wide, narrow)]
    assert int(of_gate) < int(of_all)


async def test_a_cursor_is_worth_nothing_with_another_token(stage):
    arguments = {"text": "seats", "limit": 50}
    async with stage.client("developers") as client:
        found = CURSOR.search(text(await client.call_tool("search", arguments)))
    assert found
    async with stage.client("gate_agents") as client:
        result = await client.call_tool("search", {**arguments, "cursor": found[1]})
    assert result.is_error
    assert text(result).startswith("This cursor was not made for this call.")


def test_a_session_of_one_token_is_nothing_with_another_or_without(stage):
    """Field report V4."""
    url = f"{stage.live.url}/mcp"
    opened = session(url, stage.tokens["developers"])
    body = call("search", text="seats on hold")
    own = post(url, stage.tokens["developers"], body, **opened)
    assert own.status_code == 200
    assert "HOLD_MINUTES" in own.text
    for token, status in ((stage.tokens["gate_agents"], 404), (None, 401), (f"{stage.tokens['developers']}x", 401)):
        refused = post(url, token, body, **opened)
        assert refused.status_code == status
        assert not ELSEWHERE.search(refused.text)
        assert "developers" not in refused.text


@pytest.mark.parametrize("path", ["/mcp", "/v1/search", "/v1/ask", "/v1/review", "/v1/plan"])
@pytest.mark.parametrize("authorization", ["", "Bearer", "Bearer crosscheck_wrong", "Basic Zm9vOmJhcg=="])
def test_without_a_token_nothing_is_told(stage, path, authorization):
    headers = {**HEADERS, **({"Authorization": authorization} if authorization else {})}
    answer = httpx.post(f"{stage.live.url}{path}", json={"text": "seats"}, headers=headers, timeout=20)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert not ELSEWHERE.search(answer.text)


async def test_the_whole_session_of_the_narrower_token_tells_nothing_of_the_rest(stage):
    async with stage.client("gate_agents") as client:
        for step in STEPS:
            if not step.goes_on:
                result = await client.call_tool(step.tool, step.arguments)
                said = text(result)
                for value in step.arguments.values():
                    said = said.replace(str(value), "")
                assert ELSEWHERE.findall(said) == [], step
