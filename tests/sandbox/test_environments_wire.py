"""Kubernetes, Argo CD and the version endpoints: tokens, answers, errors, pages, and what they tell of trouble."""

import pytest

from tests.sandbox.hosts import HostClient, hosted

APPS = "/apis/apps/v1/namespaces"
CORE = "/api/v1/namespaces"
FORBIDDEN = '{} is forbidden: User "{}" cannot list resource "{}" in API group "{}" in the namespace "{}"'
SELECTOR = "app.kubernetes.io/name=booking-api"


@pytest.fixture
def box(tmp_path):
    with hosted(tmp_path) as running:
        yield running


def kubernetes(box):
    return HostClient(box.kubernetes_url, box.kubernetes_token)


def argocd(box):
    return HostClient(f"{box.argocd_url}/api/v1/applications", box.argocd_token)


def version(box, environment="production", endpoint="version"):
    return HostClient(box.version_url(environment, "booking-api", endpoint), box.version_token).get("")


def images(box, environment="production"):
    pods = kubernetes(box).get(f"{CORE}/{environment}/pods", labelSelector=SELECTOR).json()["items"]
    return sorted(pod["spec"]["containers"][0]["image"].rpartition(":")[2] for pod in pods)


def test_a_deployment_of_kubernetes(box):
    found = kubernetes(box).get(f"{APPS}/production/deployments/booking-api").json()
    commit = box.deployments.running("production", "booking-api").commit
    template = found["spec"]["template"]
    assert (found["kind"], found["apiVersion"], found["status"]["readyReplicas"]) == ("Deployment", "apps/v1", 3)
    assert template["spec"]["containers"][0]["image"] == "registry.skerryline.example/booking-api:1.6.0"
    assert template["metadata"]["labels"] == {
        "app.kubernetes.io/name": "booking-api",
        "app.kubernetes.io/version": "1.6.0",
        "skerryline.example/commit": commit,
    }
    assert found["spec"]["selector"]["matchLabels"].items() <= template["metadata"]["labels"].items()


def test_a_pod_belongs_to_a_replica_set_and_that_to_the_deployment(box):
    client = kubernetes(box)
    pods = client.get(f"{CORE}/production/pods", labelSelector=SELECTOR).json()
    assert (pods["kind"], pods["apiVersion"], len(pods["items"])) == ("PodList", "v1", 3)
    assert all("kind" not in pod for pod in pods["items"])
    sets = {one["metadata"]["uid"]: one for one in client.get(f"{APPS}/production/replicasets").json()["items"]}
    deployment = client.get(f"{APPS}/production/deployments/booking-api").json()
    for pod in pods["items"]:
        owner = sets[pod["metadata"]["ownerReferences"][0]["uid"]]
        assert owner["metadata"]["ownerReferences"][0]["uid"] == deployment["metadata"]["uid"]
        revisions = [one["metadata"]["annotations"]["deployment.kubernetes.io/revision"] for one in (owner, deployment)]
        assert revisions == ["2", "2"]
        assert owner["spec"]["selector"]["matchLabels"].items() <= pod["metadata"]["labels"].items()
        assert pod["metadata"]["name"].startswith(pod["metadata"]["generateName"])


def test_replica_sets_of_the_past_are_empty(box):
    box.deployments.deploy("staging", "booking-api", "main", "1.8.0")
    box.deployments.roll_back("staging", "booking-api")
    found = kubernetes(box).get(f"{APPS}/staging/replicasets", labelSelector=SELECTOR).json()["items"]
    told = {
        one["metadata"]["labels"]["app.kubernetes.io/version"]: (
            one["spec"]["replicas"],
            one["metadata"]["annotations"]["deployment.kubernetes.io/revision"],
        )
        for one in found
    }
    assert told == {"1.5.0": (0, "1"), "1.6.0": (0, "2"), "1.7.0-rc.1": (1, "5"), "1.8.0": (0, "4")}


@pytest.mark.parametrize("resource", [f"{APPS}/production/replicasets", f"{CORE}/production/pods"])
def test_pages_of_kubernetes(box, resource):
    client = kubernetes(box)
    whole = [item["metadata"]["name"] for item in client.get(resource).json()["items"]]
    found, following = [], ""
    for _ in range(len(whole)):
        page = client.get(resource, limit=2, **({"continue": following} if following else {})).json()
        found += [item["metadata"]["name"] for item in page["items"]]
        following = page["metadata"].get("continue", "")
        assert page["metadata"].get("remainingItemCount", 0) == len(whole) - len(found)
        if not following:
            break
    assert found == whole
    assert len(whole) > 2


def test_a_page_that_is_too_old(box):
    client, box.kubernetes.expire = kubernetes(box), True
    following = client.get(f"{CORE}/production/pods", limit=1).json()["metadata"]["continue"]
    answer = client.get(f"{CORE}/production/pods", limit=1, **{"continue": following})
    assert (answer.status_code, answer.json()["reason"]) == (410, "Expired")


@pytest.mark.parametrize(
    ("token", "path", "status", "reason", "message"),
    [
        ("wrong", f"{CORE}/production/pods", 401, "Unauthorized", "Unauthorized"),
        (
            None,
            f"{APPS}/production/deployments",
            403,
            "Forbidden",
            FORBIDDEN.format("deployments.apps", "system:anonymous", "deployments", "apps", "production"),
        ),
        (
            "right",
            f"{CORE}/kube-system/pods",
            403,
            "Forbidden",
            FORBIDDEN.format("pods", "system:serviceaccount:monitoring:reader", "pods", "", "kube-system"),
        ),
        ("right", f"{APPS}/staging/deployments/none", 404, "NotFound", 'deployments.apps "none" not found'),
        (
            "right",
            f"{CORE}/staging/secrets",
            404,
            "NotFound",
            "the server could not find the requested resource",
        ),
        ("right", f"{CORE}/staging/pods?continue=x", 400, "BadRequest", "continue key is not valid"),
        ("right", f"{CORE}/staging/pods?labelSelector=a%20b", 400, "BadRequest", "unable to parse requirement: a b"),
    ],
)
def test_an_error_of_kubernetes_is_a_status(box, token, path, status, reason, message):
    token = box.kubernetes_token if token == "right" else token
    answer = HostClient(box.kubernetes_url, token).get(path)
    told = answer.json()
    assert (answer.status_code, told["kind"], told["status"]) == (status, "Status", "Failure")
    assert (told["code"], told["reason"], told["message"]) == (status, reason, message)


def test_nothing_can_be_written(box):
    for client, path in (
        (kubernetes(box), f"{APPS}/staging/deployments/booking-api"),
        (argocd(box), "/booking-api-staging"),
    ):
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            assert client.session.request(method, client.root + path, timeout=10).status_code == 403
    answer = HostClient(box.version_url("staging", "booking-api"), box.version_token)
    assert answer.session.post(answer.root, timeout=10).status_code == 405


def test_tokens_do_not_open_another_door(box):
    assert HostClient(box.kubernetes_url, box.argocd_token).get(f"{CORE}/staging/pods").status_code == 401
    assert HostClient(argocd(box).root, box.version_token).get("").status_code == 401
    assert HostClient(box.version_url("staging", "booking-api"), box.kubernetes_token).get("").status_code == 401


def test_an_application_of_argo_cd(box):
    found = argocd(box).get("/booking-api-production").json()
    commit = box.deployments.running("production", "booking-api").commit
    status = found["status"]
    assert (status["sync"], status["health"]) == (
        status["sync"] | {"status": "Synced", "revision": commit},
        {"status": "Healthy"},
    )
    assert status["summary"]["images"] == ["registry.skerryline.example/booking-api:1.6.0"]
    assert status["history"][-1]["revision"] == commit
    assert found["spec"]["destination"]["namespace"] == "production"
    names = [item["metadata"]["name"] for item in argocd(box).get("").json()["items"]]
    assert names == ["booking-api-production", "gate-app-production", "booking-api-staging", "gate-app-staging"]


@pytest.mark.parametrize(
    ("token", "query", "status", "code", "text"),
    [
        (None, {}, 401, 16, "no session information"),
        ("wrong", {}, 401, 16, "invalid session: token signature is invalid: signature is invalid"),
        ("right", {}, 403, 7, "permission denied"),
        ("right", {"project": "default"}, 404, 5, 'applications.argoproj.io "none" not found'),
    ],
)
def test_errors_of_argo_cd(box, token, query, status, code, text):
    token = box.argocd_token if token == "right" else token
    answer = HostClient(argocd(box).root, token).get("/none", **query)
    assert (answer.status_code, answer.json()) == (status, {"error": text, "code": code, "message": text})


def test_the_version_endpoints(box):
    commit = box.deployments.running("production", "booking-api").commit
    assert version(box).json() == {
        "version": "1.6.0",
        "commit": commit,
        "dirty": False,
        "started": "2026-06-30T05:30:00Z",
    }
    info = version(box, endpoint="actuator/info")
    assert info.headers["content-type"] == "application/vnd.spring-boot.actuator.v3+json"
    assert info.json()["build"]["version"] == "1.6.0"
    assert info.json()["git"]["commit"]["id"] == commit[:7]
    assert version(box, environment="nowhere").status_code == 404


def test_instances_that_differ_are_seen_everywhere(box):
    box.deployments.differ("production", "booking-api", "v1.5.0", "1.5.0")
    assert images(box) == ["1.5.0", "1.6.0", "1.6.0"]
    assert len(argocd(box).get("/booking-api-production").json()["status"]["summary"]["images"]) == 2
    assert {version(box).json()["version"] for _ in range(3)} == {"1.5.0", "1.6.0"}
    status = kubernetes(box).get(f"{APPS}/production/deployments/booking-api").json()["status"]
    assert (status["replicas"], status["updatedReplicas"]) == (3, 2)


def test_instances_that_are_not_ready(box):
    box.deployments.unwell("production", "booking-api", count=3)
    assert version(box).status_code == 503
    assert argocd(box).get("/booking-api-production").json()["status"]["health"] == {"status": "Degraded"}
    status = kubernetes(box).get(f"{APPS}/production/deployments/booking-api").json()["status"]
    assert "readyReplicas" not in status
    assert status["unavailableReplicas"] == 3
    assert {c["type"]: c["status"] for c in status["conditions"]} == {"Available": "False", "Progressing": "True"}


def test_a_failed_deployment_is_asked_for_and_does_not_run(box):
    failed = box.deployments.deploy("staging", "booking-api", "main", "1.8.0", state="failed")
    deployment = kubernetes(box).get(f"{APPS}/staging/deployments/booking-api").json()
    assert deployment["spec"]["template"]["spec"]["containers"][0]["image"].endswith(":1.8.0")
    assert {c["type"]: c["reason"] for c in deployment["status"]["conditions"]}[
        "Progressing"
    ] == "ProgressDeadlineExceeded"
    assert images(box, "staging") == ["1.7.0-rc.1"]
    status = argocd(box).get("/booking-api-staging").json()["status"]
    assert (status["sync"]["revision"], status["health"]["status"]) == (failed.commit, "Degraded")


def test_a_build_from_more_than_a_commit_and_one_without(box):
    box.deployments.deploy("staging", "booking-api", "main", "1.8.0", dirty=True)
    assert images(box, "staging") == ["1.8.0-dirty"]
    assert version(box, "staging").json()["dirty"] is True
    box.deployments.deploy("staging", "booking-api", None, "nightly")
    assert version(box, "staging").json()["commit"] == ""
    assert "git" not in version(box, "staging", "actuator/info").json()
