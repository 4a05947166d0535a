"""The development panel: read where it is, and not missed where it is not."""

import json

import pytest

from core.connectors.jira_cloud import JiraCloud
from core.connectors.jira_data_center import JiraDataCenter
from core.connectors.jira_development import pull_addresses
from core.connectors.jira_wire import Wire
from tests.core.connectors.conftest import QUICK
from tests.core.pulls.hosting import scripted

SUMMARY = "/rest/dev-status/latest/issue/summary"
DETAIL = "/rest/dev-status/latest/issue/detail"
PULLS = ("https://github.com/acme/web/pull/7", "https://github.com/acme/web/pull/9")


@pytest.fixture
def server():
    with scripted() as running:
        yield running


@pytest.fixture(params=[JiraCloud, JiraDataCenter])
def api(server, request):
    return request.param(Wire(server.url, "anna@firm.example", "t0ps3cret", QUICK))


def summary(**kinds):
    """What it counts: kind of thing -> kinds of hosts."""
    found = {
        kind: {"overall": {"count": len(hosts)}, "byInstanceType": {host: {"count": 1, "name": host} for host in hosts}}
        for kind, hosts in kinds.items()
    }
    return {"errors": [], "configErrors": [], "summary": found}


def detail(*addresses):
    pulls = [{"id": "#7", "name": "Hold", "status": "OPEN", "url": address} for address in addresses]
    return {"errors": [], "detail": [{"branches": [], "pullRequests": pulls, "repositories": []}]}


def test_addresses_of_pull_requests(server, api):
    server.answers |= {SUMMARY: summary(pullrequest=["GitHub"]), DETAIL: detail(*PULLS, PULLS[0])}
    assert pull_addresses(api, "10012") == PULLS
    assert [exchange.query for exchange in server.asked] == [
        "issueId=10012",
        "issueId=10012&applicationType=GitHub&dataType=pullrequest",
    ]


def test_hosts_that_are_counted_for_branches_only_are_asked_too(server, api):
    odd = "oAuth-com.github.integration.production&x=1"
    server.answers |= {SUMMARY: summary(branch=["stash", odd], pullrequest=[odd]), DETAIL: detail(*PULLS)}
    assert pull_addresses(api, "10012") == PULLS
    asked = [exchange.query for exchange in server.asked[1:]]
    assert "applicationType=oAuth-com.github.integration.production%26x%3D1&" in asked[0]
    assert "applicationType=stash&" in asked[1]


def test_nothing_more_is_asked_without_a_host(server, api):
    server.answers[SUMMARY] = summary(pullrequest=[], branch=[])
    assert pull_addresses(api, "10012") == ()
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [401, 403, 404, 500, 503])
def test_no_panel_is_as_usual_and_asked_for_once(server, api, status):
    server.answers[SUMMARY] = (status, {}, {"message": "no"})
    assert pull_addresses(api, "10012") == ()
    assert len(server.asked) == 1
    server.answers |= {SUMMARY: summary(pullrequest=["GitHub"]), DETAIL: (status, {}, {})}
    assert pull_addresses(api, "10012") == ()


@pytest.mark.parametrize(
    "answer",
    [
        [],
        "text",
        None,
        {},
        {"summary": []},
        {"summary": {"pullrequest": 7}},
        {"summary": {"pullrequest": {"byInstanceType": ["GitHub"]}}},
    ],
)
def test_odd_summaries(server, api, answer):
    server.answers[SUMMARY] = (200, {}, answer)
    assert pull_addresses(api, "10012") == ()


@pytest.mark.parametrize(
    "answer",
    [
        [],
        {"detail": {}},
        {"detail": [7, {"pullRequests": 7}, {"pullRequests": [7, {}, {"url": 7}, {"url": ["x"]}, {"url": None}]}]},
        {"detail": [{"pullRequests": [{"url": "x" * 5000}, {"url": " "}]}]},
    ],
)
def test_odd_details(server, api, answer):
    server.answers |= {SUMMARY: summary(pullrequest=["GitHub"]), DETAIL: (200, {}, answer)}
    assert all(not address.startswith("x") for address in pull_addresses(api, "10012"))


def test_hosts_and_addresses_are_bounded(server, api):
    many = [f"https://github.com/acme/web/pull/{number}" for number in range(1, 500)]
    server.answers |= {SUMMARY: summary(pullrequest=[f"host{n}" for n in range(90)]), DETAIL: detail(*many)}
    assert len(pull_addresses(api, "10012")) == 100
    assert len(server.asked) < 10


def test_a_redirect_is_not_followed(server, api):
    with scripted() as other:
        other.answers[SUMMARY] = summary(pullrequest=["GitHub"])
        server.answers[SUMMARY] = (302, {"Location": other.url + SUMMARY}, {})
        assert pull_addresses(api, "10012") == ()
        assert other.asked == []


def test_a_ticket_has_them_and_does_not_miss_them(box, reader):
    body = json.dumps(summary(pullrequest=["GitHub"]))
    box.faults.add("GET", "/dev-status/.*/summary$", "status", status=200, body=body)
    box.faults.add("GET", "/dev-status/.*/detail$", "status", status=200, body=json.dumps(detail(*PULLS)))
    assert reader.ticket("SHOP-1").pull_addresses == PULLS
    box.faults.add("GET", "/dev-status/", "status", status=403)
    found = reader.ticket("SHOP-1")
    assert (found.pull_addresses, found.unread) == ((), ())
