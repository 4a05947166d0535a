"""`python -m evals.planted`: how many of the planted gaps a review tells, and what it tells wrongly."""

import argparse
import json
import sys
from pathlib import Path

from rich.console import Console

from bots.text import clean
from core.errors import CoreError
from crosscheck.errors import CrosscheckError
from crosscheck.logs import configure
from evals.planted.load import PlantedError
from evals.planted.measure import about, measure, table_of
from sandbox.load import CompanyError


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m evals.planted", description=__doc__)
    parser.add_argument("--held", action="store_true", help="the tickets that nobody looks at while a rule is mended")
    parser.add_argument("--details", action="store_true", help="with --held: what was missed and wrong, too")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--settings", type=Path, metavar="FILE", help="review with the [model] of this file as well")
    chosen = parser.parse_args(arguments)
    configure("error")
    part, details = ("held", chosen.details) if chosen.held else ("open", True)
    try:
        results = measure([part], lambda key: print(key, file=sys.stderr), chosen.settings)
    except (CrosscheckError, CompanyError, CoreError, PlantedError) as error:
        print(error, file=sys.stderr)
        return 1
    if chosen.json:
        print(json.dumps([result.to_json(details=details) for result in results], indent=2))
        return 0
    console = Console(highlight=False, markup=False, soft_wrap=True)
    console.print(table_of(results))
    for result in results:
        for sentence in about(result, details=details):
            console.print(clean(sentence))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
