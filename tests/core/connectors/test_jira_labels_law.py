"""Law 4 at its source: every document has a label for each independent restriction of what it was made from, and one
that is added or lifted is seen at once.
"""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import visibility
from core.connectors.attachments import Attachments
from core.connectors.jira import JiraConnector
from core.parsing.parsed import Parsed
from sandbox.records import Change, Comment, Project, Ticket
from sandbox.server import Sandbox
from tests.core.connectors.conftest import reader_of
from tests.core.connectors.test_jira_attachments import media
from tests.sandbox_fixtures import AGENT, OWNER, T, company

LEVELS, ROLES, GROUPS = ("Leads", "Board"), ("Owners", "Agents"), ("leads", "engineering")
KEYS = [f"{project}-{n}" for project in ("SHOP", "HELP") for n in (1, 2, 3)]

restrictions = st.fixed_dictionaries(
    {
        "role": st.none() | st.sampled_from(ROLES),
        "group": st.none() | st.sampled_from(GROUPS),
        "internal": st.booleans(),
    }
)
plans = st.fixed_dictionaries(
    {
        "level": st.none() | st.sampled_from(LEVELS),
        "roles": st.sets(st.sampled_from(ROLES)),
        "shown": restrictions,
        "written": restrictions,
    }
)

FOR_ALL = {"role": None, "group": None, "internal": False}
OPEN = {"level": None, "roles": set(), "shown": FOR_ALL, "written": FOR_ALL}


@pytest.fixture(scope="module")
def office():
    """Two projects of three tickets; each ticket has two comments, a history and a file that its first one shows."""
    people = dict.fromkeys(ROLES, (OWNER.id, AGENT.id))
    levels = dict.fromkeys(LEVELS, (OWNER.id,))
    projects = tuple(
        Project(key, key, people, service_desk=key == "HELP", security_levels=levels) for key in ("SHOP", "HELP")
    )
    comments = (Comment(AGENT.id, T, "See the file."), Comment(AGENT.id, T, "Words."))
    history = (Change(T, OWNER.id, "status", "Open", "To Do"),)
    tickets = tuple(
        Ticket(key, "Bug", f"About {key}", "", "To Do", OWNER.id, T, T, comments=comments, history=history)
        for key in KEYS
    )
    with Sandbox.start(replace(company(), projects=projects, tickets=tickets, pages=(), spaces=())) as box:
        box.exchanges.recording = False
        for key in KEYS:
            box.jira.attach(key, OWNER.id, f"{key}.txt", key.encode())
            box.jira.edit_comment(key, first(box, key), adf=media(f"{key}.txt"))
        yield box


def first(box, key):
    return box.jira.comments(key)[0]["id"]


def second(box, key):
    return box.jira.comments(key)[1]["id"]


def of_ticket(box, key, plan):
    project = key.partition("-")[0]
    labels = {visibility.jira_project(project)}
    if plan["level"]:
        number = box.jira.catalog.level_id(box.jira.projects[project], plan["level"])
        labels.add(visibility.jira_security(project, str(number)))
    roles = {visibility.jira_role(project, str(box.jira.catalog.roles[role])) for role in plan["roles"]}
    return labels | (roles if len(roles) < 2 else {visibility.restriction(roles, ())})


def own(box, key, shown):
    """What a comment's restriction adds; a role and a group at once cannot be, and Jira keeps the role."""
    project = key.partition("-")[0]
    labels = {visibility.INTERNAL} if shown["internal"] and project == "HELP" else set()
    if shown["role"]:
        return labels | {visibility.jira_role(project, shown["role"])}
    return labels | ({visibility.jira_group(box.accounts.group_id(shown["group"]))} if shown["group"] else set())


def apply(box, key, plan):
    """Restrict a ticket so, and say which labels its documents must have, by their ids."""
    box.jira.set_security(key, plan["level"])
    box.jira.set_roles(key, sorted(plan["roles"]))
    box.jira.set_visibility(key, first(box, key), **plan["shown"])
    box.jira.set_visibility(key, second(box, key), **plan["written"])
    issue = box.jira.issue(key)
    labels, number = of_ticket(box, key, plan), f"jira:{issue.id}"
    file = next(iter(issue.files))
    return {
        number: labels,
        f"{number}:history": labels,
        f"{number}:comment:{first(box, key)}": labels | own(box, key, plan["shown"]),
        f"{number}:comment:{second(box, key)}": labels | own(box, key, plan["written"]),
        f"{number}:attachment:{file}": labels | own(box, key, plan["shown"]) | hidden(key, box, plan["shown"]),
    }


def hidden(key, box, shown):
    """A service desk's file is internal unless a comment for all shows it."""
    return {visibility.INTERNAL} if key.startswith("HELP") and own(box, key, shown) else set()


@given(st.lists(plans, min_size=len(KEYS), max_size=len(KEYS)))
@settings(max_examples=25, deadline=None)
def test_labels(office, several):
    attachments = Attachments(lambda _name, data: Parsed(data.decode()), lambda parsed: parsed)
    jira = JiraConnector("jira", reader_of(office), ["SHOP", "HELP"], attachments=attachments)
    wanted = {}
    for key, plan in zip(KEYS, several, strict=True):
        wanted |= apply(office, key, plan)
    read = {document.id: document.labels for document in jira.load()}
    assert read == wanted
    assert jira.labels_now(wanted) == wanted
    for document in list(wanted)[:3]:
        assert jira.labels_now([document]) == {document: wanted[document]}
    for key in KEYS:
        lifted = apply(office, key, OPEN)
        assert jira.labels_now(lifted) == lifted
