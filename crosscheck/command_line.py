"""What the commands share: where they print, how they run an operation, how they show its progress."""

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress, TaskID

from crosscheck import settings as config

if TYPE_CHECKING:  # operations take long to import
    from crosscheck.operations import Operations

out = Console(highlight=False, markup=False)
err = Console(stderr=True, highlight=False, markup=False)

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
KEEPING = frozenset({"sync", "index_move", "index_rebuild"})
"""Operations that change the index: of several processes one at a time may."""

As = Annotated[str, typer.Option("--as", metavar="AUDIENCE", help="Labels the reader holds, separated by commas.")]


def run(
    context: typer.Context, name: str, arguments: dict[str, Any], what: str, *, quiet: bool = False
) -> dict[str, Any]:
    """The result of an operation, from the service that owns the data folder, or made here."""
    settings = config.load(context.find_root().obj)
    with progress_shown(quiet=quiet) as report, operating(settings, what, keeps=name in KEEPING) as operations:
        return operations.run(name, arguments, report)


@contextmanager
def operating(settings: config.Settings, what: str, *, keeps: bool = False) -> Iterator["Operations"]:
    """Who runs operations: the service that owns the data folder, or this process. `keeps`: they change the index."""
    from crosscheck.owner import owning, running
    from crosscheck.remote import Remote

    service = running(settings.data)
    if service:
        yield Remote(service)
        return
    from crosscheck.logs import configure
    from crosscheck.operations import Local
    from crosscheck.redaction import Redaction
    from crosscheck.wiring import Program

    secrets = config.Secrets.from_environment()
    configure("error", Redaction(secrets.values()))
    keeps = keeps or not settings.several
    with owning(settings.data, what):
        program = Program(settings, secrets, keeps_index=keeps)
        with closing(program), program.leading.led("sync", program.sources.stop) if keeps else nullcontext():
            yield Local(program)


@contextmanager
def progress_shown(*, quiet: bool) -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """A bar for each step that is reported, on standard error, gone when it is over; where that is no terminal, a line
    every ten seconds.
    """
    from crosscheck.terminal import Lines, columns

    if not err.is_terminal:
        yield (lambda _message: None) if quiet else Lines(lambda line: err.print(line, soft_wrap=True, markup=False))
        return
    with Progress(*columns(), console=err, transient=True, disable=quiet) as progress:
        bars: dict[str, TaskID] = {}

        def report(message: Mapping[str, Any]) -> None:
            if message["step"] not in bars:
                bars[message["step"]] = progress.add_task(message["step"], total=None)
            progress.update(bars[message["step"]], completed=message["done"], total=message["total"])

        yield report


def print_json(value: Any) -> None:
    """What `--json` prints; what steers terminals stays escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    sys.stdout.write(re.sub("[\x7f-\x9f\u202a-\u202e\u2066-\u2069]", lambda m: f"\\u{ord(m[0]):04x}", text) + "\n")
