"""The five kinds of probe tell the same of the same environment, in a company whose hosts are on loopback."""

import pytest

from core.probes.make import Credentials
from tests.core.probes.probing import read
from tests.sandbox.hosts import hosted


@pytest.fixture
def box(tmp_path):
    with hosted(tmp_path) as running:
        yield running


def readings(box, environment):
    """By the kind of the probe."""
    project = f"{box.company.organisation}/booking-api"
    json = {"version": "version", "commit": "commit", "since": "started", "dirty": "dirty"}
    cluster = {"namespace": environment, "deployment": "booking-api", "commit_label": "skerryline.example/commit"}
    hosts = {"project": project, "environment": environment}
    asked = {
        "http": (box.version_url(environment, "booking-api"), box.version_token, json),
        "kubernetes": (box.kubernetes_url, box.kubernetes_token, cluster),
        "argocd": (box.argocd_url, box.argocd_token, {"application": f"booking-api-{environment}"}),
        "github": (box.github_url, box.git_host.token, hosts),
        "gitlab": (box.gitlab_url, box.git_host.token, hosts),
    }
    return {kind: read(kind, url, where, credentials=Credentials(token)) for kind, (url, token, where) in asked.items()}


def notes(reading):
    return [note for one in reading.running for note in one.notes if "revision of the manifests" not in note]


def test_all_tell_the_same(box):
    commit = box.deployments.running("production", "booking-api").commit
    for kind, reading in readings(box, "production").items():
        assert (reading.unread, len(reading.running), notes(reading)) == ("", 1, []), kind
        found = reading.running[0]
        assert (found.commit, found.dirty, bool(found.since)) == (commit, False, True), kind
        assert found.version == ("v1.6.0" if kind in {"github", "gitlab"} else "1.6.0"), kind


def test_a_rollback(box):
    before = box.deployments.running("staging", "booking-api").commit
    box.deployments.deploy("staging", "booking-api", "main", "1.8.0")
    newer = {kind: reading.running[0].commit for kind, reading in readings(box, "staging").items()}
    assert set(newer.values()) == {box.deployments.running("staging", "booking-api").commit} != {before}
    box.deployments.roll_back("staging", "booking-api")
    assert {reading.running[0].commit for reading in readings(box, "staging").values()} == {before}


@pytest.mark.parametrize("state", ["failed", "running"])
def test_a_deployment_that_does_not_run_yet(box, state):
    before = box.deployments.running("production", "booking-api").commit
    box.deployments.deploy("production", "booking-api", "main", "1.8.0", state=state)
    found = readings(box, "production")
    for kind in ("http", "kubernetes", "github", "gitlab"):
        assert [one.commit for one in found[kind].running] == [before], kind
    for kind in ("github", "gitlab"):
        assert notes(found[kind])[0].startswith("A newer deployment, of "), kind
    assert len(notes(found["argocd"])) >= 1


def test_a_dirty_build(box):
    box.deployments.deploy("staging", "booking-api", "main", "1.8.0", dirty=True)
    found = readings(box, "staging")
    assert all(found[kind].running[0].dirty for kind in ("http", "kubernetes", "argocd"))


def test_instances_that_differ_and_one_that_is_not_ready(box):
    box.deployments.differ("production", "booking-api", "main", "1.8.0")
    found = readings(box, "production")
    assert [(one.version, one.instances) for one in found["kubernetes"].running] == [("1.6.0", 2), ("1.8.0", 1)]
    assert {one.version for one in found["argocd"].running} == {"1.6.0", "1.8.0"}
    box.deployments.unwell("production", "booking-api", count=1)
    again = readings(box, "production")
    assert [note for note in notes(again["kubernetes"]) if "not ready" in note]
    assert [note for note in notes(again["argocd"]) if "not healthy" in note]


def test_a_token_that_is_wrong(box):
    box.versions.token = box.kubernetes.token = box.argocd.token = "another"
    tokens = readings(box, "production")
    assert tokens["github"].running
    url, where = box.kubernetes_url, {"namespace": "production", "deployment": "booking-api"}
    assert "does not accept our credentials" in read("kubernetes", url, where).unread


def test_nothing_but_reads_reached_them(box):
    readings(box, "staging")
    assert {exchange.method for exchange in box.exchanges.all()} == {"GET"}
