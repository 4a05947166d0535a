"""Confluence Data Center as a place to talk: comments over REST v1, and what differs from Cloud."""

import pytest
import requests

from tests.sandbox_fixtures import DEVELOPER, OUTSIDER, OWNER
from tests.specs import judge

INLINE = {"extensions": {"location": "inline"}}


class Server:
    """One account at Data Center."""

    def __init__(self, sandbox, token):
        self._api = sandbox.confluence_data_center_url + "/rest/api"
        self._headers = {"authorization": f"Bearer {token}"}

    def __call__(self, method, path, asked=None, **query):
        return requests.request(method, self._api + path, json=asked, params=query, headers=self._headers, timeout=5)

    def get(self, path, **query):
        answer = self("GET", path, **query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, page="501", above=None, value="<p>Yes.</p>", **more):
        asked = {
            "type": "comment",
            "container": {"id": page, "type": "page"},
            "body": {"storage": {"value": value, "representation": "storage"}},
            **({"ancestors": [{"id": above}]} if above else {}),
            **more,
        }
        return self("POST", "/content", asked)


@pytest.fixture
def server(sandbox):
    return Server(sandbox, sandbox.post_token)


@pytest.fixture
def notes(sandbox):
    return sandbox.confluence.notes


def test_a_reply_says_that_it_is_inline_or_lands_in_the_footer(server, notes):
    about = notes.add("501", "Why five?", OWNER.id, marked="locked")
    inside = server.post(above=about, **INLINE).json()
    outside = server.post(above=about).json()
    assert (inside["extensions"]["location"], outside["extensions"]["location"]) == ("inline", "footer")
    assert [one["id"] for one in outside["ancestors"]] == [about]
    shown = server.get("/content/501/child/comment", depth="all", location="inline", expand="ancestors")["results"]
    assert [one["id"] for one in shown] == [about, inside["id"]]
    assert [one["id"] for one in shown[1]["ancestors"]] == [about]
    footer = server.get("/content/501/child/comment", depth="all", location=["footer", "resolved"])["results"]
    assert [one["id"] for one in footer] == [outside["id"]]
    assert [one["id"] for one in server.get("/content/501/child/comment")["results"]] == [about]
    deeper = server.post(above=inside["id"], **INLINE).json()
    assert [one["id"] for one in deeper["ancestors"]] == [about, inside["id"]]
    below = server.get(f"/content/{about}/child/comment", depth="all")["results"]
    assert {one["id"] for one in below} == {inside["id"], outside["id"], deeper["id"]}
    notes.resolve(about)
    assert server.get(f"/content/{deeper['id']}")["extensions"]["location"] == "resolved"


def test_a_comment_is_written_under_its_container_too(server, notes):
    foot = notes.add("501", "Who?", OWNER.id)
    asked = {
        "body": {"storage": {"value": "<p>a</p>"}},
        "type": "comment",
        "container": {"id": foot, "type": "comment"},
    }
    made = server("POST", "/content", asked).json()
    assert ([one["id"] for one in made["ancestors"]], made["container"]["id"]) == ([foot], "501")


def test_a_new_inline_comment_needs_what_only_the_editor_knows(server, notes):
    refused = server.post(extensions={"location": "inline", "inlineProperties": {"originalSelection": "locked"}})
    assert refused.status_code == 400
    assert [one["message"]["key"] for one in refused.json()["data"]["errors"]] == [
        "matchIndex",
        "lastFetchTime",
        "serializedHighlights",
    ]
    assert list(notes) == []


def test_only_what_is_asked_for_is_given(server, notes):
    about = notes.add("501", "Why?", OWNER.id, marked="locked")
    bare = server.get(f"/content/{about}", expand="")
    assert set(bare) == {"id", "type", "status", "title", "extensions", "_links", "_expandable"}
    assert bare["extensions"] == {"location": "inline"}
    expand = "body.storage,version,history,extensions.inlineProperties,extensions.resolution,ancestors,container,space"
    whole = server.get(f"/content/{about}", expand=expand)
    assert whole["extensions"]["inlineProperties"]["originalSelection"] == "locked"
    assert whole["extensions"]["resolution"] == {"status": "open"}
    assert (whole["container"]["id"], whole["space"]["key"], whole["version"]["number"]) == ("501", "POL", 1)
    assert set(server.get(f"/content/{about}")) == set(bare) | {"history", "space", "version"}
    assert "body" not in server.get("/content/501")


def test_people_are_named_by_their_keys(sandbox, server, bot):
    value = '<p><ac:link><ri:user ri:userkey="key-u-owner" /></ac:link></p>'
    number = server.post(value=value).json()["id"]
    assert server.get(f"/content/{number}", expand="body.storage")["body"]["storage"]["value"] == value
    shown = bot.wiki(f"/api/v2/footer-comments/{number}", **{"body-format": "storage"}).json()
    assert 'ri:account-id="u-owner"' in shown["body"]["storage"]["value"]
    assert server.get("/user/current")["userKey"] == f"key-{sandbox.accounts.bot.id}"
    for who in ({"key": "key-u-dev"}, {"username": DEVELOPER.id}):
        assert [group["name"] for group in server.get("/user/memberof", **who)["results"]] == ["engineering"]
    sandbox.confluence.remove_user(DEVELOPER.id)
    assert server("GET", "/user/memberof", key="key-u-dev").status_code == 404
    assert Server(sandbox, sandbox.login(DEVELOPER.id)[1])("GET", "/user/current").status_code == 401


def test_own_comments_are_changed_and_removed(sandbox, server):
    number = server.post().json()["id"]
    path, body = f"/content/{number}", {"storage": {"value": "<p>No.</p>", "representation": "storage"}}
    owner = Server(sandbox, sandbox.login(OWNER.id)[1])
    asked = {"type": "comment", "version": {"number": 2}, "body": body}
    assert server("PUT", path, asked | {"version": {"number": 1}}).status_code == 409
    assert owner("PUT", path, asked).status_code == 403
    assert server("PUT", path, asked).json()["version"]["number"] == 2
    assert server.get(path, expand="body.storage")["body"]["storage"]["value"] == "<p>No.</p>"
    old = server.get(path, status="historical", version=1, expand="body.storage")
    assert (old["status"], old["body"]["storage"]["value"]) == ("historical", "<p>Yes.</p>")
    assert owner("DELETE", path).status_code == 403
    assert server("DELETE", path).status_code == 204
    assert server("DELETE", path).status_code == 404


def test_earlier_versions_of_a_page(sandbox, server):
    old = server.get("/content/501", status="historical", version=1, expand="body.storage,version,history")
    assert old["body"]["storage"]["value"] == "<p>Five tries.</p>"
    assert (old["version"]["number"], old["history"]["latest"]) == (1, False)
    assert server("GET", "/content/501", version=1).status_code == 404  # not without asking for history
    assert server("GET", "/content/501", status="historical", version=3).status_code == 404
    url = sandbox.confluence_data_center_url + "/rest/experimental/content/501/version"
    listed = requests.get(url, headers={"authorization": f"Bearer {sandbox.post_token}"}, timeout=5).json()
    assert [one["number"] for one in listed["results"]] == [2, 1]
    assert [one["id"] for one in server.get("/content/501/child/page")["results"]] == ["502"]
    outsider = Server(sandbox, sandbox.login(OUTSIDER.id)[1])
    assert outsider("GET", "/content/502", status="historical", version=1).status_code == 404
    assert outsider.get("/content/501/child/page")["results"] == []


REFUSED = {
    "no well-formed XML": ({"value": "<p>a"}, 400),
    "no body": ({"body": {"storage": {}}}, 400),
    "no comment": ({"type": "page"}, 400),
    "no container": ({"container": "501"}, 400),
    "no such page": ({"page": "999"}, 404),
    "no such parent": ({"above": "80999"}, 404),
    "a page that is not seen": ({"page": "506"}, 404),
    "a parent of another page": ({"page": "502", "above": "80001"}, 404),
    "too large": ({"value": f"<p>{'x' * 2_000_000}</p>"}, 413),
}


@pytest.mark.parametrize(("how", "status"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(server, notes, how, status):
    notes.add("501", "Who?", OWNER.id)
    assert server.post(**how).status_code == status
    assert len(list(notes)) == 1


@pytest.mark.parametrize(
    ("close", "status"),
    [
        (lambda wiki: wiki.silence("POL", "crosscheck-bot"), 403),
        (lambda wiki: wiki.lock_space("POL"), 403),
        (lambda wiki: wiki.restrict("501", users=(OWNER.id,)), 404),
        (lambda wiki: wiki.set_status("501", "trashed"), 404),
    ],
)
def test_where_no_comment_can_be_written(sandbox, server, close, status):
    own = server.post().json()["id"]
    close(sandbox.confluence)
    assert server.post().status_code == status
    assert server.post(above=own).status_code == status
    assert server("DELETE", f"/content/{own}").status_code == status
    assert len(list(sandbox.confluence.notes)) == 1


def test_a_page_alone_is_never_archived(sandbox, server, notes):
    number = server.post("504").json()["id"]
    found = server.get("/content/search", cql="type = comment", expand="container")["results"]
    assert [(one["id"], one["container"]["status"]) for one in found] == [(number, "current")]
    sandbox.confluence.lock_space("POL")
    assert server.get("/content/504", expand="space")["space"]["status"] == "archived"
    assert server.get("/content/search", cql="type = comment")["results"] == []


def test_properties(server):
    path = f"/content/{server.post().json()['id']}/property"
    assert server("POST", path, {"key": "crosscheck", "value": {"key": "k1"}}).json()["version"]["number"] == 1
    assert server("POST", path, {"key": "crosscheck", "value": {}}).status_code == 409
    assert server("POST", path, {"value": {}}).status_code == 400
    assert server.get(f"{path}/crosscheck")["value"] == {"key": "k1"}
    assert [one["key"] for one in server.get(path)["results"]] == ["crosscheck"]
    assert server("PUT", f"{path}/crosscheck", {"value": {}, "version": {"number": 1}}).status_code == 409
    assert server("PUT", f"{path}/crosscheck", {"value": {"a": 1}, "version": {"number": 2}}).json()["value"] == {
        "a": 1
    }
    assert server("DELETE", f"{path}/crosscheck").status_code == 204
    assert server("DELETE", f"{path}/crosscheck").status_code == 404
    assert server("GET", f"{path}/crosscheck").status_code == 404


def test_what_is_written_and_answered_is_as_described(sandbox, server, notes, shared):
    about = notes.add("501", "Why @[u-owner]?", OWNER.id, marked="locked")
    number = server.post(above=about, **INLINE).json()["id"]
    one = f"/content/{number}"
    server.get(one, expand="body.storage,version,history,extensions.resolution,ancestors,container,space")
    server.get("/content/501/child/comment", depth="all", location="inline", expand="version,ancestors", limit=1)
    body = {"storage": {"value": "<p>No.</p>", "representation": "storage"}}
    server("PUT", one, {"type": "comment", "version": {"number": 2}, "body": body})
    server.get(one, status="historical", version=1, expand="body.storage")
    server("POST", f"{one}/property", {"key": "k", "value": {"value": "a"}})
    server.get(f"{one}/property")
    server.get(f"{one}/property/k")
    server("DELETE", f"{one}/property/k")
    server.get("/user/current")
    server.get("/user/memberof", key="key-u-dev")
    server.get("/content/501/child/page", expand="version")
    server("DELETE", one)
    server("GET", one)
    exchanges = sandbox.exchanges.all()
    assert len(exchanges) == 14
    found = {f"{e.method} {e.path} {e.status}": problems for e in exchanges if (problems := judge(shared).check(e))}
    assert found == {}
