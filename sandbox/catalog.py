"""Ids for everything that Jira numbers: types, statuses, links, fields, roles, levels; the same for a same company."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sandbox.records import Company, Project

LINK_TYPES: Mapping[str, tuple[str, str]] = {
    "Blocks": ("blocks", "is blocked by"),
    "Causes": ("causes", "is caused by"),
    "Cloners": ("clones", "is cloned by"),
    "Duplicate": ("duplicates", "is duplicated by"),
    "Relates": ("relates to", "relates to"),
    "Supersedes": ("supersedes", "is superseded by"),
    "Tests": ("tests", "is tested by"),
}
"""Link type -> how it reads outward and inward."""

DONE = frozenset(
    {"done", "closed", "resolved", "rejected", "cancelled", "canceled", "declined", "released", "verified", "won't do"}
)
NEW = frozenset(
    {"to do", "open", "new", "backlog", "reopened", "draft", "selected for development", "waiting for support"}
)
SUBTASKS = frozenset({"Sub-task", "Subtask"})

SYSTEM_NAMES: Mapping[str, str] = {
    "Priority": "priority",
    "Labels": "labels",
    "Components": "components",
    "Fix versions": "fixVersions",
    "Environment": "environment",
}
"""Names in `Ticket.fields` that are no custom fields; lists are separated by commas."""

SYSTEM_CHANGES = frozenset(
    {"summary", "description", "status", "resolution", "assignee", "reporter", "priority", "labels", "issuetype"}
    | {
        "parent",
        "Parent",
        "security",
        "environment",
        "Link",
        "Component",
        "Fix Version",
        "Attachment",
        "Key",
        "project",
    }
)
"""Fields in a history that are no custom fields."""

SHORT = 80
"""A custom field whose values are all one line up to this long is a text field (plain), else a textarea (ADF)."""


@dataclass(frozen=True, slots=True)
class Category:
    id: int
    key: str
    color: str
    name: str


CATEGORIES: Mapping[str, Category] = {
    "new": Category(2, "new", "blue-gray", "To Do"),
    "indeterminate": Category(4, "indeterminate", "yellow", "In Progress"),
    "done": Category(3, "done", "green", "Done"),
}


@dataclass(frozen=True, slots=True)
class CustomField:
    id: str
    name: str
    rich: bool
    """A textarea, so its value is ADF."""

    @property
    def number(self) -> int:
        return int(self.id.removeprefix("customfield_"))


class Catalog:
    """Every name of the company with its number. A status that the company puts in no category is done by its name,
    or when a ticket that has it is resolved.
    """

    def __init__(self, company: Company) -> None:
        tickets = company.tickets
        changes = [change for ticket in tickets for change in ticket.history]
        moved = [s for c in changes if c.field == "status" for s in (c.before, c.after)]
        self.types = _numbered((t.type for t in tickets), 10001)
        self.statuses = _numbered((*(t.status for t in tickets), *moved), 10101)
        self.resolutions = _numbered((t.resolution for t in tickets if t.resolution), 10201)
        self.priorities = _numbered(
            ("Highest", "High", "Medium", "Low", "Lowest", *(t.fields.get("Priority", "") for t in tickets)), 1
        )
        self.links = _numbered(LINK_TYPES, 10401)
        self.roles = _numbered((role for project in company.projects for role in project.roles), 10501)
        self.projects = _numbered((project.key for project in company.projects), 10000)
        self.former_projects: dict[str, str] = {}
        """A project's former key -> its key."""
        levels = [f"{p.key}/{level}" for p in company.projects for level in p.security_levels]
        self._levels = _numbered(levels, 10601)
        self._categories = company.categories
        self._resolved = {t.status for t in tickets if t.resolution}
        self.fields = {field.name: field for field in _custom_fields(company)}
        self.fields_by_id = {field.id: field for field in self.fields.values()}

    def status_id(self, status: str) -> int:
        return self.statuses.setdefault(status, 10101 + len(self.statuses))

    def project_key(self, key: str) -> str:
        """The key that a project has now."""
        return self.former_projects.get(key.upper(), key.upper())

    def rekey(self, project: Project, new: str) -> None:
        old = project.key
        self.projects[new] = self.projects.pop(old)
        for level in project.security_levels:
            self._levels[f"{new}/{level}"] = self._levels.pop(f"{old}/{level}")
        moved = {key: new if now == old else now for key, now in self.former_projects.items()}
        self.former_projects = {key: now for key, now in (moved | {old: new}).items() if key != new}

    def former_projects_of(self, key: str) -> list[str]:
        return [old for old, now in self.former_projects.items() if now == key]

    def category(self, status: str) -> Category:
        if status in self._categories:
            return CATEGORIES[self._categories[status]]
        name = status.casefold()
        if name in DONE or status in self._resolved:
            return CATEGORIES["done"]
        return CATEGORIES["new" if name in NEW else "indeterminate"]

    def level_id(self, project: Project, level: str) -> int:
        return self._levels[f"{project.key}/{level}"]


def _numbered(names: Iterable[str], first: int) -> dict[str, int]:
    return {name: first + at for at, name in enumerate(dict.fromkeys(name for name in names if name))}


def _custom_fields(company: Company) -> list[CustomField]:
    values: dict[str, list[str]] = {}
    for ticket in company.tickets:
        for name, value in ticket.fields.items():
            values.setdefault(name, []).append(value)
        for change in ticket.history:
            if change.field not in SYSTEM_CHANGES:
                values.setdefault(change.field, []).extend((change.before, change.after))
    names = sorted(name for name in values if name not in SYSTEM_NAMES)
    return [
        CustomField(f"customfield_{10031 + at}", name, any("\n" in v or len(v) > SHORT for v in values[name]))
        for at, name in enumerate(names)
    ]
