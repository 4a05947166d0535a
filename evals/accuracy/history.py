"""What a repository's history holds that could be a task: changes of the baseline, each with where it began."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from core.errors import SourceError
from core.mirror import Commit, Difference, Mirror
from core.mirror.process import Git
from evals.harness.errors import EvalError

COMMITS = 2_000
"""Of the baseline that are looked at, the newest."""
_OWN = 200  # commits of one branch
_SECONDS = 120.0
_BEFORE = timedelta(seconds=1)
_REVERTED = re.compile(r"This reverts commit ([0-9a-f]{40})")


@dataclass(frozen=True, slots=True)
class History:
    """A repository whose history is looked at. It is only read."""

    name: str
    """As the settings call it."""
    folder: Path
    """A checkout or a bare repository."""
    branch: str | None = None
    """The baseline; None: what HEAD names."""


@dataclass(frozen=True, slots=True)
class Change:
    """Commits that belong together."""

    commits: tuple[Commit, ...]
    """Its own, the oldest first; without the merge that brought them."""
    base: str
    tip: str
    moment: datetime
    """When work on it began: a second before its earliest date, but not before its base was there."""


class Refused(Exception):
    """Why something is no task, in a few words; the same for all that are refused for this."""


class Baseline:
    """The baseline of one repository. Raises SourceError."""

    def __init__(self, history: History) -> None:
        folder = git_folder(history.folder)
        self.mirror = Mirror(folder, str(history.folder), read_seconds=_SECONDS)
        self._git = Git(folder, str(history.folder), "git", _SECONDS)
        self._head = self._named(f"refs/heads/{history.branch}" if history.branch else "HEAD")

    def line(self) -> list[Commit]:
        """What came to the branch one after the other, a merged branch as its merge, the newest first."""
        return self._commits("--first-parent")

    def single(self) -> list[Commit]:
        """All commits but merges, the newest first."""
        return self._commits("--no-merges")

    def reverted(self, commits: Sequence[Commit]) -> frozenset[str]:
        """The ids of those that others of them take back, by what Git writes into their messages."""
        return frozenset(found for one in commits for found in _REVERTED.findall(one.message))

    def own(self, merge: Commit) -> tuple[Commit, ...]:
        """What a merge brought, the oldest first. Raises Refused where that is not one line of commits."""
        first, *others = merge.parents
        if len(others) != 1:
            raise Refused("merges several branches at once")
        parents = self.mirror.ahead(others, first, _OWN + 1)
        if len(parents) > _OWN:
            raise Refused(f"a branch of more than {_OWN} commits")
        if any(len(found) > 1 for found in parents.values()):
            raise Refused("the branch took in other work on its way")
        return tuple(reversed(self.mirror.commits(list(parents))))

    def merged(self, merge: Commit, own: Sequence[Commit]) -> Change:
        """The change of a merge. What was changed in the merge itself belongs to it where nothing else came meanwhile,
        since then it can be told apart.
        """
        if not own:
            raise Refused("a merge of nothing")
        tip = own[-1].id
        if own[0].parents == merge.parents[:1] and self.mirror.differences(tip, merge.id):
            tip = merge.id
        return self.change(own, tip)

    def change(self, commits: Sequence[Commit], tip: str | None = None) -> Change:
        """The change of a line of commits, the oldest first."""
        if not commits[0].parents:
            raise Refused("the first commit of the repository")
        base = self.mirror.commits([commits[0].parents[0]])[0]
        began = min(date for one in commits for date in (one.authored, one.committed))
        return Change(tuple(commits), base.id, tip or commits[-1].id, max(began - _BEFORE, base.committed))

    def differences(self, change: Change) -> list[Difference]:
        return self.mirror.differences(change.base, change.tip)

    def _commits(self, which: str) -> list[Commit]:
        found = self._git.run("rev-list", which, f"--max-count={COMMITS}", self._head)
        return self.mirror.commits(found.decode().split())

    def _named(self, ref: str) -> str:
        return self._git.run("rev-parse", "--verify", "--end-of-options", f"{ref}^{{commit}}").decode().strip()


def git_folder(folder: Path) -> Path:
    """Where Git keeps a checkout's or a bare repository's objects. Raises EvalError where there is none."""
    found = folder / ".git"
    if found.is_file():  # a worktree's, which says where
        found = folder / found.read_text("utf-8", "replace").removeprefix("gitdir:").strip()
    elif not found.is_dir():
        found = folder
    if not (found / "HEAD").is_file():
        raise EvalError(f"{folder} is no Git repository. Give the path of a checkout or of a bare repository.")
    return found.resolve()


@contextmanager
def readable(name: str) -> Iterator[None]:
    """Errors of reading a repository are EvalError."""
    try:
        yield
    except SourceError as error:
        raise EvalError(f"The history of {name} cannot be read: {error}.") from error
