"""A disk for one folder that can be full: a file system of its own where that may be mounted, else a limit on files."""

import os
import resource
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

_BLOCK = 4096


class Disk(Protocol):
    kind: str
    """What it is, for the table."""

    def fill(self, pid: int) -> None:
        """No file of the process grows any more."""

    def free(self, pid: int) -> None:
        """They can again."""


class Mounted:
    """An ext4 file system in a file. Full, its writes fail with ENOSPC, and those to mapped pages with SIGBUS."""

    kind = "an ext4 file system of its own, all its blocks taken by another file: ENOSPC"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._filler = folder / "filler"

    def fill(self, _pid: int) -> None:
        with self._filler.open("ab") as file:
            wanted = shutil.disk_usage(self._folder).free
            while wanted >= _BLOCK:
                try:
                    os.posix_fallocate(file.fileno(), file.seek(0, os.SEEK_END), wanted)
                except OSError:
                    wanted //= 2

    def free(self, _pid: int) -> None:
        self._filler.unlink(missing_ok=True)


class Limited:
    """No mount is allowed here: the process may not write any file beyond its beginning, which fails with EFBIG."""

    kind = "a limit on the process's files (RLIMIT_FSIZE): EFBIG"

    def fill(self, pid: int) -> None:
        self._limit(pid, 0)

    def free(self, pid: int) -> None:
        self._limit(pid, resource.RLIM_INFINITY)

    def _limit(self, pid: int, least: int) -> None:
        with suppress(ProcessLookupError):  # it has ended meanwhile, and the limit with it
            _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
            wanted = most if least == resource.RLIM_INFINITY else least
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (wanted, most))


@contextmanager
def disk(folder: Path, megabytes: int) -> Iterator[Disk]:
    """The folder's disk, until the block ends."""
    folder.mkdir(parents=True, exist_ok=True)
    image = folder.with_suffix(".img")
    if os.geteuid() or not _mounted(image, folder, megabytes):
        image.unlink(missing_ok=True)
        yield Limited()
        return
    try:
        yield Mounted(folder)
    finally:
        _ran("umount", "--lazy", str(folder))
        image.unlink()


def _mounted(image: Path, folder: Path, megabytes: int) -> bool:
    with image.open("wb") as file:
        file.truncate(megabytes << 20)
    return _ran("mkfs.ext4", "-q", "-m", "0", str(image)) and _ran("mount", "-o", "loop", str(image), str(folder))


def _ran(*command: str) -> bool:
    """Whether it is there and did what it was to."""
    try:
        return not subprocess.run(command, check=False, capture_output=True).returncode
    except FileNotFoundError:
        return False
