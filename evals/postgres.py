"""A real PostgreSQL for a while: a cluster of its own, made from the programs that are installed."""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

ADMIN = "admin"
TRUSTED = f"host all {ADMIN} 127.0.0.1/32 trust\n"


def programs() -> Path | None:
    """The folder of initdb and postgres; None when they are not installed. Debian keeps them off the path."""
    found = shutil.which("initdb")
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    return Path(found).parent if found else versions[-1] if versions else None


class Cluster:
    """A server on a loopback port, with one administrator who needs no password."""

    def __init__(self, binaries: Path, folder: Path, *, access: str = TRUSTED, settings: Sequence[str] = ()) -> None:
        self._binaries = binaries
        self._folder = folder
        self._settings = settings
        self._user: dict[str, Any] = _unprivileged(folder)
        self._process: subprocess.Popen[bytes] | None = None
        self._made = 0
        self.port = _free_port()
        made: list[str | Path] = [
            binaries / "initdb",
            "-D",
            self._data,
            "-U",
            ADMIN,
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C",
        ]
        subprocess.run([*made, "--no-sync"], check=True, capture_output=True, cwd="/", **self._user)
        (self._data / "pg_hba.conf").write_text(access)

    @property
    def _data(self) -> Path:
        return self._folder / "data"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = [f"port={self.port}", "listen_addresses=127.0.0.1", "fsync=off", *self._settings]
        command: list[str | Path] = [self._binaries / "postgres", "-D", self._data, "-k", self._folder]
        self._process = subprocess.Popen(
            command + [argument for option in options for argument in ("-c", option)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            **self._user,
        )
        give_up = time.monotonic() + 30
        while True:
            try:
                psycopg.connect(self.address(), connect_timeout=5).close()
            except psycopg.OperationalError:
                if time.monotonic() > give_up:
                    raise
                time.sleep(0.05)
            else:
                return

    def stop(self) -> None:
        """Stop it without waiting for clients."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(30)
            self._process = None

    def address(self, database: str = "postgres", user: str = ADMIN) -> str:
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def run(self, *statements: str, database: str = "postgres") -> None:
        """As the administrator, each on its own."""
        with psycopg.connect(self.address(database), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def create(self) -> str:
        """The address of a new, empty database."""
        self._made += 1
        name = f"made{self._made}"
        self.run(f"CREATE DATABASE {name}")
        return self.address(name)


@contextmanager
def running(binaries: Path, folder: Path, *, access: str = TRUSTED, settings: Sequence[str] = ()) -> Iterator[Cluster]:
    """A cluster that is stopped when the block ends."""
    cluster = Cluster(binaries, folder, access=access, settings=settings)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


def _unprivileged(folder: Path) -> dict[str, Any]:
    """PostgreSQL does not run as root: another user then, who is let in to the folder."""
    if os.geteuid() != 0:
        return {}
    shutil.chown(folder, "postgres", "postgres")
    for above in folder.parents:
        if above.stat().st_mode & 0o001:
            break
        above.chmod(above.stat().st_mode | 0o011)
    return {"user": "postgres", "group": "postgres", "extra_groups": []}


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])
