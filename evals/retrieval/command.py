"""`crosscheck eval retrieval`: how well the right documents of a set are found."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosscheck.command_line import operating, out, progress_shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evals.retrieval.run import Setup
    from evals.retrieval.types import RetrievalSet, Run

NAME = "retrieval"
"""Of the runs that are kept."""


def retrieval(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The set's folder.")],
    run_file: Annotated[
        Path | None, typer.Option("--run", metavar="RUN.json", help="Write what was found for each question there.")
    ] = None,
    beside: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="RUN",
            help="What another system found, as --run writes it or as a TREC run; measured beside. May be given again.",
        ),
    ] = None,
    results: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep the run there, and compare with the last one kept there.")
    ] = None,
    against: Annotated[
        Path | None, typer.Option(metavar="RUN.json", help="A kept run to compare with, instead of the last one.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """Ask a set's questions, and say how well their right documents are found.

    What the set holds is indexed beside everything else; a set that `crosscheck eval grow` made is asked of this
    installation's own index. The packages that a set names are fetched by pip, which runs the setup of source archives:
    use sets that you trust.
    """
    from crosscheck.logs import configure
    from crosscheck.settings import load
    from evals.grown import asking, files
    from evals.harness import stored
    from evals.harness.told import tell
    from evals.retrieval import found
    from evals.retrieval.results import measurements, result_of, table_of
    from evals.retrieval.run import run
    from evals.retrieval.sets import recognise

    configure("error")
    if against:
        stored.read(against)  # minutes of work are not to end in a file that is no run
    if files.is_grown(folder):
        if run_file or beside:
            raise typer.BadParameter("--run and --beside go with sets that have documents of their own.")
        grown = files.read(folder)
        settings = load(context.find_root().obj)
        with progress_shown(quiet=as_json) as report, operating(settings, "eval retrieval") as operations:
            made = stored.made(asking.measured(operations, grown, report))
        tell(made, NAME, results, as_json=as_json, against=against)
        return
    chosen = recognise(folder)
    others = _others(chosen, beside or [])
    if run_file:
        run_file.touch()
    with progress_shown(quiet=as_json) as report:
        outcome = run(chosen, _setup(context), report)
    if run_file:
        found.write(outcome.run, run_file)
    result = result_of(chosen, outcome, others)
    made = stored.made(measurements(result))
    if result.rows and not as_json:
        out.print(table_of(result))
        out.print()
    tell(made, NAME, results, as_json=as_json, against=against)


def _others(chosen: "RetrievalSet", paths: list[Path]) -> "Mapping[str, Run]":
    """What other systems found, by their files' names. Raises BadSet."""
    from evals.retrieval import found
    from evals.retrieval.errors import BadSet
    from evals.retrieval.results import ARM, BM25, SEARCH

    names = [path.stem for path in paths]
    for name in names:
        if name in {SEARCH, BM25, ARM} or names.count(name) > 1:
            raise BadSet(f"Two ways would be called {name!r}; give the file another name.")
    return {path.stem: found.read(path, chosen.relevant) for path in paths}


def _setup(context: typer.Context) -> "Setup":
    """As the settings file says, or the defaults where there is none."""
    from crosscheck.settings import FILE, Secrets, Settings, load
    from crosscheck.wiring import Program
    from evals.retrieval.run import Setup

    path = context.find_root().obj
    defaults = path is None or (path == Path(FILE) and not path.exists())
    program = Program(Settings() if defaults else load(path), Secrets.from_environment())
    return Setup(program.embedders(), program.searching)
