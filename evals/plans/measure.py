"""Both sets of plans, as plain data."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from evals.plans import mixed, sandbox
from evals.plans.score import scores
from evals.plans.types import PARTS, Judged
from evals.retrieval.packages import Fetch, by_pip

Progress = Callable[[str], None]
ASKED = {
    "hit": "more than plain search for the same text, paired",
    "nothing_new": "at least 0.8 of the plans that need nothing",
}


def of_sandbox(report: Progress, parts: Sequence[str] = PARTS, *, details: bool = False) -> dict[str, Any]:
    """The plans of `plans.toml`. Of the held part no plan is told apart, unless `details` ask for it."""
    by_part = sandbox.measured(parts, report)
    return {
        "asked": ASKED,
        "measured": [
            {
                "set": "sandbox",
                "part": part,
                "scores": _told(rows),
                **({"wrong": _wrong(rows)} if part == "open" or details else {}),
            }
            for part, rows in by_part.items()
        ],
    }


def of_mixed(folder: Path, report: Progress, fetch: Fetch = by_pip) -> dict[str, Any]:
    """Plans of the set `mixed`, all of which could be looked at: its held twin is not here."""
    rows = mixed.measured(folder, report, fetch)
    return {
        "asked": {"hit": ASKED["hit"]},
        "measured": [{"set": folder.name, "part": "all", "scores": _told(rows), "wrong": _wrong(rows)}],
    }


def _told(rows: Sequence[Judged]) -> dict[str, Any]:
    found = scores(rows)
    paired = {"to_search": found.to_search, "to_search_unnamed": found.to_search_unnamed}
    told = {name: {"mean": it.value, "low": it.low, "high": it.high} if it else None for name, it in paired.items()}
    return asdict(found) | told


def _wrong(rows: Sequence[Judged]) -> list[dict[str, Any]]:
    """What was missed, and what was told where nothing is needed."""
    needed = [row for row in rows if (row.plan.wanted and not row.hits(row.named)) or not row.stands]
    told = [row for row in rows if not row.plan.needs and not row.nothing_new]
    strange = [row for row in rows if row.standings and not row.plan.standing]
    return [
        {
            "plan": row.plan.id,
            "named": list(row.named),
            "checks": list(row.categories),
            "standings": list(row.standings),
            "standing": list(row.plan.standing),
            "wanted": sorted(frozenset[str]().union(*row.plan.wanted)),
        }
        for row in {row.plan.id: row for row in (*needed, *told, *strange)}.values()
    ]


def shown(message: str) -> None:
    """Progress, beside the results."""
    print(message, file=sys.stderr, flush=True)
