"""Who a comment is for, as a request asks for it, and what Jira says when that cannot be."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sandbox.issues import Issue
from sandbox.jira_door import WRONG_PAYLOAD, errors
from sandbox.jira_state import JiraState
from sandbox.records import Person
from sandbox.wire import Refused


@dataclass(frozen=True, slots=True)
class Audience:
    """A role, or a group, or everybody who sees the ticket."""

    role: str | None = None
    group: str | None = None


def asked_for(jira: JiraState, person: Person, issue: Issue, asked: Any, by: Sequence[str]) -> Audience:
    """The audience of a `visibility` object, named by the first of these keys that it has. A person names only roles
    and groups that they are in.
    """
    if asked is None:
        return Audience()
    kind = asked.get("type") if isinstance(asked, dict) else None
    name = next((asked[key] for key in by if asked.get(key)), None) if isinstance(asked, dict) else None
    if kind not in {"role", "group"} or not isinstance(name, str):
        raise Refused(400, errors(WRONG_PAYLOAD))
    if kind == "role":
        return Audience(role=_role(jira, person, issue, name))
    return Audience(group=_group(jira, person, name))


def _role(jira: JiraState, person: Person, issue: Issue, name: str) -> str:
    if name not in jira.catalog.roles:
        raise Refused(400, errors(commentLevel=f"Role with id: {name} does not exist."))
    if not jira.permissions.role(person, issue.project, name):
        raise Refused(400, errors(commentLevel=f"You are currently not a member of the project role: {name}."))
    return name


def _group(jira: JiraState, person: Person, name: str) -> str:
    group = jira.accounts.group_name(name) or name
    if group not in jira.accounts.groups:
        raise Refused(400, errors(commentLevel=f"Group: {name} does not exist."))
    if group not in person.groups:
        raise Refused(400, errors(commentLevel=f"You are currently not a member of the group: {group}."))
    return group
