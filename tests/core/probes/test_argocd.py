"""Argo CD as its API answers: https://argo-cd.readthedocs.io/en/stable/developer-guide/api-docs/."""

from datetime import UTC, datetime

import pytest

from core.probes.types import Running
from tests.core.probes.probing import COMMIT, OTHER, TOKEN, probe, read
from tests.core.probes.stub import stub

WHERE = {"application": "booking-staging"}
PATH = "/api/v1/applications/booking-staging"
IMAGE = "registry.example:5000/acme/booking-api"
OWN = {"repoURL": "https://git.example/acme/booking-api.git", "path": "deploy", "targetRevision": "HEAD"}
ELSEWHERE = {"repoURL": "git@git.example:acme/gitops.git", "path": "staging", "targetRevision": "HEAD"}
SINCE = datetime(2026, 11, 29, 9, tzinfo=UTC)
OF_MANIFESTS = "The commit is the revision of the manifests that were applied last; its image names none."


def application(*images, source=ELSEWHERE, revision=COMMIT, sync="Synced", health="Healthy", phase="Succeeded", **more):
    return {
        "metadata": {"name": "booking-staging", "namespace": "argocd"},
        "spec": {"project": "default", "source": source, **more.pop("spec", {})},
        "status": {
            "sync": {"status": sync, "revision": "f" * 40},
            "health": {"status": health},
            "history": [
                {"id": 0, "revision": OTHER, "deployedAt": "2026-11-01T09:00:00Z", "source": source},
                {"id": 1, "revision": revision, "deployedAt": "2026-11-29T09:00:00Z", "source": source},
            ],
            "operationState": {"phase": phase, "message": "secret words"},
            "summary": {"images": list(images)},
            **more,
        },
    }


def reading_of(answer, where=WHERE):
    with stub() as server:
        server.answers[PATH] = answer
        reading = read("argocd", server.url, where)
    assert {exchange.method for exchange in server.asked} == {"GET"}
    assert {exchange.headers["authorization"] for exchange in server.asked} == {f"Bearer {TOKEN}"}
    assert "secret words" not in repr(reading)
    return reading


def running(*args, **named):
    reading = reading_of(*args, **named)
    assert reading.unread == ""
    return reading.running


def test_the_image_names_version_and_commit():
    assert running(application(f"{IMAGE}:v2.14.1")) == (Running("v2.14.1", "", since=SINCE),)
    assert running(application(f"{IMAGE}:sha-4f2a91c")) == (Running("sha-4f2a91c", "4f2a91c", since=SINCE),)


def test_the_revision_is_a_commit_only_of_its_own_repository_and_only_as_deployed():
    found = running(application(f"{IMAGE}:v2.14.1", source=OWN, sync="OutOfSync"))[0]
    assert (found.version, found.commit) == ("v2.14.1", COMMIT)
    assert found.notes == ("What runs is not what Git says that should run (OutOfSync).", OF_MANIFESTS)
    assert running(application(f"{IMAGE}:sha-4f2a91c", source=OWN))[0].commit == "4f2a91c"
    assert running(application(source=OWN)) == (Running("", COMMIT, since=SINCE, notes=(OF_MANIFESTS,)),)
    chart = {"repoURL": "https://charts.example/booking-api", "chart": "booking-api", "targetRevision": "1.2.3"}
    assert running(application(f"{IMAGE}:v2.14.1", source=chart))[0].commit == ""
    assert running(application(f"{IMAGE}:v2", source=OWN, revision="1.2.3"))[0].commit == ""


@pytest.mark.parametrize(
    "url",
    ["git@git.example:acme/booking-api.git", "ssh://git@git.example:7999/acme/Booking-API", "git.example:booking-api"],
)
def test_the_repository_by_any_address(url):
    assert running(application(source={"repoURL": url}))[0].commit == COMMIT


def test_several_sources():
    history = [{"revisions": ["1.2.3", COMMIT], "deployedAt": "2026-11-29T09:00:00Z"}]
    sources = [{"repoURL": "https://charts.example/x", "chart": "x"}, OWN]
    found = application(f"{IMAGE}:v2.14.1", spec={"source": None, "sources": sources}, history=history)
    assert running(found)[0].commit == COMMIT


def test_two_deployments_in_the_same_second():
    at = "2026-11-29T09:00:00Z"
    history = [{"id": 1, "revision": OTHER, "deployedAt": at}, {"id": 2, "revision": COMMIT, "deployedAt": at}]
    assert running(application(f"{IMAGE}:v2", source=OWN, history=history))[0].commit == COMMIT


def test_two_versions_at_once():
    found = running(application(f"{IMAGE}:v2.14.1", f"{IMAGE}:v2.15.0", source=OWN, health="Progressing"))
    assert [(one.version, one.commit, one.since) for one in found] == [("v2.14.1", "", None), ("v2.15.0", "", None)]
    assert found[0].notes == (
        "Argo CD says that a rollout is under way (Progressing).",
        "Argo CD does not say how many instances run which of the versions.",
    )
    assert found[1].notes == ()


def test_which_image():
    others = ("docker.io/library/redis:7.2", "quay.io/envoy/proxy:v1.30")
    assert running(application(*others, f"{IMAGE}:v2.14.1"))[0].version == "v2.14.1"
    assert "several images" in reading_of(application(*others)).unread
    assert running(application("acme/web:v3"))[0].version == "v3"
    assert running(application(*others), {**WHERE, "image": "envoy/proxy"})[0].version == "v1.30"
    assert "image that is meant" in reading_of(application("a/b:v1"), {**WHERE, "image": "c"}).unread
    assert running(application(f"{IMAGE}-jobs:v9", f"{IMAGE}:v2"))[0].version == "v2"
    assert running(application(f"{IMAGE}@sha256:{'a1' * 32}"))[0] == Running("", "", since=SINCE)
    assert "nothing that says a version" in reading_of(application()).unread


@pytest.mark.parametrize(
    ("changed", "note"),
    [
        ({"sync": "OutOfSync"}, "(OutOfSync)"),
        ({"sync": "Unknown"}, "cannot compare it with Git"),
        ({"health": "Degraded"}, "not healthy (Degraded)"),
        ({"health": "Missing"}, "(Missing)"),
        ({"health": "Suspended"}, "(Suspended)"),
        ({"phase": "Running"}, "A synchronisation is under way."),
        ({"phase": "Failed"}, "The last synchronisation failed."),
        ({"phase": "Error"}, "The last synchronisation failed."),
    ],
)
def test_what_is_wrong_is_said(changed, note):
    notes = running(application(f"{IMAGE}:v2", **changed))[0].notes
    assert len(notes) == 1
    assert note in notes[0]


def test_more_than_anyone_has_is_cut():
    assert len(running(application(*(f"{IMAGE}:v{number}" for number in range(5000))))) == 10


def test_an_application_in_another_namespace():
    with stub() as server:
        server.answers[PATH] = application(f"{IMAGE}:v2")
        assert read("argocd", server.url, {"application": "team-a/booking-staging"}).running
    assert server.asked[0].query == "appNamespace=team-a"


def test_no_such_application_and_no_access():
    assert "no application of that name" in reading_of((404, {}, {"error": "x", "code": 5})).unread
    assert "or there is none (403)" in reading_of((403, {}, {"error": "permission denied", "code": 7})).unread


@pytest.mark.parametrize("junk", [None, 1, "x", [], {}, [1], [None]])
def test_answers_of_another_shape(junk):
    for key in ("status", "spec"):
        reading = reading_of({**application(f"{IMAGE}:v2"), key: junk})
        assert reading.running or "an administrator has to check" in reading.unread
    for key in ("sync", "health", "history", "operationState", "summary"):
        assert reading_of(application(f"{IMAGE}:v2", **{key: junk}) if key not in {"sync", "health"} else junk)
    assert reading_of(application(f"{IMAGE}:v2", history=[{"revision": junk, "revisions": junk, "deployedAt": junk}]))


def test_the_page_for_people():
    assert probe("argocd", "https://argo.example/", WHERE).url == "https://argo.example/applications/booking-staging"
