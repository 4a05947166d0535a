"""One process owns the data folder. While it is the service, every command is a client of its loopback API."""

import fcntl
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from crosscheck.errors import AlreadyRunning

LOCK = "owner.lock"
CARD = "service.json"


@dataclass(frozen=True, slots=True)
class Service:
    """How to reach the running service. The token is readable by this folder's owner alone."""

    pid: int
    url: str
    token: str


@contextmanager
def owning(data: Path, what: str) -> Iterator[None]:
    """Hold the folder for as long as the block runs; the system lets go of it when the process dies.

    Raises:
        AlreadyRunning: another process holds it; says which.

    """
    data.mkdir(parents=True, exist_ok=True)
    if data.stat().st_uid == os.getuid():
        data.chmod(0o700)  # the index and the mirrors hold what not everybody on this host may read
    with (data / LOCK).open("a+", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock.seek(0)
            holder = lock.read().strip() or "another process"
            raise AlreadyRunning(f"{data} is in use by {holder}. Wait for it, or stop it.") from error
        (data / CARD).unlink(missing_ok=True)  # left by a service that was killed
        lock.truncate(0)
        lock.write(f"`crosscheck {what}` (pid {os.getpid()})")
        lock.flush()
        yield


@contextmanager
def announced(data: Path, url: str) -> Iterator[Service]:
    """Write the service's card for the commands to find, and take it away at the end."""
    service = Service(os.getpid(), url, secrets.token_urlsafe(32))
    card, new = data / CARD, data / f"{CARD}.new"
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(asdict(service), file)
    new.replace(card)  # whole or not there, for whoever reads it just now
    try:
        yield service
    finally:
        card.unlink(missing_ok=True)


def running(data: Path) -> Service | None:
    """The service that owns the folder, if one does. A card left by a killed service does not count."""
    try:
        card = (data / CARD).read_text("utf-8")
    except FileNotFoundError:
        return None
    with (data / LOCK).open("a", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return Service(**json.loads(card))
    return None
