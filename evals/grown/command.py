"""`crosscheck eval grow`: a retrieval set from what this installation knows."""

from pathlib import Path
from typing import Annotated

import typer

from bots.text import clean
from crosscheck.command_line import As, operating, out, print_json, progress_shown


def grow(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder, or one with a grown set.")],
    audience: As = "org",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """Make a retrieval set from closed tickets with what closed them, and from answers that people rated.

    `crosscheck eval retrieval DIR` then asks it of this installation's index. The files hold what tickets and questions
    say that this audience may read; only your account may read them.
    """
    from datetime import UTC, datetime

    from crosscheck.settings import load
    from evals.grown import files
    from evals.grown.growing import about
    from evals.grown.growing import grow as grown

    files.check(folder)
    settings = load(context.find_root().obj)
    with progress_shown(quiet=as_json) as report, operating(settings, "eval grow") as operations:
        made = grown(operations, audience, folder.name, datetime.now(UTC), report)
    files.write(made, folder)
    if as_json:
        counts = {slice_: len(made.of(slice_)) for slice_ in files.SLICES}
        print_json({"folder": str(folder), "questions": counts, "left_out": dict(made.left_out)})
        return
    out.print(f"Wrote {folder}.", soft_wrap=True)
    for sentence in about(made):
        out.print(clean(sentence), soft_wrap=True)
    out.print(
        f"Its files hold the words of tickets and questions that {audience} may read. Only your account may read them "
        "(mode 600); delete them when you do not need them.",
        soft_wrap=True,
    )
