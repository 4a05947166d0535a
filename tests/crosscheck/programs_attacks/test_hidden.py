"""A token that may read one repository asks for what is hidden from it: each answer is that for what does not exist."""

import re

import pytest
from mcp.client.client import Client

from core.errors import SourceGone
from core.types import Audience
from crosscheck.errors import NothingToOpen
from crosscheck.opening import Opener
from crosscheck.operations import Local
from tests.crosscheck.mcp.fake import server, text

BRANCH = "feature/BKG-142-lock-account"
PAIRS = [
    ("open_source", {"source": "BKG-104"}, {"source": "BKG-994"}),
    ("open_source", {"source": "confluence:7013"}, {"source": "confluence:9913"}),
    ("open_source", {"source": "git:booking-api!12"}, {"source": "git:booking-apx!12"}),
    (
        "open_source",
        {"source": "git:booking-api:src/booking/holds.py", "ref": "main"},
        {"source": "git:booking-apx:src/booking/holds.py", "ref": "main"},
    ),
    (
        "open_source",
        {"source": "src/booking/holds.py", "ref": "0c375be"},
        {"source": "src/booking/holdz.py", "ref": "0c375be"},
    ),
    ("open_source", {"source": "src/booking/holds.py"}, {"source": "src/booking/holdz.py"}),
    ("open_source", {"source": "deployed:staging_booking_api"}, {"source": "deployed:staging_booking_apx"}),
    ("open_source", {"source": "jira:20001"}, {"source": "jira:99999"}),
    ("lookup", {"key": "BKG-104"}, {"key": "BKG-994"}),
    ("lookup", {"key": "HOLD_MINUTES"}, {"key": "HOLX_MINUTES"}),
    ("lookup", {"key": "0c375be"}, {"key": "0c375bf"}),
    ("search", {"text": "hold", "sources": ["booking-api"]}, {"text": "hold", "sources": ["booking-apx"]}),
    ("search", {"text": "hold", "repositories": ["booking-api"]}, {"text": "hold", "repositories": ["booking-apx"]}),
    ("search", {"text": "hold", "branch": BRANCH}, {"text": "hold", "branch": f"{BRANCH}x"}),
    ("search", {"text": "hold", "sources": ["jira"]}, {"text": "hold", "sources": ["jirx"]}),
    ("search", {"text": "hold", "path": "src/booking/*"}, {"text": "hold", "path": "src/bookinx/*"}),
    (
        "consumers",
        {"name": "hold_minutes", "repositories": ["booking-api"]},
        {"name": "hold_minutes", "repositories": ["booking-apx"]},
    ),
    ("consumers", {"name": "HOLD_MINUTES"}, {"name": "HOLX_MINUTES"}),
    ("consumers", {"name": "voucher", "kind": "table"}, {"name": "vouchex", "kind": "table"}),
    ("consumers", {"name": "hold", "branches": [BRANCH]}, {"name": "hold", "branches": [f"{BRANCH}x"]}),
    ("deployed_state", {"repository": "booking-api"}, {"repository": "booking-apx"}),
    ("deployed_state", {"repository": "booking-api", "pull": 12}, {"repository": "booking-apx", "pull": 12}),
    ("deployed_state", {"commit": "0c375be"}, {"commit": "0c375bf"}),
    ("deployed_state", {"ticket": "BKG-88"}, {"ticket": "BKG-998"}),
    ("schema_history", {"database": "production_booking_api"}, {"database": "production_booking_apx"}),
    ("schema_history", {"table": "voucher"}, {"table": "vouchex"}),
    (
        "check_plan",
        {"plan": "Change HOLD_MINUTES in src/booking/holds.py for BKG-88", "repository": "booking-api"},
        {"plan": "Change HOLX_MINUTES in src/bookinx/holds.py for BKG-998", "repository": "booking-apx"},
    ),
    (
        "check_plan",
        {"plan": "Change hold", "repository": "gate-app", "branch": BRANCH},
        {"plan": "Change hold", "repository": "gate-app", "branch": f"{BRANCH}x"},
    ),
]
SECRET = ("booking-api", "booking_api", "BKG-", "confluence", "voucher", "jira")
"""Words that stand in nothing that the token may read, unless it said them itself."""


@pytest.mark.anyio
@pytest.mark.parametrize(("tool", "hidden", "absent"), PAIRS)
async def test_what_is_hidden_is_answered_like_what_does_not_exist(program, narrow, tool, hidden, absent):
    async with Client(server(Local(program), narrow)) as client:
        one, other = await client.call_tool(tool, hidden), await client.call_tool(tool, absent)
    assert one.is_error == other.is_error
    assert plain(text(one), hidden) == plain(text(other), absent)
    assert [word for word in SECRET if word in text(one) and word not in str(hidden)] == []


def plain(said, asked):
    """An answer without what was asked, and without times."""
    for value in asked.values():
        for word in value if isinstance(value, list) else [value]:
            said = said.replace(str(word), "@")
    return re.sub(r"\d\d:\d\d|BKG-88|HOLD_MINUTES", "@", said)


def test_of_a_hidden_project_no_ticket_is_read_so_that_no_time_tells_which_there_are(program):
    asked = []

    def ticket(key):
        asked.append(key)
        raise SourceGone(f"{key} is not there")

    opener = Opener(program.searcher, ticket, program.repositories)
    for key in ("BKG-104", "BKG-994"):
        with pytest.raises(NothingToOpen):
            opener.open(key, Audience(frozenset({"repo:gate-app", "jira:GATE", "jira:BKGX"})))
    assert asked == []
    with pytest.raises(NothingToOpen):
        opener.open("GATE-994", Audience(frozenset({"jira:GATE"})))
    assert asked == ["GATE-994"]
