"""How Jira Data Center is asked: its flavour, its login, its pages, its files, its public and internal comments."""

import base64
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from core.connectors.jira import JiraConnector, JiraReader
from core.connectors.jira_cloud import JiraCloud
from core.connectors.jira_data_center import JiraDataCenter
from core.errors import SourceError, SourceForbidden, SourceGone, SourceIncomplete, SourceUnavailable
from core.visibility import INTERNAL, jira_role
from tests.core.connectors.conftest import QUICK
from tests.core.connectors.jira_center import SERVER, center

API = "/rest/api/2"
SEARCH = f"{API}/search"
T = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture
def server():
    with center() as running:
        yield running


@pytest.fixture
def api(server):
    return server.reader().api


def time_of(at):
    return at.strftime("%Y-%m-%dT%H:%M:%S.000+0000")


NO_COMMENTS = {"comment": {"total": 0, "comments": []}}


def issue(number, at=T, **fields):
    return {
        "id": str(number),
        "key": f"SHOP-{number}",
        "fields": {
            "project": {"key": "SHOP"},
            "summary": f"Bug {number}",
            "created": time_of(at),
            **NO_COMMENTS,
            **fields,
        },
        "changelog": {"startAt": 0, "maxResults": 0, "total": 0, "histories": []},
    }


class Index:
    """A search over issues, in their order, that understands no more JQL than is asked here."""

    def __init__(self, issues, *, most=1000, window=None):
        self.issues = issues
        self.most = most
        self.window = window
        self.starts = []

    def __call__(self, _query, body):
        found = self.issues
        if since := re.search(r"AND created >= (\d+)", body["jql"]):
            at = datetime.fromtimestamp(int(since[1]) / 1000, UTC)
            found = [one for one in found if datetime.fromisoformat(one["fields"]["created"]) >= at]
        if ids := re.match(r"id in \(([^)]*)\)", body["jql"]):
            found = [one for one in found if one["id"] in ids[1].split(", ")]
        start, size = body["startAt"], min(body["maxResults"], self.most)
        self.starts.append(start)
        if self.window and start + size > self.window:
            return 500
        return {"startAt": start, "maxResults": size, "total": len(found), "issues": found[start : start + size]}


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ({"deploymentType": "Cloud"}, JiraCloud),
        (SERVER, JiraDataCenter),
        ({"version": "6.4.1"}, JiraDataCenter),
    ],
)
def test_the_flavour_is_what_the_site_says_asked_once_at_the_first_read(server, told, kind):
    server.answers[f"{API}/serverInfo"] = told
    reader = server.reader()
    assert server.asked == []
    assert isinstance(reader.api, kind)
    assert reader.api is reader.api
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("answer", "error"),
    [(404, SourceForbidden), (401, SourceForbidden), (503, SourceUnavailable), ([], SourceUnavailable)],
)
def test_a_site_that_does_not_say_it_is_asked_again(server, answer, error):
    server.answers[f"{API}/serverInfo"] = answer
    reader = server.reader()
    with pytest.raises(error):
        reader.ticket("SHOP-1")
    with pytest.raises(SourceUnavailable):
        JiraConnector("jira", reader, ["SHOP"]).labels_now(["jira:1"])
    server.answers[f"{API}/serverInfo"] = SERVER
    assert reader.api.server_time() == SERVER["serverTime"]


@pytest.mark.parametrize(
    ("user", "header"),
    [("", "Bearer t0ps3cret"), ("anna", "Basic " + base64.b64encode(b"anna:t0ps3cret").decode())],
)
def test_who_asks(server, user, header):
    server.answers[f"{API}/myself"] = {}
    JiraReader(server.url + "/", user, "t0ps3cret", limits=QUICK).api.check_account()
    assert [sent["Authorization"] for sent in server.headers] == [header, header]


@pytest.mark.parametrize("most", [1000, 100, 7, 2])
def test_a_listing_runs_to_its_end_whatever_a_page_holds(server, api, most):
    server.answers[SEARCH] = Index([issue(n, T + timedelta(minutes=n)) for n in range(1, 131)], most=most)
    found = [one["id"] for one in api.listing("project = SHOP", ["key"], page_size=1000)]
    assert found == [str(n) for n in range(1, 131)]
    assert {body["jql"] for _, path, body in server.asked if path == SEARCH} == {
        "project = SHOP ORDER BY created ASC, key ASC"
    }


@pytest.mark.parametrize("apart", [timedelta(minutes=1), timedelta(milliseconds=20)])
def test_a_listing_longer_than_a_search_gives_is_one_of_several_searches(server, api, apart):
    """At the shorter distance some thousands of issues lie in the minute that is read again."""
    issues = [issue(n, T + n * apart) for n in range(1, 12_001)]
    index = server.answers[SEARCH] = Index(issues, window=10_000)
    found = [one["id"] for one in api.listing("project = SHOP", ["key"], page_size=1000)]
    assert found == [one["id"] for one in issues]
    assert max(index.starts) < 10_000


def test_a_listing_of_one_minute_goes_on_as_far_as_the_server_lets_it(server, api):
    issues = [issue(n) for n in range(1, 7_001)]
    server.answers[SEARCH] = Index(issues)
    assert len(list(api.listing("project = SHOP", ["key"], page_size=1000))) == 7_000
    server.answers[SEARCH] = Index(issues, window=6_000)
    with pytest.raises(SourceIncomplete, match="500, from 5880 of the listing by"):
        list(api.listing("project = SHOP", ["key"], page_size=1000))


@pytest.mark.parametrize("deleted", [1, 19])
def test_issues_deleted_between_two_pages_hide_none(server, api, deleted):
    index = server.answers[SEARCH] = Index([issue(n, T + timedelta(minutes=n)) for n in range(1, 231)])
    listed = api.listing("project = SHOP", ["key"])
    found = [next(listed)["id"]]
    del index.issues[3 : 3 + deleted]
    found += [one["id"] for one in listed]
    assert found == [str(n) for n in range(1, 231)]


def test_a_listing_from_which_too_much_is_deleted_is_none(server, api):
    index = server.answers[SEARCH] = Index([issue(n, T + timedelta(minutes=n)) for n in range(1, 231)])
    listed = api.listing("project = SHOP", ["key"])
    next(listed)
    del index.issues[3:23]
    with pytest.raises(SourceIncomplete, match="changed while"):
        list(listed)


@pytest.mark.parametrize("answer", [{"issues": [], "total": 3}, {"total": 0}, [], {"issues": [7], "total": 1}])
def test_an_answer_that_is_short_is_no_end(server, api, answer):
    server.answers[SEARCH] = answer
    with pytest.raises((SourceIncomplete, SourceUnavailable)):
        list(api.listing("project = SHOP", ["key"]))


@pytest.mark.parametrize("most", [1000, 10])
@pytest.mark.parametrize("validates", [False, True])
def test_many_issues_are_read_by_searches_and_those_not_found_alone(server, api, most, validates):
    """An archived issue is found by no search; a missing one may make an error of all."""
    index = Index([issue(n) for n in range(1, 100) if n % 40], most=most)

    def search(query, body):
        missing = [n for n in re.findall(r"\d+", body["jql"]) if not int(n) % 40]
        return 400 if validates and missing else index(query, body)

    alone = {f"{API}/issue/{n}": issue(n) for n in range(1, 100) if n != 80}
    server.answers |= {SEARCH: search, f"{API}/myself": {}} | alone
    found = dict(api.issues([str(n) for n in range(1, 100)], "summary", "changelog"))
    assert list(found) == [str(n) for n in range(1, 100)]
    assert isinstance(found.pop("80"), SourceGone)
    assert all(raw["id"] == number for number, raw in found.items())
    asked = [body for _, path, body in server.asked if path == SEARCH]
    assert all(body["validateQuery"] is False and body["expand"] == ["changelog"] for body in asked)
    if not validates and most == 1000:
        assert len(asked) == 2
        assert [path[-2:] for path in server.paths() if "/issue/" in path] == ["40", "80"]


def test_few_issues_are_read_as_they_are_now(server, api):
    """The index of a search may be behind: it is not asked."""
    server.answers |= {f"{API}/issue/{n}": issue(n) for n in range(1, 20)}
    found = dict(api.issues([str(n) for n in range(1, 21)], "summary"))
    assert isinstance(found["20"], SourceGone)
    assert SEARCH not in server.paths()


def test_a_refused_account_asks_no_further(server, api):
    server.answers |= {SEARCH: 401, f"{API}/myself": 401}
    with pytest.raises(SourceForbidden):
        list(api.issues([str(n) for n in range(1, 90)], "summary"))
    assert len(server.asked) == 3


def test_a_server_that_is_down_ends_the_reading_soon(server):
    index = Index([issue(n) for n in range(1, 231)])
    server.answers |= {f"{API}/project/SHOP": {"key": "SHOP"}} | {f"{API}/issue/{n}": 503 for n in range(1, 231)}
    server.answers[SEARCH] = lambda query, body: 503 if body["jql"].startswith("id in") else index(query, body)
    jira = JiraConnector("jira", server.reader(limits=replace(QUICK, attempts=1)), ["SHOP"])
    with pytest.raises(SourceIncomplete, match="21 tickets"):
        list(jira.load())
    assert len(server.asked) < 80
    with pytest.raises(SourceUnavailable, match="21 tickets"):
        jira.labels_now([f"jira:{n}" for n in range(1, 231)])


def test_a_text_that_mentions_a_thousand_people_asks_for_some(server):
    mentions = " ".join(f"[~p{n}]" for n in range(1_000))
    server.answers |= {f"{API}/issue/SHOP-1": issue(1, description=mentions), f"{API}/user": 503}
    ticket = server.reader().ticket("SHOP-1")
    assert ticket.description.endswith("@p999")
    assert server.paths().count(f"{API}/user") == 50


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("a.txt", "/secure/attachment/7/a.txt"),
        ("the prices & rules 50%.csv", "/secure/attachment/7/the prices & rules 50%.csv"),
        ("图.pdf", "/secure/attachment/7/图.pdf"),
        ("../../x", "/secure/attachment/7/../../x"),
        ("..", "/secure/attachment/7/file"),
        ("", "/secure/attachment/7/file"),
    ],
)
def test_a_file_is_asked_for_at_this_site(server, api, name, path):
    server.answers[path] = b"content"
    assert api.attachment("7", name) == b"content"
    with pytest.raises(SourceGone):
        api.attachment("7/../8", name)


def history(count):
    made = [{"created": time_of(T), "items": [{"field": "summary", "toString": str(n)}]} for n in range(count)]
    return {"startAt": 0, "maxResults": count, "total": count, "histories": made}


def test_a_history_comes_with_its_issue(server, api):
    server.answers[f"{API}/issue/1"] = {"id": "1", "changelog": history(300)}
    assert len(api.changelog("1")) == 300
    server.answers[f"{API}/issue/1"] = {"id": "1", "changelog": history(300) | {"total": 301}}
    with pytest.raises(SourceIncomplete):
        api.changelog("1")
    server.answers[f"{API}/issue/1"] = {"id": "1"}
    with pytest.raises(SourceIncomplete):
        api.changelog("1")


DESK = {"project": {"key": "HELP", "projectTypeKey": "service_desk"}}


def comment(number, **more):
    return {"id": str(number), "body": f"c{number}", "created": time_of(T), **more}


def said(internal):
    return {"properties": [{"key": "other", "value": 1}, {"key": "sd.public.comment", "value": internal}]}


def comments_of(server, *given, most=1000):
    def answer(query, _body):
        start, size = int(query["startAt"]), min(int(query["maxResults"]), most)
        shown = [{name: v for name, v in one.items() if name != "properties"} for one in given]
        shown = list(given) if query.get("expand") == "properties" else shown
        return {"startAt": start, "maxResults": size, "total": len(given), "comments": shown[start : start + size]}

    server.answers |= {f"{API}/issue/1": {"id": "1", "key": "HELP-1", "fields": DESK}, f"{API}/issue/1/comment": answer}
    server.answers[f"{API}/issue/HELP-1"] = server.answers[f"{API}/issue/1"]


@pytest.mark.parametrize(
    ("more", "public"),
    [
        ({"jsdPublic": True}, True),
        ({"jsdPublic": False}, False),
        ({"jsdPublic": False, **said({"internal": False})}, False),
        (said({"internal": False}), True),
        (said({"internal": True}), False),
        (said('{"internal": false}'), True),
        (said('{"internal": true}'), False),
        (said({"internal": "false"}), False),
        (said({}), False),
        (said(None), False),
        (said("no JSON"), False),
        (said("[" * 9_000), False),
        ({"properties": []}, False),
        ({"properties": [None, 7]}, False),
    ],
)
def test_who_sees_a_comment_of_a_service_project(server, more, public):
    comments_of(server, comment(1, **more), comment(2, **said({"internal": False}), visibility=OWNERS))
    ticket = server.reader().ticket("HELP-1")
    first, second = (one.labels - ticket.labels for one in ticket.comments)
    assert first == (set() if public else {INTERNAL})
    assert second == {jira_role("HELP", "Owners")}


OWNERS = {"type": "role", "value": "Owners"}


@pytest.mark.parametrize(
    ("answer", "public"),
    [
        ({"key": "sd.public.comment", "value": {"internal": False}}, True),
        ({"value": {"internal": True}}, False),
        (404, False),
    ],
)
def test_a_server_that_does_not_expand_properties_is_asked_for_each(server, answer, public):
    comments_of(server, comment(1))
    server.answers[f"{API}/comment/1/properties/sd.public.comment"] = answer
    ticket = server.reader().ticket("HELP-1")
    assert [INTERNAL in one.labels for one in ticket.comments] == [not public]
    assert "The comments" not in ticket.unread


def test_what_cannot_be_asked_is_no_public_comment(server):
    comments_of(server, comment(1))
    server.answers[f"{API}/comment/1/properties/sd.public.comment"] = 500
    ticket = server.reader().ticket("HELP-1")
    assert (ticket.comments, ticket.unread[:1]) == ((), ("The comments",))


@pytest.mark.parametrize("most", [1000, 50, 3])
def test_comments_whatever_a_page_holds(server, api, most):
    comments_of(server, *(comment(n) for n in range(1, 131)), most=most)
    assert [one["id"] for one in api.comments("1", desk=False)] == [str(n) for n in range(1, 131)]


def test_labels_of_a_service_projects_comments_are_asked_for_where_they_did_not_come(server):
    comments_of(server, comment(1, **said({"internal": False})), comment(2, **said({"internal": True})))
    shown = {"total": 2, "maxResults": 2, "comments": [comment(1), comment(2)]}
    server.answers[f"{API}/issue/1"] = {"id": "1", "key": "HELP-1", "fields": {**DESK, "comment": shown}}
    labels = JiraConnector("jira", server.reader(), ["HELP"]).labels_now(["jira:1:comment:1", "jira:1:comment:2"])
    assert labels == {"jira:1:comment:1": {"jira:HELP"}, "jira:1:comment:2": {"jira:HELP", INTERNAL}}


def test_archived_projects_and_issues_break_no_reading(server):
    index = Index([issue(1), issue(2)])
    server.answers |= {
        f"{API}/project/SHOP": {"key": "SHOP"},
        f"{API}/project/OLD": {"key": "OLD", "archived": True},
        f"{API}/issue/1": issue(1),
        f"{API}/issue/2": 404,  # archived since it was found
        SEARCH: index,
    }
    jira = JiraConnector("jira", server.reader(), ["SHOP", "OLD"])
    assert [document.id for document in jira.load()] == ["jira:1"]
    assert {body["jql"] for _, path, body in server.asked if path == SEARCH} == {
        'project in ("SHOP") ORDER BY created ASC, key ASC'
    }
    assert "jira:1" in jira.ids()
    server.answers[f"{API}/project/SHOP"] = {"key": "SHOP", "archived": True}
    assert jira.ids() == set()
    assert list(jira.load()) == []


def test_an_epic_is_the_parent_though_it_is_no_parent(server):
    epic = {
        "id": "customfield_10008",
        "name": "Epic Link",
        "schema": {"custom": "com.pyxis.greenhopper.jira:gh-epic-link"},
    }
    server.answers |= {
        f"{API}/field": [epic],
        f"{API}/issue/SHOP-1": issue(1, customfield_10008="SHOP-9"),
        f"{API}/issue/SHOP-9": issue(9),
    }
    ticket = server.reader().ticket("SHOP-1")
    assert [(link.relation, link.key) for link in ticket.links] == [("parent", "SHOP-9")]
    assert ticket.fields == ()


def test_people_by_key_and_name(server):
    key = {"key": "JIRAUSER10100", "name": "olga", "displayName": "Olga Owner"}
    raw = issue(1, reporter=key, assignee={"name": "gone"})
    server.answers |= {f"{API}/issue/SHOP-1": raw, f"{API}/issue/1": raw}
    comments_of(server, comment(1, author=key), comment(2, author={"name": "ben"}))
    for bot in ("JIRAUSER10100", "olga"):
        ticket = server.reader(bots=lambda bot=bot: frozenset({bot})).ticket("HELP-1")
        assert [one.by_bot for one in ticket.comments] == [True, False]
        assert [(one.author.id, one.author.name) for one in ticket.comments] == [
            ("JIRAUSER10100", "Olga Owner"),
            ("ben", "ben"),
        ]
    ticket = server.reader().ticket("SHOP-1")
    assert (ticket.reporter.id, ticket.assignee.id, ticket.assignee.name) == ("JIRAUSER10100", "gone", "gone")


def test_files_of_a_bot_by_its_key_and_name(server):
    key = {"key": "JIRAUSER10100", "name": "olga", "displayName": "Olga Owner"}
    files = [
        {"id": "7", "filename": "a.csv", "author": key},
        {"id": "8", "filename": "b.csv", "author": {"name": "ben"}},
    ]
    server.answers |= {f"{API}/issue/SHOP-1": issue(1, attachment=files)}
    comments_of(server)
    for bot in ("JIRAUSER10100", "olga"):
        ticket = server.reader(bots=lambda bot=bot: frozenset({bot})).ticket("SHOP-1")
        assert [file.name for file in ticket.files] == ["b.csv"]
    assert len(server.reader().ticket("SHOP-1").files) == 2


def test_no_secret_is_told(server):
    server.answers[f"{API}/serverInfo"] = 503
    with pytest.raises(SourceError) as raised:
        server.reader().ticket("SHOP-1")
    assert "t0ps3cret" not in str(raised.value) + repr(raised.value.__cause__)
