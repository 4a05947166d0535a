"""One process owns an index folder; the others learn which."""

import fcntl
import os
from pathlib import Path

from core.errors import IndexLocked

OWNER = "owner.pid"
"""The file that is locked."""


class FolderLock:
    """Held from construction until `release` or the end of the process, however it ends."""

    def __init__(self, folder: Path) -> None:
        """IndexLocked if it is held already; the message names the holder."""
        self._file = os.open(folder / OWNER, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(self._file, 20, 0).decode("ascii", "replace").strip()
            os.close(self._file)
            who = f"process {holder}" if holder else "another process"
            raise IndexLocked(f"The index in {folder} is in use by {who}; stop it first.") from error
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, str(os.getpid()).encode(), 0)

    def release(self) -> None:
        """Let the next one in."""
        os.close(self._file)
