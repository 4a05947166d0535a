"""`crosscheck test-cases`: a draft of test cases, to read or as a file."""

import sys
from base64 import b64decode
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from crosscheck.command_line import As, Json, out, print_json, run
from crosscheck.errors import BadSettings

Shape = Literal["text", "csv", "xlsx", "gherkin", "testrail", "xray", "zephyr"]


def draft_cases(
    context: typer.Context,
    key: Annotated[str, typer.Argument(help="A ticket's key.")],
    form: Annotated[
        Shape, typer.Option("--format", help="Text to read, a file, or what a test management tool imports.")
    ] = "text",
    to: Annotated[Path | None, typer.Option("--out", help="Where to write it; otherwise it is printed.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file if it is there.")] = False,
    audience: As = "org",
    as_json: Json = False,
) -> None:
    """Draft test cases for a ticket, each with its sources; change nothing in any other system."""
    if form == "xlsx" and to is None and not as_json:
        raise BadSettings("An Excel workbook cannot be shown in a terminal; say where to write it, with --out.")
    if to is not None and to.exists() and not force:
        raise BadSettings(f"{to} is already there; it is not overwritten without --force.")
    asked = None if form == "text" else form
    arguments = {"key": key, "audience": audience, "form": asked}
    answer = run(context, "test_cases", arguments, "test-cases", quiet=as_json)
    content = _content(answer)
    if to is not None:
        _write(to, content, force=force)
    if as_json:
        print_json({**answer, "file": None, "wrote": str(to)} if to else answer)
    elif to is not None:
        out.print(f"Wrote {to}: {len(answer['cases'])} test cases, drafted by {answer['made_by']}.", soft_wrap=True)
    else:
        _show(answer, content)


def _content(answer: dict[str, Any]) -> bytes:
    """The file, or the text to read where none was asked for."""
    file = answer["file"]
    return b64decode(file["content"]) if file else f"{answer['reply'].rstrip()}\n".encode()


def _write(to: Path, content: bytes, *, force: bool) -> None:
    """A file that came to be there meanwhile is kept, too."""
    try:
        with to.open("wb" if force else "xb") as file:
            file.write(content)
    except FileExistsError as error:
        raise BadSettings(f"{to} is already there; it is not overwritten without --force.") from error


def _show(answer: dict[str, Any], content: bytes) -> None:
    """Text from outside cannot steer the terminal; the lines of a file end as the terminal wants them."""
    from bots.text import clean

    text = clean(content.decode())
    if answer["file"]:
        sys.stdout.write(text)
    else:
        out.print(text.rstrip(), soft_wrap=True)
