"""Kubernetes, by a service account that may get and list Deployments and Pods of one namespace.

https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from core.probes.guard import Unread
from core.probes.pods import Pod, has_container, pod
from core.probes.types import Running
from core.probes.web import Absent, Asking
from core.pulls.hosts.api import Json, objects, part, text
from core.pulls.wording import counted

AT_ONCE = 100  # pods of which the versions are read
_MOST = 10  # versions at once
_OPERATORS = {
    "In": "{key} in ({values})",
    "NotIn": "{key} notin ({values})",
    "Exists": "{key}",
    "DoesNotExist": "!{key}",
}


@dataclass(frozen=True, slots=True)
class Kubernetes:
    """The pods of a Deployment, or those with the labels of a selector (`app=booking,tier!=test`)."""

    namespace: str
    deployment: str = ""
    selector: str = ""
    container: str = ""
    """Empty: the only one, or the one that the pod calls its default."""
    version_label: str = ""
    """Of the pods, and before the image's tag; empty: `app.kubernetes.io/version`, where the tag says nothing."""
    commit_label: str = ""
    """A label or an annotation of the pods."""

    def running(self, ask: Asking) -> Sequence[Running]:
        selector, asked = (self._of_deployment(ask)) if self.deployment else (self.selector, ())
        found, more = self._pods(ask, selector)
        if not found and not self.deployment:
            raise Unread(
                "no pod has the labels of the selector: nothing runs there, or an administrator has to check the "
                "settings"
            )
        meant = [one for one in found if not self.container or has_container(one, self.container)]
        if found and not meant:
            raise Unread("its pods have no container of that name: an administrator has to check the settings")
        read = [pod(one, self.container, self.version_label, self.commit_label) for one in meant]
        ours = [one for one in read if one is not None and self.deployment in {"", one.workload.partition(" ")[2]}]
        return _grouped(ours, [*asked, *more])

    def _of_deployment(self, ask: Asking) -> tuple[str, Sequence[str]]:
        """The selector of its pods, and what has to be known of its rollout."""
        path = f"apis/apps/v1/namespaces/{quote(self.namespace, safe='')}/deployments/{quote(self.deployment, safe='')}"
        try:
            found = ask.object(path)
        except Absent as error:
            raise Unread(
                "there is no Deployment of that name in that namespace: an administrator has to check the settings"
            ) from error
        return _selector(part(found, "spec", "selector")), tuple(_rollout(found))

    def _pods(self, ask: Asking, selector: str) -> tuple[Sequence[Json], Sequence[str]]:
        path = f"api/v1/namespaces/{quote(self.namespace, safe='')}/pods"
        answer = ask.object(path, {"labelSelector": selector, "limit": str(AT_ONCE)})
        if not isinstance(answer.get("items"), list):
            raise Unread("it does not answer as Kubernetes does: an administrator has to check the address")
        more = bool(text(part(answer, "metadata").get("continue"))) or len(answer["items"]) > AT_ONCE
        return objects(answer["items"][:AT_ONCE]), [f"Only the first {AT_ONCE} pods were looked at."] if more else []


def _selector(raw: Json) -> str:
    """A LabelSelector as a query has it. Raises Unread for none: it would be all pods of the namespace."""
    terms = [f"{key}={value}" for key, value in sorted(part(raw, "matchLabels").items())]
    for term in objects(raw.get("matchExpressions")):
        values = term.get("values")
        listed = ",".join(map(text, values)) if isinstance(values, list) else ""
        terms.append(_OPERATORS.get(text(term.get("operator")), "").format(key=text(term.get("key")), values=listed))
    if not terms or not all(terms):
        raise Unread("its Deployment has no selector that can be read")
    return ",".join(terms)


def _rollout(deployment: Json) -> Iterator[str]:
    conditions = {text(one.get("type")): one for one in objects(part(deployment, "status").get("conditions"))}
    if text(part(conditions, "Progressing").get("reason")) == "ProgressDeadlineExceeded":
        yield "The newest rollout did not finish in its time."
    generation, observed = part(deployment, "metadata").get("generation"), part(deployment, "status")
    if isinstance(generation, int) and observed.get("observedGeneration", generation) != generation:
        yield "A change of it was asked for and has not begun."
    if part(deployment, "spec").get("paused") is True:
        yield "Its rollout is paused."


def _grouped(pods: Sequence[Pod], notes: Sequence[str]) -> Sequence[Running]:
    """One for each version and workload, the one with the most instances first; notes of all are the first's."""
    groups: dict[tuple[str, str, str, bool], list[Pod]] = {}
    for one in pods:
        if one.runs:
            groups.setdefault((one.workload, one.version, one.commit, one.dirty), []).append(one)
    several = len({workload for workload, *_ in groups}) > 1
    waiting = [one for one in pods if not one.runs]
    notes = [*notes, f"More than {_MOST} versions run; the most frequent are told."] if len(groups) > _MOST else notes
    begun = [*notes, *([f"{counted(len(waiting), 'more instance')} did not start yet."] if waiting else [])]
    out = []
    for (workload, version, commit, dirty), those in sorted(groups.items(), key=lambda group: -len(group[1]))[:_MOST]:
        since = min((one.since for one in those if one.since), default=None)
        where = workload if several else ""
        out.append(Running(version, commit, len(those), since, dirty, where, (*begun, *_remarks(those))))
        begun = []
    return out


def _remarks(pods: Sequence[Pod]) -> Iterator[str]:
    if unready := sum(not one.ready for one in pods):
        yield f"{unready} of {counted(len(pods), 'instance')} {'is' if unready == 1 else 'are'} not ready."
    if len({one.digest for one in pods if one.digest}) > 1:
        yield "Its instances run different images with the same tag."
    if any(one.unsaid for one in pods):
        yield "The tag of its image does not say a version."
