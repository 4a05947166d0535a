"""Jira: who sees what, paging, what is refused, and what search sees."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
import requests
from jira import JIRA

from tests.sandbox_fixtures import AGENT, CUSTOMER, DEVELOPER, OUTSIDER, OWNER, T, as_person, paragraph


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


def texts(client, key="SHOP-1", **query):
    found = client.get(f"/issue/{key}/comment", **query).json()
    return [c["body"]["content"][0]["content"][0]["text"] for c in found["comments"]]


def post(client, key="SHOP-1", text="answer", **more):
    return client.jira("POST", f"/issue/{key}/comment", json={"body": paragraph(text), **more})


def test_a_wrong_or_missing_token_is_401(sandbox, reader):
    reader.session.auth = (sandbox.read_user, "wrong")
    assert reader.get("/myself").status_code == 401
    reader.session.auth = None
    assert reader.get("/issue/SHOP-1").status_code == 401
    assert reader.wiki("/api/v2/spaces").status_code == 401


def test_who_sees_which_ticket(acting, reader, bot):
    expected = {OWNER: {"SHOP-1", "SHOP-2", "SHOP-3"}, DEVELOPER: {"SHOP-1", "SHOP-3"}, AGENT: {"HELP-1"}}
    expected |= {OUTSIDER: set(), CUSTOMER: {"HELP-1"}}
    for person, keys in expected.items():
        client = acting(person)
        seen = {key for key in ("SHOP-1", "SHOP-2", "SHOP-3", "HELP-1") if client.get(f"/issue/{key}").ok}
        found = client.jira("POST", "/search/jql", json={"jql": "created > 0", "fields": ["summary"]}).json()
        assert seen == keys, person.name
        assert {issue["key"] for issue in found["issues"]} == keys, person.name
    for client in (reader, bot):
        assert all(client.get(f"/issue/{key}").ok for key in ("SHOP-1", "SHOP-2", "SHOP-3", "HELP-1"))


def test_what_is_hidden_looks_like_what_is_not_there(acting):
    developer = acting(DEVELOPER)
    hidden, absent = developer.get("/issue/SHOP-2"), developer.get("/issue/SHOP-999")
    assert (hidden.status_code, hidden.text) == (absent.status_code, absent.text)
    fields = developer.get("/issue/SHOP-1").json()["fields"]
    assert fields["issuelinks"] == []
    assert [child["key"] for child in fields["subtasks"]] == ["SHOP-3"]


def test_links_have_both_directions(reader):
    out = reader.get("/issue/SHOP-1").json()["fields"]["issuelinks"][0]
    back = reader.get("/issue/SHOP-2").json()["fields"]["issuelinks"][0]
    assert (out["outwardIssue"]["key"], back["inwardIssue"]["key"]) == ("SHOP-2", "SHOP-1")
    assert out["type"] == back["type"]
    assert (out["type"]["outward"], out["type"]["inward"]) == ("blocks", "is blocked by")


def test_restricted_comments_are_hidden_and_404(reader, acting):
    developer, owner = acting(DEVELOPER), acting(OWNER)
    assert texts(reader) == ["For everybody.", "For owners.", "For engineering."]
    assert texts(developer) == ["For everybody.", "For engineering."]
    assert texts(owner) == ["For everybody.", "For owners."]
    assert developer.get("/issue/SHOP-1/comment").json()["total"] == 2
    ids = [c["id"] for c in reader.get("/issue/SHOP-1/comment").json()["comments"]]
    assert [developer.get(f"/issue/SHOP-1/comment/{i}").status_code for i in ids] == [200, 404, 200]
    assert [developer.get(f"/comment/{i}/properties").status_code for i in ids] == [200, 404, 200]
    listed = developer.jira("POST", "/comment/list", json={"ids": [int(i) for i in ids]}).json()
    assert [c["id"] for c in listed["values"]] == [ids[0], ids[2]]
    embedded = developer.get("/issue/SHOP-1").json()["fields"]["comment"]
    assert (embedded["total"], [c["id"] for c in embedded["comments"]]) == (2, [ids[0], ids[2]])


def test_internal_notes_and_customers(sandbox, reader, acting):
    customer = acting(CUSTOMER)
    public, internal = reader.get("/issue/HELP-1/comment").json()["comments"]
    assert (public["jsdPublic"], internal["jsdPublic"]) == (True, False)
    assert texts(customer, "HELP-1") == ["We look into it."]
    sandbox.jira.add_comment("HELP-1", AGENT.id, "For agents?", role="Agents")
    assert texts(customer, "HELP-1")[-1] == "For agents?"
    assert all(c["jsdPublic"] for c in reader.get("/issue/SHOP-1/comment").json()["comments"])


def test_a_comment_is_created_as_asked(bot, reader):
    note = {"key": "sd.public.comment", "value": {"internal": True}}
    mark = {"key": "mark", "value": "m1"}
    group = {"type": "group", "value": "engineering"}
    created = post(bot, "HELP-1", properties=[note, mark], visibility={"type": "role", "value": "Agents"})
    assert created.status_code == 201
    read = reader.jira(
        "POST", "/comment/list", json={"ids": [int(created.json()["id"])]}, params={"expand": "properties"}
    )
    comment = read.json()["values"][0]
    assert comment["jsdPublic"] is False
    assert comment["visibility"] == {"type": "role", "value": "Agents", "identifier": "Agents"}
    assert comment["properties"] == [note, mark]
    by_name = post(bot, visibility=group).json()["visibility"]
    assert by_name["value"] == "engineering"
    by_id = post(bot, visibility={"type": "group", "identifier": by_name["identifier"]}).json()["visibility"]
    assert by_id == by_name


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"body": "plain text"}, "Comment body is not valid!"),
        ({"body": {"type": "doc", "version": 1, "content": [{"type": "listItem"}]}}, "Comment body is not valid!"),
        (
            {"body": {"type": "doc", "version": 1, "content": [{"type": [], "content": []}]}},
            "Comment body is not valid!",
        ),
        ({"body": paragraph("")}, "Comment body is not valid!"),
        ({"body": paragraph("\ud83d")}, "Comment body is not valid!"),
        ({"body": {"type": "doc", "version": 1, "content": []}}, "can not be empty"),
        ({}, "Comment body is not valid!"),
        ({"body": paragraph("x" * 32_767)}, "32,767"),
        ({"body": paragraph("x"), "visibility": {"type": "role", "value": "Kings"}}, "does not exist"),
        (
            {"body": paragraph("x"), "visibility": {"type": "role", "value": "Agents"}},
            "not a member of the project role",
        ),
        ({"body": paragraph("x"), "visibility": {"type": "group", "value": "leads"}}, "not a member of the group"),
        ({"body": paragraph("x"), "visibility": {"type": "world"}}, "Invalid request payload"),
        ({"body": paragraph("x"), "properties": [{"key": 1}]}, "Invalid request payload"),
    ],
)
def test_what_jira_refuses(acting, sandbox, asked, says):
    refused = acting(DEVELOPER).jira("POST", "/issue/SHOP-1/comment", json=asked)
    assert refused.status_code == 400
    assert says in refused.text
    assert len(sandbox.jira.comments("SHOP-1")) == 3


@pytest.mark.parametrize("body", [b"{", b"[]", b"[" * 100_000, b"\xff", b""])
def test_what_is_no_json_object_is_400(bot, body):
    assert bot.jira("POST", "/issue/SHOP-1/comment", data=body).status_code == 400
    assert bot.jira("POST", "/search/jql", data=body).status_code == 400
    assert bot.jira("POST", "/comment/list", data=body).status_code == 400


def test_the_reader_cannot_write_and_nobody_edits_anothers_comment(reader, bot, acting):
    assert post(reader).status_code == 400
    mine = post(bot).json()["id"]
    other = acting(OWNER)
    assert other.jira("DELETE", f"/issue/SHOP-1/comment/{mine}").status_code == 400
    assert other.jira("PUT", f"/issue/SHOP-1/comment/{mine}", json={"body": paragraph("x")}).status_code == 400
    assert other.jira("PUT", f"/comment/{mine}/properties/x", json=1).status_code == 403
    assert bot.jira("DELETE", f"/issue/SHOP-1/comment/{mine}").status_code == 204
    assert bot.get(f"/issue/SHOP-1/comment/{mine}").status_code == 404


def test_comments_come_in_pages_of_a_hundred_at_most(sandbox, reader):
    for number in range(130):
        sandbox.jira.add_comment("SHOP-1", OWNER.id, f"n{number}")
    first = reader.get("/issue/SHOP-1/comment", maxResults=5000).json()
    assert (len(first["comments"]), first["maxResults"], first["total"]) == (100, 100, 133)
    assert len(texts(reader, startAt=100)) == 33
    assert texts(reader, orderBy="-created", maxResults=2) == ["n129", "n128"]
    assert texts(reader, startAt=500) == []


def test_the_changelog_is_paged_oldest_first(reader):
    seen, start = [], 0
    while True:
        page = reader.get("/issue/SHOP-1/changelog", startAt=start, maxResults=3).json()
        seen += [entry["items"][0]["fromString"] for entry in page["values"]]
        start += len(page["values"])
        if page["isLast"]:
            break
    assert seen == [f"text {at}" for at in range(7)]
    assert page["total"] == 7
    expanded = reader.get("/issue/SHOP-1", expand="changelog", fields="summary").json()["changelog"]
    assert expanded["histories"][0]["items"][0]["fromString"] == "text 6"


def search(client, jql, **more):
    return client.get("/search/jql", jql=jql, fields="key", **more)


def keys(client, jql):
    answer = search(client, jql)
    assert answer.status_code == 200, answer.text
    return [issue["key"] for issue in answer.json()["issues"]]


def test_search_gives_ids_only_unless_fields_are_named(reader):
    issues = reader.get("/search/jql", jql="project = SHOP ORDER BY key").json()["issues"]
    assert issues == [{"id": "20001"}, {"id": "20002"}, {"id": "20003"}]
    named = reader.get("/search/jql", jql="key = SHOP-1", fields="summary,status").json()["issues"][0]
    assert named["key"] == "SHOP-1"
    assert set(named["fields"]) == {"summary", "status"}


def test_search_is_paged_by_token(reader):
    seen, token = [], {}
    while True:
        page = search(reader, "project in (SHOP, HELP) ORDER BY key ASC", maxResults=1, **token).json()
        seen += [issue["key"] for issue in page["issues"]]
        if page["isLast"]:
            break
        token = {"nextPageToken": page["nextPageToken"]}
    assert seen == ["SHOP-1", "SHOP-2", "SHOP-3", "HELP-1"]
    assert "nextPageToken" not in page
    assert "total" not in page
    assert search(reader, "project = SHOP", nextPageToken="rubbish").status_code == 400


@pytest.mark.parametrize(
    ("jql", "found"),
    [
        ("project = SHOP AND status = Done", ["SHOP-2"]),
        ("project = shop and (status != Done or key = SHOP-2) order by id", ["SHOP-1", "SHOP-2", "SHOP-3"]),
        ("project not in (SHOP)", ["HELP-1"]),
        ("NOT project = SHOP", ["HELP-1"]),
        ("parent = SHOP-1", ["SHOP-3"]),
        ('issuekey in ("SHOP-3", SHOP-1) ORDER BY key DESC', ["SHOP-3", "SHOP-1"]),
        ("statusCategory = done", ["SHOP-2"]),
        ("project = SHOP AND resolution is EMPTY ORDER BY id", ["SHOP-1", "SHOP-3"]),
        ("resolution is not EMPTY", ["SHOP-2"]),
        ("issuetype = 'Sub-task'", ["SHOP-3"]),
        (f"updated > {int(T.timestamp() * 1000)}", ["SHOP-1"]),
        ("updated >= -1m", []),
    ],
)
def test_jql(reader, jql, found):
    assert keys(reader, jql) == found


BAD_JQL = (
    "",
    "order by key",
    "project",
    "project = NOPE",
    "key = SHOP-999",
    "nope = 1",
    "project = SHOP garbage",
    "(((",
    ")",
    "project in SHOP",
    "updated ~ 1",
    "updated > yesterday",
    'key = "SHOP-1',
    "updated > 99999999999999999999",
    "(" * 5000,
    'updated > "2026-13-45"',
    "project = SHOP order",
    "project = SHOP order by nope",
)


@pytest.mark.parametrize("jql", BAD_JQL)
def test_bad_jql_is_400(reader, jql):
    answer = reader.jira("POST", "/search/jql", json={"jql": jql})
    assert answer.status_code == 400
    assert answer.json()["errorMessages"]


def test_dates_are_read_in_the_accounts_zone_and_milliseconds_are_not(sandbox, reader):
    updated = T + timedelta(hours=5)  # 14:00 UTC, 10:00 in the account's zone
    assert keys(reader, 'updated >= "2026-03-02 10:00"') == ["SHOP-1"]
    assert keys(reader, 'updated >= "2026-03-02 14:00"') == []
    assert keys(reader, f"updated >= {int(updated.timestamp() * 1000)}") == ["SHOP-1"]
    sandbox.jira.zone = ZoneInfo("Europe/Helsinki")
    assert keys(reader, 'updated >= "2026-03-02 16:00"') == ["SHOP-1"]
    assert reader.get("/issue/SHOP-1", fields="updated").json()["fields"]["updated"] == "2026-03-02T16:00:00.000+0200"


def test_search_lags_behind_while_reading_is_current(sandbox, reader):
    sandbox.jira.search_lag = 0.4
    before = int(datetime.now(UTC).timestamp() * 1000) - 1000
    sandbox.jira.add_comment("SHOP-3", OWNER.id, "new")
    sandbox.jira.delete_issue("HELP-1")
    assert texts(reader, "SHOP-3") == ["new"]
    assert keys(reader, f"updated >= {before}") == []
    assert keys(reader, "project = HELP") == ["HELP-1"]
    assert reader.get("/issue/HELP-1").status_code == 404
    reconciled = search(reader, f"updated >= {before}", reconcileIssues="20003").json()["issues"]
    assert [issue["key"] for issue in reconciled] == ["SHOP-3"]
    sandbox.jira.search_lag = 0
    assert keys(reader, f"updated >= {before}") == ["SHOP-3"]
    assert keys(reader, "project = HELP") == []


def test_what_a_test_changes_is_what_the_api_shows(sandbox, reader, acting):
    jira = sandbox.jira
    comment = jira.add_comment("SHOP-1", OWNER.id, "draft")
    jira.edit_comment("SHOP-1", comment, "final")
    assert texts(reader)[-1] == "final"
    jira.set_visibility("SHOP-1", comment, role="Owners")
    assert "final" not in texts(acting(DEVELOPER))
    jira.delete_comment("SHOP-1", comment)
    assert texts(reader)[-1] == "For engineering."
    jira.set_fields("SHOP-1", {"Acceptance criteria": "- new", "status": "Done"}, DEVELOPER.id)
    issue = reader.get("/issue/SHOP-1", expand="changelog").json()
    assert issue["fields"]["status"]["statusCategory"]["key"] == "done"
    changed = issue["changelog"]["histories"][0]
    assert [item["field"] for item in changed["items"]] == ["Acceptance criteria", "status"]
    assert changed["items"][0]["fieldtype"] == "custom"
    jira.set_security("SHOP-1", "Leads only")
    assert acting(DEVELOPER).get("/issue/SHOP-1").status_code == 404
    with pytest.raises(ValueError, match="no comment"):
        jira.delete_comment("SHOP-1", comment)


def test_the_removed_search_is_gone(reader):
    assert reader.get("/search", jql="project = SHOP").status_code == 410


def test_permissions_are_told(sandbox, reader, bot):
    def held(client):
        found = client.get("/mypermissions", permissions="BROWSE_PROJECTS,ADD_COMMENTS", projectKey="SHOP").json()
        return {key for key, value in found["permissions"].items() if value["havePermission"]}

    assert held(reader) == {"BROWSE_PROJECTS"}
    assert held(bot) == {"BROWSE_PROJECTS", "ADD_COMMENTS"}


def test_the_jira_library_works_on_it(sandbox):
    client = JIRA(
        sandbox.jira_url,
        basic_auth=(sandbox.post_user, sandbox.post_token),
        options={"rest_api_version": "3"},
        max_retries=0,
        timeout=10,
    )
    try:
        assert client.server_info()["deploymentType"] == "Cloud"
        found = client.enhanced_search_issues("project = SHOP", maxResults=2, json_result=True, use_post=True)
        assert len(found["issues"]) == 2
        assert len(client.comments("SHOP-1")) == 3
        answer = client._session.post(
            client._get_url("issue/SHOP-1/comment"), data=json.dumps({"body": paragraph("hi")})
        )
        assert answer.status_code == 201
    finally:
        client.close()


def test_many_writers_at_once_lose_nothing(sandbox):
    auth, url = (sandbox.post_user, sandbox.post_token), sandbox.jira_url + "/rest/api/3/issue/SHOP-1/comment"

    def write(worker):
        with requests.Session() as session:
            return [
                session.post(url, json={"body": paragraph(f"{worker}-{n}")}, auth=auth).json()["id"] for n in range(15)
            ]

    with ThreadPoolExecutor(6) as pool:
        ids = [comment for part in pool.map(write, range(6)) for comment in part]
    assert len(set(ids)) == 90
    assert len(sandbox.jira.comments("SHOP-1")) == 93
