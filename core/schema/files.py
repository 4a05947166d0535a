"""The migration files of a repository at one commit, within limits."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePosixPath

from core.errors import SourceIncomplete
from core.mirror import Entry, Mirror

_MOST = 20_000
"""Files that are looked at."""
_LARGEST = 4_000_000
"""Bytes of a file; larger ones are dumps of data."""
_ALL = 200_000_000
"""Bytes of all files."""


class Files:
    """The files in a folder of a commit, or the one file of that name; links are left out."""

    def __init__(self, mirror: Mirror, commit: str, folder: str) -> None:
        """Raises SourceGone, SourceUnavailable and SourceIncomplete."""
        within = f"{folder}/" if folder else ""
        self._mirror = mirror
        self._entries: dict[str, Entry] = {}
        for entry in mirror.files(commit):
            if not entry.link and (entry.path.startswith(within) or entry.path == folder):
                self._entries[entry.path] = entry
            if len(self._entries) > _MOST:
                raise SourceIncomplete(f"there are more than {_MOST} files where the migrations should be")

    def named(self, fits: Callable[[PurePosixPath], bool]) -> list[str]:
        """The paths that fit, sorted."""
        return sorted(path for path in self._entries if fits(PurePosixPath(path)))

    def read(self, paths: Iterable[str]) -> Mapping[str, bytes]:
        """What these files hold; those that are too large are left out."""
        wanted: list[Entry] = []
        size = 0
        for path in paths:
            entry = self._entries[path]
            if entry.size <= _LARGEST and size + entry.size <= _ALL:
                wanted.append(entry)
                size += entry.size
        return {entry.path: data for entry, data in zip(wanted, self._mirror.blobs(wanted), strict=True)}

    def blob(self, path: str) -> str:
        return self._entries[path].blob
