"""`crosscheck index` and `crosscheck map`: the index itself."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from crosscheck.command_line import As, Json, out, print_json, run

index_app = typer.Typer(help="The index: what is where, move it, rebuild it.", rich_markup_mode=None)


@index_app.callback()
def index(context: typer.Context, as_json: Json = False) -> None:
    """Show the index: engine, place, chunks, disk, what it was made with."""
    if context.invoked_subcommand:
        return
    answer = run(context, "index", {}, "index")
    if as_json:
        print_json(answer)
        return
    from crosscheck.index_text import index_text

    out.print(index_text(answer), soft_wrap=True)


@index_app.command("status")
def index_status(context: typer.Context, as_json: Json = False) -> None:
    """Show the index, as `crosscheck index` alone does."""
    index(context, as_json)


@index_app.command("move")
def index_move(
    context: typer.Context,
    to: Annotated[Literal["edge", "server"], typer.Option(help="Where the settings say that the index is to be.")],
    as_json: Json = False,
) -> None:
    """Copy the index to the engine that the settings now name, and search it there from then on."""
    answer = run(context, "index_move", {"to": to}, "index move", quiet=as_json)
    if as_json:
        print_json(answer)
        return
    from crosscheck.index_text import moved_text

    out.print(moved_text(answer), soft_wrap=True)


@index_app.command("rebuild")
def index_rebuild(context: typer.Context, as_json: Json = False) -> None:
    """Give back the space of what was deleted, if that is worth it; searches go on meanwhile."""
    answer = run(context, "index_rebuild", {}, "index rebuild", quiet=as_json)
    if as_json:
        print_json(answer)
        return
    from crosscheck.index_text import rebuilt_text

    out.print(rebuilt_text(answer), soft_wrap=True)


def draw_map(
    context: typer.Context,
    text: Annotated[str | None, typer.Argument(metavar="[QUESTION]", help="A question to mark, with its hits.")] = None,
    audience: As = "org",
    to: Annotated[Path, typer.Option("--out", help="Where to write: a web page, and a PNG of the same name.")] = Path(
        "map.html"
    ),
    as_json: Json = False,
) -> None:
    """Draw the index as that audience may see it: passages near each other are alike."""
    from crosscheck.map_files import write
    from crosscheck.map_projection import check_installed

    check_installed()
    written = write(run(context, "map", {"text": text, "audience": audience}, "map", quiet=as_json), to)
    if as_json:
        names = {"page": str(written.page), "picture": str(written.picture)}
        print_json({**names, "drawn": written.drawn, "total": written.total})
        return
    out.print(
        f"Wrote {written.page} and {written.picture}: {written.drawn:,} of {written.total:,} passages.", soft_wrap=True
    )


def fit_weights(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Measure only; save nothing.")] = False,
    forget: Annotated[bool, typer.Option("--forget", help="Go back to the weights that search comes with.")] = False,
    as_json: Json = False,
) -> None:
    """Fit search's weights to your own tickets and the commits that closed them; kept only if they win."""
    answer = run(context, "tune", {"dry_run": dry_run, "forgotten": forget}, "tune", quiet=as_json)
    if as_json:
        print_json(answer)
        return
    from crosscheck.tune import text

    out.print(text(answer), soft_wrap=True)
