"""`crosscheck eval reviews`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from crosscheck.command_line import As, operating, out

NAME = "reviews"
"""What its stored runs are called."""


def reviews(
    context: typer.Context,
    model: Annotated[bool, typer.Option("--model", help="Review with the [model] of the settings as well.")] = False,
    held: Annotated[
        bool, typer.Option("--held", help="The tickets that nobody looks at while a rule is mended.")
    ] = False,
    runs: Annotated[
        int, typer.Option(min=1, max=20, help="How often each ticket is reviewed, to see what changes.")
    ] = 2,
    own: Annotated[
        Path | None, typer.Option("--set", metavar="FILE.toml", help="Tickets of your own, reviewed as you run it.")
    ] = None,
    audience: As = "org",
    example: Annotated[bool, typer.Option("--example", help="Print a set of tickets to begin with.")] = False,
    results: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep the run there, and compare it with the last one kept there."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Review tickets whose gaps are known: how many are told, and what is told wrongly. Nothing is posted.

    Without --set it reviews a make-believe company's tickets, by the rules alone and with a scripted model that lies as
    often as it is right. With --set it reviews your own, with what the settings say and for the readers of --as.
    """
    from crosscheck import settings as config
    from crosscheck.logs import configure
    from crosscheck.redaction import Redaction
    from evals.harness import stored
    from evals.harness.told import tell
    from evals.planted import own as own_set
    from evals.planted.load import PlantedError
    from evals.planted.measure import measure

    if example:
        out.print(own_set.EXAMPLE, end="", soft_wrap=True)
        return
    if own and (held or model):
        raise PlantedError("--set reviews as the settings say, so it goes with neither --held nor --model.")
    secrets = config.Secrets.from_environment()
    configure("error", Redaction(secrets.values()))
    report = _quiet if as_json else _told
    if own:
        settings = config.load(context.find_root().obj)
        tickets = own_set.planted_on_site(own, settings, secrets)
        with operating(settings, "eval reviews") as operations:
            run = stored.made([own_set.measure(own, tickets, operations, audience, report, runs=runs)])
        tell(run, f"{NAME}-{own.stem}", results, as_json=as_json)
        return
    with_model = config.load(context.find_root().obj) if model else None
    run = stored.made(measure(["held" if held else "open"], report, runs=runs, model=with_model))
    tell(run, f"{NAME}-held" if held else NAME, results, as_json=as_json)


def _told(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _quiet(_line: str) -> None:
    """JSON is for programs."""
