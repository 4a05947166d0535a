"""The MCP server: eight tools that only read, for one caller or for whoever a request comes from."""

import time
from collections.abc import Callable, Mapping
from typing import Any

import structlog
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    ResourceLink,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as Listed

from crosscheck.mcp.arguments import Arguments, read, schema
from crosscheck.mcp.caller import Caller
from crosscheck.mcp.calls import Calls
from crosscheck.mcp.cursors import Cursors, Mark
from crosscheck.mcp.errors import NoLabels
from crosscheck.mcp.page import Page
from crosscheck.mcp.quoting import DATA, inline, sentence
from crosscheck.mcp.tools import TOOLS, Tool
from crosscheck.operations import EXPECTED, Operations, Report

log = structlog.get_logger(__name__)

Context = ServerRequestContext[dict[str, Any], Any]
Who = Callable[[Context], Caller]
"""Who sent a request."""

_INSTRUCTIONS = (
    "Crosscheck finds evidence in a team's tickets, pages, code and test cases, and says what is deployed and "
    f"migrated. It only reads. Before you carry a plan out, call check_plan. {DATA} Links open at the place."
)


def build(
    operations: Operations, calls: Calls, who: Who, cursors: Cursors, version: str = ""
) -> Server[dict[str, Any]]:
    """The server. Every call is answered within what its caller may read, whatever its arguments say."""
    listed = ListToolsResult(tools=[_listed(tool) for tool in TOOLS.values()])

    async def list_tools(_context: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
        return listed

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
        tool = TOOLS.get(params.name)
        if tool is None:
            raise MCPError(
                INVALID_PARAMS, f"There is no tool {inline(params.name, 60)}. There are: {', '.join(TOOLS)}."
            )
        return await _Call(tool, who(context), operations, calls, cursors).result(params.arguments or {}, context)

    return Server(
        "crosscheck",
        title="Crosscheck",
        version=version,
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


class _Call:
    """One call of a tool."""

    def __init__(self, tool: Tool[Any], caller: Caller, operations: Operations, calls: Calls, cursors: Cursors) -> None:
        self._tool = tool
        self._caller = caller
        self._operations = operations
        self._calls = calls
        self._cursors = cursors

    async def result(self, given: Mapping[str, Any], context: Context) -> CallToolResult:
        """The answer, or an error that says what to do."""
        begun, outcome = time.monotonic(), "given up"
        try:
            page = await self._page(given, context)
            outcome = "answered"
        except EXPECTED as error:
            outcome = type(error).__name__
            return _failed(sentence(str(error), 600) or "The call failed; the service's log says why.")
        except Exception as error:  # the edge of a call: the client is told, the log has the trace
            outcome = "failed"
            log.exception("tool failed", tool=self._tool.name, error=type(error).__name__)
            return _failed("An unexpected error in the service; its log has the details. Another try may not help.")
        finally:
            seconds = round(time.monotonic() - begun, 3)
            log.info("tool called", tool=self._tool.name, caller=self._caller.name, outcome=outcome, seconds=seconds)
        return _result(page)

    async def _page(self, given: Mapping[str, Any], context: Context) -> Page:
        tool, caller = self._tool, self._caller
        if not caller.labels:
            raise NoLabels(
                "This token holds no label, so it may read nothing. Whoever runs the service gives it labels, under "
                "[[tokens]] in the settings."
            )
        asked = read(tool.takes, given)
        mark = self._cursors.read(asked.cursor, caller, tool.name, asked.call()) if asked.cursor else None

        def work(report: Report) -> Page:
            return self._answered(asked, mark, report)

        return await self._calls.run(work, _Progress(context), caller.name)

    def _answered(self, asked: Arguments, mark: Mark | None, report: Report) -> Page:
        tool, start = self._tool, mark.position if mark else 0
        request = {**tool.request(asked, start), "audience": self._caller.audience}
        said = tool.says(self._operations.run(tool.operation, request, report), asked)
        if mark is not None:
            mark.check(said.before(start))

        def more(done: int, of: str) -> str:
            cursor = self._cursors.make(self._caller, tool.name, asked.call(), done, said.before(done))
            return (
                f'Cut at the budget, {of} shown. For the rest call again with the same arguments and cursor "{cursor}".'
            )

        return said.page(start, tool.budget, more)


class _Progress:
    """Tells the client of progress, if it asked for that. MCP wants a number that only rises."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._told = 0

    async def __call__(self, report: dict[str, Any]) -> None:
        self._told += 1
        words = [str(report.get(key) or "") for key in ("step", "name")]
        if report.get("total"):
            words.append(f"{report.get('done', 0)} of {report['total']}")
        await self._context.session.report_progress(self._told, message=sentence(" ".join(words), 120))


def _listed(tool: Tool[Any]) -> Listed:
    return Listed(
        name=tool.name,
        title=tool.title,
        description=tool.about,
        input_schema=schema(tool.takes),
        annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
    )


def _result(page: Page) -> CallToolResult:
    links = [ResourceLink(name=link.name, uri=link.url) for link in page.links]
    return CallToolResult(content=[TextContent(text=page.text), *links])


def _failed(reason: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=reason)], is_error=True)
