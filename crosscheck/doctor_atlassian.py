"""What `crosscheck doctor` looks at in Jira and Confluence: reading, answering, webhooks, tokens, who may ask."""

from collections.abc import Iterator
from functools import partial

from crosscheck.checks import Check, tried
from crosscheck.errors import CrosscheckError
from crosscheck.settings import Secrets
from crosscheck.settings_sources import Confluence, Jira
from crosscheck.sources import CONFLUENCE
from crosscheck.wiring import Program


def jira_checks(program: Program, settings: Jira) -> Iterator[Check]:
    """Of each project, and of the site."""
    for project in settings.projects:
        yield tried(
            f"jira read {project}",
            partial(_readable, program, project),
            "Check jira.site, jira.read_user, jira.projects and CROSSCHECK_JIRA_READ_TOKEN, and give that account "
            f"the permission Browse Projects in {project}.",
        )
        yield tried(
            f"jira post {project}",
            partial(_postable, program, project),
            "Check jira.site, jira.post_user and CROSSCHECK_JIRA_POST_TOKEN, and give that account the permissions "
            "Browse Projects, Add Comments, Delete Own Comments, and for files of test cases Create Attachments and "
            f"Delete Own Attachments in {project}.",
        )
    yield _webhook("jira", "Jira", program.secrets)
    yield from _tokens("jira", program.secrets.wanted("jira_read_token"), program.secrets.wanted("jira_post_token"))


def confluence_checks(program: Program, settings: Confluence) -> Iterator[Check]:
    """Of reading, and of answering where comments are answered."""
    advice = (
        "Check confluence.site, confluence.user (empty on a Data Center, the account's address on Cloud) and "
        "CROSSCHECK_CONFLUENCE_TOKEN; the account must see each space."
    )
    yield tried(CONFLUENCE, partial(_source, program), advice)
    if not settings.answers:
        return
    yield tried(
        "confluence post",
        lambda: f"signed in as {program.confluence_client.whoami()}",
        "Check confluence.site, confluence.post_user (empty on a Data Center, the account's address on Cloud) and "
        "CROSSCHECK_CONFLUENCE_POST_TOKEN; the account must be able to comment in each space.",
    )
    yield _webhook(CONFLUENCE, "Confluence", program.secrets)
    secrets = program.secrets
    yield from _tokens(CONFLUENCE, secrets.wanted("confluence_token"), secrets.wanted("confluence_post_token"))


def _webhook(surface: str, product: str, secrets: Secrets) -> Check:
    variable = f"CROSSCHECK_{surface.upper()}_WEBHOOK_SECRET"
    if not secrets.wanted(f"{surface}_webhook_secret"):
        says = f"{variable} is not set: comments are found by polling."
        return Check(f"{surface} webhook", "warning", says, "Set it, and register the webhook, to be told at once.")
    says = f"signatures are checked; register /webhooks/{surface} for comment events in {product}"
    return Check(f"{surface} webhook", "ok", says)


def _tokens(surface: str, read: str, post: str) -> Iterator[Check]:
    if read and read == post:
        says = "the reading and the posting token are one."
        yield Check(f"{surface} tokens", "warning", says, "Use an account that cannot write for reading.")


def _readable(program: Program, project: str) -> str:
    count = sum(1 for _ in program.jira_reader.keys(project))
    return f"{count} tickets can be read"


def _postable(program: Program, project: str) -> str:
    missing = program.jira_client.missing_permissions(project)
    if missing:
        raise CrosscheckError(f"The posting account lacks {', '.join(missing)} in {project}.")
    return "comments can be read, written and withdrawn"


def _source(program: Program) -> str:
    program.sources.connector(CONFLUENCE).mark()
    return "can be read"
