"""The mirror itself: what is fetched, and what is read of it."""

import fcntl
import re
import secrets
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from core.errors import SourceGone, SourceUnavailable
from core.mirror.history import Commit, log_format, moment, names_in, read_log, split
from core.mirror.names import bytes_of, is_commit_id, shown, text_of
from core.mirror.process import Git

_BLOBS_AT_ONCE = 256
_BYTES_AT_ONCE = 16_000_000
_BRANCHES_NAMED = 10  # in a message
_LEFT_BEHIND = (
    "*.lock",
    "refs/**/*.lock",
    "objects/info/**/*.lock",
    "objects/pack/tmp_*",
    "objects/pack/.tmp-*",
    "objects/??/tmp_obj_*",
)
_RENAME_LIMIT = "-l500"  # files added and removed by a commit, above which only exact renames are seen


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of a commit."""

    path: str
    blob: str
    size: int
    """Bytes."""
    link: bool = False
    """A symbolic link; its blob is the target's name."""


@dataclass(frozen=True, slots=True)
class Tip:
    """A branch and the commit at its tip."""

    name: str
    commit: str
    committed: datetime


class Mirror:
    """The mirror in `folder` of the repository at `origin`, a local path or a URL. Only branches and tags are mirrored.

    Raises SourceGone for a repository, branch, commit or file that does not exist, SourceForbidden when the origin asks
    for credentials that are not there, SourceUnavailable when nothing was fetched yet, a time limit passed or the
    network failed.
    """

    def __init__(
        self, folder: Path, origin: str, *, fetch_seconds: float = 1800, read_seconds: float = 300, git: str = "git"
    ) -> None:
        self._folder = folder
        self._origin = origin
        self._fetch_seconds = fetch_seconds
        self._git = Git(folder, origin, git, read_seconds)

    def fetch(self, *, default_branch: bool = True) -> None:
        """Bring the mirror up to date; branches and tags that are gone at the origin go here too.

        `default_branch` asks the origin which its own is, at the cost of a second connection.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        with self._alone() as lock:
            # Making it again mends what was killed while it was made, and is nothing otherwise.
            self._git.run("init", "--quiet", "--bare", "--template=", keep=[lock])
            refs = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"]
            options = ["--quiet", "--prune", "--no-tags", "--force", "--update-shallow", "--no-recurse-submodules"]
            if (self._folder / "shallow").exists():
                options.append("--unshallow")  # as far as the origin's own history reaches
            arguments = ["fetch", *options, "--no-write-fetch-head", "--", self._origin, *refs]
            self._git.run(*arguments, seconds=self._fetch_seconds, keep=[lock])
            if default_branch:
                asked = ["ls-remote", "--symref", "--", self._origin, "HEAD"]
                head = self._git.run(*asked, seconds=self._fetch_seconds)
                if branch := re.match(rb"ref: (refs/heads/\S+)\tHEAD", head):
                    self._git.run("symbolic-ref", "HEAD", text_of(branch[1]))

    @contextmanager
    def _alone(self) -> Iterator[int]:
        """Holds the folder against other fetches, until the last child of this one has ended; what a killed one left
        behind is cleared away.
        """
        with (self._folder / "fetching").open("wb") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise SourceUnavailable(f"another process is fetching {self._git.name}") from error
            for pattern in _LEFT_BEHIND:
                for left in self._folder.glob(pattern):
                    left.unlink(missing_ok=True)
            yield handle.fileno()

    def default_branch(self) -> str:
        """The origin's own choice when it was last asked."""
        return text_of(self._git.run("symbolic-ref", "HEAD").strip().removeprefix(b"refs/heads/"))

    def branches(self, *, unmerged: str | None = None) -> list[Tip]:
        """All branches, newest first; or those that hold what the commit `unmerged` does not."""
        if not (self._folder / "HEAD").is_file():
            raise SourceUnavailable(f"{self._git.name} has not been fetched yet")
        wanted = [f"--no-merged={_checked(unmerged)}"] if unmerged else []
        form = "%(objectname) %(committerdate:unix) %(refname:lstrip=2)"
        listing = self._git.run("for-each-ref", "--sort=refname", f"--format={form}", *wanted, "refs/heads/")
        tips = [Tip(text_of(name), commit.decode(), moment(date)) for commit, date, name in _words(listing)]
        return sorted(tips, key=lambda tip: tip.committed, reverse=True)

    def head(self, branch: str | None = None) -> str:
        """The commit id at the tip of a branch, the default branch if none is named."""
        tips = self.branches()
        wanted = branch or self.default_branch()
        for tip in tips:
            if tip.name == wanted:
                return tip.commit
        raise SourceGone(f"{self._git.name} has no branch {shown(wanted)!r}; {_listed(tips)}")

    def merge_base(self, one: str, other: str) -> str | None:
        """The newest commit in the past of both; None for histories that have nothing in common."""
        found = self._git.run("merge-base", _checked(one), _checked(other), statuses=(0, 1))
        return found.decode().strip() or None

    def files(self, commit: str) -> Iterator[Entry]:
        """All files and symbolic links of a commit; submodules are left out."""
        listing = self._git.run("ls-tree", "-r", "-z", "--long", "--full-tree", _checked(commit))
        for record in listing.split(b"\0")[:-1]:
            head, _, name = record.partition(b"\t")
            mode, kind, blob, size = head.split()
            if kind == b"blob":
                yield Entry(text_of(name), blob.decode(), int(size), link=mode == b"120000")

    def changed(self, before: str, after: str) -> tuple[frozenset[str], frozenset[str]]:
        """The paths written (added or altered) and the paths removed between two commits."""
        options = ["-r", "-z", "--no-renames", "--name-status", "--no-ext-diff"]
        words = self._git.run("diff-tree", *options, _checked(before), _checked(after)).split(b"\0")[:-1]
        pairs = list(zip(words[::2], words[1::2], strict=True))
        written = frozenset(text_of(path) for status, path in pairs if status != b"D")
        return written, frozenset(text_of(path) for status, path in pairs if status == b"D")

    def blobs(self, entries: Iterable[Entry]) -> Iterator[bytes]:
        """The whole content of each, in the order asked for. Read in batches, so that a slow reader holds no child
        process open.
        """
        batch: list[Entry] = []
        size = 0
        for entry in entries:
            if len(batch) == _BLOBS_AT_ONCE or size + entry.size > _BYTES_AT_ONCE:
                yield from self._contents(batch)
                batch, size = [], 0
            batch.append(entry)
            size += entry.size
        yield from self._contents(batch)

    def _contents(self, entries: Sequence[Entry]) -> list[bytes]:
        contents: list[bytes] = []
        if not entries:
            return contents
        with self._git.stream("cat-file", "--batch") as (ask, answer):
            for entry in entries:
                ask.write(f"{entry.blob}\n".encode())
                ask.flush()
                head = answer.readline().split()
                if len(head) != 3:
                    raise SourceGone(f"the mirror of {self._git.name} has no object {entry.blob}")
                contents.append(answer.read(int(head[2])))
                answer.read(1)
        return contents

    def history(self, commit: str, limit: int) -> list[str]:
        """The ids of a commit and of those in its past, newest first."""
        found = self._git.run("rev-list", f"--max-count={limit}", _checked(commit), "--")
        return found.decode().split()

    def ahead(self, heads: Sequence[str], of: str, limit: int) -> dict[str, tuple[str, ...]]:
        """The commits in the past of these that are not in the past of `of`, newest first, each with its parents."""
        revisions = "\n".join([*map(_checked, heads), f"^{_checked(of)}", ""])
        found = self._git.run("rev-list", "--parents", f"--max-count={limit}", "--stdin", stdin=revisions.encode())
        lines = (line.split() for line in found.decode().splitlines())
        return {identity: tuple(parents) for identity, *parents in lines}

    def commits(self, ids: Sequence[str]) -> list[Commit]:
        """These commits, in this order. Renames are recognised by likeness."""
        if not ids:
            return []
        mark = secrets.token_hex(12)
        arguments = ["--no-walk=unsorted", "--stdin", "-z", log_format(mark), "--name-status", "-M", _RENAME_LIMIT]
        arguments += ["--no-color", "--no-decorate", "--no-show-signature", "--no-notes", "--no-ext-diff"]
        with self._git.stream("log", *arguments, "--encoding=UTF-8") as (ask, answer):
            ask.write("".join(f"{_checked(identity)}\n" for identity in ids).encode())
            ask.close()
            return list(read_log(answer, mark))

    def written(self, commit: str, *, since: str | None, limit: int) -> dict[str, datetime]:
        """When each file last changed on the first-parent line, which is when its content came to this branch: of the
        commits that are not in the past of `since`, and of no more than `limit`.
        """
        mark = secrets.token_hex(12)
        arguments = ["--first-parent", "--diff-merges=first-parent", "--name-only", "--no-renames", "--no-ext-diff"]
        arguments += ["-z", f"--format={mark}%ct{mark}", f"--max-count={limit}", _checked(commit)]
        found: dict[str, datetime] = {}
        with self._git.stream("log", *arguments, *([f"^{_checked(since)}"] if since else []), "--") as (_, answer):
            pieces = split(answer, mark.encode())
            next(pieces, None)
            for date in pieces:
                at = moment(date)
                for name in names_in(next(pieces, b"")):
                    found.setdefault(text_of(name), at)
        return found

    def attributes(
        self, rules: Iterable[Entry], paths: Sequence[str], names: Sequence[str], seconds: float
    ) -> Iterator[tuple[str, str, str]]:
        """What these `.gitattributes` say of paths: (path, name, value) where they say anything."""
        listing = b"".join(f"100644 {rule.blob}\t".encode() + bytes_of(rule.path) + b"\0" for rule in rules)
        asked = b"".join(bytes_of(path) + b"\0" for path in paths)
        with tempfile.TemporaryDirectory() as folder:
            environment = {"GIT_INDEX_FILE": f"{folder}/index"}
            self._git.run("update-index", "-z", "--index-info", stdin=listing, environment=environment)
            arguments = ["check-attr", "--cached", "-z", "--stdin", *names]
            said = self._git.run(*arguments, stdin=asked, environment=environment, seconds=seconds)
        words = said.split(b"\0")[:-1]
        for path, name, value in zip(words[::3], words[1::3], words[2::3], strict=True):
            if value != b"unspecified":
                yield text_of(path), name.decode(), value.decode("utf-8", "replace")


def _checked(commit: str) -> str:
    if not is_commit_id(commit):
        raise SourceGone(f"{shown(commit)!r} is no commit id")
    return commit


def _words(listing: bytes) -> Iterator[list[bytes]]:
    """The lines of a listing as three words each; the last may hold spaces."""
    return (line.split(b" ", 2) for line in listing.split(b"\n") if line)


def _listed(tips: Sequence[Tip]) -> str:
    if not tips:
        return "it has no branches"
    named = ", ".join(shown(tip.name) for tip in tips[:_BRANCHES_NAMED])
    more = len(tips) - _BRANCHES_NAMED
    return f"its branches are: {named}" + (f" and {more} more" if more > 0 else "")
