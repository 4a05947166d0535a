"""Commands about what programs ask for: tokens, the MCP server, and the same questions for people."""

import sys
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from bots.text import clean
from core.schema.types import State
from core.usage.types import Kind
from crosscheck import settings as config
from crosscheck.command_line import As, Json, err, out, print_json, run
from crosscheck.errors import BadSettings


def token(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Who will use it, e.g. build_agents.")],
    audience: As = "org",
    revoke: Annotated[bool, typer.Option("--revoke", help="Have it refused from now on, instead.")] = False,
    as_json: Json = False,
) -> None:
    """Make a token for a program that asks over MCP or HTTP; it is shown once, and only its hash is to be kept."""
    if revoke:
        _revoke(context, name, as_json=as_json)
        return
    from crosscheck.audience import Audiences
    from crosscheck.callers import hashed, new_token
    from crosscheck.labels import strange
    from crosscheck.settings_deployed import Token

    settings = config.load(context.find_root().obj)
    labels = sorted(Audiences(settings.audience.holders).named(audience).labels)
    made = new_token()
    try:
        table = Token(name=name, sha256=hashed(made), labels=tuple(labels))
    except ValueError as error:
        raise BadSettings(f"{name!r} cannot be the name: it has small letters, digits and _ only.") from error
    for label in sorted(strange(settings.model_copy(update={"tokens": (table,)})).keys() & set(labels)):
        err.print(f"Nothing that is configured has the label {clean(label)}.", soft_wrap=True)
    if as_json:
        print_json({"name": table.name, "token": made, "sha256": table.sha256, "labels": labels})
        return
    todo = "Put in the place of its table in" if name in {one.name for one in settings.tokens} else "Add to"
    out.print(f"The token, shown only now:\n\n  {made}\n\n{todo} the settings, and restart the service:\n")
    quoted = ", ".join(f'"{label}"' for label in labels)
    out.print(f'[[tokens]]\nname = "{table.name}"\nsha256 = "{table.sha256}"\nlabels = [{quoted}]', soft_wrap=True)


def _revoke(context: typer.Context, name: str, *, as_json: bool) -> None:
    import getpass

    answer = run(context, "token_revoke", {"name": name, "by": getpass.getuser()}, "token --revoke", quiet=as_json)
    if as_json:
        print_json(answer)
        return
    said = "was revoked before" if answer["before"] else "is revoked: within a second no process takes it any more"
    out.print(f"The token of {answer['name']} {said}. For a new one: crosscheck token {answer['name']}", soft_wrap=True)


def tokens(context: typer.Context, as_json: Json = False) -> None:
    """List the tokens of programs: what each may read, and since when it is revoked. A table that was added to the
    settings, or taken out, counts after a restart.
    """
    answer = run(context, "tokens", {}, "tokens", quiet=as_json)
    if as_json:
        print_json(answer)
        return
    for one in answer["tokens"]:
        revoked = f"revoked {one['revoked_at'][:16]} by {one['revoked_by']}" if one["revoked_at"] else "valid"
        out.print(clean(f"{one['name']:24} {revoked:34} {', '.join(one['labels']) or 'no labels'}"), soft_wrap=True)
    if not answer["tokens"]:
        out.print("There are none. Make one: crosscheck token NAME")


def mcp(context: typer.Context, audience: As = "org") -> None:
    """Serve coding agents on standard input and output (Model Context Protocol), until the input ends."""
    from crosscheck.mcp.stdio import run_stdio
    from crosscheck.owner import owning, running
    from crosscheck.remote import OfService

    settings = config.load(context.find_root().obj)
    if running(settings.data):
        run_stdio(OfService(settings.data), audience, version=version("crosscheck"))
        return
    from contextlib import closing

    from crosscheck.logs import configure
    from crosscheck.operations import Local
    from crosscheck.redaction import Redaction
    from crosscheck.wiring import Program

    secrets = config.Secrets.from_environment()
    configure("error", Redaction(secrets.values()))
    with owning(settings.data, "mcp"), closing(Program(settings, secrets)) as program:
        run_stdio(Local(program), audience, version=version("crosscheck"))


def plan(
    context: typer.Context,
    file: Annotated[Path | None, typer.Argument(help="File of the plan or diff; without one, standard input.")] = None,
    repo: Annotated[str | None, typer.Option(help="The repository that is to be changed.")] = None,
    branch: Annotated[str | None, typer.Option(help="The branch that is worked on.")] = None,
    audience: As = "org",
    as_json: Json = False,
) -> None:
    """Say what could change a plan before it is carried out: at most three sources and five checks."""
    try:
        text = file.read_text("utf-8") if file else sys.stdin.read()
    except UnicodeDecodeError as error:
        raise BadSettings(f"{file or 'The input'} is no text in UTF-8.") from error
    arguments = {"plan": text, "repository": repo, "branch": branch, "audience": audience}
    answer = run(context, "plan", arguments, "plan", quiet=as_json)
    if as_json:
        print_json(answer)
        return
    from crosscheck.agent_text import plan_text

    out.print(clean(plan_text(answer)), soft_wrap=True)


def consumers(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="A symbol, route, event, configuration key, or table.column.")],
    kind: Annotated[Kind | None, typer.Option(help="What it is, where its spelling does not tell.")] = None,
    repo: Annotated[list[str] | None, typer.Option(help="Only this repository; may be given again.")] = None,
    branch: Annotated[list[str] | None, typer.Option(help="This branch, too; may be given again.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many.")] = 30,
    audience: As = "org",
    as_json: Json = False,
) -> None:
    """Say who uses something, in all repositories, how sure that is, and where it could not be looked."""
    arguments = {
        "name": name,
        "kind": kind,
        "repositories": repo or [],
        "branches": branch or [],
        "limit": limit,
        "audience": audience,
    }
    answer = run(context, "consumers", arguments, "consumers")
    if as_json:
        print_json(answer)
        return
    from crosscheck.agent_text import consumers_text

    out.print(clean(consumers_text(answer)), soft_wrap=True)


def deployed(
    context: typer.Context,
    environment: Annotated[str | None, typer.Option(help="Only this environment.")] = None,
    repo: Annotated[str | None, typer.Option(help="Only this repository.")] = None,
    commit: Annotated[str | None, typer.Option(help="Whether this commit runs there, with --repo.")] = None,
    pull: Annotated[int | None, typer.Option(help="Whether this pull request runs there, with --repo.")] = None,
    ticket: Annotated[str | None, typer.Option(help="Whether this ticket's work runs there.")] = None,
    audience: As = "org",
    as_json: Json = False,
) -> None:
    """Say which version runs where, and whether a commit, a pull request or a ticket's work is in it."""
    arguments = {
        "environment": environment,
        "repository": repo,
        "commit": commit,
        "pull": pull,
        "ticket": ticket,
        "audience": audience,
    }
    answer = run(context, "deployed", arguments, "deployed")
    if as_json:
        print_json(answer)
        return
    from crosscheck.agent_text import deployed_text

    out.print(clean(deployed_text(answer)), soft_wrap=True)


def schema(
    context: typer.Context,
    database: Annotated[str | None, typer.Option(help="Only this database.")] = None,
    table: Annotated[str | None, typer.Option(help="Only migrations that touch this table.")] = None,
    column: Annotated[str | None, typer.Option(help="Only migrations that touch this column, with --table.")] = None,
    state: Annotated[State | None, typer.Option(help="Only migrations in this state.")] = None,
    audience: As = "org",
    as_json: Json = False,
) -> None:
    """Say how databases changed: which migrations were applied, are pending, failed or were edited afterwards."""
    arguments = {"database": database, "table": table, "column": column, "state": state, "audience": audience}
    answer = run(context, "schema", arguments, "schema")
    if as_json:
        print_json(answer)
        return
    from crosscheck.agent_text import schema_text

    out.print(clean(schema_text(answer)), soft_wrap=True)


def add_to(app: typer.Typer) -> None:
    for command in (plan, consumers, deployed, schema, mcp, token, tokens):
        app.command()(command)
