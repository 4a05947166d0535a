"""Jira's development panel shows the pull requests of a ticket."""

import pytest
import requests

from sandbox.server import Sandbox
from tests.sandbox.hosts import ORG, hosted
from tests.sandbox_fixtures import as_reader


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    with hosted(tmp_path_factory.mktemp("hosts")) as box:
        yield box


@pytest.fixture
def box(running):
    yield running
    running.development.mode, running.development.kind = "present", "github"


def ask(box: Sandbox, what: str, key: str, **query: str) -> requests.Response:
    url = f"{box.jira_url}/rest/dev-status/latest/issue/{what}"
    query = {"issueId": box.jira.issue(key).id, **query}
    return requests.get(url, params=query, auth=(box.read_user, box.read_token), timeout=10)


def pulls(box: Sandbox, key: str, application: str = "GitHub") -> list[tuple[str, str, str]]:
    found = ask(box, "detail", key, applicationType=application, dataType="pullrequest").json()
    return [(p["id"], p["status"], p["url"]) for entry in found["detail"] for p in entry["pullRequests"]]


@pytest.mark.parametrize(
    ("key", "found"),
    [
        ("BKG-142", [("#29", "OPEN", "booking-api/pull/29")]),
        ("BKG-139", [("#27", "OPEN", "booking-api/pull/27")]),
        ("BKG-153", [("#21", "DECLINED", "booking-api/pull/21")]),
        ("GATE-49", [("#19", "MERGED", "booking-api/pull/19"), ("#5", "MERGED", "gate-app/pull/5")]),
        ("GATE-52", [("#8", "OPEN", "gate-app/pull/8")]),
        ("BKG-97", []),
    ],
)
def test_found_by_title_branch_and_commits(box, key, found):
    assert pulls(box, key) == [(number, state, f"{box.github_url}/{ORG}/{end}") for number, state, end in found]


def test_the_summary_says_where_to_ask(box):
    found = ask(box, "summary", "GATE-49").json()["summary"]["pullrequest"]
    assert found["byInstanceType"] == {"GitHub": {"count": 2, "name": "GitHub"}}
    assert (found["overall"]["count"], found["overall"]["state"]) == (2, "MERGED")
    nothing = ask(box, "summary", "BKG-97").json()["summary"]["pullrequest"]
    assert (nothing["overall"]["count"], nothing["byInstanceType"]) == (0, {})


@pytest.mark.parametrize(
    ("kind", "application", "end"),
    [
        ("gitlab", "gitlabselfmanaged", f"/{ORG}/booking-api/-/merge_requests/29"),
        ("bitbucket-cloud", "bitbucket", f"/{ORG}/booking-api/pull-requests/29"),
        ("bitbucket-data-center", "stash", "/projects/SKERRYLINE/repos/booking-api/pull-requests/29"),
    ],
)
def test_another_host_is_connected(box, kind, application, end):
    box.development.kind = kind
    assert pulls(box, "BKG-142") == []
    assert [url for _, _, url in pulls(box, "BKG-142", application)] == [box.development.urls[kind] + end]


def test_it_may_be_empty_absent_or_forbidden(box):
    statuses = {"empty": 200, "absent": 404, "forbidden": 403, "present": 200}
    for mode, status in statuses.items():
        box.development.mode = mode
        answers = [ask(box, "summary", "BKG-142"), ask(box, "detail", "BKG-142", applicationType="GitHub")]
        assert [answer.status_code for answer in answers] == [status, status]
        assert mode != "empty" or answers[1].json()["detail"] == []


def test_a_ticket_that_cannot_be_seen_has_no_panel(box):
    customer = next(person for person in box.company.people if person.customer)
    url = f"{box.jira_url}/rest/dev-status/latest/issue/summary"
    query = {"issueId": box.jira.issue("BKG-142").id}
    assert requests.get(url, params=query, auth=box.login(customer.id), timeout=10).status_code == 404
    assert requests.get(url, params=query, timeout=10).status_code == 401
    assert ask(box, "detail", "BKG-142").status_code == 400


def test_it_follows_the_host(box):
    reader = as_reader(box)
    number = box.git_host.open("gate-app", "x", box.git_host.commit("gate-app", {"x": "x"}, "BKG-97 More"), "More")
    assert [name for name, _, _ in pulls(box, "BKG-97")] == [f"#{number}"]
    box.git_host.merge("gate-app", number)
    assert [state for _, state, _ in pulls(box, "BKG-97")] == ["MERGED"]
    reader.session.close()
