"""A tour of every endpoint, each request and answer judged by the vendors' own descriptions."""

import re

import pytest

from sandbox.exchange import Exchange
from sandbox.load import load_company
from sandbox.server import Sandbox
from tests.sandbox_fixtures import as_reader, paragraph
from tests.specs import judge

JIRA_TOUR = (
    ("/serverInfo", {}),
    ("/myself", {"expand": "groups"}),
    ("/mypermissions", {"permissions": "BROWSE_PROJECTS,ADD_COMMENTS", "issueKey": "SHOP-1"}),
    ("/mypermissions", {}),
    ("/field", {}),
    ("/status", {}),
    ("/project/search", {"maxResults": 1}),
    ("/project/SHOP", {}),
    ("/project/NOPE", {}),
    ("/project/SHOP/role", {}),
    ("/project/SHOP/role/10501", {}),
    ("/search/jql", {"jql": "project = SHOP ORDER BY updated", "maxResults": 1}),
    ("/search/jql", {"jql": "project in (SHOP, HELP)", "fields": "*all"}),
    ("/search/jql", {"jql": "nonsense ~ x"}),
    ("/issue/SHOP-1", {}),
    ("/issue/SHOP-1", {"fields": "summary,status", "expand": "changelog,names,renderedFields"}),
    ("/issue/SHOP-2", {}),
    ("/issue/HELP-1", {}),
    ("/issue/NOPE-1", {}),
    ("/issue/SHOP-1/changelog", {"startAt": 2, "maxResults": 3}),
    ("/issue/SHOP-1/comment", {"maxResults": 2, "orderBy": "-created", "expand": "renderedBody"}),
    ("/issue/HELP-1/comment/90002", {}),
    ("/issue/SHOP-1/remotelink", {}),
)
WIKI_TOUR = (
    ("/api/v2/spaces", {"limit": 1}),
    ("/api/v2/spaces", {"keys": "LED"}),
    ("/api/v2/spaces/65601", {}),
    ("/api/v2/spaces/65601/pages", {"body-format": "storage", "limit": 2, "sort": "-modified-date"}),
    ("/api/v2/spaces/65601/pages", {"status": "archived"}),
    ("/api/v2/spaces/1/pages", {}),
    ("/api/v2/pages", {"body-format": "atlas_doc_format", "id": "501"}),
    ("/api/v2/pages/501", {"body-format": "storage", "include-labels": "true"}),
    ("/api/v2/pages/501", {"body-format": "view", "version": 1}),
    ("/api/v2/pages/999", {}),
    ("/api/v2/pages/501/versions", {"body-format": "storage", "sort": "-modified-date"}),
    ("/api/v2/pages/503/ancestors", {}),
    ("/api/v2/pages/501/labels", {}),
    ("/api/v2/pages/501/footer-comments", {}),
    ("/api/v2/pages/501/inline-comments", {}),
    ("/api/v2/pages/501/attachments", {}),
    ("/rest/api/content/502/restriction/byOperation/read", {}),
    ("/rest/api/content/505/restriction/byOperation", {}),
    ("/rest/api/content/999/restriction/byOperation/read", {}),
    ("/rest/api/user/current", {}),
)


def write_tour(bot):
    """Every write that the bot does, and what Jira refuses."""
    comment = {
        "body": paragraph("answer"),
        "visibility": {"type": "role", "identifier": "Owners"},
        "properties": [{"key": "crosscheck", "value": {"key": "k1"}}],
    }
    created = bot.jira("POST", "/issue/SHOP-1/comment", json=comment).json()["id"]
    group = {"type": "group", "value": "engineering"}
    bot.jira("POST", "/issue/SHOP-1/comment", json={"body": paragraph("x"), "visibility": group})
    bot.jira("PUT", f"/issue/SHOP-1/comment/{created}", json={"body": paragraph("edited")})
    bot.jira("POST", "/comment/list", json={"ids": [int(created), 1]}, params={"expand": "properties,renderedBody"})
    bot.get(f"/comment/{created}/properties")
    bot.get(f"/comment/{created}/properties/crosscheck")
    bot.get(f"/comment/{created}/properties/none")
    bot.jira("PUT", f"/comment/{created}/properties/more", json={"a": [1]})
    bot.jira("PUT", f"/comment/{created}/properties/more", json={"a": [2]})
    bot.jira("POST", "/search/jql", json={"jql": "key = SHOP-1", "fields": ["summary"], "maxResults": 5})
    bot.jira("DELETE", f"/issue/SHOP-1/comment/{created}")


def test_every_answer_is_as_described(sandbox, reader, bot, shared):
    for path, query in JIRA_TOUR:
        reader.get(path, **query)
    for path, query in WIKI_TOUR:
        reader.wiki(path, **query)
    write_tour(bot)
    exchanges = sandbox.exchanges.all()
    assert len(exchanges) == len(JIRA_TOUR) + len(WIKI_TOUR) + 11
    found = {f"{e.method} {e.path} {e.status}": problems for e in exchanges if (problems := judge(shared).check(e))}
    assert found == {}


def test_the_whole_company_is_as_described(shared):
    with Sandbox.start(load_company()) as sandbox:
        reader = as_reader(sandbox)
        for project in sandbox.jira.projects:
            token = {}
            while token is not None:
                found = reader.get(
                    "/search/jql", jql=f"project = {project}", fields="*all", maxResults=20, **token
                ).json()
                token = {"nextPageToken": found["nextPageToken"]} if not found["isLast"] else None
        for key in sandbox.jira.issues:
            reader.get(f"/issue/{key}/changelog")
        reader.wiki("/api/v2/pages", limit=250, **{"body-format": "atlas_doc_format"})
        for page in sandbox.confluence.pages:
            reader.wiki(f"/api/v2/pages/{page}", **{"body-format": "storage"})
        reader.session.close()
        problems = [problem for e in sandbox.exchanges.all() for problem in judge(shared).check(e)]
    assert problems == []


def exchange(method="GET", path="/rest/api/3/myself", query="", body=b"", status=200, answer=b"{}", service="jira"):
    kind = {"content-type": "application/json"}
    headers = {"authorization": "Basic YTpi", **kind}
    return Exchange(service, method, f"http://x{path}?{query}", path, query, headers, body, status, kind, answer)


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (exchange(path="/rest/api/3/search"), "removed"),
        (exchange(query="validateQuery=true"), "validateQuery"),
        (exchange(path="/rest/api/3/nothing"), "not described"),
        (exchange(answer=b'{"accountId": 5}'), "accountId"),
        (exchange(answer=b'{"surplus": 5}'), "surplus"),
        (exchange("POST", "/rest/api/3/issue/A-1/comment", body=b'{"body": "text"}', status=0), "body"),
        (exchange("POST", "/rest/api/3/issue/A-1/comment", body=b'{"x": 1}', status=0), "body"),
        (exchange(path="/rest/api/3/issue/A-1", answer=b'{"fields": {"description": {"type": "doc"}}}'), "ADF"),
        (exchange(path="/rest/api/3/issue/A-1/comment", query="maxResults=many"), "maxResults"),
        (exchange(path="/wiki/api/v2/pages/1", query="body-format=wiki", service="confluence"), "body-format"),
        (exchange(path="/rest/api/3/serverInfo", answer=b'{"serverTime": "yesterday"}'), "date-time"),
        (exchange(status=302), "302"),
    ],
)
def test_the_judge_can_say_no(bad, says, shared):
    assert any(re.search(says, problem) for problem in judge(shared).check(bad)), judge(shared).check(bad)
