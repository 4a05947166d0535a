"""What a repository says before and after a commit: what the commit can reach was known with it, the rest was not."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from core.mirror import Mirror
from core.mirror.process import PLAIN, Git
from evals.asof.said import Said

_MARK = "\x1ecommit "
_LARGEST = 100_000_000  # bytes of later patches that are looked at, those that came first
_LARGEST_FILE = 1_000_000
_SECONDS = 600.0
_HUNK = re.compile(r"^@@ ", re.MULTILINE)
_ADDED = re.compile(r"^\+(?!\+\+ )(.*)$", re.MULTILINE)
_PLAIN = ("--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--unified=0", "--encoding=UTF-8")


@dataclass(frozen=True)
class Commits:
    """A mirror of today, looked at from one commit; None: nothing of it was there yet."""

    name: str
    mirror: Mirror
    folder: Path
    commit: str | None

    def earlier(self) -> Iterator[str]:
        """Messages with the names of what they touched, and the files at the commit."""
        if self.commit is None:
            return
        yield self._run("log", "--format=%an%n%B", "--name-only", self.commit, "--")
        entries = [entry for entry in self.mirror.files(self.commit) if entry.size <= _LARGEST_FILE]
        for entry, data in zip(entries, self.mirror.blobs(entries), strict=True):
            if b"\0" not in data:
                yield f"{entry.path}\n{data.decode('utf-8', 'replace')}"

    def later(self) -> Iterator[Said]:
        """Messages and added lines of all other commits, and names of branches and tags that lead to them."""
        arguments = ["log", "--branches", "--tags", *self._without, "--reverse", "-p", *_PLAIN]
        arguments += [f"--format={_MARK}%H %ct%n%B%x00", "--"]
        with self._git.stream(*arguments, environment=PLAIN, seconds=_SECONDS) as (_, answer):
            text = answer.read(_LARGEST).decode("utf-8", "replace")
        for piece in text.split(_MARK)[1:]:
            head, _, rest = piece.partition("\n")
            number, _, seconds = head.partition(" ")
            message, _, patch = rest.partition("\0")
            at = datetime.fromtimestamp(int(seconds), UTC)
            where = f"{self.name}, commit {number[:10]}"
            yield Said(f"{where}, message", message, at)
            for hunk in _HUNK.split(patch):  # lines of different places do not follow one upon the other
                if added := "\n".join(_ADDED.findall(hunk)):
                    yield Said(where, added, at)
        yield from self._names()

    def _names(self) -> Iterator[Said]:
        form = "--format=%(refname:strip=2)%00%(committerdate:unix)%(*committerdate:unix)"
        without = [f"--no-merged={self.commit}"] if self.commit else []
        for line in self._run("for-each-ref", form, *without, "refs/heads/", "refs/tags/").splitlines():
            name, _, seconds = line.partition("\0")
            at = datetime.fromtimestamp(int(seconds or 0), UTC)
            yield Said(f"{self.name}, the name of a branch or tag", name, at)

    @cached_property
    def ids(self) -> Mapping[str, datetime]:
        """All commits that are later, with their dates."""
        said = self._run("log", "--branches", "--tags", *self._without, "--format=%H %ct", "--")
        pairs = (line.split() for line in said.splitlines())
        return {number: datetime.fromtimestamp(int(seconds), UTC) for number, seconds in pairs}

    @cached_property
    def newest(self) -> datetime | None:
        """The latest date of what the commit can reach."""
        if self.commit is None:
            return None
        dates = self._run("log", "--format=%ct %at", self.commit, "--").split()
        return datetime.fromtimestamp(max(map(int, dates)), UTC)

    @property
    def _without(self) -> list[str]:
        return [f"^{self.commit}"] if self.commit else []

    @property
    def _git(self) -> Git:
        return Git(self.folder, str(self.folder), "git", _SECONDS)

    def _run(self, *arguments: str) -> str:
        return self._git.run(*arguments, environment=PLAIN).decode("utf-8", "replace")
