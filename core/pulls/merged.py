"""What a pull request's difference is taken from, also when it has been merged already.

Once it is merged, its head may lie in the past of its base branch, and head and branch have no difference left. So the
base is looked for as it was before the merge.
"""

from dataclasses import dataclass

from core.mirror import Mirror
from core.pulls.types import PullRequest
from core.pulls.wording import named

_SEARCHED = 50_000  # commits of the base branch since the head, among which its merge is looked for


@dataclass(frozen=True, slots=True)
class Ground:
    """Where a difference is taken: from `base` to `head`."""

    head: str
    base: str
    brought: str | None = None
    """The commit by which it came into its base branch."""
    says: str = ""
    doubt: str = ""
    """What is not sure of it."""


def ground(mirror: Mirror, pull: PullRequest, head: str, tip: str | None) -> Ground | None:
    """None where no base can be told. `tip` is the base branch's commit, if there is such a branch."""
    commit = pull.merge_commit if pull.merge_commit and mirror.has(pull.merge_commit) else None
    branch = named(pull.base_branch) if pull.base_branch else "its base branch"
    if pull.state == "merged" and commit and commit != head and (found := _before(mirror, head, commit, branch)):
        return found
    base = mirror.merge_base(head, tip) if tip else None
    if base != head:
        said = f"It was merged into {branch}." if pull.state == "merged" else ""
        return Ground(head, base, commit, said) if base else None
    if tip and (merge := _merge_of(mirror, head, tip)) and (found := _before(mirror, head, merge, branch)):
        return found
    return _forward(mirror, pull, head, branch) if pull.state == "merged" else Ground(head, head)


def squashed(mirror: Mirror, pull: PullRequest) -> Ground | None:
    """The difference that a merge made, for a pull request whose own commits are gone."""
    commit = pull.merge_commit
    if pull.state != "merged" or not commit or not mirror.has(commit):
        return None
    parents = _parents(mirror, commit)
    says = "Its own commits are gone. It was read from the commit by which it was merged."
    return Ground(commit, parents[0], commit, says) if parents else None


def _before(mirror: Mirror, head: str, commit: str, branch: str) -> Ground | None:
    """The base as it was before this commit brought the head, or the same changes, into the branch."""
    parents = _parents(mirror, commit)
    base = mirror.merge_base(head, parents[0]) if parents else None
    if base is None or base == head:
        return None
    if len(parents) > 1:
        return Ground(head, base, commit, f"It was merged into {branch} by a merge commit.")
    paths = {one.path for one in mirror.differences(base, head)}
    is_all = {one.path for one in mirror.differences(parents[0], commit)} == paths
    how = "by one squashed commit" if is_all else "by commits made anew"
    return Ground(head, base, commit, f"It was merged into {branch} {how}.")


def _forward(mirror: Mirror, pull: PullRequest, head: str, branch: str) -> Ground | None:
    parents = _parents(mirror, head)
    if not parents:
        return None
    doubt = (
        f"It was merged by moving {branch} forward, which leaves no trace of where it began. "
        "Only its last commit was examined."
    )
    return Ground(head, parents[0], pull.merge_commit or head, f"It was merged into {branch}.", doubt)


def _merge_of(mirror: Mirror, head: str, tip: str) -> str | None:
    """The first commit since that merged the head."""
    since = mirror.ahead([tip], head, _SEARCHED)
    return next((commit for commit, parents in reversed(since.items()) if head in parents[1:]), None)


def _parents(mirror: Mirror, commit: str) -> tuple[str, ...]:
    return mirror.commits([commit])[0].parents
