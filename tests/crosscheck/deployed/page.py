"""The tables in docs/deployed.md. `python -m tests.crosscheck.deployed.page` plays all situations and writes the words
of their answers anew. Whoever runs it reads what changed: whether the words are true, nothing else says.
"""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

from evals.postgres import programs
from tests.core.schema import servers
from tests.crosscheck.deployed.schemas import SCHEMAS, Schema
from tests.crosscheck.deployed.situations import EVERY, GROUPS, Situation
from tests.crosscheck.deployed.stage import Answer, Company, History, opened
from tests.pages import rewrite

PAGE = Path(__file__).parents[3] / "docs" / "deployed.md"
BEGIN, END = "<!-- situations: begin -->\n", "<!-- situations: end -->\n"
SCHEMA_BEGIN, SCHEMA_END = "<!-- schemas: begin -->\n", "<!-- schemas: end -->\n"
NAMES = {
    "http": "version endpoint",
    "kubernetes": "Kubernetes",
    "argocd": "Argo CD",
    "github": "GitHub",
    "gitlab": "GitLab",
}


def play(company: Company, situation: Situation, kind: str) -> Answer:
    with company.stage(kind) as stage:
        situation.put(stage)
        return stage.ask(**situation.asked)


def play_schema(company: Company, schema: Schema, server: str) -> History:
    with company.stage(server=server) as stage:
        schema.put(stage)
        return stage.history(**schema.asked)


def rows() -> Mapping[tuple[str, str], str]:
    """The words of the page by a situation's name and the way of reading."""
    found = {}
    for name, by, words in _cells(BEGIN, END):
        for kind, called in NAMES.items():
            if by == "any" or called in by.split(", "):
                found[name, kind] = words
    return found


def schema_rows() -> Mapping[str, str]:
    return dict(_cells(SCHEMA_BEGIN, SCHEMA_END))


def _cells(begin: str, end: str) -> Iterator[list[str]]:
    table = PAGE.read_text(encoding="utf-8").partition(begin)[2].partition(end)[0]
    for line in table.splitlines()[2:]:
        cells = line.strip("| ").split(" | ")
        if not cells[0].startswith("**"):
            yield cells


def _table(company: Company) -> Iterator[str]:
    yield "| situation | read by | answer |\n| --- | --- | --- |\n"
    for group, situations in GROUPS.items():
        yield _line(f"**{group}**", "", "")
        for one in situations:
            kinds: dict[str, list[str]] = {}
            for kind in one.kinds:
                kinds.setdefault(play(company, one, kind).words, []).append(kind)
            for words, alike in kinds.items():
                by = "any" if tuple(alike) == EVERY else ", ".join(NAMES[kind] for kind in alike)
                yield _line(one.name, by, words)


def _schema_table(company: Company, server: str) -> Iterator[str]:
    yield "| situation | answer |\n| --- | --- |\n"
    for one in SCHEMAS:
        yield _line(one.name, play_schema(company, one, server).words)


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"


def main() -> None:
    installed = programs()
    if installed is None:
        raise SystemExit("PostgreSQL's server is needed, and is not installed.")
    with ExitStack() as more:
        home = Path(more.enter_context(tempfile.TemporaryDirectory()))
        (home / "postgres").mkdir()
        server = more.enter_context(servers.postgresql(installed, home / "postgres"))
        company = more.enter_context(opened(home))
        rewrite(PAGE, BEGIN, END, "".join(_table(company)))
        rewrite(PAGE, SCHEMA_BEGIN, SCHEMA_END, "".join(_schema_table(company, server.address(server.database()))))


if __name__ == "__main__":
    main()
