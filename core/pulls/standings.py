"""How pull requests stand in the environments that run their repositories."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from core.errors import SourceGone
from core.probes.deployments import Brought
from core.probes.standing import Standing, whereabouts
from core.pulls.merged import ground
from core.pulls.repository import Repository
from core.pulls.types import Gap, PullRef, Snapshot
from core.types import Audience


class Stands(Protocol):
    """As `core.probes.deployments.Deployments`."""

    def of_commits(
        self, brought: Sequence[Brought], audience: Audience, *, seconds: float | None = None
    ) -> tuple[tuple[Standing, ...], ...]: ...


class HostMerges:
    """Asks the hosts of these repositories, given by their names, by which commit a pull request was merged."""

    def __init__(self, repositories: Mapping[str, Repository]) -> None:
        self._repositories = repositories

    def merge_of(self, repo: str, number: int) -> str | None:
        """None: it is not merged, or nothing tells by which commit. The head of one that is not merged is fetched.
        Raises SourceError.
        """
        repository = self._repositories.get(repo)
        if repository is None:
            return None
        try:
            pull = repository.host.pull(PullRef(repo, number), repository.project)
        except SourceGone:
            return None
        if pull.state != "merged":
            if repository.mirror.fetched_pull(number) != pull.head:
                repository.mirror.fetch_pull(number, repository.host.head_ref(number) or pull.head)
            return None
        if not repository.mirror.has(pull.head):
            return pull.merge_commit
        tips = {tip.name: tip.commit for tip in repository.mirror.branches()}
        found = ground(repository.mirror, pull, pull.head, tips.get(pull.base_branch))
        return found.brought if found else pull.merge_commit


def standing(snapshots: Sequence[Snapshot], deployments: Stands, audience: Audience) -> tuple[Snapshot, ...]:
    """The snapshots with how they stand, as far as this audience may know of environments; what was given up stands
    nowhere. Where environments tell, nothing is told of branches and tags that count as released; of what is merged,
    an environment of which it is not known is a gap.
    """
    alive = [one for one in snapshots if one.pull.state != "closed"]
    told = deployments.of_commits(
        [Brought(one.ref.repo, one.brought or one.head, _name(one)) for one in alive], audience
    )
    by_ref = {one.ref: standings for one, standings in zip(alive, told, strict=True)}
    return tuple(_with(one, by_ref.get(one.ref, ())) for one in snapshots)


def told_of(snapshot: Snapshot) -> tuple[str, ...]:
    """Where it runs, as sentences; nothing where it is neither merged nor running anywhere."""
    merged = snapshot.pull.state == "merged"
    known = [
        one for one in snapshot.standings if one.contained in ({"yes", "partly", "no"} if merged else {"yes", "partly"})
    ]
    if not known:
        return ()
    first = f"It is {whereabouts(known)}." if merged else f"It is not merged, but {whereabouts(known)}."
    return (first, *dict.fromkeys(remark for one in known for remark in one.remarks))


def _with(snapshot: Snapshot, standings: tuple[Standing, ...]) -> Snapshot:
    if not standings:
        return snapshot
    gaps = [one for one in snapshot.gaps if one.what not in snapshot.of_release]
    if snapshot.pull.state == "merged":
        gaps += [_gap(snapshot, one) for one in standings if one.contained == "unknown"]
    return replace(
        snapshot,
        standings=standings,
        says=tuple(one for one in snapshot.says if one not in snapshot.of_release),
        gaps=tuple(gaps),
        deployed=None,
    )


def _gap(snapshot: Snapshot, standing: Standing) -> Gap:
    """The gaps of a snapshot speak of `it`."""
    name = _name(snapshot)
    what = [one.replace(f"{name[:1].lower()}{name[1:]}", "it", 1) for one in standing.says[:1]]
    return Gap(" ".join((*what, *standing.remarks)), standing.settled_by)


def _name(snapshot: Snapshot) -> str:
    return f"Pull request {snapshot.ref.number} of {snapshot.ref.repo}"
