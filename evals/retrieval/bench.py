"""The retrieval sets that this project is tuned on: what was asked of each beside what is measured."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crosscheck.settings import Secrets, Settings
from crosscheck.terminal import Lines
from crosscheck.wiring import Program
from evals.harness.intervals import Interval
from evals.retrieval.packages import Fetch, by_pip
from evals.retrieval.results import ARM, BM25, Row, result_of
from evals.retrieval.run import Setup, run
from evals.retrieval.sets import recognise

ASKED: Mapping[str, Mapping[str, tuple[float | None, float]]] = {
    "code-issues": {
        "Acc@1": (0.395, 0.54),
        "Acc@3": (0.600, 0.73),
        "Acc@5": (0.698, 0.79),
        "Acc@10": (0.800, 0.89),
    },
    "code-questions": {"recall@5": (0.751, 0.85), "recall@10": (0.835, 0.90), "recall@20": (0.854, 0.92)},
    "tickets": {"nDCG@10": (0.604, 0.67), "recall@50": (0.856, 0.91)},
    "pages": {"nDCG@10": (0.767, 0.78), "recall@50": (None, 0.97)},
    "mixed": {"code-and-doc hit@10": (None, 0.72), "recall@10 code": (None, 0.68), "recall@10 doc": (None, 0.73)},
}
"""By the set's folder under `bench`: BM25 as its authors measured it, and what was asked for."""


def table(shared: Path, fetch: Fetch = by_pip) -> dict[str, Any]:
    """Every set with the default settings, as JSON: its metrics with what was asked, BM25, the best arm and both
    differences.
    """
    program = Program(Settings(), Secrets())
    setup = Setup(program.embedders(), program.searching)
    measured = {}
    for name, metrics in ASKED.items():
        chosen = recognise(shared / "bench" / name, fetch)
        result = result_of(chosen, run(chosen, setup, Lines(lambda line: print(line, file=sys.stderr, flush=True))))
        measured[name] = {
            "metrics": [_beside(row, *metrics[row.metric]) for row in result.rows if row.metric in metrics],
            **result.to_json(),
        }
    asked = {name: {metric: least for metric, (_, least) in metrics.items()} for name, metrics in ASKED.items()}
    return {"asked": asked, "measured": measured}


def _beside(row: Row, published: float | None, asked: float) -> dict[str, Any]:
    baseline, arm = row.others[BM25], row.others.get(ARM)
    return {
        "metric": row.metric,
        "asked": asked,
        "measured": round(row.measured, 4),
        "bm25": round(baseline.value, 4),
        "bm25_published": published,
        "best_arm": round(arm.value, 4) if arm else None,
        "to_bm25": _rounded(baseline.to),
        "to_best_arm": _rounded(arm.to) if arm else None,
    }


def _rounded(paired: Interval | None) -> list[float] | None:
    """Mean, and the ends of its 95 % interval."""
    return [round(number, 4) for number in (paired.value, paired.low, paired.high)] if paired else None
