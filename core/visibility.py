"""Access labels: one for each independent restriction. A document may be read by who holds all of its labels."""

import hashlib
from collections.abc import Iterable

INTERNAL = "jira:internal"  # a service desk's internal notes


def jira_project(key: str) -> str:
    return f"jira:{key}"


def jira_role(project: str, role: str) -> str:
    return f"jira:{project}:role:{role}"


def jira_restricted(project: str, roles: Iterable[str]) -> frozenset[str]:
    """The label of a ticket that takes one of these roles, given by their ids, to be seen: for one role that is its
    label, and for several one label of the whole set, since holding two labels would mean having both.
    """
    labels = {jira_role(project, role) for role in roles}
    return frozenset(labels) if len(labels) < 2 else frozenset({restriction(labels, ())})


def jira_group(group: str) -> str:
    return f"jira:group:{group}"


def jira_security(project: str, level: str) -> str:
    return f"jira:{project}:security:{level}"


def confluence_space(key: str) -> str:
    return f"confluence:{key}"


def restriction(groups: Iterable[str], users: Iterable[str]) -> str:
    """The label of one page's read restriction: the same groups and users give the same label everywhere."""
    text = "\x1e".join(["\x1f".join(sorted(set(groups))), "\x1f".join(sorted(set(users)))])
    return f"restriction:{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def repository(name: str) -> str:
    return f"repo:{name}"


def slack_channel(channel: str) -> str:
    return f"slack:{channel}"


def files_folder(name: str) -> str:
    return f"files:{name}"


def qa_records(name: str) -> str:
    return f"qa:{name}"
