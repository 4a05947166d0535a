"""Repositories with nothing in them but what one commit can reach."""

import shutil
from datetime import datetime
from pathlib import Path

from core.errors import SourceError, SourceGone
from core.mirror import Mirror
from core.mirror.names import is_commit_id
from core.mirror.process import PLAIN, Git
from crosscheck.settings_sources import Git as Repository
from evals.asof.errors import NotAsOf

BRANCH = "main"
_SECONDS = 1800.0


class Repositories:
    """Copies of repositories in a folder, each at one commit. Nothing of what is copied is ever run: neither hooks nor
    settings come along.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def at(self, one: Repository, commit: str) -> Path:
        """The bare repository that has `commit` and its past as branch `main`, and no other object.

        Raises NotAsOf for a commit that is not there, and SourceError where the repository cannot be read.
        """
        if not is_commit_id(commit):
            raise NotAsOf(f"{commit[:80]!r} is no whole commit id of {one.name}.")
        if not self._has(one, commit):
            self.fetch(one)
        made = self._folder / "then" / f"{one.name}.git"
        git = Git(made, str(self._origin(one)), "git", _SECONDS)
        if made.exists():
            if _head(git) == commit:
                return made
            shutil.rmtree(made)
        made.mkdir(parents=True)
        git.run("init", "--quiet", "--bare", "--template=", f"--initial-branch={BRANCH}")
        options = ["--quiet", "--no-tags", "--no-write-fetch-head", "--update-shallow", "--no-recurse-submodules"]
        wanted = f"+{commit}:refs/heads/{BRANCH}"
        try:
            git.run("fetch", *options, "--", str(self._origin(one)), wanted, environment=PLAIN)
        except SourceGone as error:
            shutil.rmtree(made)
            raise NotAsOf(f"{one.name} has no commit {commit[:12]} that its branches or tags can reach.") from error
        return made

    def newest(self, one: Repository, moment: datetime) -> str | None:
        """The newest commit of the baseline's own line at or before a moment, by the committer's date."""
        self.fetch(one)
        head = self._mirror(one).head(one.branch or None)
        git = Git(self._origin(one), one.location, "git", _SECONDS)
        asked = ["--first-parent", "--max-count=1", f"--min-age={int(moment.timestamp())}"]
        return git.run("rev-list", *asked, head, "--").decode().strip() or None

    def now(self, one: Repository) -> tuple[Mirror, Path]:
        """The repository as it was fetched last, and its folder."""
        return self._mirror(one), self._origin(one)

    def fetch(self, one: Repository) -> Mirror:
        """The repository as it is now. Raises SourceError."""
        mirror = self._mirror(one)
        mirror.fetch()
        return mirror

    def _has(self, one: Repository, commit: str) -> bool:
        return (self._origin(one) / "HEAD").is_file() and self._mirror(one).has(commit)

    def _mirror(self, one: Repository) -> Mirror:
        return Mirror(self._origin(one), one.location)

    def _origin(self, one: Repository) -> Path:
        return self._folder / "now" / f"{one.name}.git"


def _head(git: Git) -> str | None:
    try:
        return git.run("rev-parse", "--verify", f"refs/heads/{BRANCH}").decode().strip()
    except SourceError:  # it was not made to its end
        return None
