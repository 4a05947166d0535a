"""Requests and scripted answers by the vendors' own descriptions; answers as the vendors show and send them.

Bitbucket Data Center has no description of its REST API among them.
"""

import json
import re
from urllib.parse import parse_qsl

import pytest
import yaml

from core.pulls.hosts.make import make_host
from core.pulls.types import PullRef
from tests.core.pulls import host_answers as of
from tests.core.pulls.hosting import HEAD, MERGE, QUICK, scripted
from tests.core.pulls.test_hosts import KINDS, LISTS, OF_COMMIT, list_of
from tests.specs import Description

REF = PullRef("web", 7)
EXTRA = {"q", "sort", "pagelen", "page"}  # of every list of Bitbucket Cloud, described in its prose alone


def fits_template(template, path):
    parts = re.split(r"\{[^}]+\}", template)
    return re.fullmatch("[^/]+".join(map(re.escape, parts)), path)


def asked_of(kind, **answers):
    """What is asked for one pull request, for those that name a ticket, and for those of a commit."""
    path, make, _ = KINDS[kind]
    with scripted() as server:
        server.answers = {path: make(), LISTS[kind]: list_of(kind), OF_COMMIT[kind]: list_of(kind), **answers}
        host = make_host(kind, server.url, token="t", limits=QUICK)
        host.pull(REF, "acme/web")
        host.with_text("web", "acme/web", of.KEY)
        host.with_commit("web", "acme/web", HEAD)
        return server.asked


def test_github_by_its_description(shared):
    path = shared / "specs" / "github-rest-trimmed.json"
    shown = json.loads(path.read_text())["components"]["examples"]
    whole, simple = shown["pull-request"]["value"], shown["pull-request-simple-items"]["value"]
    for pull in [whole, *simple]:
        pull["requested_teams"] = []  # those of the examples lack what the description demands
    found = shown["issue-search-result-item-paginated"]["value"]
    answers = {
        KINDS["github"][0]: whole,
        LISTS["github"]: simple * 50,
        OF_COMMIT["github"]: simple,
        "/api/v3/search/issues": found,
    }
    asked = asked_of("github", **answers)
    assert len(asked) == 4
    description = Description(path, "/api/v3")
    assert [problem for exchange in asked for problem in description.problems(exchange)] == []


def test_the_pull_request_that_github_shows(shared):
    path = shared / "specs" / "github-rest-trimmed.json"
    shown = json.loads(path.read_text())["components"]["examples"]["pull-request"]["value"]
    with scripted() as server:
        server.answers["/api/v3/repos/octocat/Hello-World/pulls/1347"] = shown
        host = make_host("github", server.url, token="t", limits=QUICK)
        found = host.pull(PullRef("hello", 1347), "octocat/Hello-World")
    assert (found.title, found.head, found.base_branch) == (shown["title"], shown["head"]["sha"], shown["base"]["ref"])


def test_pull_requests_that_github_sent(shared):
    events = json.loads((shared / "real" / "github" / "webhooks" / "pull_request.json").read_text())
    sent = [event["pull_request"] for event in events]
    assert len(sent) > 10
    with scripted() as server:
        host = make_host("github", server.url, token="t", limits=QUICK)
        for pull in sent:
            server.answers["/api/v3/repos/a/b/pulls/7"] = pull
            found = host.pull(REF, "a/b")
            assert found.head == pull["head"]["sha"]
            assert found.base_branch == pull["base"]["ref"]
            assert (found.state == "merged") == bool(pull["merged_at"]) == (found.merge_commit is not None)
            assert (found.state in {"open", "draft"}) == (pull["state"] == "open")
            assert found.from_fork == (pull["head"]["repo"] is None or pull["head"]["repo"]["fork"])


def test_bitbucket_cloud_by_its_description(shared, tmp_path):
    document = yaml.load((shared / "specs" / "bitbucket-cloud-2.0.yaml").read_text(), yaml.CSafeLoader)
    del document["components"]["securitySchemes"]  # of a kind that the judge does not know
    for operations in document["paths"].values():
        operations.get("get", {}).pop("security", None)
    path = tmp_path / "bitbucket.json"
    path.write_text(json.dumps(document, default=str))
    merged = of.cloud(state="MERGED", merge_commit={"hash": MERGE[:12]})
    commit = "/2.0/repositories/acme/web/commit/"
    answers = {
        KINDS["bitbucket-cloud"][0]: merged,
        LISTS["bitbucket-cloud"]: {"values": [of.cloud()], "pagelen": 50},
        OF_COMMIT["bitbucket-cloud"]: {"values": [of.cloud()], "pagelen": 50},
        f"{commit}{HEAD[:12]}": {"type": "commit", "hash": HEAD},
        f"{commit}{MERGE[:12]}": {"type": "commit", "hash": MERGE},
    }
    asked = asked_of("bitbucket-cloud", **answers)
    assert len(asked) == 5
    description = Description(path, "/2.0")
    problems = [problem for exchange in asked for problem in description.problems(exchange)]
    assert [it for it in problems if not any(f"unknown query parameter {name!r}" in it for name in EXTRA)] == []


def test_gitlab_by_its_description(shared):
    """Its description has wrong types for most fields, so names alone are compared."""
    document = yaml.load((shared / "specs" / "gitlab-v4-openapi2.yaml").read_text(), yaml.CSafeLoader)
    full = [of.gitlab(iid=n) for n in range(50)]
    asked = asked_of("gitlab", **{LISTS["gitlab"]: full})
    assert len(asked) == 4
    for exchange in asked:
        fits = [path for path in document["paths"] if fits_template(path, exchange.path)]
        operation = document["paths"][fits[0]]["get"]
        known = {it["name"]: it for it in operation["parameters"] if it["in"] == "query"}
        for name, value in parse_qsl(exchange.query):
            assert name in known
            assert value in known[name].get("enum", [value])
    entity = document["definitions"]["API_Entities_MergeRequest"]["properties"]
    assert of.gitlab().keys() <= entity.keys()
    assert {"work_in_progress", "changes_count"} <= entity.keys()


def test_one_listing_is_enough_for_a_small_project():
    assert [exchange.path for exchange in asked_of("gitlab")] == [
        KINDS["gitlab"][0],
        LISTS["gitlab"],
        OF_COMMIT["gitlab"],
    ]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_ticket_costs_few_requests(kind):
    commit = {f"/2.0/repositories/acme/web/commit/{HEAD[:12]}": {"hash": HEAD}}
    assert len(asked_of(kind, **commit)) <= 4
