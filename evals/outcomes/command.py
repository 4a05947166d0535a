"""`crosscheck eval outcomes`."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosscheck.command_line import progress_shown

if TYPE_CHECKING:
    from crosscheck.settings import Secrets, Settings
    from evals.outcomes.reading import Installation
    from evals.outcomes.types import Subject

NAME = "outcomes"
"""What its stored runs are called."""
_COLUMNS = ("subject", "fingerprint", "rule", "category", "priority", "told", "outcome", "at")


def outcomes(
    context: typer.Context,
    since: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], metavar="DATE", help="Only findings that were told first since then (UTC)."),
    ] = None,
    rerun: Annotated[
        bool, typer.Option("--rerun", help="Review edited tickets again by the rules alone; the service must not run.")
    ] = False,
    listed: Annotated[
        Path | None, typer.Option("--list", metavar="FILE.csv", help="Write what came of each finding there.")
    ] = None,
    results: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep the run there, and compare it with the last one kept there."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """How many findings people accepted: by editing the text, by answering, and how many they dismissed.

    Reads what was told from this installation's database, and the tickets and pages as they are now. Writes nothing
    there, and keeps no names and no texts.
    """
    from crosscheck import settings as config
    from crosscheck.logs import configure
    from crosscheck.redaction import Redaction
    from crosscheck.test_case_files.cells import as_csv
    from evals.harness import stored
    from evals.harness.told import tell
    from evals.outcomes.measure import measure

    secrets = config.Secrets.from_environment()
    configure("error", Redaction(secrets.values()))
    settings = config.load(context.find_root().obj)
    if listed:
        listed.touch()  # minutes of reading are not to end in a file that cannot be written
    start = since.replace(tzinfo=UTC) if since else None
    with progress_shown(quiet=as_json) as report, _installation(settings, secrets, rerun=rerun) as installation:

        def progress(done: int, total: int, _name: str) -> None:
            report({"step": "read", "done": done, "total": total})

        measured, subjects = measure(installation, start, progress)
    if listed:
        listed.write_bytes(as_csv(_COLUMNS, _rows(subjects)))
    tell(stored.made([measured]), NAME, results, as_json=as_json)


@contextmanager
def _installation(settings: "Settings", secrets: "Secrets", *, rerun: bool) -> Iterator["Installation"]:
    """The database may be read beside a service that runs; the index, which a review searches, may not.

    Raises EvalError where nothing was told yet, AlreadyRunning for `rerun` beside a service.
    """
    from crosscheck.owner import owning
    from crosscheck.wiring import Program
    from evals.harness.errors import EvalError
    from evals.outcomes.reading import Installation

    file = settings.data / "crosscheck.sqlite"
    if not settings.state.url and not file.exists():
        raise EvalError(f"There is no database at {file}, so nothing was told yet. Is this the right settings file?")
    with ExitStack() as stack:
        rules = None
        if rerun:
            stack.enter_context(owning(settings.data, "eval outcomes"))
            without = settings.model_copy(update={"model": None})
            rules = stack.enter_context(closing(Program(without, secrets, keeps_index=not settings.several)))
        yield Installation(rules or stack.enter_context(closing(Program(settings, secrets))), rules)


def _rows(subjects: Iterable["Subject"]) -> Iterator[list[str]]:
    """A row a finding, without its text."""
    for subject in subjects:
        for one in subject.outcomes:
            kind = (one.rule, one.category, one.priority)
            yield [subject.key, one.fingerprint, *kind, _time(one.told_at), one.sign, _time(one.at)]


def _time(at: datetime | None) -> str:
    return at.isoformat(timespec="seconds") if at else ""
