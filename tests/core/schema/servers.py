"""Real database servers on loopback, one of each for a whole run."""

import os
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import pymysql
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

from evals.postgres import ADMIN, TRUSTED, running

READER = "reader"
PASSWORD = "r3ad-0nly-s3cret"


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def mariadb_programs() -> tuple[str, str] | None:
    server = shutil.which("mariadbd") or shutil.which("mariadbd", path="/usr/sbin:/usr/libexec")
    install = shutil.which("mariadb-install-db")
    return (server, install) if server and install else None


class Server:
    """Made databases are the administrator's; `READER` may read all of them, and more than it should be able to use."""

    def __init__(self, scheme: str, port: int, admin: str) -> None:
        self.scheme, self.port, self.admin = scheme, port, admin
        self.made = 0

    def address(self, database: str, user: str = READER) -> str:
        return f"{self.scheme}://{user}@127.0.0.1:{self.port}/{database}"

    def engine(self, database: str):
        driver = {"postgresql": "postgresql+psycopg", "mysql": "mysql+pymysql"}[self.scheme]
        return create_engine(f"{driver}://{self.admin}@127.0.0.1:{self.port}/{database}", poolclass=NullPool)

    def database(self) -> str:
        """A new one, in which the reader has every right, so that only our connection holds it back."""
        self.made += 1
        name = f"booking{self.made}"
        with self.engine("postgres" if self.scheme == "postgresql" else "mysql").connect() as plain:
            connection = plain.execution_options(isolation_level="AUTOCOMMIT")
            connection.execute(text(f"CREATE DATABASE {name}"))
            if self.scheme == "mysql":
                connection.execute(text(f"GRANT ALL ON {name}.* TO {READER}@'127.0.0.1'"))
            else:
                connection.execute(text(f"GRANT ALL ON DATABASE {name} TO {READER}"))
        return name

    def run(self, database: str, *statements: str) -> None:
        with self.engine(database).begin() as connection:
            for statement in statements:
                connection.exec_driver_sql(statement)


@contextmanager
def postgresql(programs: Path, folder: Path):
    access = f"{TRUSTED}host all {READER} 127.0.0.1/32 scram-sha-256\nhost all nobody 127.0.0.1/32 reject\n"
    with running(programs, folder, access=access) as cluster:
        cluster.run(f"CREATE ROLE {READER} LOGIN PASSWORD '{PASSWORD}' IN ROLE pg_read_all_data", "CREATE ROLE nothing")
        yield Server("postgresql", cluster.port, ADMIN)


@contextmanager
def mariadb(programs: tuple[str, str], folder: Path):
    server, install = programs
    user = {"user": "mysql", "group": "mysql", "extra_groups": []} if os.geteuid() == 0 else {}
    if user:
        shutil.chown(folder, "mysql", "mysql")
        opened(folder)
    data, port = folder / "data", free_port()
    made = [install, "--no-defaults", f"--datadir={data}", "--auth-root-authentication-method=normal"]
    subprocess.run([*made, "--skip-test-db"], check=True, capture_output=True, cwd="/", **user)
    first = folder / "first.sql"
    first.write_text(
        "CREATE USER admin@'127.0.0.1'; GRANT ALL ON *.* TO admin@'127.0.0.1' WITH GRANT OPTION;"
        f"CREATE USER {READER}@'127.0.0.1' IDENTIFIED BY '{PASSWORD}'; CREATE USER nobody@'127.0.0.1';\n".replace(
            ";", ";\n"
        )
    )
    options = [f"--datadir={data}", f"--port={port}", "--bind-address=127.0.0.1", f"--socket={folder}/s"]
    options += [f"--init-file={first}", "--skip-name-resolve", "--innodb-flush-log-at-trx-commit=0"]
    options += ["--innodb-buffer-pool-size=16M", "--skip-log-bin"]
    with subprocess.Popen(
        [server, "--no-defaults", *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/", **user
    ) as process:
        try:
            until(lambda: pymysql.connect(host="127.0.0.1", port=port, user="admin").close(), pymysql)
            yield Server("mysql", port, "admin")
        finally:
            process.terminate()


def opened(folder: Path) -> None:
    """The way to a folder, for another user; pytest keeps its own folders to itself."""
    for above in folder.parents:
        if above.stat().st_mode & 0o001:
            return
        above.chmod(above.stat().st_mode | 0o011)


def until(connects, driver, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while True:
        try:
            return connects()
        except driver.OperationalError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
