"""`crosscheck eval latency`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from crosscheck.command_line import out
from evals.paths.cases import MOST

NAME = "latency"
"""What its stored runs are called."""


def latency(
    first: Annotated[float, typer.Option(min=0, max=50, help="Seconds to the model's first token.")] = 0.5,
    per_second: Annotated[float, typer.Option(min=0, help="The model's tokens a second; 0: all at once.")] = 60.0,
    questions: Annotated[
        int, typer.Option(min=1, max=MOST, help="Cases of each path: questions, names, tickets, plans.")
    ] = 5,
    in_price: Annotated[
        float, typer.Option(min=0, help="Dollars for a million tokens that a model reads. The default is an example.")
    ] = 3.0,
    out_price: Annotated[
        float, typer.Option(min=0, help="Dollars for a million tokens that a model writes. The default is an example.")
    ] = 15.0,
    strict: Annotated[
        bool, typer.Option(help="End with 1 if anything is over its budget, worse beyond noise, or failed.")
    ] = False,
    results: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep the run there, and compare it with the last one kept there."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Use the common ways through the program on the make-believe company, with a scripted model that is as fast as you
    say: how long each takes, what of that is the program's own, and what the model's calls and tokens cost.

    Takes minutes: each case is used three times, and the model takes its time.
    """
    from crosscheck.logs import configure
    from evals.harness import stored
    from evals.harness.told import tell
    from evals.paths.budgets import kept_in, reasons, table
    from evals.paths.measure import Chosen, measure

    configure("error")
    chosen = Chosen(first, per_second, questions, in_price, out_price)
    measured = measure(chosen, _quiet if as_json else _told)
    beside = tell(stored.made(measured), NAME, results, as_json=as_json)
    budgets = kept_in(measured)
    if not as_json:
        out.print(table(budgets))
        for number, why in enumerate(reasons(budgets), start=1):
            out.print(f"[{number}] {why}", soft_wrap=True)
    bad = any(one.over for one in budgets) or any(one.worse or one.measurement.failures for one in beside)
    if strict and bad:
        raise typer.Exit(1)


def _told(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _quiet(_line: str) -> None:
    """JSON is for programs."""
