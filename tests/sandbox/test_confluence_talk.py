"""Confluence: comments and attachments, the search for macros, and the same pages as Data Center shows them."""

import io

import pytest
import requests
from openpyxl import load_workbook

from sandbox.confluence_files import content, media_type
from tests.sandbox_fixtures import CUSTOMER, DEVELOPER, OUTSIDER, OWNER, as_person

CQL = 'type = page and space in ("POL") and macro in ("include", "excerpt-include")'


@pytest.fixture
def notes(sandbox):
    return sandbox.confluence.notes


def listed(client, path, **query):
    return [item["id"] for item in client.wiki(path, **query).json()["results"]]


def test_comments(sandbox, reader, notes):
    foot = notes.add("501", "Who **decides**?", OWNER.id)
    reply = notes.add("501", "We do.", DEVELOPER.id, reply_to=foot)
    inline = notes.add("502", "Why?", DEVELOPER.id, marked="More")
    assert listed(reader, "/api/v2/footer-comments") == [foot, reply]
    assert listed(reader, "/api/v2/footer-comments", limit=1, sort="-created-date") == [reply]
    assert listed(reader, "/api/v2/inline-comments") == [inline]
    assert listed(reader, "/api/v2/pages/501/footer-comments") == [foot]
    assert listed(reader, "/api/v2/pages/501/inline-comments") == []
    assert listed(reader, f"/api/v2/footer-comments/{foot}/children") == [reply]
    one = reader.wiki(f"/api/v2/inline-comments/{inline}", **{"body-format": "storage"}).json()
    assert (one["pageId"], one["resolutionStatus"]) == ("502", "open")
    assert one["properties"]["inlineOriginalSelection"] == "More"
    assert one["body"]["storage"]["value"] == "<p>Why?</p>"
    assert reader.wiki(f"/api/v2/footer-comments/{inline}").status_code == 404
    notes.resolve(inline)
    notes.edit(inline, "Why so?")
    one = reader.wiki(f"/api/v2/inline-comments/{inline}").json()
    assert (one["resolutionStatus"], one["version"]["number"]) == ("resolved", 2)
    outsider = as_person(sandbox, OUTSIDER)
    assert listed(outsider, "/api/v2/inline-comments") == []
    assert outsider.wiki(f"/api/v2/inline-comments/{inline}").status_code == 404
    outsider.session.close()
    notes.remove(foot)
    assert listed(reader, "/api/v2/footer-comments") == [reply]


def test_attachments_come_from_another_host_at_an_address_that_is_a_secret(sandbox, reader):
    number = sandbox.confluence.files.add("502", "a b.txt", b"one", OWNER.id)
    assert sandbox.confluence.files.add("502", "a b.txt", b"two!", OWNER.id) == number
    (file,) = reader.wiki("/api/v2/attachments").json()["results"]
    assert (file["id"], file["fileSize"], file["version"]["number"]) == (number, 4, 2)
    assert listed(reader, "/api/v2/pages/502/attachments") == [number]
    assert reader.wiki(f"/api/v2/attachments/{number}").json()["title"] == "a b.txt"
    answer = reader.session.get(sandbox.confluence_url + "/wiki" + file["downloadLink"], allow_redirects=False)
    assert answer.status_code == 302
    place = answer.headers["location"]
    assert not place.startswith(sandbox.confluence_url)
    assert requests.get(place, timeout=5).content == b"two!"
    assert requests.get(place, auth=("a", "b"), timeout=5).status_code == 403
    assert requests.get(place.replace("/binary", "x/binary"), timeout=5).status_code == 403
    outsider = as_person(sandbox, OUTSIDER)
    assert outsider.wiki(file["downloadLink"]).status_code == 404
    outsider.session.close()
    sandbox.confluence.files.remove(number)
    assert reader.wiki(f"/api/v2/attachments/{number}").status_code == 404


def test_the_search_finds_macros(sandbox, reader):
    sandbox.confluence.edit("503", "![include](page:504)")
    sandbox.confluence.edit("504", "![excerpt](page:503) ![a](attachment:x.png)")
    found = reader.wiki("/rest/api/search", cql=CQL).json()
    assert [hit["content"]["id"] for hit in found["results"]] == ["503"]  # an archived page is found by nobody
    assert found["totalSize"] == 1
    assert reader.wiki("/rest/api/search", cql="no query").status_code == 400
    body = reader.wiki("/api/v2/pages/504", **{"body-format": "storage"}).json()["body"]["storage"]["value"]
    assert 'ac:name="excerpt-include"' in body
    assert '<ri:attachment ri:filename="x.png" />' in body


def test_names_in_bulk(sandbox, reader):
    body = {"accountIds": [OWNER.id, "nobody"]}
    answer = reader.session.post(sandbox.confluence_url + "/wiki/api/v2/users-bulk", json=body, timeout=5).json()
    assert [person["displayName"] for person in answer["results"]] == [OWNER.name]


def test_pages_are_moved_and_a_purged_one_takes_all_along(sandbox, notes):
    note = notes.add("504", "x", OWNER.id)
    file = sandbox.confluence.files.add("504", "x.txt", b"x", OWNER.id)
    sandbox.confluence.move("504", parent="505", space="LED")
    page = sandbox.confluence.pages["504"]
    assert (page.parent, page.space, len(page.versions)) == ("505", "LED", 1)
    sandbox.confluence.purge("504")
    assert notes.get(note) is None
    assert sandbox.confluence.files.get(file) is None


class Server:
    """One account at Data Center."""

    def __init__(self, sandbox, token):
        self._api = sandbox.confluence_data_center_url + "/rest/api"
        self._headers = {"authorization": f"Bearer {token}"}

    def __call__(self, path, **query):
        return requests.get(self._api + path, params=query, headers=self._headers, timeout=5)


def test_data_center_shows_the_same_pages(sandbox, notes):
    inline = notes.add("501", "Why?", OWNER.id, marked="Five")
    notes.resolve(inline)
    foot = notes.add("502", "x", OWNER.id)
    sandbox.confluence.files.add("501", "a.txt", b"alpha", OWNER.id)
    server = Server(sandbox, sandbox.read_token)
    pages = server("/content", spaceKey="POL", type="page", expand="version,ancestors,space").json()
    assert [page["id"] for page in pages["results"]] == ["501", "502", "503", "504"]
    assert [above["id"] for above in pages["results"][2]["ancestors"]] == ["501", "502"]
    first = server("/content", spaceKey="POL", limit=3).json()
    assert (first["size"], first["_links"]["next"]) == (3, "/rest/api/content?spaceKey=POL&limit=3&start=3")
    scanned = server("/content/scan", type="comment", spaceKey="POL", limit=1, expand="body.storage").json()
    assert [note["id"] for note in scanned["results"]] == [inline]
    assert scanned["results"][0]["extensions"]["location"] == "resolved"
    rest = server("/content/scan", type="comment", spaceKey="POL", cursor=scanned["nextCursor"]).json()
    assert [note["id"] for note in rest["results"]] == [foot]
    (file,) = server("/content/501/child/attachment").json()["results"]
    address = sandbox.confluence_data_center_url + file["_links"]["download"]
    assert requests.get(address, headers=server._headers, timeout=5).content == b"alpha"
    found = server("/content/505/restriction/byOperation/read").json()["restrictions"]
    assert [user["userKey"] for user in found["user"]["results"]] == ["key-u-owner"]
    assert server("/user", key="key-u-owner").json()["displayName"] == OWNER.name
    assert server("/search", cql=CQL).json()["results"] == []


@pytest.mark.parametrize(("person", "seen"), [(OUTSIDER, ["501", "504"]), (CUSTOMER, [])])
def test_data_center_shows_people_what_they_may_see(sandbox, person, seen):
    server = Server(sandbox, sandbox.login(person.id)[1])
    assert [page["id"] for page in server("/content").json()["results"]] == seen
    assert server("/content/505").status_code == 404
    assert Server(sandbox, "wrong")("/content").status_code == 401


def test_files_are_made_from_text():
    book = load_workbook(io.BytesIO(content("fares.xlsx", "Who,Price\nAdult,12.5\n")))
    assert [[cell.value for cell in row] for row in book.active.rows] == [["Who", "Price"], ["Adult", 12.5]]
    drawn = content("flow.drawio", "A -> B: asks\nB -> C").decode()
    assert drawn.count('edge="1"') == 2
    assert drawn.count('vertex="1"') == 3
    assert content("x.pdf", "line").startswith(b"%PDF-")
    assert media_type("flow.drawio") == "application/vnd.jgraph.mxfile"
    assert content("fares.xlsx", "a") == content("fares.xlsx", "a")
