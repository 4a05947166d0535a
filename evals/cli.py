"""`crosscheck eval`: quality, measured with what is installed."""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress, TaskID

from bots.text import clean

if TYPE_CHECKING:
    from evals.retrieval.run import Setup
    from evals.retrieval.types import Report

out = Console(highlight=False, markup=False)
err = Console(stderr=True, highlight=False, markup=False)

eval_app = typer.Typer(help="Measure quality on sets with known answers.", no_args_is_help=True, rich_markup_mode=None)


@eval_app.callback()
def _root() -> None:
    """A group, though it has one command yet."""


@eval_app.command()
def retrieval(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The set's folder.")],
    run_file: Annotated[
        Path | None, typer.Option("--run", metavar="RUN.json", help="Write what was found for each question there.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """Index a retrieval set beside everything else, ask its questions, and say how good the answers are."""
    from crosscheck.logs import configure
    from evals.retrieval.results import about, result_of, table_of
    from evals.retrieval.run import run
    from evals.retrieval.sets import recognise

    configure("error")
    chosen = recognise(folder)
    with _progress(quiet=as_json) as report:
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


def _setup(context: typer.Context) -> "Setup":
    """As the settings file says, or the defaults where there is none."""
    from crosscheck.settings import FILE, Secrets, Settings, load
    from crosscheck.wiring import Program
    from evals.retrieval.run import Setup

    path = context.find_root().obj
    defaults = path is None or (path == Path(FILE) and not path.exists())
    program = Program(Settings() if defaults else load(path), Secrets.from_environment())
    return Setup(program.embedders())


@contextmanager
def _progress(*, quiet: bool) -> Iterator["Report"]:
    """A bar for each step on standard error, gone when all is over; lines where that is no terminal."""
    from crosscheck.terminal import Lines, columns

    if quiet or not err.is_terminal:
        yield (lambda _: None) if quiet else Lines(lambda line: err.print(line, soft_wrap=True))
        return
    with Progress(*columns(), console=err, transient=True) as progress:
        bars: dict[str, TaskID] = {}

        def report(message: Mapping[str, Any]) -> None:
            step = message["step"]
            if step not in bars:
                bars[step] = progress.add_task(step, total=None)
            progress.update(bars[step], completed=message["done"], total=message["total"])

        yield report
