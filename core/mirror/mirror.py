"""The mirror itself: what is fetched, and what is read of it."""

import fcntl
import re
import secrets
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO

from core.errors import SourceGone, SourceIncomplete, SourceUnavailable
from core.mirror.comparing import Difference, Hunks, differences, hunks
from core.mirror.history import Commit, log_format, moment, names_in, read_log, split
from core.mirror.looking import Hits, grep
from core.mirror.names import bytes_of, is_commit_id, is_path, is_ref, shown, text_of
from core.mirror.process import PLAIN, Git
from core.mirror.resolving import abbreviated, copy_of, named, tagged, undone_by

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
_LOOKS = 0.1  # seconds between two attempts to have the folder for oneself
_PULLS = "refs/crosscheck/pulls"  # where heads of pull requests are kept: neither branches nor tags, so never listed
_PULL_PATTERNS = ("refs/pull/*/head", "refs/merge-requests/*/head", "refs/pull-requests/*/from")
_LARGEST_LISTING = 32_000_000  # bytes; some 400,000 pull requests
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
    """The mirror in `folder` of the repository at `origin`, a local path or a URL. Only branches and tags are mirrored,
    and the heads of those pull requests that are asked for.

    Raises SourceGone for a repository, branch, commit or file that does not exist, SourceForbidden when the origin asks
    for credentials that are not there, SourceUnavailable when nothing was fetched yet, a time limit passed or the
    network failed.
    """

    def __init__(
        self,
        folder: Path,
        origin: str,
        *,
        fetch_seconds: float = 1800,
        read_seconds: float = 300,
        lock_seconds: float = 20,
        git: str = "git",
    ) -> None:
        """`lock_seconds` is how long to wait for another process that fetches into the same folder."""
        self._folder = folder
        self._origin = origin
        self._fetch_seconds = fetch_seconds
        self._lock_seconds = lock_seconds
        self._git = Git(folder, origin, git, read_seconds)

    def fetch(self, *, default_branch: bool = True, seconds: float | None = None) -> None:
        """Bring the mirror up to date; branches and tags that are gone at the origin go here too.

        `default_branch` asks the origin which its own is, at the cost of a second connection.
        """
        with self._alone() as lock:
            self._fetch([], lock, seconds or self._fetch_seconds)
            if default_branch:
                asked = ["ls-remote", "--symref", "--", self._origin, "HEAD"]
                head = self._git.run(*asked, seconds=seconds or self._fetch_seconds)
                if branch := re.match(rb"ref: (refs/heads/\S+)\tHEAD", head):
                    self._git.run("symbolic-ref", "HEAD", text_of(branch[1]))

    def fetch_pull(self, number: int, source: str, *, seconds: float = 120) -> str:
        """Bring the mirror up to date, and with it, in one conversation, the head of a pull request, which the origin
        has as `source`, a whole ref or a commit id. The head's commit.
        """
        if not (is_ref(source) or is_commit_id(source)):
            raise SourceGone(f"{shown(source)!r} is no ref")
        if not (self._folder / "HEAD").is_file():
            self.fetch(seconds=seconds)
        with self._alone() as lock:
            self._fetch([f"+{source}:{_PULLS}/{number}"], lock, seconds)
        return self._git.run("rev-parse", "--verify", f"{_PULLS}/{number}^{{commit}}").decode().strip()

    def fetched_pull(self, number: int) -> str | None:
        """The head of a pull request when it was last fetched."""
        if not (self._folder / "HEAD").is_file():
            return None
        said = self._git.run("for-each-ref", "--format=%(objectname)", f"{_PULLS}/{number}")
        return said.decode().strip() or None

    def pulls_at_origin(self, *, seconds: float = 60) -> dict[str, str]:
        """The refs that the origin keeps for the heads of pull requests, and their commits."""
        arguments = ["ls-remote", "--refs", "--", self._origin, *_PULL_PATTERNS]
        with self._git.stream(*arguments, seconds=seconds) as (_, answer):
            said = answer.read(_LARGEST_LISTING + 1)
        if len(said) > _LARGEST_LISTING:
            raise SourceIncomplete(f"{self._git.name} has more pull requests than can be listed")
        pairs = (line.split("\t", 1) for line in text_of(said).splitlines())
        return {ref: commit for commit, ref in pairs if is_ref(ref) and is_commit_id(commit)}

    def _fetch(self, pulls: Sequence[str], lock: int, seconds: float) -> None:
        # Making it again mends what was killed while it was made, and is nothing otherwise.
        self._git.run("init", "--quiet", "--bare", "--template=", keep=[lock])
        refs = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*", *pulls]
        options = ["--quiet", "--prune", "--no-tags", "--force", "--update-shallow", "--no-recurse-submodules"]
        if self.shallow:
            options.append("--unshallow")  # as far as the origin's own history reaches
        arguments = ["fetch", *options, "--no-write-fetch-head", "--", self._origin, *refs]
        self._git.run(*arguments, seconds=seconds, keep=[lock])

    @contextmanager
    def _alone(self) -> Iterator[int]:
        """Holds the folder against other fetches, until the last child of this one has ended; what a killed one left
        behind is cleared away.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / "fetching").open("wb") as handle:
            end = time.monotonic() + self._lock_seconds
            while not _locked(handle):
                if time.monotonic() >= end:
                    raise SourceUnavailable(f"another process is fetching {self._git.name}")
                time.sleep(_LOOKS)
            for pattern in _LEFT_BEHIND:
                for left in self._folder.glob(pattern):
                    left.unlink(missing_ok=True)
            yield handle.fileno()

    @property
    def shallow(self) -> bool:
        """Whether the history here ends before its beginning."""
        return (self._folder / "shallow").exists()

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

    def commit_of(self, name: str) -> str | None:
        """The commit that a branch, a tag, or a commit id of seven or more digits names, in this order; None if it
        names nothing here, or several.
        """
        return named(self._git, name) if (self._folder / "HEAD").is_file() else None

    def merge_base(self, one: str, other: str) -> str | None:
        """The newest commit in the past of both; None for histories that have nothing in common."""
        found = self._git.run("merge-base", _checked(one), _checked(other), statuses=(0, 1))
        return found.decode().strip() or None

    def has(self, commit: str) -> bool:
        """Whether the mirror has a commit."""
        if not is_commit_id(commit) or not (self._folder / "HEAD").is_file():
            return False
        said = self._git.run("cat-file", "--batch-check=%(objecttype)", stdin=f"{commit}\n".encode())
        return said.strip() == b"commit"

    def tag(self, name: str) -> str | None:
        """The commit of the tag of exactly this name."""
        return tagged(self._git, name)

    def beginning(self, text: str) -> tuple[str, ...]:
        """The commits whose ids begin with at least seven digits: none, the one, or several."""
        return abbreviated(self._git, text)

    def copy_of(self, commit: str, within: str, limit: int = 2_000) -> str | None:
        """A commit with the same changes in the past of another, among so many that only that has, newest first."""
        return copy_of(self._git, _checked(commit), _checked(within), limit)

    def undone_by(self, commit: str, within: str) -> str | None:
        """The commit that reverts one, where both are in the past of another and it has not been reverted itself."""
        return undone_by(self._git, _checked(commit), _checked(within))

    def is_ancestor(self, one: str, of: str) -> bool:
        """Whether a commit is in the past of another, or is that."""
        return self.merge_base(one, of) == one

    def refs(self, *, holding: str | None = None) -> tuple[str, ...]:
        """The whole names of all branches and tags, or of those with a commit in their past."""
        wanted = [f"--contains={_checked(holding)}"] if holding else []
        listing = self._git.run("for-each-ref", "--format=%(refname)", *wanted, "refs/heads/", "refs/tags/")
        return tuple(text_of(listing).splitlines())

    def files(self, commit: str) -> Iterator[Entry]:
        """All files and symbolic links of a commit; submodules are left out."""
        listing = self._git.run("ls-tree", "-r", "-z", "--long", "--full-tree", _checked(commit))
        yield from _entries(listing)

    def changed(self, before: str, after: str) -> tuple[frozenset[str], frozenset[str]]:
        """The paths written (added or altered) and the paths removed between two commits."""
        options = ["-r", "-z", "--no-renames", "--name-status", "--no-ext-diff"]
        words = self._git.run("diff-tree", *options, _checked(before), _checked(after)).split(b"\0")[:-1]
        pairs = list(zip(words[::2], words[1::2], strict=True))
        written = frozenset(text_of(path) for status, path in pairs if status != b"D")
        return written, frozenset(text_of(path) for status, path in pairs if status == b"D")

    def differences(self, before: str, after: str) -> list[Difference]:
        """The files that differ between two commits, by path; a renamed one is one."""
        return differences(self._git, _checked(before), _checked(after))

    def hunks(self, before: str, after: str, *, around: int = 3) -> Hunks:
        """Where two blobs differ, by their ids, with so many unchanged lines around."""
        return hunks(self._git, _checked(before), _checked(after), around=around)

    def entry(self, commit: str, path: str) -> Entry | None:
        """A file or symbolic link of a commit; None for a folder, a submodule, and what is not there."""
        if not is_path(path):
            return None
        options = ["-z", "--long", "--full-tree"]
        listing = self._git.run("ls-tree", *options, _checked(commit), "--", path, environment=PLAIN)
        return next((entry for entry in _entries(listing) if entry.path == path), None)

    def content(self, blob: str, most: int) -> bytes:
        """The first so many bytes of a blob."""
        with self._git.stream("cat-file", "blob", _checked(blob)) as (_, answer):
            return answer.read(most)

    def sizes(self, blobs: Sequence[str]) -> list[int]:
        """The sizes of these blobs, in bytes."""
        asked = "".join(f"{_checked(blob)}\n" for blob in blobs).encode()
        said = self._git.run("cat-file", "--batch-check=%(objectsize)", stdin=asked).split(b"\n")[:-1]
        if not all(map(bytes.isdigit, said)):
            raise SourceGone(f"the mirror of {self._git.name} lacks objects")
        return [int(size) for size in said]

    def grep(
        self, commit: str, text: str, paths: Sequence[str] = (), *, words: bool = False, seconds: float = 20
    ) -> Hits:
        """Lines that hold a literal text, in these files or all of a commit; `words`: where it stands by itself."""
        return grep(self._git, _checked(commit), text, paths, words=words, seconds=seconds)

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

    def history(self, commit: str, limit: int, paths: Sequence[str] = ()) -> list[str]:
        """The ids of a commit and of those in its past, newest first; of those that touched files or folders."""
        arguments = [f"--max-count={limit}", _checked(commit), "--", *paths]
        found = self._git.run("rev-list", *arguments, environment=PLAIN)
        return found.decode().split()

    def commits_saying(self, word: str, limit: int, *, seconds: float = 30) -> list[str]:
        """The ids of the newest commits of all branches whose message holds a word of letters, digits, `-` and `_`, in
        any case, with no letter or digit beside it.
        """
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,200}", word):
            return []
        pattern = f"(^|[^A-Za-z0-9]){word}([^A-Za-z0-9]|$)"
        options = [
            "--branches",
            "--extended-regexp",
            "--regexp-ignore-case",
            f"--grep={pattern}",
            "--no-show-signature",
        ]
        arguments = ["log", *options, f"--max-count={limit}", "--format=%H", "--no-color", "--no-decorate", "--"]
        return self._git.run(*arguments, seconds=seconds).decode().split()

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


def _locked(handle: IO[bytes]) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _entries(listing: bytes) -> Iterator[Entry]:
    """What `git ls-tree -z --long` lists, without folders and submodules."""
    for record in listing.split(b"\0")[:-1]:
        head, _, name = record.partition(b"\t")
        mode, kind, blob, size = head.split()
        if kind == b"blob":
            yield Entry(text_of(name), blob.decode(), int(size), link=mode == b"120000")


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
