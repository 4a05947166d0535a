"""The set reviewed in every way that is asked for, as plain data and as tables."""

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from crosscheck import settings as config
from crosscheck.errors import BadSettings
from evals.planted.load import PARTS, company, planted
from evals.planted.run import Progress, Ran, run, unstable
from evals.planted.scores import scores
from evals.planted.script import BAIT, Script
from evals.planted.scripted import Passed, passed, scripted
from evals.planted.setup import audience, playground
from evals.planted.types import Planted, Scores, Share
from sandbox.records import Company

RULES, SCRIPT = "rules alone", "scripted model"
_DETAILS = {"missed", "told_wrongly"}


@dataclass(frozen=True, slots=True)
class Result:
    """One way of reviewing one part of the set."""

    name: str
    part: str
    scores: Scores
    unstable: tuple[str, ...] = ()
    """Tickets of which a second review tells something else."""
    lies: Mapping[str, Passed] | None = None
    degraded: int = 0
    """Tickets whose review says that something of it was not done."""

    def to_json(self, *, details: bool = True) -> dict[str, Any]:
        """Plain data, with or without what was missed and what was wrong."""
        data = asdict(self)
        if not details:
            data["scores"] = {name: one for name, one in data["scores"].items() if name not in _DETAILS}
        return data


def measure(parts: Iterable[str], report: Progress, settings: Path | None = None) -> list[Result]:
    """Review the parts by the rules, by them with the script, and with the model of a settings file if there is one.

    Raises PlantedError, CompanyError, and BadSettings for a file without a model.
    """
    model = _tables(settings) if settings else None
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        made = company(home / "company")
        sets = {part: planted(PARTS[part], made) for part in parts}
        results = [*_by_rules(sets, made, home / "rules", report), *_by_script(sets, made, home, report)]
        if model:
            results += _by_model(sets, made, home / "model", model, report)
    return results


def record(report: Progress) -> dict[str, Any]:
    """Both parts, as `make bench` keeps them."""
    return {
        "asked": {
            "rules alone": "recall at least 0.6, false findings at most 1 in 10",
            "scripted model": "no true finding dropped, no false one kept",
        },
        "measured": [one.to_json(details=one.part == "open") for one in measure(PARTS, report)],
    }


def _by_rules(sets: Mapping[str, tuple[Planted, ...]], made: Company, home: Path, report: Progress) -> Iterator[Result]:
    """Twice, to see that nothing changes."""
    with playground(made, home) as program:
        for part, tickets in sets.items():
            first, second = (run(program, RULES, tickets, made, audience(made), report) for _ in range(2))
            yield _result(first, part, unstable=tuple(unstable(first.reviews, second.reviews)))


def _by_script(
    sets: Mapping[str, tuple[Planted, ...]], made: Company, home: Path, report: Progress
) -> Iterator[Result]:
    for part, tickets in sets.items():
        script = Script(tickets, made)
        with scripted(made, home / f"script-{part}", script) as program:
            ran = run(program, SCRIPT, tickets, made, audience(made), report, BAIT)
            yield _result(ran, part, lies=passed(script.lies, ran))


def _by_model(
    sets: Mapping[str, tuple[Planted, ...]], made: Company, home: Path, tables: Mapping[str, Any], report: Progress
) -> Iterator[Result]:
    with playground(made, home, tables=tables, secrets=config.Secrets.from_environment()) as program:
        for part, tickets in sets.items():
            yield _result(run(program, tables["model"]["name"], tickets, made, audience(made), report), part)


def _result(ran: Ran, part: str, *, unstable: tuple[str, ...] = (), lies: Mapping[str, Passed] | None = None) -> Result:
    degraded = sum(1 for row in ran.reviews if row.degraded)
    return Result(ran.name, part, scores(ran.rows), unstable, lies, degraded)


def _tables(path: Path) -> dict[str, Any]:
    """The tables of a settings file that say who reviews."""
    chosen = config.load(path)
    if chosen.model is None:
        raise BadSettings(f"{path} has no [model] table, so there is no model to measure.")
    return {"model": chosen.model.model_dump(), "agents": [agent.model_dump() for agent in chosen.agents]}


def table_of(results: Iterable[Result]) -> Table:
    """A line each for all gaps, every category, what is wrongly said, and what is asked although it is answered."""
    results = list(results)
    table = Table(box=None, padding=(0, 2, 0, 0))
    for head in ("", *(f"{one.name}, {one.part}" for one in results)):
        table.add_column(head, overflow="fold")
    table.add_row("recall, 95 %", *(_interval(one.scores.recall) for one in results))
    categories = dict.fromkeys(name for one in results for name in one.scores.by_category)
    for name in categories:
        table.add_row(f"  {name}", *(_plain(one.scores.by_category.get(name)) for one in results))
    table.add_row("false findings, 95 %", *(_interval(one.scores.false) for one in results))
    table.add_row("answered, asked", *(_plain(one.scores.answered) for one in results))
    table.add_row("forbidden words", *(str(one.scores.forbidden) for one in results))
    for kind in dict.fromkeys(kind for one in results for kind in one.lies or {}):
        cells = (one.lies.get(kind) if one.lies else None for one in results)
        table.add_row(f"  {kind}, kept", *(f"{cell.kept} of {cell.told}" if cell else "-" for cell in cells))
    return table


def about(result: Result, *, details: bool) -> Iterator[str]:
    """What the table does not say, a sentence each."""
    of = f"{result.name}, {result.part}"
    yield f"{of}: {result.scores.tickets} tickets, {result.degraded} reviews with something not done."
    if result.unstable:
        yield f"{of}: a second review tells something else of {', '.join(result.unstable)}."
    if details:
        yield from (f"{of}: missed: {line}" for line in result.scores.missed)
        yield from (f"{of}: wrong: {line}" for line in result.scores.told_wrongly)


def _interval(share: Share) -> str:
    if not share.of:
        return "-"
    return f"{share.value:.2f} ({share.low:.2f} to {share.high:.2f}), {share.part} of {share.of}"


def _plain(share: Share | None) -> str:
    return f"{share.part} of {share.of}" if share and share.of else "-"
