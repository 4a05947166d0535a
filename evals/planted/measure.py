"""The set reviewed in every way that is asked for."""

import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosscheck import settings as config
from crosscheck.errors import BadSettings
from evals.harness import stored
from evals.harness.cases import Scored
from evals.harness.types import Measurement
from evals.planted.load import OVERLAY, PARTS, company, planted
from evals.planted.run import Progress, Watched, by_program, hidden_from, run
from evals.planted.scores import METRICS, SAME, Rows, missed, told_wrongly
from evals.planted.script import BAIT, Script
from evals.planted.scripted import scorers, scripted
from evals.planted.setup import audience, playground
from evals.planted.types import Planted
from sandbox.records import Company

PART, RULES, SCRIPT = "reviews", "rules alone", "scripted model"
HELD = "held"
"""The part whose tickets are told as numbers only."""
RUNS = 2
"""Of the rules, to see that nothing changes."""


@dataclass(frozen=True, slots=True)
class Planting:
    """Parts of the set over the make-believe company, in a folder of its own."""

    home: Path
    company: Company
    sets: Mapping[str, Mapping[str, Planted]]
    """Tickets by the names of their cases, by part."""
    report: Progress

    @property
    def watched(self) -> Watched:
        return Watched(hidden_from(audience(self.company), self.company))


def measure(
    parts: Iterable[str], report: Progress, *, runs: int = RUNS, model: config.Settings | None = None
) -> Iterator[Measurement]:
    """Review the parts by the rules so many times, by them with the script, and with the model of the settings, so
    many times, if there are any.

    Raises PlantedError, CompanyError, and BadSettings for settings without a model.
    """
    tables = _tables(model) if model else None
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        made = company(home / "company")
        planting = Planting(home, made, {part: cases(part, planted(PARTS[part], made)) for part in parts}, report)
        yield from by_rules(planting, runs)
        yield from by_script(planting)
        if tables:
            yield from _by_model(planting, runs, tables)


def record(report: Progress) -> dict[str, Any]:
    """Both parts, as `make bench` keeps them."""
    return {
        "asked": {
            "rules alone": "recall at least 0.6, false findings at most 1 in 10",
            "scripted model": "no true finding dropped, no false one kept",
        },
        "measured": stored.as_json(stored.made(measure(PARTS, report)), PART)["measurements"],
    }


def cases(part: str, tickets: Sequence[Planted]) -> Mapping[str, Planted]:
    """By their keys, or by numbers where nobody is to know which they are."""
    numbered = part == HELD
    return {f"held {at:02}" if numbered else one.key: one for at, one in enumerate(tickets, 1)}


def by_rules(planting: Planting, runs: int) -> Iterator[Measurement]:
    with playground(planting.company, planting.home / "rules") as program:
        reviews = by_program(program, audience(planting.company))
        for part, tickets in planting.sets.items():
            scored = run(tickets, reviews, planting.report, runs=runs, watched=planting.watched)
            yield measurement(_named(part), RULES, scored, _made_with(part), told=part != HELD)


def by_script(planting: Planting) -> Iterator[Measurement]:
    watched = Watched(planting.watched.restricted, BAIT)
    for part, tickets in planting.sets.items():
        script = Script(tickets.values(), planting.company)
        with scripted(planting.company, planting.home / f"script-{part}", script) as program:
            reviews = by_program(program, audience(planting.company))
            scored = run(tickets, reviews, planting.report, watched=watched, more=scorers(script))
            yield measurement(_named(part), SCRIPT, scored, _made_with(part), told=part != HELD)


def _by_model(planting: Planting, runs: int, tables: Mapping[str, Any]) -> Iterator[Measurement]:
    name, secrets = tables["model"]["name"], config.Secrets.from_environment()
    with playground(planting.company, planting.home / "model", tables=tables, secrets=secrets) as program:
        reviews = by_program(program, audience(planting.company))
        for part, tickets in planting.sets.items():
            scored = run(tickets, reviews, planting.report, runs=runs, watched=planting.watched)
            yield measurement(_named(part), name, scored, _made_with(part), told=part != HELD)


def measurement(
    name: str, way: str, scored: Scored[Rows], made_with: Mapping[str, str], *, told: bool = True
) -> Measurement:
    """`told`: what was missed and told wrongly is said, and which tickets' reviews differed."""
    unstable = [case for case, same in scored.values.get(SAME, {}).items() if not same.part]
    notes = [f"Not the same findings in every run: {', '.join(unstable)}."] if unstable else []
    if told:
        last = [rows[-1] for rows in scored.outputs.values()]
        notes += [*missed(last), *told_wrongly(last)]
    metrics = tuple(metric for metric in METRICS if metric.name in scored.values)
    return Measurement(PART, name, way, metrics, scored.values, scored.failures, tuple(notes), made_with)


def _named(part: str) -> str:
    return f"sandbox, {part}"


def _made_with(part: str) -> dict[str, str]:
    return {"planted set": digest(PARTS[part], *sorted(OVERLAY.rglob("*.toml")), *sorted(OVERLAY.rglob("*.csv")))}


def digest(*paths: Path) -> str:
    """Twelve digits of what stands in these files."""
    found = hashlib.sha256()
    for path in paths:
        found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()[:12]


def _tables(chosen: config.Settings) -> dict[str, Any]:
    """The tables of the settings that say who reviews."""
    if chosen.model is None:
        raise BadSettings("There is no [model] table in the settings, so there is no model to measure.")
    return {"model": chosen.model.model_dump(), "agents": [agent.model_dump() for agent in chosen.agents]}
