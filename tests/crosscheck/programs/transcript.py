"""The session and the tools in docs/mcp.md. `python -m tests.crosscheck.programs.transcript` writes both anew."""

import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import anyio

from crosscheck.logs import configure
from crosscheck.mcp.arguments import schema
from crosscheck.mcp.budget import LINK, tokens
from crosscheck.mcp.tools import TOOLS
from sandbox.server import Sandbox
from tests.crosscheck.programs.session import Answered, held, stable
from tests.crosscheck.programs.stage import Stage, staged
from tests.pages import rewrite

PAGE = Path(__file__).parents[3] / "docs" / "mcp.md"
SESSION = "<!-- session: begin -->\n", "<!-- session: end -->\n"
TABLE = "<!-- tools: begin -->\n", "<!-- tools: end -->\n"
_LINES = 26
"""Of an answer that are shown."""
_END = 3
"""Of those, the last of the answer."""


def table() -> str:
    """Each tool, what it takes, and how long an answer can be."""
    lines = ["| tool | what for | takes | tokens at most |", "| --- | --- | --- | --- |"]
    for tool in TOOLS.values():
        given = schema(tool.takes)
        names = [f"**{name}**" if name in given.get("required", ()) else name for name in given["properties"]]
        lines.append(f"| `{tool.name}` | {tool.description} | {', '.join(names)} | {tool.budget:,} |")
    return "\n".join(lines) + "\n"


def transcript(answers: Sequence[Answered], box: Sandbox) -> str:
    return "\n".join(line for answer in answers for line in _told(answer, box)) + "\n"


def _told(answer: Answered, box: Sandbox) -> Iterator[str]:
    step, words = answer.step, stable(answer.text, box)
    links = [(stable(name, box), stable(url, box)) for name, url in answer.links]
    size = tokens(words) + sum(tokens(name) + tokens(url) + LINK for name, url in links)
    arguments = step.arguments | ({"cursor": "CURSOR"} if step.goes_on else {})
    refused = "; an error (`isError`)" if answer.failed else ""
    yield f"**{step.why}.** `{step.tool}`, {size:,} tokens{refused}:".replace("?.", "?").replace("!.", "!")
    yield ""
    yield "````text"
    yield f">>> {step.tool} {json.dumps(arguments, ensure_ascii=False)}"
    yield from _short(words.split("\n"))
    yield from (f"-> {name}: {url}" for name, url in links[:_END])
    if len(links) > _END:
        yield f"-> and {len(links) - _END} more links"
    yield "````"
    yield ""


def _short(lines: list[str]) -> list[str]:
    if len(lines) <= _LINES:
        return lines
    left_out = len(lines) - _LINES
    return [*lines[: _LINES - _END], f"... ({left_out} lines are left out here)", *lines[-_END:]]


async def session(stage: Stage) -> list[Answered]:
    async with stage.client() as client:
        return await held(client)


def main() -> None:
    configure("error")
    with tempfile.TemporaryDirectory() as folder, staged(Path(folder)) as stage:
        told = transcript(anyio.run(session, stage), stage.box)
    rewrite(PAGE, *SESSION, told)
    rewrite(PAGE, *TABLE, table())


if __name__ == "__main__":
    main()
