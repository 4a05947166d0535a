"""A real repository, made commit by commit, with the dates that a test wants."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sandbox.git import git, line

DAY = timedelta(days=1)
START = datetime(2026, 3, 2, 9, tzinfo=UTC)


class Repository:
    """A checkout on `main` whose commits are a day apart."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.now = START
        git(folder, "init", "--quiet", "--initial-branch=main")
        git(folder, "config", "user.name", "Ada")
        git(folder, "config", "user.email", "ada@example.org")

    def commit(self, message: str, files: Mapping[str, str | bytes | None], *, authored: datetime | None = None) -> str:
        """Write, remove (None) and commit files; the commit's id."""
        for path, content in files.items():
            target = self.folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if content is None:
                target.unlink()
            else:
                target.write_bytes(content.encode() if isinstance(content, str) else content)
        git(self.folder, "add", "--all")
        self._run("commit", "--quiet", "--allow-empty", "-m", message, authored=authored)
        return self.head()

    def branch(self, name: str) -> None:
        git(self.folder, "checkout", "--quiet", "-b", name)

    def switch(self, name: str) -> None:
        git(self.folder, "checkout", "--quiet", name)

    def merge(self, *names: str, message: str | None = None) -> str:
        self._run("merge", "--quiet", "--no-ff", "-m", message or f"Merge branch '{names[0]}'", *names)
        return self.head()

    def head(self) -> str:
        return line(self.folder, "rev-parse", "HEAD")

    def _run(self, *arguments: str, authored: datetime | None = None) -> None:
        self.now += DAY
        dates = {"GIT_COMMITTER_DATE": self.now.isoformat(), "GIT_AUTHOR_DATE": (authored or self.now).isoformat()}
        git(self.folder, *arguments, more=dates)
