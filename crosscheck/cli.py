"""The command line. Each command is an operation, run here or in the service that owns the data folder."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from bots.text import clean
from crosscheck import agent_cli, lifecycle_cli
from crosscheck import settings as config
from crosscheck.command_line import As, Json, err, out, print_json, run
from crosscheck.errors import BadSettings
from crosscheck.health_cli import health
from crosscheck.index_cli import draw_map, fit_weights, index_app
from crosscheck.test_cases_cli import draft_cases
from evals.cli import eval_app
from state.types import JobState

app = typer.Typer(
    help="Finds what a ticket leaves open or contradicts: policies, decisions, earlier bugs; with a model also code.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
)
jobs_app = typer.Typer(
    help="What was asked, and what became of it.", invoke_without_command=True, rich_markup_mode=None
)
app.add_typer(jobs_app, name="jobs")
app.add_typer(index_app, name="index", invoke_without_command=True)
app.add_typer(eval_app, name="eval")
app.command("map")(draw_map)
app.command("tune")(fit_weights)
app.command("test-cases")(draft_cases)
app.command("health")(health)
agent_cli.add_to(app)
lifecycle_cli.add_to(app)

Config = Annotated[Path, typer.Option("--config", "-c", help="The settings file.")]


@app.callback()
def _root(context: typer.Context, config_file: Config = Path(config.FILE)) -> None:
    context.obj = config_file


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command. Expected failures are one sentence on standard error and an exit code, never a trace."""
    from crosscheck.operations import EXPECTED

    try:
        app(arguments)
    except EXPECTED as error:
        _failed(str(error), getattr(error, "exit_code", 1))
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _failed(f"{where}{error.strerror or error}.", 1)


def _failed(sentence: str, code: int) -> NoReturn:
    err.print(clean(sentence), style="red", soft_wrap=True)
    sys.exit(code)


@app.command()
def init(context: typer.Context, as_json: Json = False) -> None:
    """Write a commented settings file to begin with."""
    from crosscheck.template import starter

    path: Path = context.obj
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(starter())
    except FileExistsError as error:
        raise BadSettings(f"{path} is already there; it is not overwritten.") from error
    if as_json:
        print_json({"wrote": str(path), "secrets": [config.variable(name) for name in config.Secrets.model_fields]})
        return
    out.print(f"Wrote {path}. Fill in your sites and projects, set the tokens in the environment:", soft_wrap=True)
    for name, field in config.Secrets.model_fields.items():
        out.print(f"  {config.variable(name)}  {field.description}", soft_wrap=True)
    out.print("Then: crosscheck doctor, crosscheck sync, crosscheck serve.")


@app.command()
def doctor(context: typer.Context, as_json: Json = False) -> None:
    """Check every connection and permission, and say what to do about each failure."""
    from crosscheck.doctor import examine
    from crosscheck.doctor_secrets import secrets_checks

    checks = [*examine(config.load(context.obj), config.Secrets.from_environment()), *secrets_checks()]
    if as_json:
        print_json([{"check": c.name, "state": c.state, "says": c.says, "do": c.do} for c in checks])
    else:
        for check in checks:
            style = {"ok": "green", "warning": "yellow", "failed": "red"}[check.state]
            out.print(f"{check.state:8}", style=style, end=" ")
            out.print(clean(f"{check.name}: {check.says} {check.do}".rstrip()), soft_wrap=True)
    if any(check.state == "failed" for check in checks):
        raise typer.Exit(1)


@app.command()
def sync(
    context: typer.Context,
    sources: Annotated[list[str] | None, typer.Argument(help="Names of sources; all when none is given.")] = None,
    full: Annotated[bool, typer.Option(help="Read everything again, and forget what is not there any more.")] = False,
    as_json: Json = False,
) -> None:
    """Bring the index up to date with its sources."""
    answer = run(context, "sync", {"sources": sources or [], "full": full}, "sync", quiet=as_json)
    if as_json:
        print_json(answer)
    else:
        from crosscheck.terminal import sync_text

        out.print(sync_text(answer), soft_wrap=True)
    if answer["failed"]:
        raise typer.Exit(1)


@app.command()
def serve(
    context: typer.Context,
    roles: Annotated[
        str | None, typer.Option(help="What this process does, of web,slack,poll,work,sync; everything without it.")
    ] = None,
) -> None:
    """Run the service: webhooks, pollers, worker, scheduled syncs. Until Ctrl-C."""
    from crosscheck.roles import ALL, chosen
    from crosscheck.serving import serve_forever

    settings = config.load(context.obj)
    serve_forever(settings, config.Secrets.from_environment(), ALL if roles is None else chosen(roles))


@app.command()
def sources(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(help="A source: what of its documents could not be read.")] = None,
    as_json: Json = False,
) -> None:
    """Each source: documents, last success, age, last error; with a name also what could not be read."""
    answer = run(context, "sources", {"name": name}, "sources")
    if as_json:
        print_json(answer)
        return
    from crosscheck.terminal import source_table, unread_text

    out.print(source_table(answer["sources"]))
    if name:
        out.print(unread_text(answer), soft_wrap=True)


@app.command()
def search(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="What to look for: words, a ticket key, a path, a symbol.")],
    audience: As = "org",
    limit: Annotated[int, typer.Option(min=1, max=50, help="How many pieces of evidence.")] = 10,
    source: Annotated[list[str] | None, typer.Option(help="Only this source; may be given again.")] = None,
    repo: Annotated[list[str] | None, typer.Option(help="Only this repository; may be given again.")] = None,
    path: Annotated[
        str | None, typer.Option(help="Only files whose path this glob matches, e.g. 'src/**/*.py'.")
    ] = None,
    language: Annotated[
        list[str] | None, typer.Option(help="Only code in this language, e.g. python; may be given again.")
    ] = None,
    branch: Annotated[str | None, typer.Option(help="A branch in development; without it, the baseline.")] = None,
    as_of: Annotated[str | None, typer.Option(help="Leave out what was changed after this date.")] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show how each result was found, and what was not.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Find evidence, as a bot would for that audience."""
    filters = {"sources": source, "repos": repo, "path": path, "branch": branch, "as_of": as_of, "languages": language}
    arguments = {"text": text, "audience": audience, "limit": limit, "filters": filters, "explain": explain}
    answer = run(context, "search", arguments, "search")
    if as_json:
        print_json(answer)
        return
    from crosscheck.terminal import evidence_text

    out.print(evidence_text(answer), soft_wrap=True)
    if "trace" in answer:
        from crosscheck.explain import explained

        out.print(explained(answer["trace"]))


@app.command()
def review(
    context: typer.Context,
    key: Annotated[str | None, typer.Argument(help="A ticket's key.")] = None,
    every: Annotated[bool, typer.Option("--all", help="All tickets of --project.")] = False,
    project: Annotated[list[str] | None, typer.Option(help="A project's key, with --all; may be repeated.")] = None,
    truth: Annotated[Path | None, typer.Option(help="File of expectations to count against, with --all.")] = None,
    jql: Annotated[
        str | None, typer.Option(help="All tickets that this JQL finds, e.g. a release: what is urgent in them.")
    ] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the urgent findings as CSV, with --jql.")] = False,
    audience: As = "org",
    as_json: Json = False,
) -> None:
    """Print what a bot would post about a ticket; post nothing."""
    if [key is not None, every, jql is not None].count(True) != 1 or every != bool(project):
        raise BadSettings("Give a ticket's key, or --all with --project, or --jql with an expression.")
    if as_csv and (jql is None or as_json):
        raise BadSettings("--csv goes with --jql, and without --json.")
    if jql is not None:
        answer = run(context, "review_release", {"jql": jql, "audience": audience}, "review", quiet=as_json)
        _print_release(answer, as_csv=as_csv, as_json=as_json)
        return
    if every:
        arguments = {"projects": project, "audience": audience, "truth": str(truth.resolve()) if truth else None}
        answer = run(context, "review_all", arguments, "review", quiet=as_json)
    else:
        answer = run(context, "review", {"key": key, "audience": audience}, "review")
    if as_json:
        print_json(answer)
        return
    from crosscheck.terminal import review_all_text

    out.print(review_all_text(answer) if every else answer["reply"], soft_wrap=True)


def _print_release(answer: dict[str, Any], *, as_csv: bool, as_json: bool) -> None:
    if as_json:
        print_json(answer)
    elif as_csv:
        from crosscheck.release import as_csv as written

        sys.stdout.write(clean(written(answer["open"]).replace("\r\n", "\n")))
        for failed in answer["not_reviewed"]:
            err.print(clean(f"Not reviewed: {failed['key']}: {failed['reason']}"), soft_wrap=True)
    else:
        from crosscheck.terminal import release_text

        out.print(release_text(answer))


@app.command()
def ask(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="A question, in any words.")],
    audience: As = "org",
    as_json: Json = False,
) -> None:
    """Answer a question from tickets, policies, code and commits, with its sources; post nothing."""
    answer = run(context, "ask", {"text": text, "audience": audience}, "ask")
    if as_json:
        print_json(answer)
        return
    out.print(clean("\n\n".join([answer["reply"], *answer["hints"]])), soft_wrap=True)


@jobs_app.callback()
def jobs(
    context: typer.Context,
    state: Annotated[JobState | None, typer.Option(help="Only jobs in this state.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many, newest first.")] = 30,
    as_json: Json = False,
) -> None:
    """List jobs, newest first."""
    if context.invoked_subcommand:
        return
    answer = run(context, "jobs", {"state": state, "limit": limit}, "jobs")
    if as_json:
        print_json(answer)
        return
    from crosscheck.terminal import job_table

    out.print(job_table(answer))


JobId = Annotated[int, typer.Argument(help="The job's number, from `crosscheck jobs`.")]


@jobs_app.command("show")
def jobs_show(
    context: typer.Context,
    job: JobId,
    explain: Annotated[bool, typer.Option("--explain", help="Show each search in full.")] = False,
    as_json: Json = False,
) -> None:
    """One job's whole story, with its reply."""
    answer = run(context, "job", {"id": job}, "jobs show")
    if as_json:
        print_json(answer)
        return
    from crosscheck.terminal import job_text

    out.print(job_text(answer), soft_wrap=True)
    for searched in (answer["result"] or {}).get("searches", ()) if explain else ():
        from crosscheck.explain import explained

        out.print(f"\nSearch: {clean(searched['text'])}\n", soft_wrap=True)
        out.print(explained(searched["trace"]))


@jobs_app.command("retry")
def jobs_retry(context: typer.Context, job: JobId, as_json: Json = False) -> None:
    """Start a failed job, or a failed post, again; it is recorded who did."""
    import getpass

    answer = run(context, "retry", {"id": job, "by": getpass.getuser()}, "jobs retry")
    if as_json:
        print_json(answer)
        return
    out.print(f"Job {job} is queued again.")


@app.command()
def demo(
    once: Annotated[bool, typer.Option(help="Exit after the reply.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the posted comment, findings and timings as JSON.")
    ] = False,
) -> None:
    """Run the main job on a make-believe company: no account, key, GPU or model download."""
    from crosscheck.demo import run_demo

    run_demo(once=once or as_json, as_json=as_json)


if __name__ == "__main__":
    main()
