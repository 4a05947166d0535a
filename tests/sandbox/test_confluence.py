"""Confluence: who sees what, paging, versions, restrictions, pages for people."""

import pytest
import requests
from atlassian import ConfluenceV2

from tests.sandbox_fixtures import CUSTOMER, DEVELOPER, OUTSIDER, OWNER, as_person


def ids(client, path="/api/v2/pages", **query):
    found, url = [], path
    while url:
        page = client.wiki(url, **query).json()
        found += [item["id"] for item in page["results"]]
        url, query = page["_links"].get("next", "").removeprefix("/wiki"), {}
    return found


@pytest.mark.parametrize(
    ("person", "seen"),
    [
        (OWNER, ["501", "504", "505"]),
        (DEVELOPER, ["501", "502", "503", "504"]),
        (OUTSIDER, ["501", "504"]),
        (CUSTOMER, []),
    ],
)
def test_spaces_and_restrictions_with_the_ancestors(sandbox, person, seen):
    client = as_person(sandbox, person)
    assert ids(client) == seen
    answers = {page: client.wiki(f"/api/v2/pages/{page}").status_code for page in ("501", "502", "503", "504", "505")}
    assert {page for page, status in answers.items() if status == 200} == set(seen)
    client.session.close()


def test_paging_by_cursor(reader):
    everything = ["501", "502", "503", "504", "505"]
    assert ids(reader, limit=2) == everything
    assert ids(reader, "/api/v2/spaces/65601/pages", limit=1, sort="-id") == ["504", "503", "502", "501"]
    first = reader.wiki("/api/v2/pages", limit=2)
    assert first.links["next"]["url"] == first.json()["_links"]["next"]
    assert reader.wiki("/api/v2/pages", cursor="rubbish").status_code == 400
    assert reader.wiki("/api/v2/pages", limit=251).status_code == 400


def test_bodies_and_versions(reader):
    page = reader.wiki("/api/v2/pages/501", **{"body-format": "storage"}).json()
    body = page["body"]["storage"]["value"]
    assert page["version"]["number"] == 2
    assert '<ri:page ri:content-title="Login &lt;policy&gt; &amp; rules" ri:space-key="POL" />' in body
    assert '<ri:user ri:account-id="u-owner" />' in body
    assert '<![CDATA[x = "]]]]><![CDATA[>"]]>' in body
    assert reader.wiki("/api/v2/pages/501").json()["body"] == {}
    old = reader.wiki("/api/v2/pages/501", version=1, **{"body-format": "storage"}).json()
    assert old["body"]["storage"]["value"] == "<p>Five tries.</p>"
    versions = reader.wiki("/api/v2/pages/501/versions", **{"body-format": "storage"}).json()["results"]
    assert [(v["number"], v["message"]) for v in versions] == [(2, "edited"), (1, "")]


def test_restrictions_are_the_pages_own(reader):
    def named(page):
        found = reader.wiki(f"/rest/api/content/{page}/restriction/byOperation/read").json()["restrictions"]
        return [g["name"] for g in found["group"]["results"]], [u["accountId"] for u in found["user"]["results"]]

    assert named("501") == ([], [])
    assert named("502") == (["engineering"], [])
    assert named("503") == ([], [])
    assert named("505") == ([], ["u-owner"])
    assert reader.wiki("/api/v2/pages/503/ancestors").json()["results"] == [
        {"id": "501", "type": "page"},
        {"id": "502", "type": "page"},
    ]


def test_what_a_test_changes_is_what_the_api_shows(sandbox, reader):
    wiki = sandbox.confluence
    assert wiki.edit("501", "Six tries.", OWNER.id, "one more") == 3
    wiki.rename("504", "Very old")
    wiki.set_status("503", "trashed")
    wiki.restrict("502", users=(OWNER.id,))
    assert reader.wiki("/api/v2/pages/501").json()["version"]["message"] == "one more"
    assert reader.wiki("/api/v2/pages/504").json()["title"] == "Very old"
    assert reader.wiki("/api/v2/pages/503").status_code == 404
    assert reader.wiki("/api/v2/pages/503", status="trashed").json()["status"] == "trashed"
    assert ids(reader, status="trashed") == ["503"]
    wiki.set_status("503", "current")
    assert "503" in ids(reader)
    wiki.purge("503")
    assert reader.wiki("/api/v2/pages/503", status="trashed").status_code == 404
    wiki.remove_space("LED")
    assert reader.wiki("/api/v2/pages/505").status_code == 404
    assert [space["key"] for space in reader.wiki("/api/v2/spaces").json()["results"]] == ["POL"]


def test_pages_for_people(sandbox):
    url = sandbox.resolve("page:501")
    answer = requests.get(url, timeout=5)
    assert answer.status_code == 200
    assert "<h1>Login &lt;policy&gt; &amp; rules</h1>" in answer.text
    assert requests.get(url + "/Any+title", timeout=5).status_code == 200
    assert requests.get(sandbox.confluence_url, timeout=5).status_code == 200
    assert requests.get(sandbox.confluence_url + "/wiki/spaces/POL/pages/9", timeout=5).status_code == 404


def test_the_atlassian_library_works_on_it(sandbox):
    with pytest.warns(DeprecationWarning, match="V1 methods"):  # said of itself by every client of this class
        client = ConfluenceV2(
            url=sandbox.confluence_url + "/wiki",
            username=sandbox.read_user,
            password=sandbox.read_token,
            cloud=True,
            retry_with_header=False,
        )
    try:
        assert client.get("api/v2/pages/501", params={"body-format": "storage"})["title"] == "Login <policy> & rules"
    finally:
        client.close()
