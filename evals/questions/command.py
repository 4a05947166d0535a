"""`crosscheck eval answers`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from crosscheck.command_line import As, operating, out

NAME = "answers"
"""What its stored runs are called."""


def answers(
    context: typer.Context,
    model: Annotated[bool, typer.Option("--model", help="Ask the [model] of the settings as well.")] = False,
    held: Annotated[
        bool, typer.Option("--held", help="The questions that nobody looks at while answers are mended.")
    ] = False,
    own: Annotated[
        Path | None,
        typer.Option("--questions", metavar="FILE.toml", help="Questions of your own, asked of your installation."),
    ] = None,
    audience: As = "org",
    example: Annotated[bool, typer.Option("--example", help="Print a file of questions to begin with.")] = False,
    judges: Annotated[
        bool, typer.Option("--judges", help="Have the three judges of [eval] read the answers, blind.")
    ] = False,
    results: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep the run there, and compare it with the last one kept there."),
    ] = None,
    against: Annotated[Path | None, typer.Option(metavar="RUN.json", help="Compare with this stored run.")] = None,
    pages: Annotated[Path | None, typer.Option("--report", metavar="DIR", help="Write the run as pages there.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Ask questions whose sources are known: what answers cite, refuse and take. Nothing is posted.

    Without --questions it asks a make-believe company's, without a model and with a scripted reader that invents as
    well as it reads. With --questions it asks your own, of your index and with what the settings say, for the readers
    of --as.
    """
    from crosscheck import settings as config
    from crosscheck.logs import configure
    from crosscheck.redaction import Redaction
    from evals.harness import stored
    from evals.harness.told import tell
    from evals.questions import own as own_questions
    from evals.questions.judging import Limits, judged, judges_of
    from evals.questions.load import QuestionsError
    from evals.questions.measure import of_sandbox

    if example:
        out.print(own_questions.EXAMPLE.read_text("utf-8"), end="", soft_wrap=True)
        return
    if own and model:
        raise QuestionsError("--questions asks as the settings say, so it does not go with --model.")
    secrets = config.Secrets.from_environment()
    configure("error", Redaction(secrets.values()))
    settings = config.load(context.find_root().obj) if own or model or judges else config.Settings()
    judging = judges_of(settings.eval, secrets) if judges else ()
    report = _quiet if as_json else _told
    name = f"{NAME}-{own.stem}" if own else NAME
    name = f"{name}-held" if held else name
    kept = against or (stored.last(results, name) if results else None)
    before = stored.read(kept) if kept else None  # minutes of work are not to end in a file that is no run
    if own:
        own_questions.questions(own)  # what is wrong with it is said before the index is opened
        with operating(settings, "eval answers") as operations:
            asked = [own_questions.measure(own, operations, audience, report, held=held)]
    else:
        asked = list(of_sandbox(["held" if held else "open"], report, model=settings if model else None))
    withheld = frozenset(settings.model.withhold if settings.model else ())
    limits = Limits(settings.eval.dollars, withheld if own else frozenset())
    run = stored.made(judged(asked, judging, limits, report) if judging else [one.measurement() for one in asked])
    tell(run, name, results, as_json=as_json, against=kept)
    if pages:
        from evals.report.write import write_report

        print(f"The report: {write_report(run, before, pages)}", file=sys.stderr)


def _told(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _quiet(_line: str) -> None:
    """JSON is for programs."""
