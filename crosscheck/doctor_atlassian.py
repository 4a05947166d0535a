"""What `crosscheck doctor` looks at in Jira and Confluence: reading, answering, webhooks, tokens, who may ask."""

from collections.abc import Callable, Iterator
from functools import partial

from crosscheck.checks import Check
from crosscheck.doctor_account import Account
from crosscheck.doctor_asking import asking_in_tickets, asking_on_pages
from crosscheck.errors import CrosscheckError
from crosscheck.settings import Secrets
from crosscheck.settings_sources import Confluence, Jira
from crosscheck.sources import CONFLUENCE
from crosscheck.wiring import Program


def jira_checks(program: Program, settings: Jira) -> Iterator[Check]:
    """Of each project, and of the site."""
    reads = Account("Jira", "jira.read_user", settings.read_user, "CROSSCHECK_JIRA_READ_TOKEN")
    posts = Account("Jira", "jira.post_user", settings.post_user, "CROSSCHECK_JIRA_POST_TOKEN")
    needs = "Check jira.projects, and give {} the permission Browse Projects in {}."
    yield from _each(reads, "jira read", settings.projects, partial(_readable, program), needs)
    needs = "Give {} these permissions in {}; the two to delete take back what came out wrong."
    answers = list(_each(posts, "jira post", settings.projects, partial(_postable, program), needs))
    yield from answers
    if all(check.state == "ok" for check in answers):
        yield from asking_in_tickets(program.jira_client, posts, program.settings.commands, settings.projects)
    yield _webhook("jira", "Jira", program.secrets)
    yield from _tokens("jira", program.secrets.wanted("jira_read_token"), program.secrets.wanted("jira_post_token"))


def confluence_checks(program: Program, settings: Confluence) -> Iterator[Check]:
    """Of reading, and of answering where comments are answered."""
    reads = Account("Confluence", "confluence.user", settings.user, "CROSSCHECK_CONFLUENCE_TOKEN")
    needs = f"Check confluence.spaces{_capitals(settings.spaces)}; {reads.called} must see each space."
    yield reads.tried(CONFLUENCE, partial(_source, program), needs)[0]
    if not settings.answers:
        return
    yield from _answering(program, settings)
    yield _webhook(CONFLUENCE, "Confluence", program.secrets)
    secrets = program.secrets
    yield from _tokens(CONFLUENCE, secrets.wanted("confluence_token"), secrets.wanted("confluence_post_token"))


def _answering(program: Program, settings: Confluence) -> Iterator[Check]:
    account = Account("Confluence", "confluence.post_user", settings.post_user, "CROSSCHECK_CONFLUENCE_POST_TOKEN")
    needs = f"Give {account.called} access to Confluence."
    signed_in, _ = account.tried("confluence post", lambda: f"signed in as {program.confluence_client.name()}", needs)
    yield signed_in
    if signed_in.state == "ok":
        needs = "Give {} these permissions in the space {}."
        yield from _each(account, "confluence post", settings.spaces, partial(_commentable, program), needs)
        yield from asking_on_pages(program.confluence_client, account, program.settings.commands)


def _each(
    account: Account, name: str, places: tuple[str, ...], look: Callable[[str], str], needs: str
) -> Iterator[Check]:
    """One check for each project or space, up to one that says that the account cannot be asked at all."""
    for place in places:
        check, goes_on = account.tried(f"{name} {place}", partial(look, place), needs.format(account.called, place))
        yield check
        if not goes_on:
            return


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
    if missing := program.jira_client.missing_permissions(project):
        shown = ", ".join(name.replace("_", " ").title() for name in missing)  # as Jira's pages show them
        raise CrosscheckError(f"The posting account lacks {shown} in {project}.")
    return "comments can be read, written and withdrawn"


def _commentable(program: Program, space: str) -> str:
    missing = program.confluence_client.missing_permissions(space)
    if missing is None:
        return "can be read; whether it may comment there cannot be told from here: try it with a comment"
    if missing:
        raise CrosscheckError(f"The posting account lacks {', '.join(missing)} in {space}.")
    return "comments can be written"


def _source(program: Program) -> str:
    program.sources.connector(CONFLUENCE).mark()
    return "can be read"


def _capitals(spaces: tuple[str, ...]) -> str:
    """A hint for keys that may have been written small; those of people's own spaces are as they are."""
    small = [key for key in spaces if key != key.upper() and not key.startswith("~")]
    return f" (keys are mostly in capitals, as {small[0].upper()})" if small else ""
