"""Who may see what in the sandbox's Jira."""

from collections.abc import Collection, Iterable
from typing import Any

from sandbox.accounts import Accounts
from sandbox.issues import Issue, Note
from sandbox.records import Company, Person, Project

PERMISSIONS = (
    "BROWSE_PROJECTS",
    "ADD_COMMENTS",
    "EDIT_OWN_COMMENTS",
    "DELETE_OWN_COMMENTS",
    "DELETE_ALL_COMMENTS",
    "EDIT_ALL_COMMENTS",
    "EDIT_ISSUES",
    "ADMINISTER",
    "ADMINISTER_PROJECTS",
    "CREATE_ATTACHMENTS",
    "DELETE_OWN_ATTACHMENTS",
)
WRITES = frozenset(
    {"ADD_COMMENTS", "EDIT_OWN_COMMENTS", "DELETE_OWN_COMMENTS", "CREATE_ATTACHMENTS", "DELETE_OWN_ATTACHMENTS"}
)


def listed(keys: Iterable[str], held: Collection[str]) -> dict[str, dict[str, Any]]:
    """Permissions as Jira lists them, with whether they are held."""
    return {
        key: {
            "id": str(10 + PERMISSIONS.index(key)),
            "key": key,
            "name": key.replace("_", " ").capitalize(),
            "type": "GLOBAL" if key == "ADMINISTER" else "PROJECT",
            "description": "",
            "havePermission": key in held,
        }
        for key in keys
    }


class Permissions:
    """A person browses a project by any role in it, or when the company says that everybody does. Security levels
    narrow tickets, roles and groups narrow comments. A customer sees the tickets that they reported in service
    projects, and there every comment that is not internal, whatever its role: as the portal does.
    """

    def __init__(self, company: Company, accounts: Accounts) -> None:
        self._reader = accounts.reader.id
        self._bot = accounts.bot.id
        self._open = {label.removeprefix("jira:") for label in company.open_to_all if label.startswith("jira:")}
        self._bot_named = {
            project.key
            for project in company.projects
            if any(self._bot in members for members in project.roles.values())
        }
        self._forbidden: set[tuple[str, str, str]] = set()
        self._changed: dict[tuple[str, str, str], bool] = {}

    def rekey(self, old: str, new: str) -> None:
        """A project has a new key."""
        for keys in (self._open, self._bot_named):
            if old in keys:
                keys.remove(old)
                keys.add(new)
        self._forbidden = {(who, new if at == old else at, what) for who, at, what in self._forbidden}
        self._changed = {(who, new if at == old else at, role): on for (who, at, role), on in self._changed.items()}

    def set_forbidden(self, account_id: str, project: str, permission: str, *, on: bool) -> None:
        """Take one permission in a project away from an account, or give it back."""
        if permission not in PERMISSIONS:
            raise ValueError(f"Jira has no permission {permission}")
        entry = (account_id, project, permission)
        (self._forbidden.add if on else self._forbidden.discard)(entry)

    def set_member(self, account_id: str, project: str, role: str, *, on: bool) -> None:
        self._changed[account_id, project, role] = on

    def held(self, person: Person, project: Project) -> frozenset[str]:
        """What an account may do in a project."""
        if not self.browse(person, project):
            return frozenset()
        held = {"BROWSE_PROJECTS"} if person.id == self._reader else {"BROWSE_PROJECTS", *WRITES}
        return frozenset(permission for permission in held if not self.forbidden(person, project, permission))

    def forbidden(self, person: Person, project: Project, permission: str) -> bool:
        return (person.id, project.key, permission) in self._forbidden

    def role(self, person: Person, project: Project, role: str) -> bool:
        """Membership. The bot is in every role of a project that does not name it in any."""
        if role not in project.roles:
            return False
        changed = self._changed.get((person.id, project.key, role))
        if changed is not None:
            return changed
        if person.id == self._bot and project.key not in self._bot_named:
            return True
        return person.id in project.roles[role]

    def browse(self, person: Person, project: Project) -> bool:
        if self.forbidden(person, project, "BROWSE_PROJECTS"):
            return False
        if person.id == self._reader:
            return True
        if person.customer:
            return project.service_desk
        return project.key in self._open or any(self.role(person, project, role) for role in project.roles)

    def issue(self, person: Person, issue: Issue) -> bool:
        return not issue.deleted and self.indexed(person, issue)

    def indexed(self, person: Person, issue: Issue) -> bool:
        """The same for the search index, which may still know a ticket that has been deleted."""
        if person.id == self._reader:
            return True
        if person.customer:
            return issue.project.service_desk and issue.reporter == person.id
        return self.browse(person, issue.project) and self._level(person, issue) and self._any_role(person, issue)

    def _level(self, person: Person, issue: Issue) -> bool:
        if issue.security is None:
            return True
        members = issue.project.security_levels.get(issue.security, ())
        own = person.id == self._bot and issue.project.key not in self._bot_named
        return own or person.id in members

    def _any_role(self, person: Person, issue: Issue) -> bool:
        return not issue.roles or any(self.role(person, issue.project, role) for role in issue.roles)

    def note(self, person: Person, issue: Issue, note: Note) -> bool:
        """Whether a person who sees the ticket sees this comment."""
        if person.id == self._reader:
            return True
        if person.customer:
            return not note.internal
        if note.role is not None and not self.role(person, issue.project, note.role):
            return False
        return note.group is None or note.group in person.groups

    def comment(self, person: Person, issue: Issue) -> bool:
        """Whether a person may add comments."""
        return self.write(person, issue, "ADD_COMMENTS")

    def write(self, person: Person, issue: Issue, permission: str) -> bool:
        """Whether a person who sees the ticket holds this permission there."""
        return self.issue(person, issue) and permission in self.held(person, issue.project)
