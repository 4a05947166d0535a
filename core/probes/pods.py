"""What one pod runs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from core.probes.guard import Unread
from core.probes.values import moment, name, version
from core.probes.version import commit_id, named, tag_of
from core.pulls.hosts.api import Json, number, objects, part, text

_VERSION = "app.kubernetes.io/version"
_DEFAULT = "kubectl.kubernetes.io/default-container"
_MOVING = frozenset({"", "latest"})
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Pod:
    workload: str
    """`deployment booking-api`; empty: a pod by itself."""
    version: str
    commit: str
    dirty: bool
    unsaid: bool
    """Whether neither a tag nor a label says a version."""
    digest: str
    """Of the image that runs; empty where that is not told."""
    runs: bool
    """Or did, and is started again."""
    ready: bool
    since: datetime | None


def pod(raw: Json, container: str, version_label: str, commit_label: str) -> Pod | None:
    """None for one that has ended or is about to. Raises Unread where its container cannot be told."""
    metadata, status = part(raw, "metadata"), part(raw, "status")
    if metadata.get("deletionTimestamp") or text(status.get("phase")) in {"Succeeded", "Failed"}:
        return None
    labels, annotations = part(metadata, "labels"), part(metadata, "annotations")
    chosen = _container(raw, container or text(annotations.get(_DEFAULT)))
    its = (one for one in objects(status.get("containerStatuses")) if one.get("name") == chosen.get("name"))
    state = next(its, {})
    # The status may name another tag of the same image.
    tag = version(tag_of(text(chosen.get("image"))) or None)
    label = version(labels.get(version_label or _VERSION))
    told = label if label and (version_label or tag in _MOVING) else tag
    given = commit_id(text(labels.get(commit_label)) or text(annotations.get(commit_label)))
    by_tag, by_version = named(tag), named(told)
    digest = _DIGEST.search(text(state.get("imageID")))
    return Pod(
        workload=_workload(metadata, labels),
        version=told,
        commit=given.commit or by_tag.commit or by_version.commit,
        dirty=given.dirty or by_tag.dirty or by_version.dirty,
        unsaid=told in _MOVING,
        digest=digest[0] if digest else "",
        runs=isinstance(part(state, "state").get("running"), Mapping) or bool(number(state.get("restartCount"))),
        ready=state.get("ready") is True,
        since=moment(status.get("startTime")),
    )


def has_container(raw: Json, name: str) -> bool:
    return any(one.get("name") == name for one in objects(part(raw, "spec").get("containers")))


def _container(raw: Json, wanted: str) -> Json:
    found = objects(part(raw, "spec").get("containers"))
    meant = [one for one in found if one.get("name") == wanted] if wanted else found
    if len(meant) == 1:
        return meant[0]
    raise Unread(
        "its pods do not have one container each: an administrator has to name the one that is meant (`container`)"
    )


def _workload(metadata: Json, labels: Json) -> str:
    """A ReplicaSet is called as its Deployment and the hash of the template that it is made of."""
    owner = next((one for one in objects(metadata.get("ownerReferences")) if one.get("controller") is True), {})
    kind, owned = name(owner.get("kind")).lower(), name(owner.get("name"))
    hashed = name(labels.get("pod-template-hash"))
    if kind == "replicaset" and hashed and owned.endswith(f"-{hashed}"):
        return f"deployment {owned.removesuffix(f'-{hashed}')}"
    return f"{kind} {owned}" if kind and owned else ""
