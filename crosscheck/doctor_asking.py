"""Who may ask: whether the groups and roles of [commands] are there to be looked up, where somebody asks."""

from collections.abc import Iterator

from bots.confluence.client import ConfluenceClient
from bots.jira.client import JiraClient
from bots.types import Place
from crosscheck.checks import Check
from crosscheck.doctor_account import Account
from crosscheck.errors import CrosscheckError
from crosscheck.settings_commands import Commands


def asking_in_tickets(
    client: JiraClient, account: Account, commands: Commands, projects: tuple[str, ...]
) -> list[Check]:
    """Whether the account may look who is in the groups and has the roles; it looks itself up."""
    if not commands.groups and not commands.roles:
        return []

    def look() -> str:
        me = client.whoami()
        for project in projects:  # apart: for who is in a group, roles are not looked at
            place = Place("jira", client.site, "", project, client.site, project)
            client.belongs(place, me, commands.groups, ())
            client.belongs(place, me, (), commands.roles)
        return "who is in a group or has a role can be looked up; whether Jira has these names is not looked at"

    return [account.tried("jira commands", look, f"Give {account.called} that permission, or nobody can ask.")[0]]


def asking_on_pages(client: ConfluenceClient, account: Account, commands: Commands) -> Iterator[Check]:
    """Whether each group is one of Confluence's."""
    name = "confluence commands"
    if commands.groups:
        needs = f"Correct commands.groups; or give {account.called} the right to see people and groups."
        yield account.tried(name, lambda: _groups(client, commands), needs)[0]
    elif commands.roles:
        says = "commands.roles is set and commands.groups is not: nobody can ask on pages, for Confluence has no roles."
        yield Check(name, "warning", says, "Add a group to commands.groups.")


def _groups(client: ConfluenceClient, commands: Commands) -> str:
    if unknown := client.unknown_groups(commands.groups):
        raise CrosscheckError(f"commands.groups: Confluence has no group {', '.join(unknown)}.")
    return "the groups are there"
