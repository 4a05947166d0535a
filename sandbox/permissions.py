"""Who may see what in the sandbox's Jira."""

from sandbox.accounts import Accounts
from sandbox.issues import Issue, Note
from sandbox.records import Company, Person, Project


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

    def role(self, person: Person, project: Project, role: str) -> bool:
        """Membership. The bot is in every role of a project that does not name it in any."""
        if role not in project.roles:
            return False
        if person.id == self._bot and project.key not in self._bot_named:
            return True
        return person.id in project.roles[role]

    def browse(self, person: Person, project: Project) -> bool:
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
        return person.id != self._reader and self.issue(person, issue)
