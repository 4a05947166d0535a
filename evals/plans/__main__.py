"""`python -m evals.plans`: whether a check of a plan names what matters, and nothing where nothing does."""

import argparse
import json
import sys
from pathlib import Path

from core.errors import CoreError
from crosscheck.errors import CrosscheckError
from crosscheck.logs import configure
from evals.harness.errors import EvalError
from evals.plans.load import PlansError
from evals.plans.measure import of_mixed, of_sandbox, shown
from evals.plans.types import PARTS
from evals.planted.load import PlantedError
from sandbox.load import CompanyError

SHARED = Path(__file__).resolve().parents[3] / "shared"
"""Beside the checkout: sets whose answers are known."""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m evals.plans", description=__doc__)
    parser.add_argument("set", choices=("sandbox", "mixed"))
    parser.add_argument("--part", choices=PARTS, action="append", help="of the sandbox's plans; both without it")
    parser.add_argument("--details", action="store_true", help="name what went wrong in the held part, too")
    parser.add_argument("--folder", type=Path, default=SHARED / "bench" / "mixed", help="where the set mixed is")
    chosen = parser.parse_args(arguments)
    configure("error")
    try:
        if chosen.set == "mixed":
            result = of_mixed(chosen.folder, shown)
        else:
            result = of_sandbox(shown, chosen.part or PARTS, details=chosen.details)
    except (CrosscheckError, CompanyError, CoreError, EvalError, PlansError, PlantedError) as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(result, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
