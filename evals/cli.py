"""`crosscheck eval`: quality, measured with what is installed."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bots.text import clean
from crosscheck.command_line import out, progress_shown

if TYPE_CHECKING:
    from evals.retrieval.run import Setup

eval_app = typer.Typer(help="Measure quality on sets with known answers.", no_args_is_help=True, rich_markup_mode=None)


@eval_app.callback()
def _root() -> None:
    """A group of commands."""


@eval_app.command()
def retrieval(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The set's folder.")],
    run_file: Annotated[
        Path | None, typer.Option("--run", metavar="RUN.json", help="Write what was found for each question there.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """Index a retrieval set beside everything else, ask its questions, and say how good the answers are.

    The packages that a set names are fetched by pip, which runs the setup of source archives: use sets that you trust.
    """
    from crosscheck.logs import configure
    from evals.retrieval.results import about, result_of, table_of
    from evals.retrieval.run import run
    from evals.retrieval.sets import recognise

    configure("error")
    chosen = recognise(folder)
    if run_file:
        run_file.touch()  # minutes of work are not to end in a file that cannot be written
    with progress_shown(quiet=as_json) as report:
        outcome = run(chosen, _setup(context), report)
    if run_file:
        run_file.write_text(json.dumps(outcome.run, indent=1) + "\n", "utf-8")
    result = result_of(chosen, outcome)
    if as_json:
        sys.stdout.write(json.dumps(result.to_json(), indent=2) + "\n")
        return
    for sentence in about(result):
        out.print(clean(sentence), soft_wrap=True)
    if result.rows:
        out.print(table_of(result))


@eval_app.command()
def planted(
    settings: Annotated[
        Path | None, typer.Option("--settings", metavar="FILE", help="Review with the [model] of this file as well.")
    ] = None,
    held: Annotated[bool, typer.Option(help="The tickets that nobody looks at while a rule is mended.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Review tickets with known gaps and say how many are told, and what is told wrongly."""
    from evals.planted.__main__ import main

    chosen = [*(["--held"] if held else []), *(["--json"] if as_json else [])]
    raise typer.Exit(main([*chosen, *(["--settings", str(settings)] if settings else [])]))


def _setup(context: typer.Context) -> "Setup":
    """As the settings file says, or the defaults where there is none."""
    from crosscheck.settings import FILE, Secrets, Settings, load
    from crosscheck.wiring import Program
    from evals.retrieval.run import Setup

    path = context.find_root().obj
    defaults = path is None or (path == Path(FILE) and not path.exists())
    program = Program(Settings() if defaults else load(path), Secrets.from_environment())
    return Setup(program.embedders(), program.searching)
