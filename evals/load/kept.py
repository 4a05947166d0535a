"""Whether what the service keeps is whole: its database, and its index against the database."""

import json
import sqlite3
import subprocess
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.load.service import PROGRAM, surroundings

PATIENCE = 300.0


@dataclass(frozen=True, slots=True)
class Indexed:
    """The index after one more synchronisation, by the program's own commands."""

    tickets: int
    pages: int
    chunks: int
    """That the index has."""
    registered: int
    """That the database says it has."""
    failed: tuple[str, ...]
    """Sources that could not be read, and why."""

    def whole(self, tickets: int, pages: int) -> bool:
        """Whether every document is there, and the index and the database agree."""
        found = (self.tickets, self.pages) == (tickets, pages)
        return found and self.chunks == self.registered and not self.failed


def index_after(config: Path, secrets: Mapping[str, str], database: Path) -> Indexed:
    """For when no service runs. Raises RuntimeError: the program refused."""
    synced = _program(config, secrets, "sync")
    searched = next(one for one in _program(config, secrets, "index")["generations"] if one["searched"])
    with closing(sqlite3.connect(database)) as rows:
        kinds = dict(
            rows.execute(
                "SELECT source, count(*) FROM document WHERE generation = ? AND kind IN ('ticket', 'page') "
                "GROUP BY source",
                (searched["name"],),
            ).fetchall()
        )
        (registered,) = rows.execute(
            "SELECT coalesce(sum(chunks), 0) FROM document WHERE generation = ?", (searched["name"],)
        ).fetchone()
    failed = tuple(f"{one['source']}: {one['reason']}" for one in synced["failed"])
    return Indexed(kinds.get("jira", 0), kinds.get("confluence", 0), searched["chunks"], registered, failed)


def database_ok(path: Path) -> bool:
    """What SQLite says of the whole file, and of the rows that name others."""
    with closing(sqlite3.connect(path)) as found:
        whole = found.execute("PRAGMA integrity_check").fetchall()
        return whole == [("ok",)] and not found.execute("PRAGMA foreign_key_check").fetchall()


def _program(config: Path, secrets: Mapping[str, str], command: str) -> dict[str, Any]:
    done = subprocess.run(
        [str(PROGRAM), "--config", str(config), command, "--json"],
        env={**surroundings(), **secrets},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    if not done.stdout.strip():
        raise RuntimeError(f"`crosscheck {command}` failed: {done.stderr.strip()[-500:]}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
