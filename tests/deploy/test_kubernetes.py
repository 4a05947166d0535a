"""The manifests are Kubernetes' own (its published schemas, unknown fields refused), and they fit each other.

There are two sets, which have the servers and the network's rules in common: one pod that does everything, and several.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

from crosscheck.roles import ALL, check, chosen
from crosscheck.settings import Secrets, load
from tests.deploy.files import DEPLOY, PINNED

FOLDER = DEPLOY / "kubernetes"
ONE, SEVERAL = "one pod", "several pods"
SETS = {
    ONE: sorted(FOLDER.glob("*.yaml")),
    SEVERAL: [*sorted((FOLDER / "several").glob("*.yaml")), FOLDER / "network.yaml", FOLDER / "qdrant.yaml"],
}
MADE_BY_HAND = {
    ONE: {("ConfigMap", "crosscheck-settings"), ("Secret", "crosscheck"), ("Secret", "qdrant")},
    SEVERAL: {
        ("ConfigMap", "crosscheck-settings"),
        ("Secret", "crosscheck"),
        ("Secret", "crosscheck-state"),
        ("Secret", "qdrant"),
    },
}
OPENED = {ONE: {"crosscheck": 443}, SEVERAL: {"crosscheck": 443, "crosscheck-state": 5432}}
"""Which policies let pods out of the cluster, and to which port."""
CROSSCHECK = {"app.kubernetes.io/name": "crosscheck"}


def read(file: Path) -> list[dict]:
    return list(yaml.safe_load_all(file.read_text("utf-8")))


def called(manifest: dict) -> str:
    return f"{manifest['kind']} {manifest['metadata']['name']}"


class Manifests:
    """One of the sets, as it is applied."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.all = [manifest for file in SETS[name] for manifest in read(file)]
        self.workloads = self.of("StatefulSet", "Deployment", "DaemonSet", "Job")

    def of(self, *kinds: str) -> list[dict]:
        return [manifest for manifest in self.all if manifest["kind"] in kinds]

    def containers(self) -> Iterator[tuple[dict, dict]]:
        for workload in self.workloads:
            for container in pod(workload)["containers"]:
                yield pod(workload), container

    def services(self) -> list[dict]:
        """The workloads that are Crosscheck."""
        return [workload for workload in self.workloads if matches(CROSSCHECK, workload)]

    def shown(self) -> set[str]:
        (ingress,) = self.of("Ingress")
        return {path["path"] for rule in ingress["spec"]["rules"] for path in rule["http"]["paths"]}


def pod(workload: dict) -> dict:
    return workload["spec"]["template"]["spec"]


def matches(selector: Mapping[str, str], workload: dict) -> bool:
    return selector.items() <= workload["spec"]["template"]["metadata"]["labels"].items()


@pytest.fixture(scope="module", params=SETS)
def manifests(request) -> Manifests:
    return Manifests(request.param)


@pytest.fixture(scope="module")
def several() -> Manifests:
    return Manifests(SEVERAL)


EVERY = [manifest for file in sorted(FOLDER.rglob("*.yaml")) for manifest in read(file)]


@pytest.mark.parametrize("version", ["1.30", kubernetes_validate.latest_version()])
@pytest.mark.parametrize("manifest", EVERY, ids=called)
def test_kubernetes_schema_accepts_it(manifest, version):
    kubernetes_validate.validate(manifest, version, strict=True)


def test_the_schema_would_refuse_a_misspelt_field():
    wrong = {**EVERY[0], "metadata": {"name": "x", "labelz": {}}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, kubernetes_validate.latest_version(), strict=True)


def test_no_two_have_the_same_name(manifests):
    names = [called(manifest) for manifest in manifests.all]
    assert sorted(names) == sorted(set(names))


def test_all_are_in_the_namespace_that_restricts_pods(manifests):
    (namespace,) = manifests.of("Namespace")
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    others = [manifest for manifest in manifests.all if manifest is not namespace]
    assert {manifest["metadata"]["namespace"] for manifest in others} == {namespace["metadata"]["name"]}
    assert read(SETS[manifests.name][0])[0] == namespace  # files are applied in this order


def test_one_pod_alone_does_everything():
    (service,) = Manifests(ONE).services()
    assert (service["kind"], service["spec"]["replicas"]) == ("StatefulSet", 1)
    assert "args" not in pod(service)["containers"][0]


def test_between_them_several_have_every_role_once(several):
    args = [pod(workload)["containers"][0]["args"] for workload in several.services()]
    assert [command[:2] for command in args] == [["serve", "--roles"]] * 3
    roles = [role for command in args for role in chosen(command[2])]
    assert sorted(roles) == sorted(ALL)


def test_several_differ_in_nothing_but_their_work(several):
    """What is the same in three files stays the same."""

    def common(workload: dict) -> dict:
        spec = {**pod(workload)}
        spec.pop("topologySpreadConstraints", None)
        (container,) = spec.pop("containers")
        return {**spec, "container": {key: container[key] for key in container if key not in {"args", "resources"}}}

    first, *others = several.services()
    assert [common(other) for other in others] == [common(first)] * 2


def test_what_may_be_away_for_a_while_has_more_than_one_pod(several):
    """One that syncs is enough: another would wait. A budget for a single pod would hold up whoever empties a node."""
    replicas = {workload["metadata"]["name"]: workload["spec"]["replicas"] for workload in several.services()}
    assert replicas == {"crosscheck": 2, "crosscheck-work": 2, "crosscheck-sync": 1}
    for budget in several.of("PodDisruptionBudget"):
        kept = [w for w in several.workloads if matches(budget["spec"]["selector"]["matchLabels"], w)]
        assert [workload["spec"]["replicas"] > 1 for workload in kept] == [True]
        assert budget["spec"]["maxUnavailable"] == 1


def test_the_mirrors_are_one_volume_for_all(several):
    (claim,) = several.of("PersistentVolumeClaim")
    assert claim["spec"]["accessModes"] == ["ReadWriteMany"]
    for workload in several.services():
        claims = [v["persistentVolumeClaim"] for v in pod(workload)["volumes"] if "persistentVolumeClaim" in v]
        assert claims == [{"claimName": claim["metadata"]["name"]}]


def test_whoever_comes_again_comes_to_the_same_pod(several):
    """A cursor and a session are one process's."""
    (service,) = [service for service in several.of("Service") if service["metadata"]["name"] == "crosscheck"]
    assert service["spec"]["sessionAffinity"] == "ClientIP"
    (ingress,) = several.of("Ingress")
    by = ingress["metadata"]["annotations"]["nginx.ingress.kubernetes.io/upstream-hash-by"]
    assert by.startswith("$http_authorization")
    (target,) = [workload for workload in several.workloads if matches(service["spec"]["selector"], workload)]
    assert "web" in chosen(pod(target)["containers"][0]["args"][2])


def test_the_example_s_settings_fit_both(manifests):
    """Its folders are volumes; roles may be apart; the index's server has its service."""
    settings = load(DEPLOY / "crosscheck.example.toml")
    check(settings, {"work"})
    index = settings.index.url or ""
    assert [service for service in manifests.of("Service") if f"//{service['metadata']['name']}:" in index]
    for workload in manifests.services():
        (container,) = pod(workload)["containers"]
        mounted = {mount["mountPath"] for mount in container["volumeMounts"]}
        assert any(settings.data.is_relative_to(place) for place in mounted)
        assert manifests.name == ONE or str(settings.mirrors) in mounted
        assert container["ports"] == [{"name": "http", "containerPort": settings.serve.port}]


def test_no_container_may_do_more_than_it_must(manifests):
    for spec, container in manifests.containers():
        assert "initContainers" not in spec
        assert spec["automountServiceAccountToken"] is False
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["securityContext"]["runAsUser"] > 0
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert container["resources"]["requests"].keys() >= {"cpu", "memory"}
        assert "memory" in container["resources"]["limits"]
        assert re.fullmatch(PINNED, container["image"])


def test_every_container_is_probed_at_a_port_that_it_has(manifests):
    for _, container in manifests.containers():
        ports = {port["name"] for port in container["ports"]}
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            ((_, asked),) = [(kind, at) for kind, at in container[probe].items() if kind in {"httpGet", "tcpSocket"}]
            assert asked["port"] in ports


def test_every_mount_has_a_volume(manifests):
    for workload in manifests.workloads:
        spec = pod(workload)
        made = {volume["name"] for volume in spec.get("volumes", ())}
        claimed = {claim["metadata"]["name"] for claim in workload["spec"].get("volumeClaimTemplates", ())}
        mounted = {mount["name"] for container in spec["containers"] for mount in container["volumeMounts"]}
        assert mounted == made | claimed


def test_secrets_and_settings_are_named_and_never_written():
    for name in SETS:
        manifests = Manifests(name)
        assert not manifests.of("Secret", "ConfigMap")
        asked = set()
        for spec, container in manifests.containers():
            sources = [*container.get("envFrom", ()), *(env.get("valueFrom", {}) for env in container["env"])]
            asked |= {("Secret", s[key]["name"]) for s in sources for key in ("secretRef", "secretKeyRef") if key in s}
            asked |= {("ConfigMap", v["configMap"]["name"]) for v in spec.get("volumes", ()) if "configMap" in v}
            secret = re.compile("KEY|PASSWORD|TOKEN|SECRET")
            assert not [env["name"] for env in container["env"] if "value" in env and secret.search(env["name"])]
        assert asked == MADE_BY_HAND[name]


def test_crosscheck_knows_the_variables_that_it_is_given(manifests):
    known = {f"CROSSCHECK_{name.upper()}" for name in Secrets.model_fields}
    given = [env["name"] for w in manifests.services() for c in pod(w)["containers"] for env in c["env"]]
    assert set(given) <= known


def selectors(manifests: Manifests) -> Iterator[tuple[str, dict]]:
    for service in manifests.of("Service"):
        yield called(service), service["spec"]["selector"]
    for budget in manifests.of("PodDisruptionBudget"):
        yield called(budget), budget["spec"]["selector"]["matchLabels"]
    for policy in manifests.of("NetworkPolicy"):
        yield called(policy), policy["spec"]["podSelector"].get("matchLabels", {})
        rules = (*policy["spec"].get("ingress", ()), *policy["spec"].get("egress", ()))
        for peer in (peer for rule in rules for peer in (*rule.get("from", ()), *rule.get("to", ()))):
            if "podSelector" in peer and "namespaceSelector" not in peer:
                yield called(policy), peer["podSelector"]["matchLabels"]


def test_whatever_selects_pods_finds_some(manifests):
    for name, selector in selectors(manifests):
        assert [workload for workload in manifests.workloads if matches(selector, workload)], name
    for workload in manifests.workloads:
        own = workload["spec"]["selector"]["matchLabels"]
        assert [other for other in manifests.workloads if matches(own, other)] == [workload]
        for spread in pod(workload).get("topologySpreadConstraints", ()):
            assert spread["labelSelector"]["matchLabels"] == own
        if workload["kind"] == "StatefulSet":
            assert workload["spec"]["serviceName"] in {s["metadata"]["name"] for s in manifests.of("Service")}


def test_services_and_the_ingress_lead_to_ports_that_are_there(manifests):
    services = {service["metadata"]["name"]: service["spec"] for service in manifests.of("Service")}
    for service in services.values():
        (workload,) = [workload for workload in manifests.workloads if matches(service["selector"], workload)]
        ports = {port["name"] for container in pod(workload)["containers"] for port in container["ports"]}
        assert {port["targetPort"] for port in service["ports"]} <= ports
    (ingress,) = manifests.of("Ingress")
    for path in (path for rule in ingress["spec"]["rules"] for path in rule["http"]["paths"]):
        backend = path["backend"]["service"]
        assert backend["port"]["name"] in {port["name"] for port in services[backend["name"]]["ports"]}


def test_the_ingress_shows_nothing_that_is_for_inside(manifests):
    assert manifests.shown() == {"/webhooks", "/mcp", "/v1", "/console"}


def test_the_network_is_closed_but_for_what_is_named():
    closed = {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    for name in SETS:
        policies = Manifests(name).of("NetworkPolicy")
        assert [policy for policy in policies if policy["spec"] == closed]
        for policy in policies:
            for rule in (*policy["spec"].get("ingress", ()), *policy["spec"].get("egress", ())):
                assert rule["ports"], called(policy)
                assert rule.get("from") or rule.get("to"), called(policy)
        outside = {
            policy["metadata"]["name"]: (peer["ipBlock"], rule["ports"])
            for policy in policies
            for rule in policy["spec"].get("egress", ())
            for peer in rule.get("to", ())
            if "ipBlock" in peer
        }
        assert {policy["metadata"]["name"] for policy in policies if "ipBlock" in str(policy)} == set(outside)
        assert {policy: ports for policy, (_, ports) in outside.items()} == {
            policy: [{"protocol": "TCP", "port": port}] for policy, port in OPENED[name].items()
        }
        private = {"169.254.0.0/16", "10.0.0.0/8"}  # the metadata service, the cluster itself
        assert private <= set(outside["crosscheck"][0]["except"])
