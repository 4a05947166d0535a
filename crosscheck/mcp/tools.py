"""The tools: what each takes, which operation it runs, and how its answer is shown."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

from crosscheck.mcp import arguments as takes
from crosscheck.mcp import found, opened, states
from crosscheck.mcp.page import More, Page

A = TypeVar("A", bound=takes.Arguments)


class Said(Protocol):
    """An answer that can be said in pages."""

    def before(self, position: int) -> str: ...
    def page(self, start: int, budget: int, more: More) -> Page: ...


@dataclass(frozen=True, slots=True)
class Tool(Generic[A]):
    """One tool."""

    name: str
    title: str
    description: str
    takes: type[A]
    operation: str
    request: Callable[[A, int], dict[str, Any]]
    """What the operation is asked, the audience aside, by the arguments and where to go on."""
    says: Callable[[Mapping[str, Any], A], Said]
    budget: int
    """Tokens of an answer at most, its links included."""

    @property
    def about(self) -> str:
        return f"{self.description} An answer has at most {self.budget:,} tokens; what is left comes by its cursor."


def _search(asked: takes.Search, _start: int) -> dict[str, Any]:
    return {
        "text": asked.text,
        "variants": asked.variants,
        "limit": asked.limit,
        "filters": {
            "sources": asked.sources,
            "repos": asked.repositories,
            "path": asked.path or None,
            "languages": asked.languages,
            "branch": asked.branch or None,
            "as_of": asked.as_of or None,
            "kinds": asked.kinds,
        },
    }


def _open(asked: takes.OpenSource, start: int) -> dict[str, Any]:
    return {"source": asked.source, "ref": asked.ref or None, "start": start or asked.start, "size": opened.SIZE}


def _plan(asked: takes.CheckPlan, _start: int) -> dict[str, Any]:
    return {"plan": asked.plan, "repository": asked.repository or None, "branch": asked.branch or None}


def _consumers(asked: takes.Consumers, _start: int) -> dict[str, Any]:
    return {
        "name": asked.name,
        "kind": asked.kind or None,
        "repositories": asked.repositories,
        "branches": asked.branches,
        "limit": asked.limit,
    }


def _deployed(asked: takes.DeployedState, _start: int) -> dict[str, Any]:
    return {
        "environment": asked.environment or None,
        "repository": asked.repository or None,
        "commit": asked.commit or None,
        "pull": asked.pull or None,
        "ticket": asked.ticket or None,
    }


def _schema(asked: takes.SchemaHistory, _start: int) -> dict[str, Any]:
    return {
        "database": asked.database or None,
        "table": asked.table or None,
        "column": asked.column or None,
        "state": asked.state or None,
    }


SEARCH = Tool(
    "search",
    "Search all sources",
    "Finds passages in tickets, pages, code, commits and test cases by meaning and by words, best first. Exact names "
    "in the text are found as such. Use lookup for nothing but a key, symbol, path or error.",
    takes.Search,
    "search",
    _search,
    lambda answer, asked: found.evidence(answer, asked.text),
    2_400,
)
LOOKUP = Tool(
    "lookup",
    "Look an exact name up",
    "Finds what an exact identifier names, without a model: a ticket key, symbol, path, commit id or error text.",
    takes.Lookup,
    "lookup",
    lambda asked, _start: {"key": asked.key, "limit": asked.limit},
    lambda answer, asked: found.evidence(answer, asked.key, "Names are looked up as they are spelt; try search."),
    2_400,
)
OPEN = Tool(
    "open_source",
    "Open a source",
    "Reads a source from its beginning or from a character on: a page, a ticket with its history, a file at a branch "
    "or commit, a pull request at its head.",
    takes.OpenSource,
    "open",
    _open,
    lambda answer, _asked: opened.opened(answer),
    3_000,
)
PLAN = Tool(
    "check_plan",
    "Check a plan before it is carried out",
    "Call it once you know what you are going to change, before you change it. Names at most three sources that could "
    "change the plan and five checks, most important first: past regressions, requirements and policies, consumers in "
    "other repositories, what is deployed or migrated. What the plan shows to know is not repeated; one line says when "
    "nothing is new.",
    takes.CheckPlan,
    "plan",
    _plan,
    lambda answer, _asked: replace(found.plan(answer), sizes=(400, 280, 180, 120, 80, 50)),
    1_490,
)
CONSUMERS = Tool(
    "consumers",
    "Who uses it",
    "Lists who uses a symbol, route, event, configuration key or table column in all indexed repositories, how surely, "
    "and where it could not be looked.",
    takes.Consumers,
    "consumers",
    _consumers,
    lambda answer, _asked: replace(found.consumers(answer), sizes=(200,)),
    2_400,
)
DEPLOYED = Tool(
    "deployed_state",
    "What is deployed where",
    "Says which version each environment runs, since when, how old the reading is, and whether a commit, pull request "
    "or ticket's work is in it.",
    takes.DeployedState,
    "deployed",
    _deployed,
    lambda answer, _asked: states.deployed(answer),
    2_000,
)
SCHEMA = Tool(
    "schema_history",
    "How the database changed",
    "Lists a database's migrations in order: applied, pending, failed, edited after they were applied, out of order; "
    "which tables and columns each touches, and by which ticket.",
    takes.SchemaHistory,
    "schema",
    _schema,
    lambda answer, asked: states.schema(answer, narrowed=bool(asked.table or asked.column or asked.state)),
    2_400,
)
FRESHNESS = Tool(
    "freshness",
    "How current the sources are",
    "Lists the sources that you may read: how much each holds, when it was last read, and what went wrong.",
    takes.Freshness,
    "freshness",
    lambda _asked, _start: {},
    lambda answer, _asked: states.freshness(answer),
    1_500,
)

TOOLS: Mapping[str, Tool[Any]] = {
    tool.name: tool for tool in (SEARCH, LOOKUP, OPEN, PLAN, CONSUMERS, DEPLOYED, SCHEMA, FRESHNESS)
}
