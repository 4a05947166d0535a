"""Kubernetes' objects, made from the sandbox's deployments: as `kubectl get -o json` shows them, without managedFields.

An environment is a namespace, a repository's software a Deployment with one ReplicaSet for each build of it.
"""

import hashlib
import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sandbox.deployments import Deployments, Instance, Rollout

Json = dict[str, Any]

REGISTRY = "registry.skerryline.example"
NAME, VERSION = "app.kubernetes.io/name", "app.kubernetes.io/version"
COMMIT = "skerryline.example/commit"
_REVISION = "deployment.kubernetes.io/revision"


def image(rollout: Rollout) -> str:
    """A tag holds no `+`; a dirty build says so at its end."""
    return f"{REGISTRY}/{rollout.repo}:{rollout.version}{'-dirty' * rollout.dirty}"


def moment(at: datetime) -> str:
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


class KubernetesJson:
    """The objects of one namespace, in the order of their names."""

    def __init__(self, deployments: Deployments, namespace: str) -> None:
        self._state = deployments
        self._namespace = namespace

    def deployments(self) -> list[Json]:
        return [self._deployment(repo) for repo in self._repos()]

    def replicasets(self) -> list[Json]:
        found = [self._replicaset(repo, build) for repo in self._repos() for build in self._builds(repo)]
        return sorted(found, key=lambda item: str(item["metadata"]["name"]))

    def pods(self) -> list[Json]:
        found = [self._pod(one) for repo in self._repos() for one in self._state.instances(self._namespace, repo)]
        return sorted(found, key=lambda item: str(item["metadata"]["name"]))

    def _repos(self) -> list[str]:
        return self._state.repos(self._namespace)

    def _builds(self, repo: str) -> list[Rollout]:
        """The newest deployment of each build, and the builds that run without one; oldest first."""
        rollouts = [*self._state.history(self._namespace, repo)]
        rollouts += [instance.rollout for instance in self._state.instances(self._namespace, repo)]
        newest: dict[tuple[str, str, bool], Rollout] = {}
        for rollout in sorted(rollouts, key=lambda rollout: rollout.number):
            newest.pop(rollout.build, None)
            newest[rollout.build] = rollout
        return list(newest.values())

    def _deployment(self, repo: str) -> Json:
        """Its template is the newest that was asked for, whether that runs or not."""
        history, instances = self._state.history(self._namespace, repo), self._state.instances(self._namespace, repo)
        newest, ready = history[-1], sum(instance.ready for instance in instances)
        updated = sum(instance.rollout.build == newest.build for instance in instances)
        status = {
            "observedGeneration": len(history),
            "replicas": len(instances),
            "updatedReplicas": updated,
            "readyReplicas": ready,
            "availableReplicas": ready,
            "unavailableReplicas": len(instances) - ready,
            "conditions": _conditions(newest, available=ready == len(instances)),
        }
        return {
            "metadata": self._metadata("Deployment", repo, history[0].at, len(history))
            | {"labels": {NAME: repo}, "annotations": {_REVISION: str(len(history))}},
            "spec": {
                "replicas": len(instances),
                "selector": {"matchLabels": {NAME: repo}},
                "template": _template(newest, _labels(newest)),
                "strategy": {
                    "type": "RollingUpdate",
                    "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"},
                },
                "revisionHistoryLimit": 10,
                "progressDeadlineSeconds": 600,
            },
            # What is zero is left out, except for the generation.
            "status": {name: value for name, value in status.items() if value},
        }

    def _replicaset(self, repo: str, build: Rollout) -> Json:
        """A replica set that was scaled down stays, with nothing in it."""
        history = [rollout.build for rollout in self._state.history(self._namespace, repo)]
        mine = [i for i in self._state.instances(self._namespace, repo) if i.rollout.build == build.build]
        revision = len(history) - history[::-1].index(build.build) if build.build in history else len(history)
        labels = _labels(build) | {"pod-template-hash": _hash(build)}
        status = {"replicas": len(mine), "fullyLabeledReplicas": len(mine), "observedGeneration": 1}
        ready = sum(instance.ready for instance in mine)
        status |= {"readyReplicas": ready, "availableReplicas": ready} if ready else {}
        return {
            "metadata": self._metadata("ReplicaSet", _set_name(build), build.at, 1)
            | {"labels": labels, "annotations": {_REVISION: str(revision)}}
            | {"ownerReferences": [self._owner("Deployment", repo)]},
            "spec": {
                "replicas": len(mine),
                "selector": {"matchLabels": {NAME: repo, "pod-template-hash": _hash(build)}},
                "template": _template(build, labels),
            },
            "status": status,
        }

    def _pod(self, instance: Instance) -> Json:
        build, ready = instance.rollout, instance.ready
        labels = _labels(build) | {"pod-template-hash": _hash(build)}
        name = f"{_set_name(build)}-{_digest(str(instance.number), 5)}"
        since = moment(instance.since)
        state = {"running": {"startedAt": since}}
        container = {
            "name": build.repo,
            "state": state if ready else {"waiting": {"reason": "CrashLoopBackOff"}},
            "lastState": {},
            "ready": ready,
            "restartCount": 0 if ready else 4,
            "image": image(build),
            "imageID": f"{REGISTRY}/{build.repo}@sha256:{_digest(repr(build.build), 64)}",
            "containerID": f"containerd://{_digest(name, 64)}",
            "started": ready,
        }
        template = _template(build, labels)
        return {
            "metadata": self._metadata("Pod", name, instance.since, 0)
            | {"generateName": f"{_set_name(build)}-", "labels": labels}
            | {"ownerReferences": [self._owner("ReplicaSet", _set_name(build))]},
            "spec": template["spec"] | {"nodeName": "node-1", "serviceAccountName": "default"},
            "status": {
                "phase": "Running",
                "conditions": [
                    {"type": kind, "status": "True" if ready or kind == "PodScheduled" else "False"}
                    | {"lastProbeTime": None, "lastTransitionTime": since}
                    for kind in ("Initialized", "Ready", "ContainersReady", "PodScheduled")
                ],
                "hostIP": "10.0.0.11",
                "podIP": f"10.0.1.{instance.number % 250 + 1}",
                "startTime": since,
                "containerStatuses": [container],
                "qosClass": "BestEffort",
            },
        }

    def _metadata(self, kind: str, name: str, at: datetime, generation: int) -> Json:
        out = {"name": name, "namespace": self._namespace, "uid": self._uid(kind, name), "resourceVersion": "48151"}
        return out | ({"generation": generation} if generation else {}) | {"creationTimestamp": moment(at)}

    def _owner(self, kind: str, name: str) -> Json:
        owner = {"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": self._uid(kind, name)}
        return owner | {"controller": True, "blockOwnerDeletion": True}

    def _uid(self, kind: str, name: str) -> str:
        return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self._namespace}/{kind}/{name}"))


def _conditions(newest: Rollout, *, available: bool) -> Sequence[Json]:
    progressing, reason = {
        "success": ("True", "NewReplicaSetAvailable"),
        "running": ("True", "ReplicaSetUpdated"),
        "failed": ("False", "ProgressDeadlineExceeded"),
    }[newest.state]
    end = moment(newest.at + timedelta(minutes=1))
    times = {"lastUpdateTime": end, "lastTransitionTime": end}
    minimum = ("True", "MinimumReplicasAvailable") if available else ("False", "MinimumReplicasUnavailable")
    return [
        {"type": "Available", "status": minimum[0], **times, "reason": minimum[1]},
        {"type": "Progressing", "status": progressing, **times, "reason": reason},
    ]


def _labels(rollout: Rollout) -> Json:
    """A label's value has at most 63 characters; nothing is labelled with nothing."""
    told = {VERSION: rollout.version[:63], COMMIT: rollout.commit}
    return {NAME: rollout.repo} | {name: value for name, value in told.items() if value}


def _template(rollout: Rollout, labels: Json) -> Json:
    container = {
        "name": rollout.repo,
        "image": image(rollout),
        "ports": [{"containerPort": 8080, "protocol": "TCP"}],
        "resources": {},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "imagePullPolicy": "IfNotPresent",
    }
    spec = {
        "containers": [container],
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "securityContext": {},
        "schedulerName": "default-scheduler",
    }
    return {"metadata": {"creationTimestamp": None, "labels": labels}, "spec": spec}


def _hash(rollout: Rollout) -> str:
    return _digest(repr(rollout.build), 10)


def _set_name(rollout: Rollout) -> str:
    return f"{rollout.repo}-{_hash(rollout)}"


def _digest(text: str, length: int) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:length]
