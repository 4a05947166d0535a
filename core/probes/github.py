"""GitHub: the newest deployment to an environment that succeeded; the latest release, where none are recorded.

https://docs.github.com/rest/deployments/deployments, https://docs.github.com/rest/releases/releases
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.probes.guard import Unread
from core.probes.types import Running
from core.probes.values import moment, version
from core.probes.version import commit_id, is_release, named
from core.probes.web import Absent, Asking
from core.pulls.hosts.api import Json, number, text
from core.pulls.hosts.site import quoted
from core.pulls.wording import short

HEADERS = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
_LOOKED_AT = 5  # deployments, each of which costs a request
_UNDER_WAY = frozenset({"", "queued", "pending", "in_progress", "waiting"})


@dataclass(frozen=True, slots=True)
class GitHub:
    project: str
    """`owner/repository`."""
    environment: str
    """As it is called there."""

    def running(self, ask: Asking) -> Sequence[Running]:
        path = f"repos/{quoted(self.project)}/deployments"
        asked = {"environment": self.environment, "per_page": str(_LOOKED_AT)}
        try:
            found = ask.objects(path, asked)
            if not found and ask.objects(path, {"per_page": "1"}):
                raise Unread(
                    "it records deployments, and none to an environment of that name: an administrator has to check "
                    "the settings, or nothing was deployed there"
                )
        except Absent as error:
            raise Unread(
                "it shows our token no such repository, or none of its deployments: an administrator has to check both"
            ) from error
        return [self._deployed(ask, path, found) if found else self._released(ask)]

    def _deployed(self, ask: Asking, path: str, deployments: Sequence[Json]) -> Running:
        notes: list[str] = []
        for one in deployments[:_LOOKED_AT]:
            commit, status = commit_id(text(one.get("sha"))).commit, self._status(ask, path, one)
            state = text(status.get("state"))
            if state == "success":
                return _running(one, commit, status, notes)
            if state == "inactive":
                break
            what = "is under way" if state in _UNDER_WAY else "did not succeed"
            notes.append(f"A newer deployment, of {short(commit) or 'an unknown commit'}, {what}.")
        raise Unread("of its latest deployments to that environment there is none that succeeded and is still active")

    def _status(self, ask: Asking, path: str, deployment: Json) -> Json:
        """The newest, which is the first."""
        found = number(deployment.get("id"))
        if found is None:
            raise Unread("it does not answer as GitHub does: an administrator has to check the address")
        return next(iter(ask.objects(f"{path}/{found}/statuses", {"per_page": "1"})), {})

    def _released(self, ask: Asking) -> Running:
        try:
            found = ask.object(f"repos/{quoted(self.project)}/releases/latest")
        except Absent as error:
            raise Unread(
                "it records neither deployments nor releases: an administrator has to name another way to read this "
                "environment"
            ) from error
        told = version(found.get("tag_name"))
        if not told:
            raise Unread("it does not answer as GitHub does: an administrator has to check the address")
        note = "This is the latest release: no deployments are recorded, so nobody saw that it runs there."
        return Running(told, named(told).commit, since=moment(found.get("published_at")), notes=(note,))


def _running(deployment: Json, commit: str, status: Json, notes: Sequence[str]) -> Running:
    if not commit:
        raise Unread("it does not answer as GitHub does: an administrator has to check the address")
    ref = version(deployment.get("ref"))
    told = ref if is_release(ref) else commit
    return Running(told, commit, since=moment(status.get("created_at")), notes=tuple(notes))
