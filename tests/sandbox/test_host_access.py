"""Tokens, pages of results, filters, faults and refused writes at the Git hosts."""

import base64

import pytest

from tests.sandbox.hosts import LISTS, ORG, HostClient, hosted, roots

KINDS = sorted(LISTS)


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    with hosted(tmp_path_factory.mktemp("hosts")) as box:
        yield box


@pytest.fixture
def box(running):
    yield running
    running.faults.clear()
    running.exchanges.clear()


def numbers(answer):
    found = answer.json()
    found = found["values"] if isinstance(found, dict) and "values" in found else found
    return [pull.get("iid") or pull.get("number") or pull["id"] for pull in found]


@pytest.mark.parametrize("kind", KINDS)
def test_tokens(box, kind):
    host, root, path = box.git_host, roots(box)[kind], f"{LISTS[kind]}/26"
    none = 404 if kind == "github" else 401
    statuses = {
        host.token: 200,
        "wrong": 401,
        host.grant("gate-app").value: 404,
        host.grant("booking-api").value: 200,
        host.grant(forbidden=True).value: 403,
        None: none,
    }
    assert {token: HostClient(root, token).get(path).status_code for token in statuses} == statuses


def test_other_ways_to_show_a_token(box):
    token = box.git_host.token
    basic = "Basic " + base64.b64encode(f"ingrid@skerryline.example:{token}".encode()).decode()
    for kind, header in (
        ("github", {"Authorization": f"token {token}"}),
        ("gitlab", {"PRIVATE-TOKEN": token}),
        ("bitbucket-cloud", {"Authorization": basic}),
    ):
        client = HostClient(roots(box)[kind], None)
        client.session.headers.update(header)
        assert client.get(f"{LISTS[kind]}/26").status_code == 200


@pytest.mark.parametrize(
    ("kind", "query"),
    [
        ("github", {"state": "all", "per_page": 3}),
        ("gitlab", {"state": "all", "per_page": 3}),
        ("bitbucket-cloud", {"state": ["OPEN", "MERGED", "DECLINED"], "pagelen": 3, "sort": "-created_on"}),
        ("bitbucket-data-center", {"state": "ALL", "limit": 3}),
    ],
)
def test_pages_hold_everything_once(box, kind, query):
    client = HostClient(roots(box)[kind], box.git_host.token)
    found, address, asked = [], LISTS[kind], dict(query)
    for _ in range(9):
        answer = client.get(address, **asked)
        found.append(numbers(answer))
        following = after(kind, answer, asked)
        if following is None:
            break
        address, asked = following
    assert [len(page) for page in found] == [3, 3, 2]
    assert sorted(number for page in found for number in page) == [12, 17, 19, 21, 23, 26, 27, 29]


def after(kind, answer, asked):
    """Address and parameters of the next page, as each vendor tells it."""
    body = answer.json()
    match kind:
        case "github":
            return (answer.links["next"]["url"], {}) if "next" in answer.links else None
        case "gitlab":
            page = answer.headers["X-Next-Page"]
            return (LISTS[kind], asked | {"page": page}) if page else None
        case "bitbucket-cloud":
            return (body["next"], {}) if "next" in body else None
        case _:
            return None if body["isLastPage"] else (LISTS[kind], asked | {"start": body["nextPageStart"]})


@pytest.mark.parametrize(
    ("kind", "query", "found"),
    [
        ("github", {}, [29, 27, 26]),
        ("github", {"state": "closed", "direction": "asc"}, [12, 17, 19, 21, 23]),
        ("github", {"head": f"{ORG}:feature/BKG-134-cancel-online"}, [26]),
        ("github", {"base": "task/BKG-139-shared-counters"}, [29]),
        ("gitlab", {"search": "bkg-142", "in": "title"}, [29]),
        ("gitlab", {"search": "BKG-139"}, [29]),
        ("gitlab", {"state": "opened", "wip": "yes"}, [27]),
        ("gitlab", {"source_branch": "larger-files"}, [21]),
        ("bitbucket-cloud", {}, [29, 27, 26]),
        ("bitbucket-cloud", {"q": 'title ~ "bkg-14" AND state != "OPEN"'}, [23]),
        (
            "bitbucket-cloud",
            {"q": '(source.branch.name = "larger-files" OR id < 13) AND id > 1 AND state ~ ""'},
            [21, 12],
        ),
        ("bitbucket-data-center", {"filterText": "bkg-153", "state": "DECLINED"}, [21]),
        ("bitbucket-data-center", {"at": "refs/heads/task/BKG-139-shared-counters"}, [29]),
        (
            "bitbucket-data-center",
            {"at": "refs/heads/feature/BKG-134-cancel-online", "direction": "OUTGOING", "state": "ALL"},
            [26],
        ),
    ],
)
def test_filters(box, kind, query, found):
    assert numbers(HostClient(roots(box)[kind], box.git_host.token).get(LISTS[kind], **query)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("repo:{o}/booking-api is:pr BKG-142", [29]),
        ("repo:{o}/booking-api is:pr BKG-14", []),
        ("repo:{o}/booking-api is:pr bkg-139 in:title", []),
        ("repo:{o}/booking-api type:pr state:closed is:unmerged", [21]),
        ("repo:{o}/booking-api is:pr head:feature/ -is:merged", [29, 26]),
        ('org:{o} is:pr "reason" author:wen-zhao', [6]),
        ("repo:{o}/booking-api is:issue", []),
    ],
)
def test_githubs_search(box, text, found):
    client = HostClient(f"{box.github_url}/api/v3", box.git_host.token)
    answer = client.get("/search/issues", q=text.format(o=ORG)).json()
    assert [item["number"] for item in answer["items"]] == found
    assert answer["total_count"] == len(found)


@pytest.mark.parametrize("text", ["", "repo:nobody/nothing x", "x" * 300])
def test_githubs_search_refuses(box, text):
    assert HostClient(f"{box.github_url}/api/v3", box.git_host.token).get("/search/issues", q=text).status_code == 422


@pytest.mark.parametrize(
    "text", ["title", 'title ~ "a" OR', "((((", 'title # "a"', "(" * 50 + "id > 1" + ")" * 50, "x" * 3000]
)
def test_bitbuckets_filter_refuses(box, text):
    client = HostClient(roots(box)["bitbucket-cloud"], box.git_host.token)
    assert client.get("/pullrequests", q=text).status_code == 400


@pytest.mark.parametrize("kind", KINDS)
def test_too_many_requests(box, kind):
    box.faults.add("GET", LISTS[kind], "status", status=429, headers={"Retry-After": "7"})
    client = HostClient(roots(box)[kind], box.git_host.token)
    answers = [client.get(LISTS[kind]) for _ in range(2)]
    assert [(a.status_code, a.headers.get("Retry-After")) for a in answers] == [(429, "7"), (200, None)]


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_writes_is_refused_and_recorded(box, kind):
    client = HostClient(roots(box)[kind], box.git_host.token)
    assert client.get(LISTS[kind]).status_code == 200
    assert box.git_host_writes() == []
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        assert client.session.request(method, f"{client.root}{LISTS[kind]}/26", timeout=10).status_code == 403
    assert [(e.service, e.method) for e in box.git_host_writes()] == [
        (kind, method) for method in ("POST", "PUT", "PATCH", "DELETE")
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_what_no_vendor_has_is_not_there(box, kind):
    assert HostClient(roots(box)[kind], box.git_host.token).get("/no-such-thing").status_code == 404


def test_githubs_two_addresses_tell_of_themselves(box):
    for prefix in ("/api/v3", ""):
        url = f"{box.github_url}{prefix}/repos/{ORG}/booking-api/pulls/26"
        assert HostClient(url, box.git_host.token).get("").json()["url"] == url


def test_gitlab_knows_a_project_by_its_number_too(box):
    root = roots(box)["gitlab"]
    token = box.git_host.token
    number = HostClient(root, token).get("").json()["id"]
    assert HostClient(f"{box.gitlab_url}/api/v4/projects/{number}", token).get("/merge_requests/26").status_code == 200


def test_bitbucket_cloud_without_the_app_for_commits(box):
    box.bitbucket_cloud.commit_links = False
    try:
        head = box.git_host.pull("booking-api", 26).head
        client = HostClient(roots(box)["bitbucket-cloud"], box.git_host.token)
        assert client.get(f"/commit/{head}/pullrequests").status_code == 404
    finally:
        box.bitbucket_cloud.commit_links = True
