"""How long the answers of the MCP tools are, in tokens. `python -m evals.bench sizes`."""

import json
import math
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import anyio
from mcp.client.client import Client
from mcp_types import CallToolResult, ResourceLink, TextContent
from tokenizers import Tokenizer

from crosscheck.demo import playground
from crosscheck.mcp.budget import LINK, tokens
from crosscheck.mcp.caller import Caller
from crosscheck.mcp.calls import Calls, Limits
from crosscheck.mcp.cursors import Cursors
from crosscheck.mcp.server import build
from crosscheck.operations import Local
from crosscheck.wiring import Program
from evals.plans.load import plans
from evals.planted.load import company
from evals.questions.load import questions

Call = tuple[str, Mapping[str, Any]]
Progress = Callable[[str], None]
TYPICAL: Mapping[str, Call] = {
    "search for a rule": ("search", {"text": "how long are seats held for an unpaid booking"}),
    "look a ticket up": ("lookup", {"key": "BKG-148"}),
    "look a symbol up": ("lookup", {"key": "HOLD_MINUTES"}),
    "open a ticket": ("open_source", {"source": "BKG-148"}),
    "open a file": ("open_source", {"source": "git:booking-api:src/booking/holds.py"}),
    "check a plan": (
        "check_plan",
        {"plan": "Raise HOLD_MINUTES in src/booking/holds.py from 10 to 45.", "repository": "booking-api"},
    ),
    "who uses a function": ("consumers", {"name": "hold"}),
    "is a ticket's work there": ("deployed_state", {"ticket": "GATE-49"}),
    "how a column came to be": ("schema_history", {"table": "account", "column": "locked_at"}),
    "how current the sources are": ("freshness", {}),
}
"""Ten calls as an agent makes them."""
ASKED = {
    "check_plan": "p95 below 1,500 over 30 plans and more",
    "search": "p95 below 2,500 over 30 questions and more",
    "server's estimate": "no lower than the tokenizer's count",
}


@dataclass(frozen=True, slots=True)
class Size:
    """Of one answer, its links included."""

    counted: int
    """By the tokenizer."""
    estimated: int
    """By the server, which keeps its budgets by that."""
    text: str


class Sizes:
    """Counts with the Llama 2 tokenizer, whose vocabulary is the smallest in use, hence its counts the highest."""

    def __init__(self) -> None:
        found = find_spec("wordllama")  # not imported: it sets logging up for whoever does
        folder = Path((found and found.origin) or "").parent / "tokenizers"
        self._tokenizer = Tokenizer.from_file(str(folder / "l2_supercat_tokenizer_config.json"))
        self._tokenizer.no_truncation()

    def tokens(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def of(self, result: CallToolResult) -> Size:
        text = "\n".join(block.text for block in result.content if isinstance(block, TextContent))
        links = [(block.name, str(block.uri)) for block in result.content if isinstance(block, ResourceLink)]
        counted = self.tokens(text) + sum(self.tokens(name) + self.tokens(url) + LINK for name, url in links)
        estimated = tokens(text) + sum(tokens(name) + tokens(url) + LINK for name, url in links)
        return Size(counted, estimated, text)


def measure(folder: Path, report: Progress) -> dict[str, Any]:
    """Ten typical calls, and check_plan and search over the plans and questions of the other benchmarks, on the
    sandbox's company with what evals/planted adds to it. Nobody's answers are judged here.
    """
    made = company(folder / "company")
    asked = {
        "check_plan": [("check_plan", _plan(one.text, one.repository)) for one in plans(made)],
        "search": [("search", {"text": one.text}) for one in questions(made)],
    }
    with playground(made, folder / "home", fixed_ports=False) as (_, program):
        for source in program.sources.names([]):
            program.sources.sync(source, True, lambda _message: None)
        caller = Caller("bench", frozenset(made.open_to_all))
        sizes = Sizes()
        listed, typical = anyio.run(_answers, program, caller, sizes, list(TYPICAL.values()), report)
        several = {name: anyio.run(_answers, program, caller, sizes, calls, report)[1] for name, calls in asked.items()}
    return {
        "list of tools": listed,
        "typical": {
            name: {"tool": TYPICAL[name][0], "counted": one.counted, "estimated": one.estimated}
            for name, one in zip(TYPICAL, typical, strict=True)
        },
        **{name: _spread(found) for name, found in several.items()},
    }


def _plan(text: str, repository: str | None) -> dict[str, Any]:
    return {"plan": text, **({"repository": repository} if repository else {})}


def _spread(found: Sequence[Size]) -> dict[str, Any]:
    return {
        "answers": len(found),
        "counted": quantiles([one.counted for one in found]),
        "estimated": quantiles([one.estimated for one in found]),
        "estimated below counted": sum(one.estimated < one.counted for one in found),
        "nothing new": sum(one.text.startswith("Nothing new:") for one in found),
        "cut": sum("Cut at the budget" in one.text for one in found),
    }


def quantiles(values: Iterable[int]) -> dict[str, int]:
    """Nearest rank: each is a value that was measured."""
    ordered = sorted(values)
    return {f"p{share}": ordered[math.ceil(share / 100 * len(ordered)) - 1] for share in (50, 95)} | {
        "max": ordered[-1]
    }


async def _answers(
    program: Program, caller: Caller, sizes: Sizes, calls: Sequence[Call], report: Progress
) -> tuple[int, list[Size]]:
    """The size of the list of tools, and of each answer."""
    cursors = Cursors(secrets.token_bytes(32), program.clock)
    server = build(Local(program), Calls(Limits()), lambda _context: caller, cursors)
    found = []
    async with Client(server) as client:
        tools = (await client.list_tools()).tools
        listed = [{"name": one.name, "description": one.description, "input": one.input_schema} for one in tools]
        for tool, arguments in calls:
            result = await client.call_tool(tool, dict(arguments))
            if result.is_error:
                raise RuntimeError(f"{tool} {arguments}: {sizes.of(result).text}")
            found.append(sizes.of(result))
    report(f"{len(found)} calls")
    return sizes.tokens(json.dumps(listed)), found
