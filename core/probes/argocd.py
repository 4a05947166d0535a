"""Argo CD, by an account that may get applications: what was deployed, and what of it runs.

https://argo-cd.readthedocs.io/en/stable/developer-guide/api-docs/
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import quote

from core.mirror.names import is_commit_id
from core.probes.guard import Unread
from core.probes.types import Running
from core.probes.values import moment, version
from core.probes.version import named, repository_of, tag_of
from core.probes.web import Absent, Asking, Refused
from core.pulls.hosts.api import Json, number, objects, part, text

_LOOKED_AT = 100  # images, and deployments of the history, of which Argo CD itself keeps ten
_MOST = 10  # versions at once
_SEPARATORS = re.compile("[/:]")
_HEALTH = {
    "Degraded": "Argo CD says that it is not healthy (Degraded).",
    "Progressing": "Argo CD says that a rollout is under way (Progressing).",
    "Missing": "Argo CD says that parts of it are missing in the cluster (Missing).",
    "Suspended": "Argo CD says that it is suspended (Suspended).",
    "Unknown": "Argo CD does not know how it does (Unknown).",
}
_SYNC = {
    "OutOfSync": "What runs is not what Git says that should run (OutOfSync).",
    "Unknown": "Argo CD cannot compare it with Git just now.",
}
_PHASE = {
    "Running": "A synchronisation is under way.",
    "Terminating": "A synchronisation is being ended.",
    "Failed": "The last synchronisation failed.",
    "Error": "The last synchronisation failed.",
}


@dataclass(frozen=True, slots=True)
class ArgoCd:
    """`application` is its name, with its namespace and a slash before it where it is not in Argo CD's own.

    A commit is the one that an image's tag names, or else the revision of the manifests that were applied last, where
    these are kept in the software's own repository, `repo`. The revision of `status.sync` is none: that is what was
    compared, be it deployed or not.
    """

    application: str
    repo: str
    image: str = ""
    """The end of the name of the image that is meant, `acme/booking-api`; empty: the only one, or the one that is
    called as the repository."""

    def running(self, ask: Asking) -> Sequence[Running]:
        namespace, _, application = self.application.rpartition("/")
        params = {"appNamespace": namespace} if namespace else {}
        try:
            found = ask.object(f"api/v1/applications/{quote(application, safe='')}", params)
        except Absent as error:
            raise Unread("there is no application of that name: an administrator has to check the settings") from error
        except Refused as error:  # which is also what it says of one that is not there
            raise Unread(
                "our account may not get an application of that name, or there is none (403): an administrator has to "
                "check both"
            ) from error
        status = part(found, "status")
        if not status:
            raise Unread("it does not answer as Argo CD does: an administrator has to check the address")
        versions = list(dict.fromkeys(version(tag_of(image) or None) for image in self._images(status)))[:_MOST]
        notes = tuple(_notes(status, several=len(versions) > 1))
        if len(versions) > 1:
            running = (_running(told, "", None, () if place else notes) for place, told in enumerate(versions))
            return [replace(one, instances=0) for one in running]
        last = _last(status)
        commit = self._revision(part(found, "spec"), last)
        if not versions and not commit:
            raise Unread("no pod of it runs an image, so there is nothing that says a version")
        return [_running(versions[0] if versions else "", commit, moment(last.get("deployedAt")), notes)]

    def _images(self, status: Json) -> Sequence[str]:
        """Of the pods. Raises Unread for several of which none is known to be the one."""
        listed = part(status, "summary").get("images")
        images = [one for one in listed[:_LOOKED_AT] if isinstance(one, str)] if isinstance(listed, list) else []
        wanted = (self.image or self.repo.rpartition("/")[2]).lower()
        ours = [one for one in images if f"/{repository_of(one)}".lower().endswith(f"/{wanted}")]
        names = {repository_of(one) for one in images}
        if ours or (len(names) < 2 and not self.image):
            return ours or images
        if self.image:
            raise Unread("no pod of it runs the image that is meant: an administrator has to check the settings")
        raise Unread(
            "it has several images and none is called as the repository: an administrator has to set the one that is "
            "meant (`image`)"
        )

    def _revision(self, spec: Json, last: Json) -> str:
        """The commit of this repository that was applied last; empty if its manifests are kept elsewhere."""
        sources = objects(spec.get("sources"))[:_LOOKED_AT] or [part(spec, "source")]
        revisions = last.get("revisions")
        told = revisions if isinstance(revisions, list) and revisions else [last.get("revision")]
        for source, revision in zip(sources, told, strict=False):
            named_so = _SEPARATORS.split(text(source.get("repoURL")).rstrip("/").removesuffix(".git"))[-1]
            own = named_so.lower() == self.repo.rpartition("/")[2].lower()
            if own and not source.get("chart") and is_commit_id(text(revision)):
                return text(revision)
        return ""


def _running(told: str, revision: str, since: datetime | None, notes: Sequence[str]) -> Running:
    by_tag = named(told)
    if revision and not by_tag.commit:
        notes = (*notes, "The commit is the revision of the manifests that were applied last; its image names none.")
    return Running(told, by_tag.commit or revision, since=since, dirty=by_tag.dirty, notes=tuple(notes))


def _last(status: Json) -> Json:
    """The newest of what was deployed: of the history, which begins with the oldest."""
    history = objects(status.get("history"))[-_LOOKED_AT:]
    return max(history, key=lambda one: (text(one.get("deployedAt")), number(one.get("id")) or 0), default={})


def _notes(status: Json, *, several: bool) -> Iterator[str]:
    said = (
        _SYNC.get(text(part(status, "sync").get("status"))),
        _HEALTH.get(text(part(status, "health").get("status"))),
        _PHASE.get(text(part(status, "operationState").get("phase"))),
        "Argo CD does not say how many instances run which of the versions." if several else "",
    )
    yield from filter(None, said)
