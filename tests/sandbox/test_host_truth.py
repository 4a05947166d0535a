"""A tour of the Git hosts, each answer judged by the vendor's own description."""

import json

import pytest

from sandbox.git import Entry
from tests.sandbox.host_specs import cloud_problems, github, gitlab
from tests.sandbox.hosts import ORG, HostClient, hosted

GITHUB_TOUR = (
    ("/repos/{o}/booking-api", {}),
    ("/repos/{o}/nothing", {}),
    ("/repos/{o}/booking-api/pulls", {"state": "all", "per_page": 2, "page": 2}),
    ("/repos/{o}/booking-api/pulls", {"head": f"{ORG}:feature/BKG-134-cancel-online"}),
    *((f"/repos/{{o}}/booking-api/pulls/{number}", {}) for number in (12, 17, 19, 21, 23, 26, 27, 29)),
    ("/repos/{o}/booking-api/pulls/999", {}),
    ("/repos/{o}/gate-app/pulls/8", {}),
    ("/repos/{o}/booking-api/pulls/29/files", {"per_page": 3}),
    ("/repos/{o}/booking-api/pulls/30/files", {}),
    ("/repos/{o}/booking-api/commits/{c}/pulls", {}),
    ("/repos/{o}/booking-api/commits/0123456789/pulls", {}),
    ("/repos/{o}/booking-api/releases", {"per_page": 2, "page": 2}),
    ("/repos/{o}/booking-api/releases/latest", {}),
    ("/repos/{o}/gate-app/releases/tags/v2.3.0", {}),
    ("/repos/{o}/gate-app/releases/tags/v9", {}),
    ("/search/issues", {"q": f"repo:{ORG}/booking-api is:pr BKG-142 in:title"}),
    ("/search/issues", {"q": "repo:nobody/nothing x"}),
)
GITLAB_TOUR = (
    ("", {}),
    ("/merge_requests", {"state": "all", "per_page": 2}),
    ("/merge_requests", {"search": "BKG-142", "in": "title", "state": "opened"}),
    ("/merge_requests", {"source_branch": "feature/BKG-134-cancel-online"}),
    *((f"/merge_requests/{number}", {}) for number in (12, 17, 21, 27, 29, 30, 999)),
    ("/merge_requests/29/diffs", {"per_page": 3}),
    ("/merge_requests/30/diffs", {}),
    ("/repository/commits/{c}/merge_requests", {}),
    ("/repository/commits/0123456789/merge_requests", {}),
    ("/environments", {"per_page": 1, "page": 2}),
    ("/environments", {"name": "production"}),
    *((f"/environments/{number}", {}) for number in (50100, 1)),
    ("/deployments", {"environment": "staging", "status": "success", "order_by": "id", "sort": "desc"}),
    ("/deployments", {"status": "done"}),
    *((f"/deployments/{number}", {}) for number in (105, 1)),
)
CLOUD_TOUR = (
    ("", {}),
    ("/pullrequests", {"pagelen": 2}),
    ("/pullrequests", {"q": 'title ~ "BKG-142" OR source.branch.name ~ "BKG-142"', "sort": "-updated_on"}),
    ("/pullrequests", {"state": ["MERGED", "DECLINED"]}),
    ("/pullrequests", {"q": "title ~"}),
    *((f"/pullrequests/{number}", {}) for number in (12, 17, 21, 27, 29, 30, 999)),
    ("/pullrequests/30/commits", {}),
    ("/commit/{c}", {}),
    ("/commit/{c}/pullrequests", {}),
    ("/commit/0123456789/pullrequests", {}),
)


@pytest.fixture(scope="module")
def box(tmp_path_factory):
    with hosted(tmp_path_factory.mktemp("hosts")) as running:
        host = running.git_host
        files = {
            "link": Entry("120000", "../outside"),
            "run.sh": Entry("100755", "true\n"),
            "vendor": Entry("160000", "1" * 40),
            "seats.png": b"\x89PNG\r\n\0\1",
            "README.md": None,
            "src/booking/seats.py": "",
        }
        number = host.open("booking-api", "all-kinds", host.commit("booking-api", files), "All kinds of files")
        assert number == 30
        yield running


def tour(box, root, places):
    client = HostClient(root, box.git_host.token)
    box.exchanges.clear()
    for path, query in places:
        client.get(path.replace("{o}", ORG).replace("{c}", box.git_host.pull("booking-api", 29).head), **query)
    exchanges = box.exchanges.all()
    assert len(exchanges) == len(places)
    return exchanges


def test_github_is_as_described(box, shared):
    exchanges = tour(box, f"{box.github_url}/api/v3", GITHUB_TOUR)
    assert {f"{e.path} {e.status}": p for e in exchanges if (p := github(shared).problems(e))} == {
        # Both as GitHub really answers.
        f"/api/v3/repos/{ORG}/booking-api/pulls/21 200": [
            "response: head/repo: None for not nullable; head/repo: None is not of type 'object'"
        ],
        f"/api/v3/repos/{ORG}/booking-api/commits/0123456789/pulls 422": ["response: status 422 is not described"],
    }


def test_gitlab_is_as_described(box, shared):
    exchanges = tour(box, f"{box.gitlab_url}/api/v4/projects/{ORG}%2Fbooking-api", GITLAB_TOUR)
    assert {f"{e.path} {e.status}": p for e in exchanges if (p := gitlab(shared).problems(e))} == {}


def test_bitbucket_cloud_is_as_described(box, shared):
    exchanges = tour(box, f"{box.bitbucket_cloud_url}/2.0/repositories/{ORG}/booking-api", CLOUD_TOUR)
    assert {f"{e.path} {e.status}": p for e in exchanges if (p := cloud_problems(shared, e))} == {
        f"/2.0/repositories/{ORG}/booking-api/pullrequests 400": ["response: status 400 is not described"]
    }


def test_githubs_real_pull_request_has_no_other_fields(box, shared):
    """The names of a real payload's pull request and ours, as deep as both go."""
    path = shared / "real" / "github" / "webhooks" / "pull_request.json"
    real = json.loads(path.read_text())[0]["pull_request"]
    client = HostClient(f"{box.github_url}/api/v3/repos/{ORG}/booking-api", box.git_host.token)
    ours = client.get("/pulls/26").json()
    assert missing(real, ours, "") - {"/head/repo/license", "/base/repo/license"} == set()


def missing(real, ours, where):
    if not isinstance(real, dict) or not isinstance(ours, dict):
        return set()
    gone = {f"{where}/{name}" for name in real if name not in ours}
    return gone.union(*(missing(real[name], ours[name], f"{where}/{name}") for name in real if name in ours))


def test_the_judges_can_say_no(box, shared):
    """What is wrong in one place of an answer is seen by each."""
    spoilt = {
        "github": (f"{box.github_url}/api/v3/repos/{ORG}/booking-api", "/pulls/26", b'"number":26', b'"number":"26"'),
        "gitlab": (
            f"{box.gitlab_url}/api/v4/projects/{ORG}%2Fbooking-api",
            "/merge_requests/26",
            b'"iid"',
            b'"number"',
        ),
        "cloud": (
            f"{box.bitbucket_cloud_url}/2.0/repositories/{ORG}/booking-api",
            "/pullrequests/26",
            b":26,",
            b':"26",',
        ),
    }
    found = {}
    for kind, (root, path, right, wrong) in spoilt.items():
        (exchange,) = tour(box, root, [(path, {})])
        exchange.response_body = exchange.response_body.replace(right, wrong, 1)
        found[kind] = exchange
    assert "number" in github(shared).problems(found["github"])[0]
    assert gitlab(shared).problems(found["gitlab"]) == ["/number is not described"]
    assert "id" in cloud_problems(shared, found["cloud"])[0]
