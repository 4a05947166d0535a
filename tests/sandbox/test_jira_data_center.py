"""Jira Data Center: the same tickets below a context path, for tokens, in wiki markup, as its description has them."""

import pytest
import requests
from jira import JIRA

from sandbox.load import load_company
from sandbox.server import Sandbox
from tests.sandbox.jira_clients import DataCenter, as_person
from tests.sandbox_fixtures import AGENT, CUSTOMER, DEVELOPER, OUTSIDER, OWNER
from tests.specs import judge


@pytest.fixture
def reader(sandbox):
    client = DataCenter(sandbox, sandbox.read_token)
    yield client
    client.session.close()


@pytest.fixture
def acting(sandbox):
    """Clients of people, closed at the end."""
    clients = []

    def act(person):
        clients.append(as_person(sandbox, person))
        return clients[-1]

    yield act
    for client in clients:
        client.session.close()


def problems(sandbox, shared):
    return [problem for exchange in sandbox.exchanges.all() for problem in judge(shared).check(exchange)]


def test_what_it_is_is_said_without_a_login(sandbox):
    info = requests.get(sandbox.jira_data_center_url + "/rest/api/2/serverInfo", timeout=10).json()
    assert (info["deploymentType"], info["baseUrl"]) == ("Server", sandbox.jira_data_center_url)
    assert requests.get(sandbox.jira_url + "/rest/api/3/serverInfo", timeout=10).json()["deploymentType"] == "Cloud"


@pytest.mark.parametrize("login", [OWNER.id, OWNER.email])
def test_who_comes_in(sandbox, acting, login):
    client = acting(OWNER)
    assert client.get("/myself").json()["name"] == OWNER.id
    me = client.get("/myself").json()
    assert me["key"].startswith("JIRAUSER")
    assert "accountId" not in me
    address, token = client.site + "/rest/api/2/myself", sandbox.accounts.token(OWNER.id)
    assert requests.get(address, auth=(login, token), timeout=10).json() == me
    for header in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Bearer "}):
        assert requests.get(address, headers=header, timeout=10).status_code == 401
    assert requests.get(address, auth=(login, "wrong"), timeout=10).status_code == 401


def test_users_by_name_and_by_key(reader):
    shown = reader.get("/user", username=DEVELOPER.id, expand="groups").json()
    assert [group["name"] for group in shown["groups"]["items"]] == ["engineering"]
    assert reader.get("/user", key=shown["key"]).json()["name"] == DEVELOPER.id
    assert reader.get("/user", username=DEVELOPER.id).json()["groups"] == {"size": 1, "items": []}
    assert reader.get("/user", key=DEVELOPER.id).status_code == 404
    assert reader.get("/user", username="nobody").status_code == 404


def test_an_issue_is_in_wiki_markup_and_its_history_whole(sandbox, reader):
    issue = reader.get("/issue/SHOP-1", expand="changelog").json()
    fields = issue["fields"]
    assert "||Case||Result||\n|right|in|" in fields["description"]
    assert '{code:python}\nx = "]]>"\n{code}' in fields["description"]
    assert "* agreed with [~u-owner]" in fields["description"]
    assert fields["reporter"]["name"] == OWNER.id
    assert issue["changelog"]["total"] == 7
    assert [h["items"][0]["toString"] for h in issue["changelog"]["histories"]] == [f"text {n}" for n in range(1, 8)]
    assert "issuerestriction" not in fields
    assert fields["project"]["projectTypeKey"] == "software"
    assert issue["self"] == f"{sandbox.jira_data_center_url}/rest/api/2/issue/20001"
    assert [link["object"]["title"] for link in reader.get("/issue/SHOP-1/remotelink").json()] == ["The policy"]
    assert set(reader.get("/issue/20001", fields="summary,status").json()["fields"]) == {"summary", "status"}


def test_only_sub_tasks_have_a_parent():
    company = load_company()
    with Sandbox.start(company) as sandbox:
        client = DataCenter(sandbox, sandbox.read_token)
        found = client.get("/search", jql="", maxResults=200, fields="*all").json()["issues"]
        client.session.close()
    epics = {i["key"]: i["fields"]["customfield_10008"] for i in found if i["fields"]["customfield_10008"]}
    parents = {i["key"]: i["fields"]["parent"]["key"] for i in found if "parent" in i["fields"]}
    assert epics | parents == {ticket.key: ticket.parent for ticket in company.tickets if ticket.parent}
    assert all(i["fields"]["issuetype"]["subtask"] for i in found if "parent" in i["fields"])


def test_who_sees_which_ticket(acting):
    expected = {OWNER: {"SHOP-1", "SHOP-2", "SHOP-3"}, DEVELOPER: {"SHOP-1", "SHOP-3"}, AGENT: {"HELP-1"}}
    for person, keys in (expected | {OUTSIDER: set(), CUSTOMER: {"HELP-1"}}).items():
        client = acting(person)
        assert {issue["key"] for issue in client.get("/search", jql="").json()["issues"]} == keys, person.name
        assert {k for k in ("SHOP-1", "SHOP-2", "SHOP-3", "HELP-1") if client.get(f"/issue/{k}").ok} == keys
    assert acting(DEVELOPER).get("/issue/SHOP-2").status_code == 403
    assert acting(DEVELOPER).get("/issue/SHOP-999").status_code == 404


def test_searching(reader, acting):
    asked = {"jql": "project = SHOP ORDER BY key DESC", "startAt": 1, "maxResults": 1, "fields": ["summary"]}
    page = reader.ask("POST", "/search", json=asked).json()
    assert (page["startAt"], page["maxResults"], page["total"]) == (1, 1, 3)
    assert [(issue["key"], set(issue["fields"])) for issue in page["issues"]] == [("SHOP-2", {"summary"})]
    assert "comment" not in reader.get("/search", jql="key = SHOP-1").json()["issues"][0]["fields"]
    assert (
        reader.get("/search", jql="key = SHOP-1", fields="comment").json()["issues"][0]["fields"]["comment"]["total"]
        == 3
    )
    expanded = reader.ask("POST", "/search", json={"jql": "key = SHOP-1", "expand": ["changelog"]}).json()
    assert expanded["issues"][0]["changelog"]["total"] == 7
    assert reader.get("/search", jql="key = SHOP-1", maxResults=5000).json()["maxResults"] == 1000
    for jql in ("id in (20001, 777)", "key = SHOP-777", "nonsense = 1"):
        assert reader.get("/search", jql=jql).status_code == 400
    said = reader.get("/search", jql="id in (20001, 777)").json()["errorMessages"]
    assert said == ["A value with ID '777' does not exist for the field 'id'."]
    assert acting(DEVELOPER).get("/search", jql="id in (20001, 20002)").status_code == 400
    assert reader.ask("POST", "/search", json={"jql": "", "fields": "summary"}).status_code == 400
    assert reader.ask("POST", "/search", json={"jql": "", "maxResults": -1}).status_code == 400


def test_projects_fields_roles_and_permissions(reader, acting):
    assert [project["key"] for project in reader.get("/project").json()] == ["HELP", "SHOP"]
    project = reader.get("/project/HELP").json()
    assert (project["projectTypeKey"], project["archived"]) == ("service_desk", False)
    assert reader.get("/project/NONE").status_code == 404
    address = reader.get("/project/SHOP/role").json()["Owners"]
    role = reader.session.get(address, timeout=10).json()
    assert "u-owner" in [actor["name"] for actor in role["actors"]]
    assert reader.get(f"/role/{role['id']}").json()["name"] == "Owners"
    assert "Owners" in [role["name"] for role in reader.get("/role").json()]
    assert reader.get("/role/1").status_code == reader.get("/project/SHOP/role/1").status_code == 404
    names = {field["name"] for field in reader.get("/field").json()}
    assert {"Summary", "Epic Link", "Acceptance criteria"} <= names
    assert "Restrict to" not in names
    held = acting(DEVELOPER).get("/mypermissions", projectKey="SHOP").json()["permissions"]
    assert held["ADD_COMMENTS"]["havePermission"]
    assert not reader.get("/mypermissions", projectKey="SHOP").json()["permissions"]["ADD_COMMENTS"]["havePermission"]


def test_the_usual_client_reads_it(sandbox):
    client = JIRA(sandbox.jira_data_center_url, token_auth=sandbox.read_token, max_retries=0)
    assert client.deploymentType == "Server"
    assert client.issue("SHOP-1").fields.comment.comments[0].body == "For everybody."
    assert [issue.key for issue in client.search_issues("project = HELP")] == ["HELP-1"]
    client.close()


def test_the_page_for_people_is_below_the_context_path_too(sandbox):
    shown = requests.get(sandbox.jira_data_center_url + "/browse/SHOP-1", timeout=10)
    assert (shown.status_code, "Lock the account" in shown.text) == (200, True)


def test_every_answer_is_as_described(sandbox, reader, acting, shared):
    requests.get(sandbox.jira_data_center_url + "/rest/api/2/serverInfo", timeout=10)
    for path in ("/myself", "/mypermissions", "/field", "/status", "/project", "/project/SHOP"):
        assert reader.get(path).ok, path
    assert reader.get("/project/HELP/role").ok
    assert reader.get("/role").ok
    number = sandbox.jira.catalog.roles["Owners"]
    for path in (f"/role/{number}", f"/project/SHOP/role/{number}", "/issue/SHOP-1", "/issue/SHOP-1/remotelink"):
        assert reader.get(path).ok, path
    reader.get("/user", username="u-dev", expand="groups")
    reader.get("/issue/HELP-1", expand="changelog", fields="*all")
    reader.get("/search", jql="project = SHOP", expand="changelog", fields="*all", startAt=0, maxResults=2)
    reader.ask("POST", "/search", json={"jql": "", "fields": ["*all"], "expand": ["changelog", "names"]})
    reader.get("/search", jql="id = 777")
    acting(DEVELOPER).get("/issue/SHOP-2")
    acting(DEVELOPER).get("/project/HELP")
    assert problems(sandbox, shared) == []


def test_the_whole_company_is_as_described(shared):
    with Sandbox.start(load_company()) as sandbox:
        client = DataCenter(sandbox, sandbox.read_token)
        found = client.get("/search", jql="created > 0", maxResults=1000, fields="*all", expand="changelog").json()
        for issue in found["issues"]:
            assert client.get(f"/issue/{issue['id']}/comment", expand="properties").ok
        client.session.close()
        assert found["total"] == len(found["issues"]) == 46
        assert problems(sandbox, shared) == []
