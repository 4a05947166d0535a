"""The search by CQL, on Cloud and Data Center: what is found, in which order, how late, and whose clock is read."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
import requests

from tests.sandbox_fixtures import OUTSIDER, OWNER, T
from tests.specs import judge

NOON = T.replace(hour=12)


class Searcher:
    """One account at one flavour's search."""

    def __init__(self, sandbox, flavour, user, token):
        if flavour == "cloud":
            self._url, self._auth, self._headers = sandbox.confluence_url + "/wiki/rest/api/search", (user, token), {}
        else:
            self._url = sandbox.confluence_data_center_url + "/rest/api/content/search"
            self._auth, self._headers = None, {"authorization": f"Bearer {token}"}

    def answer(self, cql, **query):
        query = {"cql": cql, **query}
        return requests.get(self._url, query, auth=self._auth, headers=self._headers, timeout=5)

    def __call__(self, cql, **query):
        answer = self.answer(cql, **query)
        assert answer.status_code == 200, answer.text
        return [hit.get("content", hit)["id"] for hit in answer.json()["results"]]


@pytest.fixture(params=["cloud", "data-center"])
def flavour(request):
    return request.param


@pytest.fixture
def search(sandbox, flavour):
    return Searcher(sandbox, flavour, sandbox.read_user, sandbox.read_token)


@pytest.fixture
def wiki(sandbox):
    sandbox.confluence.now = lambda: NOON
    return sandbox.confluence


def test_comments_of_some_spaces_since_a_while(wiki, search):
    old = wiki.notes.add("501", "Old.", OWNER.id, at=NOON - timedelta(minutes=16))
    new = wiki.notes.add("501", "New.", OWNER.id, at=NOON - timedelta(minutes=15))
    leads = wiki.notes.add("505", "Plans?", OWNER.id, at=NOON - timedelta(minutes=1))
    assert search('type = comment and space in ("POL","LED") and lastmodified >= now("-15m")') == [new, leads]
    assert search('type = comment and space in (POL) and lastmodified >= now("-15m")') == [new]
    assert search("type = comment and space = LED order by created desc") == [leads]
    assert search('type=comment AND created > now("-1h") ORDER BY lastModified DESC, created') == [leads, new, old]
    assert search("type = comment and created >= now()") == []
    assert search("type = comment and container = 501 and space != LED and id not in (1, 2)") == [old, new]
    wiki.notes.edit(old, "Old, changed.")
    assert search('type = comment and lastmodified >= now("-15m") and created < now("-15m")') == [old]
    assert search('type in (page, comment) and space = LED and created < now("+1m") order by created asc') == [
        "505",
        leads,
    ]


def test_a_date_is_read_in_the_accounts_own_time(wiki, search):
    at = wiki.notes.add("501", "Noon.", OWNER.id, at=NOON)
    assert search('type = comment and created >= "2026-03-02 15:00"') == [at]  # three hours east of Greenwich
    assert search('type = comment and created >= "2026-03-02 15:01"') == []
    wiki.zone = timezone(-timedelta(hours=4))
    assert search('type = comment and created >= "2026/03/02 08:00"') == [at]
    assert search('type = comment and created >= "2026-03-02 8:01"') == []
    assert search('type = comment and created >= "2026-03-02"') == [at]
    wiki.zone = UTC
    assert search('type = comment and created < "2026-03-02 12:01" and created >= "2026-03-02 12:00"') == [at]


def test_the_index_is_behind_and_reading_by_id_is_not(wiki, search, sandbox, reader):
    clock = [NOON]
    wiki.now = lambda: clock[0]
    wiki.search_lag = 60
    at = wiki.notes.add("501", "New.", OWNER.id)
    since = 'type = comment and lastmodified >= now("-15m")'
    assert search(since) == []
    assert reader.wiki(f"/api/v2/footer-comments/{at}").status_code == 200
    clock[0] += timedelta(seconds=61)
    assert search(since) == [at]
    wiki.notes.edit(at, "Changed.")
    clock[0] += timedelta(minutes=14)
    assert search(since) == [at]


def test_people_find_what_they_see(wiki, sandbox, flavour):
    wiki.notes.add("502", "For engineers.", OWNER.id)
    wiki.notes.add("505", "For leads.", OWNER.id)
    archived = wiki.notes.add("504", "On a page that Cloud archived.", OWNER.id)
    seen = wiki.notes.add("501", "For all.", OWNER.id)
    person = Searcher(sandbox, flavour, *sandbox.login(OUTSIDER.id))
    assert person("type = comment") == ([seen] if flavour == "cloud" else [archived, seen])
    wiki.lock_space("POL")
    assert person("type = comment") == []


def test_many_are_given_out_in_pages(wiki, search, sandbox, flavour, reader):
    made = [wiki.notes.add("501", f"{at}", OWNER.id, at=NOON - timedelta(seconds=9 - at)) for at in range(5)]
    cql = "type = comment order by created"
    answer = search.answer(cql, limit=2).json()
    found = [hit.get("content", hit)["id"] for hit in answer["results"]]
    base = "" if flavour == "cloud" else "/confluence"
    while "next" in answer["_links"]:
        headers = {} if flavour == "cloud" else {"authorization": f"Bearer {sandbox.read_token}"}
        url = sandbox.confluence_url + base + answer["_links"]["next"]
        answer = (reader.session if flavour == "cloud" else requests).get(url, headers=headers, timeout=5).json()
        found += [hit.get("content", hit)["id"] for hit in answer["results"]]
    assert found == made


@pytest.mark.parametrize(
    "cql",
    [
        "",
        "type",
        "type =",
        "type = comment and",
        "type = comment or type = page",
        "author = me",
        "created >= yesterday",
        'created >= "2026-02-30"',
        'created >= now("5y")',
        'created >= now("-1m"',
        'lastmodified != "2026-01-01"',
        "space in (",
        "space in (A, B",
        "type = comment order created",
        "type = comment order by title",
        'type = "comment',
        "type ~ comment",
    ],
)
def test_what_is_no_query_is_refused(search, cql):
    assert search.answer(cql).status_code == 400


def test_what_is_found_says_where_it_is(wiki, sandbox, reader):
    about = wiki.notes.add("501", "Why?", OWNER.id, marked="locked")
    hit = reader.wiki("/rest/api/search", cql="type = comment", expand="content.container").json()["results"][0]
    assert (hit["content"]["container"]["id"], hit["content"]["extensions"]["location"]) == ("501", "inline")
    assert hit["content"]["_expandable"]["container"] == "/rest/api/content/501"
    assert hit["url"] == f"/spaces/POL/pages/501?focusedCommentId={about}"
    data_center = Searcher(sandbox, "data-center", "", sandbox.read_token)
    found = data_center.answer("type = comment", expand="container,version").json()["results"][0]
    assert (found["container"]["id"], found["version"]["number"]) == ("501", 1)


def test_answers_are_as_described(wiki, search, sandbox, flavour, shared):
    wiki.notes.add("501", "Why?", OWNER.id, marked="locked", at=datetime(2026, 3, 1, tzinfo=UTC))
    search('type = comment and created >= "2026-01-01"', limit=1, expand="version")
    if flavour == "cloud":  # Data Center's description knows of no refusal
        search.answer("nonsense")
    problems = {e.url: found for e in sandbox.exchanges.all() if (found := judge(shared).check(e))}
    assert problems == {}
