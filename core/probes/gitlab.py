"""GitLab: the last deployment to an environment that succeeded.

https://docs.gitlab.com/api/environments/, https://docs.gitlab.com/api/deployments/
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from core.probes.guard import Unread
from core.probes.types import Running
from core.probes.values import moment, version
from core.probes.version import commit_id, is_release
from core.probes.web import Absent, Asking
from core.pulls.hosts.api import Json, number, part, text
from core.pulls.wording import short

_LOOKED_AT = 5  # deployments
_LATER = {
    "created": "has not begun",
    "blocked": "waits for approval",
    "running": "is under way",
    "failed": "failed",
    "canceled": "was cancelled",
}


@dataclass(frozen=True, slots=True)
class GitLab:
    project: str
    """`group/project`."""
    environment: str
    """As it is called there."""

    def running(self, ask: Asking) -> Sequence[Running]:
        path = f"projects/{quote(self.project, safe='')}"
        try:
            listed = ask.objects(f"{path}/environments", {"name": self.environment})
        except Absent as error:
            raise Unread(
                "it shows our token no such project, or none of its environments: an administrator has to check both"
            ) from error
        known = number(listed[0].get("id")) if listed else None
        if known is None:
            raise Unread("it has no environment of that name: an administrator has to check the settings")
        found = ask.object(f"{path}/environments/{known}")
        last = part(found, "last_deployment")
        if text(found.get("state")) == "stopped" or not last:
            return ()
        asked = {"environment": self.environment, "order_by": "id", "sort": "desc", "per_page": str(_LOOKED_AT)}
        return [_running(last, tuple(_later(last, ask.objects(f"{path}/deployments", asked))))]


def _running(last: Json, notes: Sequence[str]) -> Running:
    commit, deployable = commit_id(text(last.get("sha"))).commit, part(last, "deployable")
    if not commit or text(last.get("status")) not in {"", "success"}:
        raise Unread("of its last deployment it does not say that it succeeded, or of which commit it was")
    ref = version(last.get("ref"))
    of_tag = deployable.get("tag") if deployable else is_release(ref)  # one that the API was told has no job
    since = moment(deployable.get("finished_at")) or moment(last.get("updated_at")) or moment(last.get("created_at"))
    return Running(ref if ref and of_tag is True else commit, commit, since=since, notes=tuple(notes))


def _later(last: Json, deployments: Sequence[Json]) -> Iterator[str]:
    """What was tried after it. Every deployment has a higher number than those before it."""
    own = number(last.get("id")) or 0
    for one in deployments[:_LOOKED_AT]:
        what = _LATER.get(text(one.get("status")))
        if what and (number(one.get("id")) or 0) > own:
            commit = short(commit_id(text(one.get("sha"))).commit)
            yield f"A newer deployment, of {commit or 'an unknown commit'}, {what}."
