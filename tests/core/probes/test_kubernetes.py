"""Kubernetes as its API answers: https://kubernetes.io/docs/reference/kubernetes-api/."""

from datetime import UTC, datetime
from urllib.parse import parse_qs

import pytest

from core.probes.types import Running
from tests.core.probes.probing import COMMIT, OTHER, TOKEN, read
from tests.core.probes.stub import stub

WHERE = {"namespace": "staging", "deployment": "booking-api"}
BY_LABEL = {"namespace": "staging", "selector": "app=booking"}
DEPLOYMENT = "/apis/apps/v1/namespaces/staging/deployments/booking-api"
PODS = "/api/v1/namespaces/staging/pods"
IMAGE = "registry.example:5000/acme/booking-api"
SINCE = datetime(2026, 11, 29, 9, tzinfo=UTC)


def deployment(**changed):
    return {
        "kind": "Deployment",
        "apiVersion": "apps/v1",
        "metadata": {"name": "booking-api", "namespace": "staging", "uid": "d1", "generation": 4},
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "booking"}}},
        "status": {"observedGeneration": 4, "replicas": 2, "readyReplicas": 2, "conditions": []},
        **changed,
    }


def pod(tag, *, hashed="6d4cf56db6", ready=True, state=None, owner="booking-api", digest="a1", metadata=None, **status):
    image = f"{IMAGE}:{tag}" if tag else IMAGE
    return {
        "metadata": {
            "name": f"{owner}-{hashed}-x7k2p",
            "labels": {"app": "booking", "pod-template-hash": hashed},
            "ownerReferences": [
                {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": f"{owner}-{hashed}", "controller": True}
            ],
            **(metadata or {}),
        },
        "spec": {"containers": [{"name": "api", "image": image}]},
        "status": {
            "phase": "Running",
            "startTime": "2026-11-29T09:00:00Z",
            "containerStatuses": [
                {
                    "name": "api",
                    "image": image,
                    "imageID": f"{IMAGE}@sha256:{digest * 32}",
                    "ready": ready,
                    "restartCount": 0,
                    "state": state or {"running": {"startedAt": "2026-11-29T09:00:03Z"}},
                }
            ],
            **status,
        },
    }


def labelled(one, *, labels=None, annotations=None):
    one["metadata"]["labels"] |= labels or {}
    one["metadata"]["annotations"] = annotations or {}
    return one


def reading_of(pods, where=WHERE, found=None, **metadata):
    with stub() as server:
        answer = {
            "kind": "PodList",
            "apiVersion": "v1",
            "metadata": {"resourceVersion": "9", **metadata},
            "items": pods,
        }
        server.answers = {DEPLOYMENT: found or deployment(), PODS: answer}
        reading = read("kubernetes", server.url, where)
    assert {exchange.method for exchange in server.asked} == {"GET"}
    assert {exchange.headers["authorization"] for exchange in server.asked} == {f"Bearer {TOKEN}"}
    return reading


def running(*args, **named):
    reading = reading_of(*args, **named)
    assert reading.unread == ""
    return reading.running


def test_the_pods_of_a_deployment():
    assert running([pod("v2.14.1"), pod("v2.14.1")]) == (Running("v2.14.1", "", 2, SINCE),)
    assert running([pod(f"sha-{COMMIT[:7]}")])[0].commit == COMMIT[:7]


def test_what_is_asked():
    found = deployment()
    found["spec"]["selector"]["matchExpressions"] = [
        {"key": "tier", "operator": "In", "values": ["a", "b"]},
        {"key": "old", "operator": "NotIn", "values": ["yes"]},
        {"key": "live", "operator": "Exists"},
        {"key": "gone", "operator": "DoesNotExist"},
    ]
    with stub() as server:
        server.answers = {DEPLOYMENT: found, PODS: {"items": [pod("v1")]}}
        read("kubernetes", server.url, WHERE)
        read("kubernetes", f"{server.url}/", BY_LABEL)
    first, second = (parse_qs(exchange.query) for exchange in server.asked[1:])
    assert first == {"labelSelector": ["app=booking,tier in (a,b),old notin (yes),live,!gone"], "limit": ["100"]}
    assert second["labelSelector"] == ["app=booking"]
    assert len(server.asked) == 3


def test_instances_that_differ_during_a_rollout():
    newer = pod("v2.15.0", hashed="9f9f9f", ready=False, startTime="2026-11-30T09:00:00Z")
    found = running([newer, pod("v2.14.1"), pod("v2.14.1", ready=False), pod("v2.14.1")])
    assert [(one.version, one.instances, one.where) for one in found] == [("v2.14.1", 3, ""), ("v2.15.0", 1, "")]
    assert found[0].notes == ("1 of 3 instances is not ready.",)
    assert found[1].notes == ("1 of 1 instance is not ready.",)
    assert found[1].since == datetime(2026, 11, 30, 9, tzinfo=UTC)


def test_what_does_not_start_is_not_running():
    waiting = {"waiting": {"reason": "ImagePullBackOff", "message": "Back-off pulling image"}}
    found = running([pod("v2.14.1"), pod("v2.15.0", hashed="9f9f9f", state=waiting, ready=False)])
    assert [one.version for one in found] == ["v2.14.1"]
    assert found[0].notes == ("1 more instance did not start yet.",)
    assert running([pod("v2.15.0", state=waiting, ready=False)]) == ()


def test_what_starts_again_and_again_runs_and_is_not_ready():
    failing = pod("v2.14.1", state={"waiting": {"reason": "CrashLoopBackOff"}}, ready=False)
    failing["status"]["containerStatuses"][0]["restartCount"] = 4
    found = running([failing])
    assert (found[0].version, found[0].notes) == ("v2.14.1", ("1 of 1 instance is not ready.",))


def test_what_ends_is_not_counted():
    going = pod("v2.14.0", metadata={"deletionTimestamp": "2026-11-30T11:59:00Z"})
    assert running([pod("v2.14.1"), going, pod("v2.13.0", phase="Failed"), pod("v2", phase="Succeeded")]) == (
        Running("v2.14.1", "", 1, SINCE),
    )


def test_a_rollout_that_failed_is_paused_or_has_not_begun():
    found = deployment()
    found["status"]["conditions"] = [
        {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "<secret>"}
    ]
    found["metadata"]["generation"] = 5
    found["spec"]["paused"] = True
    assert running([pod("v2.14.1")], found=found)[0].notes == (
        "The newest rollout did not finish in its time.",
        "A change of it was asked for and has not begun.",
        "Its rollout is paused.",
    )


def test_nothing_runs_and_nothing_is_there():
    assert running([]) == ()
    assert "no pod has the labels" in reading_of([], BY_LABEL).unread
    with stub() as server:
        assert "no Deployment of that name" in read("kubernetes", server.url, WHERE).unread


def test_pods_of_another_workload_with_the_same_labels():
    pods = [pod("v2.14.1"), pod("v9", owner="booking-worker")]
    assert [one.version for one in running(pods)] == ["v2.14.1"]
    both = running(pods, BY_LABEL)
    assert {(one.version, one.where) for one in both} == {
        ("v2.14.1", "deployment booking-api"),
        ("v9", "deployment booking-worker"),
    }
    stateful = pod("v3", metadata={"ownerReferences": [{"kind": "StatefulSet", "name": "db", "controller": True}]})
    assert [one.where for one in running([stateful, pods[0]], BY_LABEL)] == ["statefulset db", "deployment booking-api"]


def test_labels_and_annotations():
    standard = labelled(pod("latest"), labels={"app.kubernetes.io/version": "2.14.1"})
    assert running([standard])[0].version == "2.14.1"
    # Charts leave it behind, so the tag counts where it says something.
    assert running([labelled(pod("v2.15.0"), labels={"app.kubernetes.io/version": "2.14.1"})])[0].version == "v2.15.0"
    own = labelled(pod("v2.15.0"), labels={"build": "release-7"}, annotations={"acme.example/commit": COMMIT})
    where = {**WHERE, "version_label": "build", "commit_label": "acme.example/commit"}
    assert (running([own], where)[0].version, running([own], where)[0].commit) == ("release-7", COMMIT)
    by_label = labelled(pod(f"main-{OTHER[:8]}"), labels={"acme.example/commit": f"{COMMIT[:10]}-dirty"})
    found = running([by_label], where)[0]
    assert (found.commit, found.dirty) == (COMMIT[:10], True)
    junk = labelled(pod(f"main-{OTHER[:8]}"), annotations={"acme.example/commit": "main"})
    assert running([junk], where)[0].commit == OTHER[:8]


@pytest.mark.parametrize("tag", ["", "latest"])
def test_a_tag_that_says_nothing(tag):
    found = running([pod(tag)])[0]
    assert (found.version, found.commit) == (tag, "")
    assert found.notes == ("The tag of its image does not say a version.",)


def test_a_tag_that_was_moved_to_another_image():
    found = running([pod("stable"), pod("stable", digest="b2")])
    assert [(one.version, one.instances) for one in found] == [("stable", 2)]
    assert found[0].notes == ("Its instances run different images with the same tag.",)


def test_which_container():
    one = pod("v2.14.1")
    one["spec"]["containers"].insert(0, {"name": "proxy", "image": "envoy:v1.30"})
    one["status"]["containerStatuses"].insert(0, {"name": "proxy", "ready": True, "state": {"running": {}}})
    assert "do not have one container each" in reading_of([one]).unread
    assert "proxy" not in reading_of([one]).unread
    assert running([one], {**WHERE, "container": "api"})[0].version == "v2.14.1"
    assert running([pod("v9", owner="x"), one], {**BY_LABEL, "container": "proxy"})[0].version == "v1.30"
    assert "no container of that name" in reading_of([one], {**WHERE, "container": "web"}).unread
    labelled(one, annotations={"kubectl.kubernetes.io/default-container": "api"})
    assert running([one])[0].version == "v2.14.1"


def test_more_pods_than_are_read():
    found = running([pod("v2.14.1")] * 100, **{"continue": "abc", "remainingItemCount": 7})
    assert found[0].notes == ("Only the first 100 pods were looked at.",)


def test_more_versions_than_anyone_has():
    found = running([pod(f"v{number}") for number in range(500)])
    assert len(found) == 10
    assert found[0].notes == (
        "Only the first 100 pods were looked at.",
        "More than 10 versions run; the most frequent are told.",
    )


@pytest.mark.parametrize(
    ("status", "why"),
    [(401, "does not accept our credentials"), (403, "may not read that"), (404, "nothing at its address")],
)
def test_what_the_account_may_not(status, why):
    said = {"kind": "Status", "status": "Failure", "message": 'pods is forbidden: User "x"', "code": status}
    with stub() as server:
        server.answers = {DEPLOYMENT: deployment(), PODS: (status, {}, said)}
        reading = read("kubernetes", server.url, WHERE)
    assert why in reading.unread
    assert "forbidden" not in reading.unread


@pytest.mark.parametrize(
    "pods",
    [None, {}, "x", {"items": None}, {"items": {"a": 1}}, [1]],
    ids=["null", "empty", "text", "none", "map", "list"],
)
def test_answers_of_another_shape(pods):
    with stub() as server:
        server.answers = {DEPLOYMENT: deployment(), PODS: (200, {}, pods)}
        assert read("kubernetes", server.url, WHERE).unread
        server.answers = {DEPLOYMENT: (200, {}, pods)}
        assert read("kubernetes", server.url, WHERE).unread


def test_a_deployment_whose_selector_cannot_be_read_is_not_all_pods():
    for selector in (None, {}, {"matchExpressions": [{"key": "a", "operator": "Near"}]}):
        found = deployment(spec={"selector": selector})
        assert "no selector" in reading_of([pod("v1")], found=found).unread


@pytest.mark.parametrize("junk", [None, 1, "x", [], {}, [{}], {"a": 1}])
def test_pods_of_another_shape(junk):
    for key in ("metadata", "spec", "status"):
        reading = reading_of([{**pod("v1"), key: junk}], BY_LABEL)
        assert reading.unread or reading.running is not None
    one = pod("v1")
    for key in ("image", "name"):
        one["spec"]["containers"][0][key] = junk
        assert reading_of([one], BY_LABEL)
    labelled(one, labels={"app.kubernetes.io/version": junk, "pod-template-hash": junk}, annotations=junk)
    assert reading_of([one], BY_LABEL)


def test_a_version_of_a_stranger_is_bounded():
    assert "too long" in reading_of([pod("v" * 5000)]).unread
    assert "too long" in reading_of([pod("v1\nv2")]).unread
