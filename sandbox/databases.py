"""The company's databases as SQLite files that hold what its migration tools keep of themselves, and nothing else."""

import sqlite3
import zlib
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime
from pathlib import Path, PurePosixPath

from sandbox.records import Applied, Company, Database

_FLYWAY = """
CREATE TABLE "flyway_schema_history" (
    "installed_rank" INT NOT NULL PRIMARY KEY,
    "version" VARCHAR(50),
    "description" VARCHAR(200) NOT NULL,
    "type" VARCHAR(20) NOT NULL,
    "script" VARCHAR(1000) NOT NULL,
    "checksum" INT,
    "installed_by" VARCHAR(100) NOT NULL,
    "installed_on" TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f','now')),
    "execution_time" INT NOT NULL,
    "success" BOOLEAN NOT NULL
);
CREATE INDEX "flyway_schema_history_s_idx" ON "flyway_schema_history" ("success");
"""
_BASELINE = "<< Flyway Baseline >>"
_MIGRATE = """
CREATE TABLE schema_migrations (version uint64,dirty bool);
CREATE UNIQUE INDEX version_unique ON schema_migrations (version);
"""


class Databases:
    """One for each `[[databases]]` of the company's environments."""

    def __init__(self, company: Company) -> None:
        self._company = company

    def write(self, folder: Path) -> Mapping[tuple[str, str], Path]:
        """A file for each environment and repository, in `folder`, which must be there.

        Raises FileExistsError: it has one of them already.
        """
        written = {}
        for database in self._company.databases:
            path = folder / f"{database.environment}-{database.repo}.sqlite"
            path.touch(exist_ok=False)
            with closing(sqlite3.connect(path)) as connection, connection:
                if database.tool == "flyway":
                    self._flyway(connection, database)
                else:
                    _migrate(connection, database)
            written[database.environment, database.repo] = path
        return written

    def _flyway(self, connection: sqlite3.Connection, database: Database) -> None:
        """SQLite has no users, so nobody has installed anything."""
        connection.executescript(_FLYWAY)
        start = database.applied[0].at
        rows: list[tuple[object, ...]] = [(1, "1", _BASELINE, "BASELINE", _BASELINE, None, "", _moment(start), 0, True)]
        for rank, applied in enumerate(database.applied, 2):
            name = PurePosixPath(applied.script)
            version, _, description = name.stem.removeprefix("V").partition("__")
            checksum = flyway_checksum(self._text(database, applied))
            told = (description.replace("_", " "), "SQL", name.name, checksum)
            rows.append((rank, version, *told, "", _moment(applied.at), 2 + rank, True))
        connection.executemany("INSERT INTO flyway_schema_history VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def _text(self, database: Database, applied: Applied) -> str:
        """What the file said on main when it was applied."""
        commits = next(repo.commits for repo in self._company.repos if repo.name == database.repo)
        main = [commit for commit in commits if commit.branch == "main" and commit.at <= applied.at]
        texts = [commit.files[applied.script] for commit in main if applied.script in commit.files]
        return texts[-1] or ""


def _migrate(connection: sqlite3.Connection, database: Database) -> None:
    """golang-migrate keeps the last version only, and neither when nor what it was."""
    connection.executescript(_MIGRATE)
    version = int(PurePosixPath(database.applied[-1].script).name.partition("_")[0])
    connection.execute("INSERT INTO schema_migrations VALUES (?, ?)", (version, False))


def flyway_checksum(text: str) -> int:
    """Flyway's checksum of a SQL migration: CRC-32 of its lines without their ends, in UTF-8, as a signed number of
    32 bits (`ChecksumCalculator` of flyway-core). A byte-order mark is no part of it.
    """
    joined = "".join(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    unsigned = zlib.crc32(joined.encode())
    return unsigned - (1 << 32) if unsigned >= 1 << 31 else unsigned


def _moment(at: datetime) -> str:
    """As SQLite's `strftime('%Y-%m-%d %H:%M:%f')`, in UTC."""
    return f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03d}"
