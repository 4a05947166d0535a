"""Comments on Jira Data Center: wiki markup kept as it was sent, audiences by name, paging, properties, refusals."""

import pytest

from sandbox.issues import INTERNAL
from tests.sandbox.jira_clients import DataCenter, as_person
from tests.sandbox_fixtures import AGENT, CUSTOMER, DEVELOPER, OWNER, as_reader
from tests.sandbox_fixtures import as_person as on_cloud
from tests.specs import judge

WIKI = "h2. Found\n\n* {color:red}a{color} \\{b} [~u-owner]\n{code}\nx | y\n{code}\n"
TOO_LONG = "The entered text is too long. It exceeds the allowed limit of 32,767 characters."


@pytest.fixture
def bot(sandbox):
    client = DataCenter(sandbox, sandbox.post_token)
    yield client
    client.session.close()


@pytest.fixture
def developer(sandbox):
    client = as_person(sandbox, DEVELOPER)
    yield client
    client.session.close()


def told(answer):
    said = answer.json()
    return [*said["errorMessages"], *said["errors"].values()]


def test_wiki_markup_is_kept_and_shown_by_cloud_too(sandbox, bot):
    made = bot.post("SHOP-1", WIKI)
    assert made.status_code == 201
    assert made.json()["body"] == WIKI
    comment = made.json()["id"]
    assert bot.get(f"/issue/SHOP-1/comment/{comment}").json()["body"] == WIKI
    reader = as_reader(sandbox)
    shown = reader.get(f"/issue/SHOP-1/comment/{comment}").json()["body"]
    reader.session.close()
    lines = [block["content"][0]["text"] for block in shown["content"]]
    assert lines == [line for line in WIKI.splitlines() if line]
    changed = bot.ask("PUT", f"/issue/SHOP-1/comment/{comment}", json={"body": "less"})
    assert (changed.status_code, changed.json()["body"]) == (200, "less")
    sandbox.jira.edit_comment("SHOP-1", comment, "**more** by Cloud")
    assert bot.get(f"/issue/SHOP-1/comment/{comment}").json()["body"] == "*more* by Cloud"
    sandbox.jira.edit_comment("SHOP-1", comment, wiki=WIKI)
    assert bot.get(f"/issue/SHOP-1/comment/{comment}").json()["body"] == WIKI


def test_paging_and_order(sandbox, bot):
    for number in range(60):
        sandbox.jira.add_comment("SHOP-3", OWNER.id, str(number))
    first = bot.get("/issue/SHOP-3/comment").json()
    assert (first["total"], first["maxResults"], len(first["comments"])) == (60, 50, 50)
    rest = bot.get("/issue/SHOP-3/comment", startAt=50, maxResults=100).json()
    assert [comment["body"] for comment in rest["comments"]] == [str(number) for number in range(50, 60)]
    newest = bot.get("/issue/SHOP-3/comment", orderBy="-created", maxResults=1).json()
    assert [comment["body"] for comment in newest["comments"]] == ["59"]
    assert bot.get("/issue/SHOP-3/comment", orderBy="author").status_code == 400


def test_audiences_have_names_only(bot, developer):
    role = bot.post("SHOP-1", "x", visibility={"type": "role", "value": "Owners"}).json()
    assert role["visibility"] == {"type": "role", "value": "Owners"}
    group = bot.post("SHOP-1", "x", visibility={"type": "group", "value": "leads"}).json()
    assert group["visibility"] == {"type": "group", "value": "leads"}
    for comment in (role, group):
        assert developer.get(f"/issue/SHOP-1/comment/{comment['id']}").status_code == 404
        assert developer.get(f"/comment/{comment['id']}/properties").status_code == 404


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"body": ""}, "Comment body can not be empty!"),
        ({"body": " \n"}, "Comment body can not be empty!"),
        ({"body": {"type": "doc"}}, "Comment body can not be empty!"),
        ({}, "Comment body can not be empty!"),
        ({"body": "x" * 32_768}, TOO_LONG),
        ({"body": "\ud83d"}, "Comment body is not valid!"),
        (
            {"body": "x", "visibility": {"type": "role", "value": "Owners"}},
            "You are currently not a member of the project role: Owners.",
        ),
        ({"body": "x", "visibility": {"type": "role", "value": "Kings"}}, "Role with id: Kings does not exist."),
        (
            {"body": "x", "visibility": {"type": "group", "value": "leads"}},
            "You are currently not a member of the group: leads.",
        ),
        (
            {"body": "x", "visibility": {"type": "role", "identifier": "Developers"}},
            'Unrecognized field "identifier" (Class VisibilityJsonBean), not marked as ignorable',
        ),
    ],
)
def test_what_is_refused(sandbox, developer, asked, says):
    answer = developer.ask("POST", "/issue/SHOP-1/comment", json=asked)
    assert (answer.status_code, told(answer)) == (400, [says])
    assert len(sandbox.jira.comments("SHOP-1")) == 3


def test_the_longest_comment_is_taken(bot):
    assert bot.post("SHOP-1", "x" * 32_767).status_code == 201


def test_the_reader_and_strangers_do_not_write(sandbox, bot, developer):
    reader = DataCenter(sandbox, sandbox.read_token)
    answer = reader.post("SHOP-1", "x")
    reader.session.close()
    said = "Crosscheck Reader, you do not have the permission to comment on this issue."
    assert (answer.status_code, told(answer)) == (400, [said])
    assert developer.post("SHOP-2", "x").status_code == 403
    assert developer.post("SHOP-999", "x").status_code == 404
    comment = bot.post("SHOP-1", "mine").json()["id"]
    assert developer.ask("PUT", f"/issue/SHOP-1/comment/{comment}", json={"body": "x"}).status_code == 400
    assert developer.ask("DELETE", f"/issue/SHOP-1/comment/{comment}").status_code == 400
    assert developer.ask("PUT", f"/comment/{comment}/properties/a", json=1).status_code == 403
    assert developer.ask("DELETE", f"/comment/{comment}/properties/a").status_code == 403
    assert bot.ask("DELETE", f"/issue/SHOP-1/comment/{comment}").status_code == 204
    assert bot.get(f"/issue/SHOP-1/comment/{comment}").status_code == 404


def test_an_internal_comment_is_one_from_the_start(sandbox, bot):
    internal = {"key": INTERNAL, "value": {"internal": True}}
    made = bot.post("HELP-1", "for agents", properties=[internal]).json()
    assert made["jsdPublic"] is False
    assert bot.post("HELP-1", "for all").json()["jsdPublic"] is True
    assert "jsdPublic" not in bot.post("SHOP-1", "x").json()
    listed = bot.get("/issue/HELP-1/comment", expand="properties", orderBy="-created").json()["comments"]
    assert {c["body"]: c["properties"] for c in listed[:2]} == {"for all": [], "for agents": [internal]}
    assert "properties" not in bot.get("/issue/HELP-1/comment").json()["comments"][0]
    sandbox.jira.add_comment("HELP-1", AGENT.id, "limited", role="Agents")
    customer = as_person(sandbox, CUSTOMER)
    seen = [comment["body"] for comment in customer.get("/issue/HELP-1/comment").json()["comments"]]
    customer.session.close()
    assert seen == ["We look into it.", "for all", "limited"]


def test_properties(bot):
    comment = bot.post("SHOP-1", "x", properties=[{"key": "a", "value": 1}]).json()["id"]
    at = f"/comment/{comment}/properties"
    assert bot.ask("PUT", f"{at}/b", json={"deep": [1]}).status_code == 201
    assert bot.ask("PUT", f"{at}/b", json={"deep": [2]}).status_code == 200
    assert bot.ask("PUT", f"{at}/b", data="{").status_code == 400
    assert bot.get(f"{at}/b").json() == {"key": "b", "value": {"deep": [2]}}
    assert bot.ask("DELETE", f"{at}/a").status_code == 204
    assert bot.get(f"{at}/a").status_code == bot.ask("DELETE", f"{at}/a").status_code == 404
    assert [entry["key"] for entry in bot.get(at).json()["keys"]] == ["b"]


def test_a_comment_can_come_out_wider(sandbox, bot):
    sandbox.faults.add("POST", "/issue/SHOP-1/comment", "wider")
    made = bot.post("SHOP-1", "x", visibility={"type": "role", "value": "Owners"}).json()
    assert "visibility" not in made


def test_a_property_is_deleted_on_cloud_too(sandbox):
    owner = on_cloud(sandbox, OWNER)
    comment = sandbox.jira.add_comment("SHOP-1", OWNER.id, "x")
    assert owner.jira("PUT", f"/comment/{comment}/properties/a", json=1).status_code == 201
    assert owner.jira("DELETE", f"/comment/{comment}/properties/a").status_code == 204
    assert owner.get(f"/comment/{comment}/properties").json() == {"keys": []}
    owner.session.close()


def test_every_answer_is_as_described(sandbox, bot, shared):
    made = bot.post("HELP-1", WIKI, properties=[{"key": INTERNAL, "value": {"internal": True}}]).json()
    at = f"/issue/HELP-1/comment/{made['id']}"
    bot.post("SHOP-1", "x", visibility={"type": "role", "value": "Owners"})
    bot.post("SHOP-1", "x" * 40_000)
    bot.get("/issue/HELP-1/comment", expand="properties", startAt="0", maxResults="5", orderBy="-created")
    bot.get(at, expand="properties")
    bot.ask("PUT", at, json={"body": "y"})
    for method, key in (("PUT", "a"), ("PUT", "a"), ("GET", "a"), ("GET", "b"), ("DELETE", "a")):
        bot.ask(method, f"/comment/{made['id']}/properties/{key}", **({"json": 1} if method == "PUT" else {}))
    bot.get(f"/comment/{made['id']}/properties")
    bot.ask("DELETE", at)
    bot.get(at)
    problems = [problem for exchange in sandbox.exchanges.all() for problem in judge(shared).check(exchange)]
    assert problems == []
