"""`crosscheck doctor`: every connection and permission, and what to do about each failure."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from bots.text import one_line
from core import visibility
from core.pulls.repository import Repository
from core.types import ORG
from crosscheck.checks import Check, tried
from crosscheck.doctor_atlassian import confluence_checks, jira_checks
from crosscheck.doctor_deployed import deployed_checks
from crosscheck.doctor_models import model_checks
from crosscheck.doctor_running import running_checks
from crosscheck.doctor_slack import slack_checks
from crosscheck.errors import CrosscheckError
from crosscheck.labels import strange
from crosscheck.owner import running
from crosscheck.repositories import repositories
from crosscheck.settings import Secrets, Settings
from crosscheck.settings_sources import Files, Git, Qa
from crosscheck.stores import SERVER
from crosscheck.wiring import Program
from state.generations import Generations

LEAST_FREE = 2 * 1024**3  # bytes; a full disk kills the process that writes the index


def examine(settings: Settings, secrets: Secrets, *, least_free: int = LEAST_FREE) -> list[Check]:
    """Run every check that the settings call for; one that fails does not keep the others from running."""
    program = Program(settings, secrets, keeps_index=not settings.several)
    try:
        return list(_checks(program, least_free))
    finally:
        program.close()


def _checks(program: Program, least_free: int) -> Iterator[Check]:
    settings = program.settings
    yield tried("disk", partial(_disk, settings, least_free), "Free some, or set `data` to a folder on another disk.")
    yield from running_checks(program)
    yield _index(program)
    if settings.jira is None:
        says = "not configured: nobody can ask in tickets, and `crosscheck serve` does not start."
        yield Check("jira", "failed", says, "Add a [jira] table.")
    else:
        yield from jira_checks(program, settings.jira)
    if settings.slack:
        yield from slack_checks(settings, settings.slack, program.secrets)
    if settings.confluence:
        yield from confluence_checks(program, settings.confluence)
    for git in settings.git:
        yield _git(program, git)
    if settings.hosts:
        yield from _pulls(settings, program.secrets)
    yield from deployed_checks(program)
    folders: tuple[Files | Qa, ...] = (*settings.files, *settings.qa)
    for folder in folders:
        advice = f"Check that {folder.location} is a folder which this user can read, and that it is not empty."
        yield tried(folder.name, partial(_source, program, folder.name), advice)
    yield from _audience(settings)
    yield from model_checks(program)
    if settings.index.engine == SERVER:
        advice = "Check index.url and CROSSCHECK_QDRANT_API_KEY. Until it answers, nothing is found."
        yield tried("index server", partial(_server, program), advice)
    if settings.pictures:
        advice = "Check [pictures] and CROSSCHECK_PICTURES_API_KEY. Until then pictures are said to be unread."
        yield tried("pictures", partial(_pictures, program), advice)
    if settings.model is None:
        yield Check("model", "ok", "none configured: the rules review alone, and the answers say so")
    else:
        advice = (
            "Check model.name, model.base_url and CROSSCHECK_MODEL_API_KEY. Until it answers, the rules review alone."
        )
        yield tried("model", partial(_model, program), advice)


def _pulls(settings: Settings, secrets: Secrets) -> Iterator[Check]:
    """Whether each host shows the pull requests of its repositories."""
    try:
        every = list(repositories(settings, secrets))
    except CrosscheckError as error:
        yield Check("pull requests", "failed", str(error))
        return
    hosts = {git.name: git.host for git in settings.git if git.host}
    for one in every:
        if one.name in hosts:
            advice = (
                f"Check the [[hosts]] table {hosts[one.name]}, git.project and CROSSCHECK_HOST_TOKEN_"
                f"{hosts[one.name].upper()}. Until it answers, reviews say that pull requests were not read."
            )
            yield tried(f"pull requests {one.name}", partial(_listed, one), advice)


def _listed(repository: Repository) -> str:
    repository.host.with_text(repository.name, repository.project, "crosscheck")
    return "can be read"


def _disk(settings: Settings, least_free: int) -> str:
    settings.data.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(settings.data).free
    says = f"{free / 1024**3:.1f} GiB free in {settings.data}"
    if free < least_free:
        raise CrosscheckError(f"{says}, at least {least_free / 1024**3:.0f} GiB are needed.")
    return says


def _index(program: Program) -> Check:
    service = running(program.settings.data)
    if service:
        return Check("index", "ok", f"owned by the running service (pid {service.pid}, {service.url})")
    check = tried("index", partial(_difference, program))
    if check.says:  # it could not be opened, or is short, which the service repairs when it starts
        return check if check.state == "failed" else replace(check, state="warning")
    return replace(check, says="agrees with the database")


def _difference(program: Program) -> str:
    if program.settings.several and Generations(program.database).searched() is None:
        return "Not there yet: `crosscheck sync` makes it, and so does the service when it starts."
    return program.index.filled.ingest.check() or ""


def _source(program: Program, name: str) -> str:
    program.sources.connector(name).mark()
    return "can be read"


def _git(program: Program, git: Git) -> Check:
    advice = f"Check that {git.location} can be fetched by this user and has a branch {git.branch}."
    return tried(git.name, partial(_source, program, git.name), advice)


def _model(program: Program) -> str:
    if program.model is None:
        return ""
    from review.agents.supervisor import try_out

    try_out(program.model)
    return f"{program.model.model_name} answers"


def _server(program: Program) -> str:
    from crosscheck.stores import server_version

    version = server_version(program.kept, program.secrets.wanted("qdrant_api_key"))
    return f"Qdrant {version} answers at {program.settings.index.url}"


def _pictures(program: Program) -> str:
    """Whether the model answers; a picture costs more than this."""
    model = program.vision
    if model is None:
        return ""
    from review.agents.supervisor import try_out

    try_out(model)
    return f"{model.model_name} answers"


def _audience(settings: Settings) -> Iterator[Check]:
    do = 'Add "org" to [audience.holders] with what everybody in the organisation may read.'
    if settings.audience.holders.get(ORG):
        pass
    elif settings.slack:
        says = "no audience.holders for org: answers in Slack will find nothing, but where slack.channels adds labels."
        yield Check("audience org", "failed", says, do)
    elif settings.jira:
        says = "no audience.holders for org: `crosscheck search` and `review` find nothing unless --as names a label."
        yield Check("audience org", "warning", says, do)
    for project in settings.jira.projects if settings.jira else ():
        label = visibility.jira_project(project)
        if not settings.audience.holders.get(label):
            says = f"no audience.holders for {label}: answers there use tickets of {project} alone."
            do = f'Add "{label}" to [audience.holders] with what everybody in {project} may read.'
            yield Check(f"audience {project}", "warning", says, do)
    wiki = settings.confluence
    for space in wiki.spaces if wiki and wiki.answers else ():
        label = visibility.confluence_space(space)
        if not settings.audience.holders.get(label):
            says = f"no audience.holders for {label}: answers there use pages of {space} alone."
            do = f'Add "{label}" to [audience.holders] with what everybody in {space} may read.'
            yield Check(f"audience {space}", "warning", says, do)
    if unknown := strange(settings):
        named = ", ".join(f"`{one_line(label, 80)}` ({where})" for label, where in unknown.items())
        do = "Correct them; docs/settings.md and the file that `crosscheck init` writes say what labels look like."
        yield Check("audience labels", "warning", f"nothing that is configured here has the label {named}.", do)
