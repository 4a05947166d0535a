"""Commands about the life of an installation: backup, restoration, older schemas, retention, removal."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from bots.text import clean
from crosscheck import settings as config
from crosscheck.command_line import Json, err, out, print_json, progress_shown, run
from crosscheck.errors import BadSettings

Yes = Annotated[bool, typer.Option("--yes", help="Do it; without this, only what would be removed is counted.")]


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    for command in (backup, restore, downgrade, prune, forget):
        app.command()(command)


def backup(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="The backup's file; it must not be there yet.")],
    as_json: Json = False,
) -> None:
    """Write a backup of the database and of what was fitted, also while the service runs. The index is not in it."""
    from crosscheck.backup import backup as make

    settings = config.load(context.find_root().obj)
    with _steps(as_json) as report:
        made = make(settings, file, report)
    if as_json:
        print_json(made)
        return
    out.print(f"Wrote {file}: {made['bytes']:,} bytes, schema {made['revision']}, checked.", soft_wrap=True)
    out.print(
        "It holds questions and answers: keep it as you keep the tickets. Settings and secrets are not in it.",
        soft_wrap=True,
    )


def restore(
    context: typer.Context,
    file: Annotated[Path | None, typer.Argument(help="A file that `crosscheck backup` wrote.")] = None,
    replace: Annotated[
        bool, typer.Option(help="Put it in the place of a database that is there, which is kept beside it.")
    ] = False,
    mark: Annotated[
        bool, typer.Option("--mark", help="Instead of a file: mark a database that pg_restore has just restored.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Restore a backup while the service is stopped, so that nothing is answered twice afterwards."""
    from crosscheck import backup as backups
    from crosscheck.owner import owning
    from crosscheck.stores import FoldersAndServers

    if (file is None) != mark or (mark and replace):
        raise BadSettings("Give the backup's file, or --mark alone.")
    settings, secrets = config.load(context.find_root().obj), config.Secrets.from_environment()
    stores = FoldersAndServers(settings.data / "index", secrets.wanted("qdrant_api_key"))
    with owning(settings.data, "restore"), _steps(as_json) as report:
        if file is None:
            with _database(settings, secrets) as database:
                told = backups.mark_restored(settings, database, stores)
        else:
            told = backups.restore(settings, file, stores, report, replace=replace)
    if as_json:
        print_json(told)
        return
    if file is not None:
        out.print(f"Restored the backup of {told['made_at']} (version {told['version']}).", soft_wrap=True)
    if told.get("kept"):
        out.print(f"The database that was there is kept as {told['kept']}.", soft_wrap=True)
    out.print(
        f"Jobs that begin anew, if they were not answered since: {told['jobs']}; posts: {told['posts']}.",
        soft_wrap=True,
    )
    out.print(
        f"Jobs that may have been answered and cannot be looked up, so are not answered: {told['never']}.",
        soft_wrap=True,
    )
    out.print(
        "The index was deleted. Next: `crosscheck sync`, which reads every source in full, then `crosscheck serve`.",
        soft_wrap=True,
    )
    if not told.get("kept"):  # what was kept beside knew them
        out.print("Tokens that were revoked since the backup are valid again: revoke them again.")


def downgrade(
    context: typer.Context,
    revision: Annotated[str, typer.Argument(help="The older schema, e.g. 0008.")],
    as_json: Json = False,
) -> None:
    """Bring the database back to an older schema, before an older version is installed. Of SQLite a backup is made
    first; of PostgreSQL make one yourself, by pg_dump.
    """
    from crosscheck.backup import go_back
    from crosscheck.owner import owning

    settings, secrets = config.load(context.find_root().obj), config.Secrets.from_environment()
    with owning(settings.data, "downgrade"), _steps(as_json) as report:
        told = go_back(settings, revision, report, password=secrets.wanted("state_password"))
    if as_json:
        print_json(told)
        return
    if told["backup"]:
        out.print(f"Backed up to {told['backup']}.", soft_wrap=True)
    for undone in told["undone"]:
        out.print(f"Undone: {undone}", soft_wrap=True)
    out.print(f"Lost with it: {', '.join(told['lost']) or 'nothing'}.", soft_wrap=True)
    out.print(
        f"The schema is {revision}. Install the older version now; this one would bring it up to date again.",
        soft_wrap=True,
    )


def prune(context: typer.Context, as_json: Json = False) -> None:
    """Delete what is older than the settings keep it (see [retention]); the service does it daily."""
    told = run(context, "prune", {}, "prune", quiet=as_json)
    if as_json:
        print_json(told)
        return
    days = told["days"]
    for what, count, kept in (
        ("jobs with question, answer and story", told["jobs"], days["jobs_days"]),
        ("texts of posts", told["posts"], days["posts_days"]),
        ("jobs' searches and model calls", told["traces"], days["traces_days"]),
    ):
        out.print(f"{count} {what} deleted (kept {f'{kept} days' if kept else 'for ever'}).", soft_wrap=True)


def forget(
    context: typer.Context,
    person: Annotated[str | None, typer.Option(help="A platform's id of an account, e.g. of Jira or Slack.")] = None,
    name: Annotated[
        str, typer.Option(help="With --person: the name they are shown by, to find what they set aside.")
    ] = "",
    source: Annotated[str | None, typer.Option(help="A source that is not in the settings any more.")] = None,
    yes: Yes = False,
    as_json: Json = False,
) -> None:
    """Remove what is kept of a person, or of a source. Without --yes it is only counted."""
    if (person is None) == (source is None) or (name and person is None):
        raise BadSettings("Give --person with an account's id, or --source with a name.")
    if person is not None:
        arguments = {"account": person, "name": name, "really": yes}
        told = run(context, "forget_person", arguments, "forget", quiet=as_json)
    else:
        told = run(context, "forget_source", {"name": source, "really": yes}, "forget", quiet=as_json)
    if as_json:
        print_json(told | {"removed": yes})
        return
    out.print(_of_person(told) if person is not None else _of_source(told), soft_wrap=True)
    if told["under_way"]:
        err.print(f"{told['under_way']} jobs are under way and are left alone: do it again when they are over.")
    if told["copies"]:
        names = clean(", ".join(told["copies"]))
        err.print(f"Copies in the data folder hold it still: delete {names}, and old backups elsewhere.")
    out.print("Removed." if yes else "Nothing was removed; with --yes it is.")
    if yes and told.get("folder"):
        out.print(
            "The files of the embedded index hold deleted text until they are written anew. To have it gone at once, "
            f"stop the service, `rm -r {told['folder']}`, and `crosscheck sync`.",
            soft_wrap=True,
        )


def _of_person(told: dict[str, Any]) -> str:
    return clean(
        f"{told['jobs']} jobs that they asked for, {told['feedback']} verdicts on answers, {told['dismissals']} points "
        f"that they set aside (name and reason).\n"
        f"{told['unknown']} jobs do not say who asked; they go when [retention] says so.\n"
        "What they wrote in tickets, pages and channels belongs to those platforms: once it is deleted there, "
        "`crosscheck sync --full` takes it out of the index."
    )


def _of_source(told: dict[str, Any]) -> str:
    mirror = ", its mirror" if told["mirror"] else ""
    return (
        f"{told['documents']} documents in the index{mirror}, the words of {told['jobs']} jobs that rest on it, the "
        f"searches of all jobs, {told['pictures']} descriptions of pictures (of every source).\n"
        "What was posted stands where it was posted."
    )


@contextmanager
def _steps(quiet: bool) -> Iterator[Any]:
    with progress_shown(quiet=quiet) as shown:
        yield lambda step, done, total: shown({"step": step, "name": step, "done": done, "total": total})


@contextmanager
def _database(settings: config.Settings, secrets: config.Secrets) -> Iterator[Any]:
    from crosscheck.archive import DATABASE
    from state.db import open_database

    where = settings.state.url or settings.data / DATABASE
    database = open_database(where, password=secrets.wanted("state_password"))
    try:
        yield database
    finally:
        database.dispose()
