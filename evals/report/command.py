"""`crosscheck eval report`: stored runs as pages to read."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from crosscheck.command_line import out


def report(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN.json...", help="Stored runs; several become one report.", show_default=False),
    ],
    folder: Annotated[Path, typer.Option("--out", metavar="DIR", help="Where the pages go.", show_default=False)],
    before: Annotated[
        list[Path] | None,
        typer.Option(metavar="RUN.json", help="A stored run to compare with. May be given again."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """Write runs that were kept by --results as a page to read (index.html) and as Markdown (report.md).

    What got worse beyond noise comes first. Plots need the extra `map`. Figures of searches, maps and arms are not kept
    with a run; the commands that measure draw them with --report.
    """
    from evals.harness import stored
    from evals.report.together import together
    from evals.report.write import write_report

    run = together(stored.read(path) for path in runs)
    earlier = together(stored.read(path) for path in before) if before else None
    page = write_report(run, earlier, folder)
    if as_json:
        sys.stdout.write(json.dumps({"report": str(page)}) + "\n")
    else:
        out.print(f"The report is {page}.", soft_wrap=True)
