"""GitLab's environments and deployments, by what its documentation shows and by its own description."""

from datetime import UTC, datetime
from urllib.parse import parse_qsl

import pytest
import yaml

from core.probes.types import Running
from tests.core.probes.probing import COMMIT, OTHER, TOKEN, probe, read
from tests.core.probes.stub import stub

WHERE = {"project": "acme/booking/api", "environment": "review/fix"}
API = "/api/v4/projects/acme%2Fbooking%2Fapi"
SINCE = datetime(2026, 11, 29, 9, tzinfo=UTC)


def deployment(number=100, sha=COMMIT, status="success", ref="main", tag=False, **changed):
    job = {"id": 710, "status": status, "name": "deploy", "tag": tag, "finished_at": "2026-11-29T09:00:00.000Z"}
    return {
        "id": number,
        "iid": 34,
        "ref": ref,
        "sha": sha,
        "created_at": "2026-11-29T08:00:00.000Z",
        "updated_at": "2026-11-29T09:00:01.000Z",
        "status": status,
        "deployable": job,
        **changed,
    }


def environment(last, state="available"):
    return {"id": 1, "name": "review/fix", "slug": "review-fix", "state": state, "last_deployment": last}


def reading_of(last, deployments=(), **changed):
    with stub() as server:
        server.answers = {
            f"{API}/environments": [{"id": 1, "name": "review/fix", "state": "available"}],
            f"{API}/environments/1": environment(last),
            f"{API}/deployments": list(deployments),
            **changed,
        }
        reading = read("gitlab", server.url, WHERE)
    assert {exchange.method for exchange in server.asked} == {"GET"}
    assert {exchange.headers["private-token"] for exchange in server.asked} == {TOKEN}
    return reading, server.asked


def test_the_last_that_succeeded():
    reading, asked = reading_of(deployment(), [deployment(), deployment(99, OTHER)])
    assert reading.running == (Running(COMMIT, COMMIT, since=SINCE),)
    assert [exchange.path for exchange in asked] == [
        f"{API}/{it}" for it in ("environments", "environments/1", "deployments")
    ]
    assert dict(parse_qsl(asked[0].query)) == {"name": "review/fix"}
    assert dict(parse_qsl(asked[2].query))["environment"] == "review/fix"


def test_a_tag_is_the_version():
    assert reading_of(deployment(ref="v2.14.1", tag=True))[0].running[0].version == "v2.14.1"
    assert reading_of(deployment(ref="v2.14.1", deployable=None))[0].running[0].version == "v2.14.1"
    assert reading_of(deployment(ref="v2.14.1", tag=False))[0].running[0].version == COMMIT
    assert reading_of(deployment(deployable=None))[0].running[0].since == datetime(2026, 11, 29, 9, 0, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("status", "what"),
    [
        ("running", "is under way"),
        ("failed", "failed"),
        ("blocked", "waits for approval"),
        ("created", "has not begun"),
    ],
)
def test_newer_ones_that_do_not_run(status, what):
    found = reading_of(deployment(), [deployment(101, OTHER, status), deployment(), deployment(99, OTHER, status)])
    assert found[0].running[0].notes == (f"A newer deployment, of {OTHER[:12]}, {what}.",)


def test_nothing_runs():
    assert reading_of(None)[0].running == ()
    stopped, _ = reading_of(None, **{f"{API}/environments/1": environment(deployment(), "stopped")})
    assert (stopped.running, stopped.unread) == ((), "")


def test_no_such_environment_and_no_access():
    assert "no environment of that name" in reading_of(None, **{f"{API}/environments": []})[0].unread
    with stub() as server:
        assert "shows our token no such project" in read("gitlab", server.url, WHERE).unread
        server.answers[f"{API}/environments"] = (401, {}, {"message": "401 Unauthorized"})
        assert "does not accept our credentials" in read("gitlab", server.url, WHERE).unread


@pytest.mark.parametrize("junk", [None, 1, "x", [1], [{}], {"id": "1"}])
def test_answers_of_another_shape(junk):
    assert reading_of(None, **{f"{API}/environments": (200, {}, junk)})[0].unread
    assert reading_of(None, **{f"{API}/environments/1": (200, {}, junk)})[0].unread or isinstance(junk, dict)
    assert reading_of(deployment(), **{f"{API}/deployments": (200, {}, junk)})[0].unread or junk == [{}]
    assert "does not say that it succeeded" in reading_of(deployment(sha=junk))[0].unread


def test_one_that_did_not_succeed_is_not_told_as_running():
    assert reading_of(deployment(status="failed"))[0].unread


def test_the_page_for_people():
    assert (
        probe("gitlab", "https://gitlab.example", WHERE).url == "https://gitlab.example/acme/booking/api/-/environments"
    )


def test_by_its_description(shared):
    """Its description has wrong types for most fields, and no way to get one environment: names are compared."""
    document = yaml.load((shared / "specs" / "gitlab-v4-openapi2.yaml").read_text(), yaml.CSafeLoader)
    _, asked = reading_of(deployment())
    for exchange, name in ((asked[0], "environments"), (asked[2], "deployments")):
        operation = document["paths"][f"/api/v4/projects/{{id}}/{name}"]["get"]
        known = {it["name"]: it for it in operation["parameters"] if it["in"] == "query"}
        for key, value in parse_qsl(exchange.query):
            assert key in known
            assert value in known[key].get("enum", [value])
    properties = {
        name: document["definitions"][f"API_Entities_{name}"]["properties"] for name in ("Environment", "Deployment")
    }
    assert environment(None).keys() <= properties["Environment"].keys()
    assert deployment().keys() <= properties["Deployment"].keys()
