"""Who may ask: groups, and roles in the project, of whoever wrote the comment."""

import json

import pytest

from bots.errors import NotAllowed, Unavailable
from tests.bots.jira.test_client import asked, requests


@pytest.fixture
def ana(box, client):
    return asked(box, client)


@pytest.mark.parametrize(
    ("groups", "roles", "belongs"),
    [
        (["qa-leads"], [], True),
        (["QA-Leads"], [], True),
        (["nobody", "staff"], [], True),
        (["admins"], [], False),
        ([], ["Leads"], True),
        ([], ["leads"], True),
        ([], ["Support staff"], False),
        (["admins"], ["Developers"], True),
        ([], [], False),
    ],
)
def test_groups_and_roles(client, ana, groups, roles, belongs):
    assert client.belongs(ana.place, ana.author_id, groups, roles) is belongs


def test_somebody_in_neither(box, client):
    ben = asked(box, client, "HELP-1", author="ben")
    assert not client.belongs(ben.place, ben.author_id, ["qa-leads"], ["Developers", "Leads"])
    assert client.belongs(ben.place, ben.author_id, [], ["Support staff"])


def test_a_group_goes_by_its_id_on_cloud(box, client, ana, flavour):
    number = box.accounts.group_id("qa-leads")
    assert client.belongs(ana.place, ana.author_id, [number], []) is (flavour == "cloud")


def test_a_group_in_a_role_counts(box, client, ana, flavour):
    group = {"displayName": "qa-leads", "name": "qa-leads", "groupId": box.accounts.group_id("qa-leads")}
    held = {"actorGroup": group} if flavour == "cloud" else {"name": "QA-leads"}
    actor = {"id": 1, "type": "atlassian-group-role-actor", "displayName": "qa-leads"} | held
    body = json.dumps({"name": "Developers", "id": 1, "actors": [actor]})
    box.faults.add("GET", "/role/[0-9]+$", "status", 2, status=200, body=body)
    assert client.belongs(ana.place, ana.author_id, [], ["Developers"])
    ben = asked(box, client, "HELP-1", author="ben")
    assert not client.belongs(ana.place, ben.author_id, [], ["Developers"])


def test_who_is_not_there_any_more_is_in_none(box, client, ana):
    box.jira.delete_user("ana")
    assert not client.belongs(ana.place, ana.author_id, ["qa-leads"], ["Leads"])
    assert not client.belongs(ana.place, "", ["qa-leads"], ["Leads"])


def test_a_group_is_enough_to_ask_for_no_role(box, client, ana):
    assert client.belongs(ana.place, ana.author_id, ["staff"], ["Leads"])
    assert requests(box, "GET", "/role") == []


def test_what_the_bot_may_not_see_names_the_permission(box, client, ana):
    box.jira.forbid("bot", "PAY", "ADMINISTER_PROJECTS")
    with pytest.raises(NotAllowed, match="Administer projects"):
        client.belongs(ana.place, ana.author_id, [], ["Leads"])
    box.faults.add("GET", "/user", "status", status=403)
    with pytest.raises(NotAllowed, match=r"Browse [Uu]sers"):
        client.belongs(ana.place, ana.author_id, ["staff"], [])


def test_what_cannot_be_told_now_is_no_no(box, client, ana):
    box.faults.add("GET", "/user", "status", status=503)
    with pytest.raises(Unavailable):
        client.belongs(ana.place, ana.author_id, ["staff"], [])
