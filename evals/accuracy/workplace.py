"""A candidate's copy of the tree that a change was made on: without history, so that nothing later is in it."""

import os
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import IO

from bots.text import one_line
from core.mirror import Mirror, is_path
from evals.accuracy.history import git_folder, readable
from evals.harness.errors import EvalError

LARGEST_FILE = 1_000_000
"""Bytes of a file that can be read and written."""
LARGEST_TREE = 500_000_000
MOST_FILES = 100_000
LARGEST_PATCH = 1_000_000
"""Bytes."""
_MOST_CHANGED = 200
_MOST_HITS = 200
_LARGEST_FIND = 2_000_000  # bytes
_SEARCH_SECONDS = 10.0
_GIT_SECONDS = 60.0
_LONGEST_NAME = 255  # bytes, as of Linux
_LONGEST_PATH = 1_000  # bytes, below what a file system takes with the folder that it is in
_NUL = b"\0"
_PLAIN = ("--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--text", "--no-prefix")


class NotDone(Exception):
    """Why an operation was not done, in a sentence for the candidate."""


@dataclass(slots=True)
class Workplace:
    """Files below `root`, as they were and as they have become. Nothing of them is ever run."""

    root: Path
    left_out: frozenset[str] = frozenset()
    """Paths of what is in the repository and was not copied."""
    before: dict[str, bytes | None] = field(default_factory=dict)
    """What was changed, as it was; None: not there."""

    def paths(self, glob: str = "*") -> list[str]:
        """The paths of all files that fit, sorted. `*` stands for any letters, `/` too."""
        return [
            path for path in self._walked() if fnmatchcase(path, glob) or fnmatchcase(path.rpartition("/")[2], glob)
        ]

    def read(self, path: str) -> str:
        """The whole text of a file."""
        return _text(path, self._bytes(path))

    def find(self, text: str, glob: str = "*", *, pattern: bool = False) -> list[tuple[str, int, str]]:
        """Path, line from 1, and the line, for lines that hold a text or match an extended regular expression."""
        if not text or "\n" in text or "\0" in text:
            raise NotDone("Give one line of text to look for.")
        kind = "--extended-regexp" if pattern else "--fixed-strings"
        options = ["--no-index", "-I", "-n", "-z", "--full-name", "--no-color", "--threads=1", kind, "-e", text]
        found = _grep(self.root, "grep", *options, "--", ".")
        hits = (line.split(_NUL, 2) for line in found.split(b"\n") if line.count(_NUL) == 2)
        told = ((os.fsdecode(path), int(number), line.decode("utf-8", "replace")) for path, number, line in hits)
        fitting = set(self.paths(glob))
        return [hit for hit in told if hit[0] in fitting][:_MOST_HITS]

    def replace(self, path: str, old: str, new: str) -> None:
        """Put a text in another's place, which must be in the file exactly once."""
        text = self.read(path)
        if "\r\n" in text and "\r" not in old:  # as the file ends its lines
            old, new = old.replace("\n", "\r\n"), new.replace("\r\n", "\n").replace("\n", "\r\n")
        times = text.count(old) if old else 0
        if times != 1:
            raise NotDone(
                f"The old text is {times} times in {path}; it must be there exactly once. Read the file again and give "
                "the text as it stands there, with lines around it if it is there more often."
            )
        self._write(path, text.replace(old, new).encode())

    def write(self, path: str, text: str) -> None:
        """Make a file, or put a text in place of all that is in it."""
        target = self._checked(path)
        if target.exists():
            self.read(path)  # what is no text is not replaced either
        self._write(path, text.encode("utf-8", "replace"))

    def delete(self, path: str) -> None:
        self.read(path)
        self._remember(path)
        self._checked(path).unlink()

    def patch(self) -> str:
        """All that was changed as a unified diff that `git apply` takes.

        Raises NotDone where that is larger than `LARGEST_PATCH`.
        """
        with tempfile.TemporaryDirectory() as folder:
            for side in ("a", "b"):
                (Path(folder) / side).mkdir()
            for path, content in sorted(self.before.items()):
                target = self.root / path
                _put(Path(folder) / "a" / path, content)
                _put(Path(folder) / "b" / path, target.read_bytes() if target.is_file() else None)
            found = _git(Path(folder), "diff", "--no-index", *_PLAIN, "a", "b")
        if len(found) > LARGEST_PATCH:
            raise NotDone(f"The patch is larger than {LARGEST_PATCH:,} bytes.")
        return found.decode("utf-8")

    def _walked(self) -> Iterator[str]:
        found = (Path(folder, name) for folder, _, names in os.walk(self.root) for name in names)
        yield from sorted(path.relative_to(self.root).as_posix() for path in found)

    def _bytes(self, path: str) -> bytes:
        target = self._checked(path)
        if not target.is_file():
            raise NotDone(f"There is no file {path}.")
        return target.read_bytes()

    def _write(self, path: str, content: bytes) -> None:
        if len(content) > LARGEST_FILE:
            raise NotDone(f"That is more than {LARGEST_FILE:,} bytes, the most of one file.")
        self._remember(path)
        target = self._checked(path)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        except OSError as error:  # a file where a folder would have to be, a name that is too long
            raise NotDone(f"{path} cannot be written: {error.strerror}.") from error

    def _remember(self, path: str) -> None:
        if path in self.before:
            return
        if len(self.before) == _MOST_CHANGED:
            raise NotDone(f"{_MOST_CHANGED} files were changed already, which is the most.")
        target = self._checked(path)
        self.before[path] = target.read_bytes() if target.is_file() else None

    def _checked(self, path: str) -> Path:
        """Below the root. There are no links in it, as none is copied and none can be made."""
        if not _is_plain(path):
            raise NotDone("Give a file's path within the repository, such as src/module/file.py.")
        parts = path.split("/")
        if not self.left_out.isdisjoint("/".join(parts[: end + 1]) for end in range(len(parts))):
            raise NotDone(f"{path} is a link, a large file or below one, which is neither shown nor changed.")
        target = self.root / path
        if target.is_dir():
            raise NotDone(f"{path} is a folder.")
        return target


@contextmanager
def workplace(name: str, repository: Path, commit: str) -> Iterator[Workplace]:
    """A copy of a commit's files in a folder of its own, which goes with the block. Symbolic links and submodules are
    not in it, nor files of more than `LARGEST_FILE`.

    Raises:
        EvalError: the commit is not there, or there is more than can be copied.

    """
    with tempfile.TemporaryDirectory(prefix="crosscheck-attempt-") as folder:
        root = Path(folder)
        with readable(name):
            mirror = Mirror(git_folder(repository), str(repository))
            every = list(mirror.files(commit))
            entries = [one for one in every if _is_plain(one.path) and not one.link and one.size <= LARGEST_FILE]
            if len(entries) > MOST_FILES or sum(one.size for one in entries) > LARGEST_TREE:
                limits = f"{MOST_FILES:,} files, {LARGEST_TREE // 1_000_000} MB"
                raise EvalError(f"The tree of {name} at {commit[:10]} is too large for a copy ({limits} at most).")
            for entry, content in zip(entries, mirror.blobs(entries), strict=True):
                _put(root / entry.path, content)
        yield Workplace(root, frozenset(one.path for one in every) - {one.path for one in entries})


def _is_plain(path: str) -> bool:
    """Whether it can be a file's, and is written with letters that a model can give back."""
    if not is_path(path) or not path.isprintable() or "\\" in path or len(path.encode()) > _LONGEST_PATH:
        return False
    return all(part.lower() != ".git" and len(part.encode()) <= _LONGEST_NAME for part in path.split("/"))


def _text(path: str, content: bytes) -> str:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise NotDone(f"{path} is no text in UTF-8, so it is neither shown nor changed.")
    return text


def _put(path: Path, content: bytes | None) -> None:
    if content is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _grep(folder: Path, *arguments: str) -> bytes:
    """The beginning of what is found. The child is killed when its time is over, and when there is more."""
    with tempfile.TemporaryFile() as errors, _started(folder, arguments, errors) as child:
        watchdog = threading.Timer(_SEARCH_SECONDS, child.kill)
        watchdog.start()
        try:
            found = child.stdout.read(_LARGEST_FIND) if child.stdout else b""
        finally:
            in_time = watchdog.is_alive()
            watchdog.cancel()
            child.kill()
        if not in_time:
            raise NotDone("That took too long. Look for something simpler.")
        errors.seek(0)
        if not found and (said := _one_line(errors.read(1_000))):
            raise NotDone(f"That could not be looked for: {said}")
    return found


def _git(folder: Path, *arguments: str) -> bytes:
    """Raises NotDone."""
    with _started(folder, arguments, subprocess.PIPE) as child:
        try:
            found, errors = child.communicate(timeout=_GIT_SECONDS)
        except subprocess.TimeoutExpired as error:
            child.kill()
            raise NotDone(f"git {arguments[0]} took too long.") from error
    if child.returncode not in (0, 1):  # 1: there is a difference
        raise NotDone(f"git {arguments[0]} failed: {_one_line(errors)}")
    return found


def _started(folder: Path, arguments: Sequence[str], errors: "IO[bytes] | int") -> "subprocess.Popen[bytes]":
    """Git in a folder that is no repository, with nobody's settings."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    plain = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "1", "LC_ALL": "C.UTF-8"}
    return subprocess.Popen(
        ["git", "-c", "core.quotePath=false", "-c", "core.attributesFile=/dev/null", *arguments],
        cwd=folder,
        env=own | plain | {"GIT_CEILING_DIRECTORIES": str(folder.parent)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=errors,
    )


def _one_line(said: bytes) -> str:
    return one_line(said.decode("utf-8", "replace"), 200)
