"""What tests do to the sandbox's Jira as its administrator, seen through Cloud and through Data Center."""

import pytest

from tests.sandbox.jira_clients import DataCenter
from tests.sandbox.jira_clients import as_person as on_data_center
from tests.sandbox_fixtures import AGENT, DEVELOPER, OWNER, as_person, paragraph
from tests.specs import judge

NOT_ALLOWED = "Crosscheck, you do not have the permission to comment on this issue."


@pytest.fixture
def server(sandbox):
    """The bot at Data Center."""
    client = DataCenter(sandbox, sandbox.post_token)
    yield client
    client.session.close()


def commented(bot, server, key, **more):
    """The answers of both flavours to a comment of the bot."""
    cloud = bot.jira("POST", f"/issue/{key}/comment", json={"body": paragraph("x"), **more})
    return cloud, server.post(key, "x", **more)


def refused(bot, server, key, says, **more):
    for answer in commented(bot, server, key, **more):
        told = answer.json()
        assert (answer.status_code, [*told["errorMessages"], *told["errors"].values()]) == (400, [says])


def taken(bot, server, key, **more):
    return all(answer.status_code == 201 for answer in commented(bot, server, key, **more))


def test_a_clone_has_no_comments(sandbox, bot, server):
    sandbox.jira.attach("SHOP-1", OWNER.id, "a.csv", b"x")
    assert sandbox.jira.clone_issue("SHOP-1") == "SHOP-4"
    for client in (bot, server):
        issue = client.get("/issue/SHOP-4", expand="changelog").json()
        fields = issue["fields"]
        assert (fields["summary"], fields["comment"]["total"], fields["attachment"]) == (
            "CLONE - Lock the account",
            0,
            [],
        )
        assert fields["description"] == client.get("/issue/SHOP-1").json()["fields"]["description"]
        assert [(x["type"]["name"], x["outwardIssue"]["key"]) for x in fields["issuelinks"]] == [("Cloners", "SHOP-1")]
        assert issue["changelog"]["total"] == 0
        assert client.get(f"/issue/{issue['id']}").json()["key"] == "SHOP-4"
    found = server.get("/search", jql="project = SHOP", fields="summary").json()
    assert {issue["key"] for issue in found["issues"]} == {"SHOP-1", "SHOP-2", "SHOP-3", "SHOP-4"}
    assert taken(bot, server, "SHOP-4")
    sandbox.jira.set_fields("SHOP-4", {"Priority": "Low"})
    assert server.get("/issue/SHOP-1").json()["fields"]["priority"]["name"] == "High"
    assert sandbox.jira.clone_issue("SHOP-3") == "SHOP-5"
    children = server.get("/issue/SHOP-1").json()["fields"]["subtasks"]
    assert [child["key"] for child in children] == ["SHOP-3", "SHOP-5"]


def test_former_keys_of_a_project_still_lead_to_it(sandbox, bot, server):
    sandbox.jira.forbid(DEVELOPER.id, "SHOP", "ADD_COMMENTS")
    number = server.get("/project/SHOP").json()["id"]
    sandbox.jira.rekey_project("SHOP", "MART")
    for client in (bot, server):
        for name in ("SHOP", "MART", number):
            assert client.get(f"/project/{name}").json()["key"] == "MART"
        for name in ("SHOP-1", "MART-1", "20001"):
            issue = client.get(f"/issue/{name}").json()
            assert (issue["key"], issue["fields"]["project"]["key"]) == ("MART-1", "MART")
        links = client.get("/issue/MART-1").json()["fields"]
        assert [child["key"] for child in links["subtasks"]] == ["MART-3"]
        assert links["issuelinks"][0]["outwardIssue"]["key"] == "MART-2"
    for jql in ("project = SHOP", "project = MART", "key in (SHOP-1, MART-2, SHOP-3)"):
        found = server.get("/search", jql=jql).json()["issues"]
        assert {issue["key"] for issue in found} == {"MART-1", "MART-2", "MART-3"}, jql
    assert server.get("/issue/MART-2").json()["fields"]["security"]["name"] == "Leads only"
    developer = on_data_center(sandbox, DEVELOPER)
    assert developer.post("SHOP-1", "x").status_code == 400
    developer.session.close()
    sandbox.jira.rekey_project("MART", "SHOP")
    assert server.get("/issue/MART-1").json()["key"] == "SHOP-1"
    with pytest.raises(ValueError, match="already"):
        sandbox.jira.rekey_project("SHOP", "HELP")


def test_an_archived_ticket_can_only_be_read(sandbox, bot, server):
    mine = server.post("SHOP-1", "mine").json()["id"]
    sandbox.jira.archive_issue("SHOP-1")
    refused(bot, server, "SHOP-1", NOT_ALLOWED)
    assert server.ask("PUT", f"/issue/SHOP-1/comment/{mine}", json={"body": "y"}).status_code == 400
    assert server.ask("DELETE", f"/issue/SHOP-1/comment/{mine}").status_code == 400
    for client in (bot, server):
        assert client.get("/issue/SHOP-1").json()["fields"]["archiveddate"]
        assert client.get("/issue/SHOP-1/comment").json()["total"] == 4
        asked = {"issueKey": "SHOP-1", "permissions": "ADD_COMMENTS"} if client is bot else {"issueKey": "SHOP-1"}
        assert not client.get("/mypermissions", **asked).json()["permissions"]["ADD_COMMENTS"]["havePermission"]
    assert server.get("/search", jql="key = SHOP-1").json()["total"] == 0
    assert bot.get("/search/jql", jql="key = SHOP-1").json()["issues"] == []
    sandbox.jira.restore_issue("SHOP-1")
    assert server.get("/search", jql="key = SHOP-1").json()["total"] == 1
    assert server.get("/issue/SHOP-1").json()["fields"]["archiveddate"] is None
    assert taken(bot, server, "SHOP-1")


def test_an_archived_project_can_only_be_read(sandbox, bot, server):
    sandbox.jira.archive_project("SHOP")
    refused(bot, server, "SHOP-3", NOT_ALLOWED)
    for client in (bot, server):
        assert client.get("/project/SHOP").json()["archived"] is True
        assert client.get("/issue/SHOP-3").ok
    assert taken(bot, server, "HELP-1")
    form = bot.session.get(f"{sandbox.jira_url}/browse/SHOP-3", timeout=10).text
    assert OWNER.name not in form.partition("<form")[2]
    assert [issue["key"] for issue in server.get("/search", jql="").json()["issues"]] == ["HELP-1"]
    sandbox.jira.rekey_project("SHOP", "MART")
    refused(bot, server, "SHOP-3", NOT_ALLOWED)
    sandbox.jira.restore_project("MART")
    assert taken(bot, server, "SHOP-3")


def test_permissions_are_taken_and_given_back(sandbox, bot, server):
    account = sandbox.accounts.bot.id
    sandbox.jira.forbid(account, "SHOP", "ADD_COMMENTS")
    refused(bot, server, "SHOP-1", NOT_ALLOWED)
    assert taken(bot, server, "HELP-1")
    assert not server.get("/mypermissions", projectKey="SHOP").json()["permissions"]["ADD_COMMENTS"]["havePermission"]
    sandbox.jira.permit(account, "SHOP", "ADD_COMMENTS")
    comment = server.post("SHOP-1", "x").json()["id"]
    sandbox.jira.forbid(account, "SHOP", "DELETE_OWN_COMMENTS")
    assert server.ask("DELETE", f"/issue/SHOP-1/comment/{comment}").status_code == 400
    sandbox.jira.forbid(account, "SHOP", "BROWSE_PROJECTS")
    assert (bot.get("/issue/SHOP-1").status_code, server.get("/issue/SHOP-1").status_code) == (404, 403)
    sandbox.jira.forbid(account, "HELP", "ADMINISTER_PROJECTS")
    for client in (bot, server):
        number = client.get("/project/HELP/role").json()["Agents"].rpartition("/")[2]
        assert client.get(f"/project/HELP/role/{number}").status_code == 404
    with pytest.raises(ValueError, match="no permission"):
        sandbox.jira.forbid(account, "SHOP", "FLY")


def test_a_role_that_the_bot_is_not_in_is_refused(sandbox, bot, server):
    account, limited = sandbox.accounts.bot.id, {"visibility": {"type": "role", "value": "Owners"}}
    assert taken(bot, server, "SHOP-1", **limited)
    sandbox.jira.leave_role(account, "SHOP", "Owners")
    refused(bot, server, "SHOP-1", "You are currently not a member of the project role: Owners.", **limited)
    assert "For owners." not in [c["body"] for c in server.get("/issue/SHOP-1/comment").json()["comments"]]
    sandbox.jira.join_role(account, "SHOP", "Owners")
    assert taken(bot, server, "SHOP-1", **limited)
    with pytest.raises(ValueError, match="no role"):
        sandbox.jira.join_role(account, "SHOP", "Kings")


def test_groups_change(sandbox, bot, server):
    limited = {"visibility": {"type": "group", "value": "night shift"}}
    refused(bot, server, "SHOP-1", "Group: night shift does not exist.", **limited)
    sandbox.jira.set_groups(sandbox.accounts.bot.id, ["night shift"])
    assert taken(bot, server, "SHOP-1", **limited)
    groups = bot.get("/user/groups", accountId=sandbox.accounts.bot.id).json()
    assert [(group["name"], group["groupId"]) for group in groups] == [
        ("night shift", sandbox.accounts.group_id("night shift"))
    ]
    refused(
        bot, server, "SHOP-1", "You are currently not a member of the group: leads.",
        visibility={"type": "group", "value": "leads"},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("deleted", "name", "shown"), [(False, "Dan Developer", DEVELOPER.id), (True, "Former user", "unknown")]
)
def test_what_somebody_wrote_remains(sandbox, bot, server, deleted, name, shown):
    gone, token = as_person(sandbox, DEVELOPER), sandbox.accounts.token(DEVELOPER.id)
    (sandbox.jira.delete_user if deleted else sandbox.jira.deactivate_user)(DEVELOPER.id)
    assert gone.get("/myself").status_code == 401
    gone.session.close()
    late = DataCenter(sandbox, token)
    assert late.get("/myself").status_code == 401
    late.session.close()
    author = bot.get("/issue/SHOP-1/comment").json()["comments"][-1]["author"]
    assert (author["displayName"], author["accountId"], author["active"]) == (name, shown, False)
    author = server.get("/issue/SHOP-1/comment").json()["comments"][-1]["author"]
    assert (author["name"], author["active"]) == (DEVELOPER.id, False)
    assert author["displayName"] == (DEVELOPER.id if deleted else "Dan Developer")
    status = 404 if deleted else 200
    assert bot.get("/user", accountId=DEVELOPER.id).status_code == status
    assert bot.get("/user/groups", accountId=DEVELOPER.id).status_code == status
    assert server.get("/user", username=DEVELOPER.id).status_code == status
    number = sandbox.jira.catalog.roles["Developers"]
    assert DEVELOPER.id not in [a["name"] for a in server.get(f"/project/SHOP/role/{number}").json()["actors"]]


def test_every_answer_is_as_described(sandbox, bot, server, shared):
    sandbox.jira.delete_user(AGENT.id)
    sandbox.jira.deactivate_user(OWNER.id)
    sandbox.jira.clone_issue("SHOP-1")
    sandbox.jira.archive_issue("SHOP-1")
    sandbox.jira.archive_project("HELP")
    commented(bot, server, "SHOP-1")
    for client in (bot, server):
        for path in ("/issue/SHOP-1", "/issue/HELP-1", "/issue/SHOP-4", "/project/HELP", "/issue/HELP-1/comment"):
            assert client.get(path).ok
    bot.get("/user", accountId=DEVELOPER.id, expand="groups")
    bot.get("/user/groups", accountId=DEVELOPER.id)
    bot.get("/user/groups", accountId=AGENT.id)
    bot.get("/project/SHOP/role/10501")
    problems = [problem for exchange in sandbox.exchanges.all() for problem in judge(shared).check(exchange)]
    assert problems == []
