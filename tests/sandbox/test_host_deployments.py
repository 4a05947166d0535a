"""Deployments, environments and releases as GitHub and GitLab tell them."""

import pytest

from tests.sandbox.hosts import ORG, HostClient, hosted, roots


@pytest.fixture
def box(tmp_path):
    with hosted(tmp_path) as running:
        yield running


def github(box):
    return HostClient(roots(box)["github"], box.git_host.token)


def gitlab(box):
    return HostClient(roots(box)["gitlab"], box.git_host.token)


def states(box, environment):
    """The newest state of each deployment, newest first."""
    found = github(box).get("/deployments", environment=environment).json()
    return [(one["ref"], github(box).get(one["statuses_url"]).json()[0]["state"]) for one in found]


def test_deployments_of_github(box):
    found = github(box).get("/deployments", environment="production").json()
    running = box.deployments.running("production", "booking-api")
    assert [(one["ref"], one["production_environment"]) for one in found] == [("v1.6.0", True), ("v1.5.0", True)]
    assert found[0]["sha"] == running.commit
    assert github(box).get(f"/deployments/{found[0]['id']}").json() == found[0]
    assert [one["id"] for one in github(box).get("/deployments", sha=running.commit).json()] == [105, 104]


def test_what_is_superseded_is_inactive_but_not_in_production(box):
    assert states(box, "production") == [("v1.6.0", "success"), ("v1.5.0", "success")]
    assert states(box, "staging") == [("v1.7.0-rc.1", "success"), ("v1.6.0", "inactive"), ("v1.5.0", "inactive")]


def test_what_fails_or_goes_on_is_in_the_statuses(box):
    box.deployments.deploy("staging", "booking-api", "main", state="failed")
    box.deployments.deploy("staging", "booking-api", "main", state="running")
    assert [state for _, state in states(box, "staging")] == [
        "in_progress",
        "failure",
        "success",
        "inactive",
        "inactive",
    ]


def test_releases_of_github(box):
    found = github(box).get("/releases").json()
    assert [(one["tag_name"], one["prerelease"]) for one in found] == [
        ("v1.7.0-rc.1", True),
        ("v1.6.0", False),
        ("v1.5.0", False),
    ]
    assert github(box).get("/releases/latest").json() == found[1]
    assert github(box).get("/releases/tags/v1.7.0-rc.1").json() == found[0]


@pytest.mark.parametrize(
    "path", ["/deployments/1", "/deployments/1/statuses", "/deployments/106", "/releases/tags/v9.9.9"]
)
def test_what_github_does_not_have(box, path):
    """106 is a deployment of the other repository."""
    assert github(box).get(path).status_code == 404


def test_environments_of_gitlab(box):
    found = gitlab(box).get("/environments").json()
    assert [(one["name"], one["tier"]) for one in found] == [("production", "production"), ("staging", "staging")]
    assert all("last_deployment" not in one for one in found)
    staging = gitlab(box).get(f"/environments/{found[1]['id']}").json()
    assert staging["last_deployment"]["sha"] == box.deployments.running("staging", "booking-api").commit
    assert gitlab(box).get("/environments", name="staging").json() == found[1:]


def test_deployments_of_gitlab_are_oldest_first_unless_told(box):
    client, query = gitlab(box), {"environment": "staging", "status": "success"}
    oldest = [one["ref"] for one in client.get("/deployments", **query).json()]
    assert oldest == ["v1.5.0", "v1.6.0", "v1.7.0-rc.1"]
    for order in ("id", "iid", "created_at", "updated_at", "finished_at", "ref"):
        answer = client.get("/deployments", **query, order_by=order, sort="desc", per_page=1)
        assert [one["ref"] for one in answer.json()] == oldest[-1:]
    box.deployments.deploy("staging", "booking-api", "main", state="failed")
    failed = client.get("/deployments", status="failed").json()
    assert [(one["status"], one["environment"]["name"]) for one in failed] == [("failed", "staging")]
    assert client.get(f"/deployments/{failed[0]['id']}").json() == failed[0]


def test_what_gitlab_does_not_have(box):
    for path, status in (("/environments/1", 404), ("/deployments/1", 404), ("/deployments?status=done", 400)):
        assert gitlab(box).get(path).status_code == status


def test_a_deployment_of_no_known_commit_is_not_told(box):
    before = len(github(box).get("/deployments").json())
    box.deployments.deploy("staging", "booking-api", None, "nightly")
    assert len(github(box).get("/deployments").json()) == len(gitlab(box).get("/deployments").json()) == before


def test_tokens(box):
    host = box.git_host
    for token, statuses in (
        (None, (404, 401)),
        ("wrong", (401, 401)),
        (host.grant("gate-app").value, (404, 404)),
        (host.grant(forbidden=True).value, (403, 403)),
    ):
        found = [HostClient(roots(box)[kind], token).get("/deployments").status_code for kind in ("github", "gitlab")]
        assert tuple(found) == statuses
    assert HostClient(f"{box.github_url}/repos/{ORG}/booking-api", host.token).get("/releases").status_code == 200
