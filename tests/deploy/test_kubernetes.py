"""The manifests are Kubernetes' own (its published schemas, unknown fields refused), and they fit each other."""

import re
from collections.abc import Iterator

import kubernetes_validate
import pytest
import yaml

from tests.deploy.files import DEPLOY, PINNED

MADE_BY_HAND = {("ConfigMap", "crosscheck-settings"), ("Secret", "crosscheck"), ("Secret", "qdrant")}
MANIFESTS = [
    manifest
    for file in sorted((DEPLOY / "kubernetes").glob("*.yaml"))
    for manifest in yaml.safe_load_all(file.read_text("utf-8"))
]


def called(manifest: dict) -> str:
    return f"{manifest['kind']} {manifest['metadata']['name']}"


def of(*kinds: str) -> list[dict]:
    return [manifest for manifest in MANIFESTS if manifest["kind"] in kinds]


WORKLOADS = of("StatefulSet", "Deployment", "DaemonSet", "Job")


def labels(workload: dict) -> dict[str, str]:
    return workload["spec"]["template"]["metadata"]["labels"]


def containers() -> Iterator[tuple[dict, dict]]:
    for workload in WORKLOADS:
        pod = workload["spec"]["template"]["spec"]
        for container in (*pod.get("initContainers", ()), *pod["containers"]):
            yield pod, container


@pytest.mark.parametrize("version", ["1.30", kubernetes_validate.latest_version()])
@pytest.mark.parametrize("manifest", MANIFESTS, ids=called)
def test_kubernetes_schema_accepts_it(manifest, version):
    kubernetes_validate.validate(manifest, version, strict=True)


def test_the_schema_would_refuse_a_misspelt_field():
    wrong = {**MANIFESTS[0], "metadata": {"name": "x", "labelz": {}}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, kubernetes_validate.latest_version(), strict=True)


def test_all_are_in_the_namespace_that_restricts_pods():
    (namespace,) = of("Namespace")
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"
    others = [manifest for manifest in MANIFESTS if manifest is not namespace]
    assert {manifest["metadata"]["namespace"] for manifest in others} == {namespace["metadata"]["name"]}


def test_the_service_has_one_writer():
    (service,) = [workload for workload in WORKLOADS if workload["metadata"]["name"] == "crosscheck"]
    assert (service["kind"], service["spec"]["replicas"]) == ("StatefulSet", 1)


def test_no_container_may_do_more_than_it_must():
    for pod, container in containers():
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["runAsUser"] > 0
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert container["resources"]["requests"].keys() >= {"cpu", "memory"}
        assert "memory" in container["resources"]["limits"]
        assert re.fullmatch(PINNED, container["image"])


def test_every_container_is_probed_at_a_port_that_it_has():
    for _, container in containers():
        ports = {port["name"] for port in container["ports"]}
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            ((_, asked),) = [(kind, at) for kind, at in container[probe].items() if kind in {"httpGet", "tcpSocket"}]
            assert asked["port"] in ports


def test_every_mount_has_a_volume():
    for workload in WORKLOADS:
        pod = workload["spec"]["template"]["spec"]
        made = {volume["name"] for volume in pod.get("volumes", ())}
        claimed = {claim["metadata"]["name"] for claim in workload["spec"]["volumeClaimTemplates"]}
        mounted = {mount["name"] for container in pod["containers"] for mount in container["volumeMounts"]}
        assert mounted == made | claimed


def test_secrets_and_settings_are_named_and_never_written():
    assert not of("Secret", "ConfigMap")
    asked = set()
    for pod, container in containers():
        sources = [*container.get("envFrom", ()), *(env.get("valueFrom", {}) for env in container["env"])]
        asked |= {("Secret", s[key]["name"]) for s in sources for key in ("secretRef", "secretKeyRef") if key in s}
        asked |= {("ConfigMap", v["configMap"]["name"]) for v in pod.get("volumes", ()) if "configMap" in v}
        assert not [env["name"] for env in container["env"] if "value" in env and "KEY" in env["name"]]
    assert asked == MADE_BY_HAND


def selectors() -> Iterator[tuple[str, dict]]:
    for service in of("Service"):
        yield called(service), service["spec"]["selector"]
    for budget in of("PodDisruptionBudget"):
        yield called(budget), budget["spec"]["selector"]["matchLabels"]
    for policy in of("NetworkPolicy"):
        yield called(policy), policy["spec"]["podSelector"].get("matchLabels", {})
        rules = (*policy["spec"].get("ingress", ()), *policy["spec"].get("egress", ()))
        for peer in (peer for rule in rules for peer in (*rule.get("from", ()), *rule.get("to", ()))):
            if "podSelector" in peer and "namespaceSelector" not in peer:
                yield called(policy), peer["podSelector"]["matchLabels"]


def test_whatever_selects_pods_finds_some():
    for name, selector in selectors():
        assert [w for w in WORKLOADS if selector.items() <= labels(w).items()], name
    for workload in WORKLOADS:
        assert workload["spec"]["selector"]["matchLabels"].items() <= labels(workload).items()
        assert workload["spec"]["serviceName"] in {s["metadata"]["name"] for s in of("Service")}


def test_services_and_the_ingress_lead_to_ports_that_are_there():
    services = {service["metadata"]["name"]: service["spec"] for service in of("Service")}
    for service in services.values():
        workload = next(w for w in WORKLOADS if service["selector"].items() <= labels(w).items())
        ports = {p["name"] for c in workload["spec"]["template"]["spec"]["containers"] for p in c["ports"]}
        assert {port["targetPort"] for port in service["ports"]} <= ports
    (ingress,) = of("Ingress")
    for path in (path for rule in ingress["spec"]["rules"] for path in rule["http"]["paths"]):
        backend = path["backend"]["service"]
        assert backend["port"]["name"] in {port["name"] for port in services[backend["name"]]["ports"]}


def test_the_ingress_shows_nothing_that_is_for_inside():
    (ingress,) = of("Ingress")
    shown = {path["path"] for rule in ingress["spec"]["rules"] for path in rule["http"]["paths"]}
    assert shown == {"/webhooks", "/mcp", "/v1"}


def test_the_network_is_closed_but_for_what_is_named():
    closed = {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    assert [policy for policy in of("NetworkPolicy") if policy["spec"] == closed]
    for policy in of("NetworkPolicy"):
        for rule in (*policy["spec"].get("ingress", ()), *policy["spec"].get("egress", ())):
            assert rule["ports"], called(policy)
            assert rule.get("from") or rule.get("to"), called(policy)
    opened = [p for p in of("NetworkPolicy") if "ipBlock" in str(p)]
    assert [policy["metadata"]["name"] for policy in opened] == ["crosscheck"]
    (outside,) = [
        (peer["ipBlock"], rule["ports"])
        for rule in opened[0]["spec"]["egress"]
        for peer in rule["to"]
        if "ipBlock" in peer
    ]
    assert outside[1] == [{"protocol": "TCP", "port": 443}]
    assert {"169.254.0.0/16", "10.0.0.0/8"} <= set(outside[0]["except"])  # the metadata service, the cluster itself
