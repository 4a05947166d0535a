"""Folders that people fill: which files are in them, and what each holds."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from core.connectors.base import fingerprint
from core.errors import SourceUnavailable
from core.mirror import shown

_TRIES = 3  # to read a file that is being written
_LITTER = ("~$", "Thumbs.db", "desktop.ini")  # what Office and Windows leave lying about


@dataclass(frozen=True, slots=True)
class File:
    path: str
    """Within the folder, as the system takes it."""
    size: int
    written: int
    """Nanoseconds of the epoch."""
    touched: int
    """As `written`, but nobody can set it back."""

    @property
    def shown(self) -> str:
        """The path as it can be stored, as it is done for Git's."""
        return shown(os.fsencode(self.path).decode("utf-8", "surrogateescape"))

    @property
    def fingerprint(self) -> str:
        return fingerprint(str(self.size), str(self.written), str(self.touched))[:12]


@dataclass(frozen=True, slots=True)
class Listing:
    files: tuple[File, ...]
    """In the order of their paths."""
    unread: tuple[str, ...]
    """Folders that could not be listed, each with its reason."""


def listed(root: Path) -> Listing:
    """The files below a folder, but for hidden ones and what symbolic links point at.

    Raises SourceUnavailable when there is nothing at all: a volume that is not mounted is an empty folder.
    """
    files: list[File] = []
    unread: list[str] = []
    folders = [""]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(root / folder) as entries:
                for entry in entries:
                    path = f"{folder}{entry.name}"
                    if entry.name.startswith((".", *_LITTER)):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(f"{path}/")
                    elif entry.is_file(follow_symlinks=False):
                        found = entry.stat(follow_symlinks=False)
                        files.append(File(path, found.st_size, found.st_mtime_ns, found.st_ctime_ns))
        except OSError as error:
            if not folder:
                raise SourceUnavailable(f"the folder {root} cannot be read: {error.strerror}") from error
            unread.append(f"{os.fsencode(folder).decode('utf-8', 'backslashreplace')} ({error.strerror})")
    if not files and not unread:
        raise SourceUnavailable(f"the folder {root} holds no files; if it has none any more, take the source away")
    return Listing(tuple(sorted(files, key=lambda file: file.path)), tuple(sorted(unread)))


def content(root: Path, path: str, limit: int) -> tuple[bytes, bool]:
    """What a file holds, one byte more than `limit` at most, and whether it stayed the same meanwhile. Raises OSError,
    also for what has become a link, a pipe or a device since it was listed.
    """
    data = b""
    for _ in range(_TRIES):
        with os.fdopen(_opened(root, path), "rb") as file:
            before = os.fstat(file.fileno())
            if not stat.S_ISREG(before.st_mode):
                raise OSError(0, "it is no file any more")
            data = file.read(limit + 1)
            after = os.fstat(file.fileno())
        if (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns):
            return data, True
    return data, False


def _opened(root: Path, path: str) -> int:
    """A descriptor for reading. No part of the path below the root may be a link, nor may opening it wait."""
    *folders, name = path.split("/")
    at = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for folder in folders:
            below = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
            os.close(at)
            at = below
        return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at)
    finally:
        os.close(at)
