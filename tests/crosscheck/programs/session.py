"""An agent's work, call by call: what it asks, and what it is answered."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from mcp.client.client import Client

from sandbox.server import Sandbox
from tests.crosscheck.mcp.fake import links, size, text
from tests.crosscheck.programs.stage import NOW

CURSOR = re.compile(r'cursor "([\w=-]+)"')
_MOMENT = re.compile(r"\b(read(?: on)?) \d{4}-\d\d-\d\d \d\d:\d\d")
PLAN = """\
Keep the seats while the passenger pays (BKG-148)
- hold() in src/booking/holds.py already holds seats for HOLD_MINUTES = 10 minutes; return held.until with the booking.
- Show the time left in the basket, and put the seats on sale again at zero.
- Test the end of the hold in tests/test_holds.py."""
KNOWING = """\
Keep the seats while the passenger pays (BKG-148)
- "Decision: seats on hold" of 20 March 2026 says: an unpaid booking keeps its seats for 15 minutes. It supersedes
  "Decision: seats on hold (2025)", so HOLD_MINUTES in src/booking/holds.py becomes 15.
- The repair of BKG-88 stays: extend_for_payment() extends a hold once, and tests/test_holds.py says so."""


@dataclass(frozen=True)
class Step:
    """One call. `why` is what the agent is about."""

    why: str
    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)
    goes_on: bool = False
    """With the cursor of the answer before, and its arguments."""
    refused: bool = False


STEPS = (
    Step("It is to work on a ticket", "lookup", {"key": "BKG-148", "limit": 3}),
    Step("It reads all of it", "open_source", {"source": "BKG-148"}),
    Step("How long are seats held?", "search", {"text": "how long are seats held for an unpaid booking", "limit": 3}),
    Step("It has a plan", "check_plan", {"plan": PLAN, "repository": "booking-api"}),
    Step("It reads what could change it", "open_source", {"source": "confluence:7105"}),
    Step("Who calls what it is going to change?", "consumers", {"name": "hold"}),
    Step("It has another plan", "check_plan", {"plan": KNOWING, "repository": "booking-api"}),
    Step("Is the work of another ticket there yet?", "deployed_state", {"ticket": "GATE-49"}),
    Step("How did a column come to be?", "schema_history", {"table": "account", "column": "locked_at"}),
    Step("How current is all that?", "freshness"),
    Step("Which ticket was it?", "open_source", {"source": "BKG-1480"}, refused=True),
    Step("A slip", "search", {"text": "seats on hold", "limit": "many"}, refused=True),
    Step("More than fits", "search", {"text": "seats on hold", "limit": 20}),
    Step("The rest", "search", {"text": "seats on hold", "limit": 20}, goes_on=True),
)


@dataclass(frozen=True)
class Answered:
    """What a client got."""

    step: Step
    text: str
    links: tuple[tuple[str, str], ...]
    """Names and addresses."""
    failed: bool
    tokens: int
    """As the server counts them."""


async def held(client: Client, steps: Sequence[Step] = STEPS) -> list[Answered]:
    """One call after the other."""
    answers: list[Answered] = []
    for step in steps:
        arguments = dict(step.arguments)
        if step.goes_on:
            found = CURSOR.search(answers[-1].text)
            assert found, answers[-1].text
            arguments["cursor"] = found[1]
        result = await client.call_tool(step.tool, arguments)
        named = tuple((link.name, str(link.uri)) for link in links(result))
        answers.append(Answered(step, text(result), named, bool(result.is_error), size(result)))
    return answers


def stable(words: str, box: Sandbox) -> str:
    """Without what differs from run to run: ports, cursors, and moments of now."""
    for url, name in (
        (box.jira_url, "https://jira.example.com"),
        (box.confluence_url, "https://wiki.example.com"),
        (box.github_url, "https://github.example.com"),
    ):
        words = words.replace(url, name)
    return _MOMENT.sub(rf"\1 {NOW:%Y-%m-%d %H:%M}", CURSOR.sub('cursor "CURSOR"', words))
