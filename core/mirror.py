"""A bare mirror of a Git repository: fetched, read by object, never checked out.

Git is run as a child process on fixed argument lists. Hooks are off, nothing is asked of a terminal, only known
transports are allowed, and every run has a time limit. Only branches and tags are mirrored.

File names are bytes to Git. Here they are text: UTF-8, other bytes as lone surrogates, so that they can be given back
to Git; `shown` makes one fit to be stored or printed.
"""

import fcntl
import os
import re
import secrets
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from core.errors import SourceForbidden, SourceGone, SourceUnavailable

_COMMIT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_BRANCH = re.compile(r"(?![-/.])(?!.*(?:\.\.|//|@\{|/\.|\.lock(?:/|$)))[^\x00-\x20\x7f~^:?*\[\\]{1,250}(?<![/.])")
_CREDENTIALS = re.compile(r"://[^/@\s]+@")
_REFUSED = re.compile(
    r"authentication failed|could not read (?:username|password)|permission denied|\b40[13]\b", re.IGNORECASE
)
_MISSING = re.compile(
    r"not found|does not exist|does not appear to be a git repository|unknown revision|bad object", re.IGNORECASE
)
_OVERRIDES = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.attributesFile=/dev/null",
    "gc.autoDetach=false",
    "protocol.ext.allow=never",
    "safe.bareRepository=all",
)
_ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS": "true",
    "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
    "LC_ALL": "C",
}
_BLOBS_AT_ONCE = 64


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
class Commit:
    id: str
    parents: tuple[str, ...]
    author: str
    authored: datetime
    committed: datetime
    message: str
    paths: tuple[str, ...]
    """What it touched; none for a merge."""

    @property
    def subject(self) -> str:
        return self.message.partition("\n")[0].strip()


def shown(path: str) -> str:
    """A file name as it can be stored: a byte that is not UTF-8 is written as its number in hexadecimal."""
    return _bytes(path).decode("utf-8", "backslashreplace")


class Mirror:
    """The mirror in `folder` of the repository at `origin`, a local path or a URL.

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
        self._read_seconds = read_seconds
        self._command = [git, *(word for setting in _OVERRIDES for word in ("-c", setting))]

    def fetch(self) -> None:
        """Bring the mirror up to date; branches and tags that are gone at the origin go here too."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with self._alone():
            if not (self._folder / "HEAD").is_file():
                self._run("init", "--quiet", "--bare", "--template=", "--", str(self._folder), inside=False)
            refs = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"]
            options = ["--quiet", "--prune", "--no-tags", "--force", "--update-shallow", "--no-recurse-submodules"]
            self._run("fetch", *options, "--", self._origin, *refs, seconds=self._fetch_seconds)
            head = self._run("ls-remote", "--symref", "--", self._origin, "HEAD", seconds=self._fetch_seconds)
            branch = re.match(rb"ref: (refs/heads/\S+)\tHEAD", head)
            if branch:
                self._run("symbolic-ref", "HEAD", _text(branch[1]))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Holds the folder against other fetches; what a killed one left locked is unlocked."""
        with (self._folder / "fetching").open("wb") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise SourceUnavailable(f"another process is fetching {self._name}") from error
            for lock in [*self._folder.glob("*.lock"), *(self._folder / "refs").rglob("*.lock")]:
                lock.unlink(missing_ok=True)
            yield

    def default_branch(self) -> str:
        return _text(self._run("symbolic-ref", "--short", "HEAD").strip())

    def head(self, branch: str | None = None) -> str:
        """The commit id at the tip of a branch, the default branch if none is named."""
        return self._resolve(f"refs/heads/{_checked(branch)}" if branch else "HEAD")

    def files(self, ref: str) -> Iterator[Entry]:
        """All files and symbolic links of a commit or branch; submodules are left out."""
        listing = self._run("ls-tree", "-r", "-z", "--long", "--full-tree", self._commit(ref))
        for record in listing.split(b"\0")[:-1]:
            head, _, name = record.partition(b"\t")
            mode, kind, blob, size = head.split()
            if kind == b"blob":
                yield Entry(_text(name), blob.decode(), int(size), link=mode == b"120000")

    def read(self, ref: str, path: str, limit: int) -> bytes:
        """The first `limit` bytes of a file."""
        with self._stream("cat-file", "blob", f"{self._commit(ref)}:{path}") as process:
            return _pipe(process.stdout).read(limit)

    def blobs(self, ids: Sequence[str]) -> Iterator[bytes]:
        """The whole content of each blob, in the order asked for. Read in batches, so that a slow reader holds no
        child process open.
        """
        for start in range(0, len(ids), _BLOBS_AT_ONCE):
            yield from self._batch(ids[start : start + _BLOBS_AT_ONCE])

    def _batch(self, ids: Sequence[str]) -> list[bytes]:
        contents: list[bytes] = []
        with self._stream("cat-file", "--batch") as process:
            ask, answer = _pipe(process.stdin), _pipe(process.stdout)
            for blob in ids:
                ask.write(f"{blob}\n".encode())
                ask.flush()
                head = answer.readline().split()
                if len(head) != 3:
                    raise SourceGone(f"the mirror of {self._name} has no object {blob}")
                contents.append(answer.read(int(head[2])))
                answer.read(1)
        return contents

    def log(self, ref: str, *, since: str | None = None, limit: int | None = None) -> Iterator[Commit]:
        """Commits, newest first; with `since` those that are not in that commit's past. Read it at once: the child
        process behind it has a time limit.
        """
        mark = secrets.token_hex(12)  # no message can hold it, so it parts messages from names
        arguments = ["-z", f"--format={mark}%H%n%P%n%an%n%aI%n%cI%n%B{mark}", "--name-only", "--no-renames"]
        arguments += ["--no-color", "--no-decorate", "--no-show-signature", "--no-notes", "--no-ext-diff"]
        arguments += ["--encoding=UTF-8", *([f"--max-count={limit}"] if limit is not None else [])]
        arguments += [self._commit(ref), *([f"^{self._commit(since)}"] if since else []), "--"]
        with self._stream("log", *arguments) as process:
            pieces = _split(_pipe(process.stdout), mark.encode())
            next(pieces, None)
            for head in pieces:
                yield _commit(head, next(pieces, b""))

    def changed(self, before: str, after: str) -> tuple[frozenset[str], frozenset[str]]:
        """The paths written (added or altered) and the paths removed between two commits."""
        options = ["-r", "-z", "--no-renames", "--name-status", "--no-ext-diff"]
        words = self._run("diff-tree", *options, self._commit(before), self._commit(after)).split(b"\0")[:-1]
        pairs = list(zip(words[::2], words[1::2], strict=True))
        written = frozenset(_text(path) for status, path in pairs if status != b"D")
        return written, frozenset(_text(path) for status, path in pairs if status == b"D")

    def attributes(self, ref: str, paths: Sequence[str], names: Sequence[str]) -> Iterator[tuple[str, str, str]]:
        """What `.gitattributes` of that commit says: (path, name, value) where it says anything."""
        index = self._folder / f"index-{secrets.token_hex(8)}"
        environment = {"GIT_INDEX_FILE": str(index)}
        try:
            self._run("read-tree", self._commit(ref), environment=environment)
            asked = b"".join(_bytes(path) + b"\0" for path in paths)
            arguments = ["check-attr", "--cached", "-z", "--stdin", *names]
            words = self._run(*arguments, stdin=asked, environment=environment).split(b"\0")[:-1]
        finally:
            index.unlink(missing_ok=True)
        for path, name, value in zip(words[::3], words[1::3], words[2::3], strict=True):
            if value != b"unspecified":
                yield _text(path), name.decode(), value.decode("utf-8", "replace")

    @property
    def _name(self) -> str:
        return _CREDENTIALS.sub("://", self._origin)

    def _commit(self, ref: str) -> str:
        return ref if _COMMIT_ID.fullmatch(ref) else self.head(ref)

    def _resolve(self, ref: str) -> str:
        if not (self._folder / "HEAD").is_file():
            raise SourceUnavailable(f"{self._name} has not been fetched yet")
        found = self._run("rev-parse", "--quiet", "--verify", "--end-of-options", f"{ref}^{{commit}}")
        return found.decode().strip()

    def _run(
        self,
        *arguments: str,
        seconds: float | None = None,
        stdin: bytes = b"",
        environment: dict[str, str] | None = None,
        inside: bool = True,
    ) -> bytes:
        with self._popen(arguments, environment or {}, inside=inside) as process:
            try:
                out, err = process.communicate(stdin, timeout=seconds or self._read_seconds)
            except subprocess.TimeoutExpired as error:
                _kill(process)
                raise SourceUnavailable(f"git {arguments[0]} of {self._name} took too long") from error
        if process.returncode:
            raise self._error(arguments[0], err)
        return out

    @contextmanager
    def _stream(self, *arguments: str) -> Iterator["subprocess.Popen[bytes]"]:
        """A child to be read piece by piece; killed at the time limit, and when its reader stops early."""
        late = threading.Event()
        with self._popen(arguments, {}, inside=True) as process:
            watchdog = threading.Timer(self._read_seconds, _end, (process, late))
            watchdog.start()
            try:
                yield process
                _pipe(process.stdin).close()
                ended = not _pipe(process.stdout).read(1)
                if ended and process.wait():
                    raise self._error(arguments[0], _pipe(process.stderr).read())
            except BrokenPipeError as error:
                raise self._error(arguments[0], _pipe(process.stderr).read()) from error
            finally:
                watchdog.cancel()
                _kill(process)
                if late.is_set():
                    raise SourceUnavailable(f"git {arguments[0]} of {self._name} took too long")

    def _popen(
        self, arguments: Sequence[str], environment: dict[str, str], *, inside: bool
    ) -> "subprocess.Popen[bytes]":
        place = ["--git-dir", str(self._folder)] if inside else []
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        return subprocess.Popen(
            [*self._command, *place, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**inherited, **_ENVIRONMENT, **environment},
            start_new_session=True,  # so that a fetch's own children end with it
        )

    def _error(self, action: str, stderr: bytes) -> SourceGone | SourceForbidden | SourceUnavailable:
        said = _CREDENTIALS.sub("://", stderr[-2000:].decode("utf-8", "replace")).strip()
        message = f"git {action} of {self._name} failed: {said.partition(chr(10))[0] or 'no such thing'}"
        if _REFUSED.search(said):
            return SourceForbidden(message)
        if _MISSING.search(said) or action in {"rev-parse", "cat-file"}:
            return SourceGone(message)
        return SourceUnavailable(message)


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def _checked(branch: str) -> str:
    if not _BRANCH.fullmatch(branch):
        raise SourceGone(f"{branch!r} is no name of a branch")
    return branch


def _end(process: "subprocess.Popen[bytes]", late: threading.Event) -> None:
    late.set()
    _kill(process)


def _kill(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise SourceUnavailable("git was started without its pipes")
    return stream


def _split(stream: IO[bytes], mark: bytes) -> Iterator[bytes]:
    """The stream in the pieces that a mark parts."""
    kept = b""
    while block := stream.read(1 << 16):
        *pieces, kept = (kept + block).split(mark)
        yield from pieces
    yield kept


def _moment(text: str) -> datetime:
    """A date in UTC. Histories hold dates that no calendar has: they count as the beginning of time."""
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        return datetime.fromtimestamp(0, UTC)


def _commit(head: bytes, names: bytes) -> Commit:
    text = head.decode("utf-8", "replace")
    identity, parents, author, authored, committed, message = text.split("\n", 5)
    paths = names.removeprefix(b"\0").removeprefix(b"\n").split(b"\0")
    return Commit(
        identity,
        tuple(parents.split()),
        author,
        _moment(authored),
        _moment(committed),
        message.strip(),
        tuple(_text(path) for path in paths if path),
    )
