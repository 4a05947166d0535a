"""`make bench`: every benchmark, its numbers beside what was asked, kept under `evals/results/` by commit."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from crosscheck.logs import configure
from evals import (
    answer_sizes,
    claims,
    consumers,
    index,
    jobs,
    kills,
    mentions,
    model_servers,
    scale,
    slack_kills,
    speed,
    tracing,
)
from evals.harness import stored
from evals.load import measure as load
from evals.load import soak
from evals.load.table import of_load, of_soak
from evals.paths import measure as paths
from evals.paths.cases import MOST
from evals.places import SURFACES
from evals.plans import measure as plans
from evals.planted import measure as planted
from evals.playground import company
from evals.questions import measure as questions
from evals.retrieval import bench as retrieval
from sandbox.server import Sandbox

RESULTS = Path(__file__).parent / "results"
SHARED = Path(__file__).resolve().parents[2] / "shared"
"""Beside the checkout: the sets of questions whose answers are known."""


def main(wanted: list[str], minutes: float = soak.MINUTES) -> None:
    """Run the named parts, or all but the soak, which takes so many minutes. A part may say that it was not good."""
    configure("error")
    parts = PARTS | {"soak": partial(_soak, minutes)}
    good = True
    for name in wanted or list(PARTS):
        print(f"== {name}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            result = parts[name](Path(folder))
        result = {"part": name, "commit": _commit(), "at": datetime.now(UTC).isoformat(timespec="seconds"), **result}
        print(json.dumps(result, indent=2))
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"{result['commit']}-{name}.json").write_text(json.dumps(result, indent=2) + "\n")
        good = good and bool(result.get("good", True))
    sys.exit(not good)


def _once(folder: Path) -> dict[str, Any]:
    measured = jobs.once_each(1000, folder)
    return {"asked": {"posts": 1000, "doubled": 0, "missing": 0}, "measured": asdict(measured)}


def _overhead(folder: Path) -> dict[str, Any]:
    return {"asked": {"p50_ms": "below 25"}, "measured": asdict(jobs.overhead(300, folder))}


def _kills(folder: Path) -> dict[str, Any]:
    runs, surfaces = 200, list(SURFACES)
    with Sandbox.start(company(runs, pages=runs)) as box:
        outcomes = []
        for number, instant in enumerate(kills.instants(runs, seed=7), 1):
            surface = surfaces[number // 5 % len(surfaces)]  # five instants, then the next
            outcomes.append(kills.one_run(box, surface, number, folder / str(number), instant))
            if number % 20 == 0:
                print(f"{number} of {runs} runs", file=sys.stderr, flush=True)
    return {
        "asked": {"visible": "1 in each of 200", "attempts": "at most 5", "between": "at least a third"},
        "measured": {
            "runs": runs,
            "visible": dict(Counter(outcome.visible for outcome in outcomes)),
            "attempts": dict(Counter(outcome.attempts for outcome in outcomes)),
            "settled": sum(outcome.settled for outcome in outcomes),
            "surfaces": dict(Counter(outcome.surface for outcome in outcomes)),
            "instants": dict(Counter(outcome.instant for outcome in outcomes)),
            "between": sum(outcome.instant in kills.BETWEEN for outcome in outcomes),
        },
    }


def _slack_kills(folder: Path) -> dict[str, Any]:
    outcomes: list[slack_kills.Outcome] = []
    for run in slack_kills.runs(100, seed=7):
        outcomes.append(slack_kills.one_run(run, folder / str(run.seed)))
        if len(outcomes) % 20 == 0:
            print(f"{len(outcomes)} of 100 runs", file=sys.stderr, flush=True)
    return {
        "asked": {"once": 100, "answers": "1 in each of 100", "working": "none left", "attempts": "at most 5"},
        "measured": {
            "runs": len(outcomes),
            "once": sum(outcome.once for outcome in outcomes),
            "answers": dict(Counter(outcome.answers for outcome in outcomes)),
            "working": sum(outcome.working for outcome in outcomes),
            "files": sum(outcome.files for outcome in outcomes),
            "files_due": sum(outcome.run.files for outcome in outcomes),
            "jobs": dict(Counter(outcome.jobs for outcome in outcomes)),
            "deliveries": dict(Counter(outcome.deliveries for outcome in outcomes)),
            "attempts": dict(Counter(outcome.attempts for outcome in outcomes)),
            "settled": sum(outcome.settled for outcome in outcomes),
            "instants": dict(Counter(outcome.run.instant for outcome in outcomes)),
            "modes": dict(Counter(outcome.run.mode for outcome in outcomes)),
            "renewed": sum(outcome.run.renewed for outcome in outcomes),
        },
    }


def _mentions(folder: Path) -> dict[str, Any]:
    return {
        "asked": {
            "ack_ms": "each below 1,000",
            "lost": 0,
            "answered_once": "each",
            "out_of_order": 0,
            "at_once": "at most the threads",
        },
        "machine": f"{os.cpu_count()} cores for the sandbox, the people in it and the service",
        "measured": mentions.measure(folder / "company", lambda row: print(row, file=sys.stderr, flush=True)),
    }


def _index(folder: Path) -> dict[str, Any]:
    return {
        "asked": {
            "chunks_a_second": "at least 1,000, until searchable",
            "peak_rss_mb": "below 1,500",
            "unchanged": "below 2 s",
            "one_file": "below 1 s",
            "growth": "linear to 200,000 chunks",
        },
        "measured": index.measure(folder, copies=(1, 3, 8)),
    }


def _retrieval(_folder: Path) -> dict[str, Any]:
    return retrieval.table(SHARED)


def _speed(folder: Path) -> dict[str, Any]:
    return {
        "asked": {
            "hybrid_p50_ms": "below 15 at 50,000 chunks, and growing slower than the index",
            "exact_p50_ms": "below 3",
            "reranked_p50_ms": "below 60, of 50 candidates with the default reranker",
            "qdrant_local_mode": "over 100 times as slow",
        },
        "measured": speed.measure(folder),
    }


def _planted(_folder: Path) -> dict[str, Any]:
    return planted.record(lambda key: print(key, file=sys.stderr, flush=True))


def _latency(_folder: Path) -> dict[str, Any]:
    """As `crosscheck eval latency --questions 10`."""
    measured = paths.measure(paths.Chosen(cases=MOST), lambda line: print(line, file=sys.stderr, flush=True))
    return stored.as_json(stored.made(measured), "latency")


def _questions(_folder: Path) -> dict[str, Any]:
    return questions.record(lambda name: print(name, file=sys.stderr, flush=True))


def _plans(_folder: Path) -> dict[str, Any]:
    def report(name: str) -> None:
        print(name, file=sys.stderr, flush=True)

    return {"sandbox": plans.of_sandbox(report), "mixed": plans.of_mixed(SHARED / "bench" / "mixed", report)}


def _sizes(folder: Path) -> dict[str, Any]:
    measured = answer_sizes.measure(folder, lambda name: print(name, file=sys.stderr, flush=True))
    return {"asked": answer_sizes.ASKED, "measured": measured}


def _servers(_folder: Path) -> dict[str, Any]:
    return {
        "asked": {
            "times_one": "above 2 with four under way",
            "question_ms": "no passage that is not sent yet goes first",
        },
        "measured": model_servers.measure(lambda row: print(row, file=sys.stderr, flush=True)),
    }


def _scale(folder: Path) -> dict[str, Any]:
    return {
        "asked": {"each_further_100_000_chunks_mb": "what docs/scale.md says"},
        "machine": f"{os.cpu_count()} cores",
        "measured": scale.measure(folder, lambda row: print(row, file=sys.stderr, flush=True)),
    }


def _tracing(folder: Path) -> dict[str, Any]:
    return {
        "asked": {"on_to_off": "near 1"},
        "machine": f"{os.cpu_count()} cores",
        "measured": tracing.measure(folder),
    }


def _load(folder: Path) -> dict[str, Any]:
    found = load.measure(folder, load.FULL, lambda line: print(line, file=sys.stderr, flush=True))
    print(of_load(found), flush=True)
    return {"machine": f"{os.cpu_count()} cores", "good": found.good, "measured": asdict(found)}


def _soak(minutes: float, folder: Path) -> dict[str, Any]:
    found = soak.measure(folder, minutes, lambda line: print(line, file=sys.stderr, flush=True))
    print(of_soak(found), flush=True)
    return {"machine": f"{os.cpu_count()} cores", "good": found.good, "measured": asdict(found)}


PARTS: dict[str, Callable[[Path], dict[str, Any]]] = {
    "jobs": _once,
    "overhead": _overhead,
    "kills": _kills,
    "claims": claims.run,
    "slack_kills": _slack_kills,
    "mentions": _mentions,
    "index": _index,
    "retrieval": _retrieval,
    "speed": _speed,
    "planted": _planted,
    "latency": _latency,
    "questions": _questions,
    "consumers": consumers.measure,
    "plans": _plans,
    "sizes": _sizes,
    "load": _load,
    "servers": _servers,
    "scale": _scale,
    "tracing": _tracing,
}


def _commit() -> str:
    found = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=False)
    return found.stdout.strip() or "uncommitted"


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("parts", nargs="*", metavar="PART", help="All but `soak` when none is named.")
    asked.add_argument("--minutes", type=float, default=soak.MINUTES, help="How long the soak takes.")
    given = asked.parse_args()
    main(given.parts, given.minutes)
