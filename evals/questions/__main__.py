"""`python -m evals.questions`: how well answers cite what they rest on, and what they refuse."""

import argparse
import json
import sys

from rich.console import Console

from bots.text import clean
from core.errors import CoreError
from crosscheck.errors import CrosscheckError
from crosscheck.logs import configure
from evals.planted.load import PlantedError
from evals.questions.load import QuestionsError
from evals.questions.measure import about, measure, table_of
from sandbox.load import CompanyError


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m evals.questions", description=__doc__)
    parser.add_argument(
        "--held", action="store_true", help="the questions that nobody looks at while answers are mended"
    )
    parser.add_argument("--details", action="store_true", help="with --held: what was missed and wrong, too")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    chosen = parser.parse_args(arguments)
    configure("error")
    part, details = ("held", chosen.details) if chosen.held else ("open", True)
    try:
        results = measure([part], lambda name: print(name, file=sys.stderr))
    except (CrosscheckError, CompanyError, CoreError, PlantedError, QuestionsError) as error:
        print(error, file=sys.stderr)
        return 1
    if chosen.json:
        print(json.dumps([result.to_json(details=details) for result in results], indent=2, default=sorted))
        return 0
    console = Console(highlight=False, markup=False, soft_wrap=True)
    console.print(table_of(results))
    for result in results if details else ():
        for sentence in about(result):
            console.print(clean(f"{result.name}: {sentence}"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
