"""`crosscheck eval accuracy`."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bots.text import clean
from crosscheck.command_line import As, err, out, progress_shown

if TYPE_CHECKING:  # they bring the whole program
    from crosscheck.settings import Secrets, Settings
    from evals.accuracy.places import Repository

NAME = "accuracy"
"""What its stored runs are called."""
REPORT = "report"
"""Where in the run's folder its pages are."""


def accuracy(
    context: typer.Context,
    folder: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="The run's folder; an interrupted run goes on there.")
    ],
    repos: Annotated[
        list[str] | None,
        typer.Option(
            "--repo",
            metavar="NAME|PATH",
            help="A repository of the settings, or one by its path, whose tasks are told by its commits' messages. "
            "Default: all of the settings; may be given again.",
        ),
    ] = None,
    most: Annotated[int, typer.Option(min=1, help="Most tasks of one repository.")] = 20,
    tasks: Annotated[
        Path | None, typer.Option(metavar="FILE", help="These tasks, as another run's tasks.jsonl has them.")
    ] = None,
    candidates: Annotated[
        list[str] | None, typer.Option("--candidate", metavar="LABEL", help="Of [eval]; default: all.")
    ] = None,
    scripted: Annotated[
        bool,
        typer.Option(
            "--scripted",
            help="With scripted models, which need no key; without --repo on a make-believe company's tickets.",
        ),
    ] = False,
    seed: Annotated[int, typer.Option(help="Draws the order in which patches are shown to judges.")] = 0,
    audience: As = "org",
    results: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep the run there, and compare it with the last one kept there."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Let models implement tickets that were shipped, with Crosscheck's tools and without, and have three others judge.

    Each ticket is taken back to the moment before its change was begun: the code, and all that Crosscheck may know.
    Judges see patches without where they are from. It stops at the dollars of [eval]. It only reads: nothing is posted.
    """
    from crosscheck import settings as config
    from crosscheck.logs import configure
    from crosscheck.redaction import Redaction
    from evals.accuracy import cast
    from evals.accuracy.results import measurements, table_of
    from evals.accuracy.run import run
    from evals.accuracy.scripted import playground
    from evals.accuracy.store import Store, tasks_in
    from evals.harness import stored
    from evals.harness.errors import EvalError
    from evals.harness.told import tell
    from evals.report.write import write_report

    secrets = config.Secrets.from_environment()
    configure("error", Redaction(secrets.values()))
    if scripted and candidates:
        raise EvalError("--scripted brings its own candidate, so it does not go with --candidate.")
    settings = _settings(context, scripted=scripted)
    given = tasks_in(tasks) if tasks else None
    if tasks and not given:
        raise EvalError(f"{tasks} has no task.")
    casting = playground.cast if scripted else cast.of_settings(settings.eval, secrets, candidates or ())
    store = Store(folder)

    def say(sentence: str) -> None:
        if not as_json:
            err.print(clean(sentence), soft_wrap=True)

    try:
        with (
            store.alone(),
            _places(repos or (), settings, secrets, audience, folder, scripted=scripted) as places,
        ):
            with progress_shown(quiet=as_json) as report:
                outcome = run(
                    places, casting, store, settings.eval, seed=seed, most=most, given=given, report=report, say=say
                )
            made = stored.made(measurements(outcome, store, settings.eval, seed))
    except KeyboardInterrupt:
        say(f"Interrupted. What was done is in {folder}, and the same command goes on.")
        raise typer.Exit(130) from None
    judges = [judge.label for judge in outcome.cast.judges]
    for (name, candidate), tickets in outcome.tickets.items() if not as_json else ():
        out.print(clean(f"{name}, {candidate}: tickets"), style="bold", soft_wrap=True)
        out.print(table_of(tickets, judges))
        out.print()
    own = [place.set for place in places if not place.sources.tracked]
    called = "-".join([NAME, *(["scripted"] if scripted else []), *own])
    before = stored.last(results, called) if results else None
    earlier = stored.read(before) if before else None
    tell(made, called, results, as_json=as_json, against=before)
    say(f"The report: {write_report(made, earlier, folder / REPORT)}")


def _settings(context: typer.Context, *, scripted: bool) -> "Settings":
    """Scripts need none: without a file they are the defaults."""
    from crosscheck import settings as config

    path: Path = context.find_root().obj
    if scripted and path == Path(config.FILE) and not path.exists():
        return config.Settings()
    return config.load(path)


@contextmanager
def _places(
    repos: Sequence[str], settings: "Settings", secrets: "Secrets", audience: str, folder: Path, *, scripted: bool
) -> Iterator[tuple["Repository", ...]]:
    """Raises EvalError for names of nothing, and for two repositories of one name."""
    from evals.accuracy.places import by_path, by_settings
    from evals.accuracy.scripted.playground import playground
    from evals.harness.errors import EvalError

    if scripted and not repos:
        with playground() as places:
            yield places
        return
    known = {git.name for git in settings.git}
    paths = [Path(repo) for repo in repos if repo not in known and Path(repo).is_dir()]
    names = [repo for repo in repos if repo in known or not Path(repo).is_dir()]
    chosen = [by_path(path, settings, secrets) for path in paths]
    if names or not repos:
        chosen += by_settings(names, settings, secrets, audience, folder / "mirrors")
    called = [place.history.name for place in chosen]
    if twice := [name for name in called if called.count(name) > 1]:
        raise EvalError(
            f"Two repositories are called {twice[0]}. Measure them one after the other, each with its --out."
        )
    yield tuple(chosen)
