"""`crosscheck doctor`: every connection and permission, and what to do about each failure."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

from bots.errors import BotError
from core import visibility
from core.errors import CoreError
from crosscheck.errors import CrosscheckError
from crosscheck.owner import running
from crosscheck.settings import Secrets, Settings
from crosscheck.wiring import Program
from review.errors import ReviewError
from state.errors import StateError

LEAST_FREE = 2 * 1024**3  # bytes; a full disk kills the process that writes the index

KNOWN = (BotError, CoreError, CrosscheckError, ReviewError, StateError)


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    state: Literal["ok", "warning", "failed"]
    says: str


def examine(settings: Settings, secrets: Secrets) -> list[Check]:
    """Run every check that the settings call for; one that fails does not keep the others from running."""
    program = Program(settings, secrets)
    try:
        return list(_checks(program))
    finally:
        program.close()


def _checks(program: Program) -> Iterator[Check]:
    settings = program.settings
    yield _disk(settings)
    yield _tried("database", lambda: f"{sum(program.jobs.counts().values())} jobs on record")
    service = running(settings.data)
    if service:
        yield Check("index", "ok", f"owned by the running service (pid {service.pid}, {service.url})")
    else:
        yield _tried("index", lambda: program.ingest.check() or "agrees with the database", warn=True)
    if settings.jira is None:
        yield Check("jira", "warning", "not configured: nobody can ask in tickets. Add a [jira] table.")
    else:
        yield from _jira(program)
    for name in ("confluence", *(git.name for git in settings.git)):
        if name != "confluence" or settings.confluence:
            yield _tried(name, partial(_source, program, name))
    yield from _audience(settings)
    if settings.model is None:
        yield Check("model", "ok", "none configured: the rules review alone, and the answers say so")
    else:
        yield _tried(
            "model", lambda: f"{settings.model.name if settings.model else ''} is set up" if program.reviewer else ""
        )


def _disk(settings: Settings) -> Check:
    settings.data.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(settings.data).free
    says = f"{free / 1024**3:.1f} GiB free in {settings.data}"
    if free < LEAST_FREE:
        return Check("disk", "failed", f"{says}. At least {LEAST_FREE / 1024**3:.0f} GiB are needed: free some.")
    return Check("disk", "ok", says)


def _jira(program: Program) -> Iterator[Check]:
    settings, secrets = program.settings.jira, program.secrets
    assert settings is not None  # noqa: S101  the caller looked
    for project in settings.projects:
        yield _tried(f"jira read {project}", partial(_readable, program, project))
        yield _tried(f"jira post {project}", partial(_postable, program, project))
    if secrets.jira_webhook_secret is None:
        yield Check(
            "jira webhook", "warning", "CROSSCHECK_JIRA_WEBHOOK_SECRET is not set: comments are found by polling."
        )
    else:
        yield Check("jira webhook", "ok", "signatures are checked; register /webhooks/jira for comment events in Jira")
    read, post = secrets.jira_read_token, secrets.jira_post_token
    if read and post and read == post:
        says = "the reading and the posting token are one: use an account that cannot write for reading."
        yield Check("jira tokens", "warning", says)


def _readable(program: Program, project: str) -> str:
    count = sum(1 for _ in program.jira_reader.keys(project))
    return f"{count} tickets can be read"


def _postable(program: Program, project: str) -> str:
    missing = program.jira_client.missing_permissions(project)
    if missing:
        raise CrosscheckError(f"the posting account lacks {', '.join(missing)} in {project}: grant it there.")
    return "comments can be read, written and withdrawn"


def _source(program: Program, name: str) -> str:
    program.connectors[name].mark()
    return "can be read"


def _audience(settings: Settings) -> Iterator[Check]:
    if settings.jira is None:
        return
    for project in settings.jira.projects:
        label = visibility.jira_project(project)
        if not settings.audience.holders.get(label):
            says = f"no audience.holders for {label}: answers there use tickets of {project} alone."
            yield Check(f"audience {project}", "warning", says)


def _tried(name: str, look: Callable[[], str], *, warn: bool = False) -> Check:
    try:
        says = look()
    except KNOWN as error:
        return Check(name, "failed", str(error))
    return Check(name, "warning" if warn and "agrees" not in says else "ok", says)
