"""How databases were changed: the migration tools' tables, joined with the migration files at the baseline."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from datetime import datetime

from core.errors import SourceError
from core.mirror import Mirror, shown
from core.paths import file_id
from core.schema.alembic import Alembic
from core.schema.database import Database
from core.schema.django import Django
from core.schema.files import Files
from core.schema.flyway import Flyway
from core.schema.golang_migrate import GolangMigrate
from core.schema.liquibase import Liquibase
from core.schema.migration import Dialect, Migration
from core.schema.past import Past, pasts
from core.schema.prisma import Prisma
from core.schema.rails import Rails
from core.schema.steps import Steps
from core.schema.table import rows_of
from core.schema.touching import names
from core.schema.types import SchemaHistory, Step, Tool
from core.types import Audience, Locator

_AT_ONCE = 8
"""Databases that are read side by side."""
_TOOLS: Mapping[Tool, Dialect] = {
    "flyway": Flyway(),
    "liquibase": Liquibase(),
    "alembic": Alembic(),
    "django": Django(),
    "rails": Rails(),
    "prisma": Prisma(),
    "golang-migrate": GolangMigrate(),
}
NO_FILES = "No migration files"
"""As the note begins that says so: of such a history nothing can be pending."""
_NAIVE = "Times in its table have no time zone and are taken for UTC."


@dataclass(frozen=True, slots=True)
class _InGit:
    """The migrations of a database as Git has them at one commit."""

    commit: str
    files: Files
    migrations: Sequence[Migration]
    past: Mapping[str, Past]


def _no_link(_repo: str, _path: str) -> str:
    return ""


class SchemaHistories:
    """Reads databases that may only be read, and the repositories with their migrations.

    `branches` names a repository's baseline where it is not its own default; `link` gives the address of a file's page
    by repository and path. `seconds` is for each database and for all of them, which are read side by side.
    """

    def __init__(
        self,
        databases: Sequence[Database],
        mirrors: Mapping[str, Mirror],
        *,
        clock: Callable[[], datetime],
        seconds: float = 10,
        branches: Mapping[str, str] | None = None,
        link: Callable[[str, str], str] = _no_link,
    ) -> None:
        self._databases = tuple(databases)
        self._mirrors = mirrors
        self._clock = clock
        self._seconds = seconds
        self._branches = branches or {}
        self._link = link
        self._in_git: dict[str, _InGit] = {}
        self._reading = {database.name: threading.Lock() for database in databases}

    def histories(
        self,
        audience: Audience,
        *,
        database: str | None = None,
        table: str | None = None,
        column: str | None = None,
    ) -> tuple[SchemaHistory, ...]:
        """Of every database that the audience may know of, or of the one of that name; with a table or column, only
        the steps that touched it. Never raises for what a database or a repository does: that is `unread`.
        """
        wanted = [
            one
            for one in self._databases
            if audience.may_read(one.labels) and (database is None or one.name == database)
        ]
        if not wanted:
            return ()
        pool = ThreadPoolExecutor(min(_AT_ONCE, len(wanted)), "schema")
        started = {one.name: pool.submit(self._read, one) for one in wanted}
        pool.shutdown(wait=False)
        end = time.monotonic() + self._seconds + 1
        wait(started.values(), timeout=max(0, end - time.monotonic()))
        found = (self._taken(one, started[one.name]) for one in wanted)
        return tuple(_narrowed(history, table, column) for history in found)

    def _taken(self, database: Database, reading: "Future[SchemaHistory]") -> SchemaHistory:
        if reading.done() and not reading.cancelled():
            return reading.result()
        reading.cancel()
        return self._unread(database, f"it was not read within {self._seconds:g} s")

    def _read(self, database: Database) -> SchemaHistory:
        if not self._reading[database.name].acquire(timeout=self._seconds):
            return self._unread(database, "an earlier reading of it has not ended")
        try:
            return self._joined(database)
        except SourceError as error:
            return self._unread(database, str(error))
        finally:
            self._reading[database.name].release()

    def _joined(self, database: Database) -> SchemaHistory:
        if database.repo not in self._mirrors:
            return self._unread(database, f"its repository {database.repo} is not read here")
        tool = _TOOLS[database.tool]
        rows = rows_of(database, tool.tables, self._seconds)
        at = self._clock()
        in_git = self._migrations(database, tool)
        joined = tool.joined(rows, in_git.migrations)

        def locate(path: str) -> Locator:
            return Locator(file_id(database.repo, shown(path)), shown(path), self._link(database.repo, path))

        steps = Steps(self._mirrors[database.repo], in_git.files, in_git.past, locate)
        notes = list(joined.notes)
        if any(not draft.exact for draft in joined.drafts):
            notes.append(_NAIVE)
        if not in_git.migrations:
            notes.append(f"{NO_FILES} of {database.tool} are at {database.path or 'the root'} in Git.")
        done = tuple(steps.of(draft) for draft in joined.drafts)
        return replace(self._empty(database), at=at, steps=done, notes=tuple(notes))

    def _migrations(self, database: Database, tool: Dialect) -> _InGit:
        mirror = self._mirrors[database.repo]
        commit = mirror.head(self._branches.get(database.repo) or None)
        known = self._in_git.get(database.name)
        if known is not None and known.commit == commit:
            return known
        files = Files(mirror, commit, database.path)
        backslashes = database.address.get_backend_name() in {"mysql", "mariadb"}
        migrations = tool.migrations(files, backslashes=backslashes)
        paths = list(dict.fromkeys(item.path for item in migrations))
        past = pasts(mirror, commit, database.path, paths) if paths else {}
        found = _InGit(commit, files, migrations, past)
        self._in_git[database.name] = found
        return found

    def _empty(self, database: Database) -> SchemaHistory:
        return SchemaHistory(
            database.name, database.environment, database.tool, database.repo, self._clock(), database.labels
        )

    def _unread(self, database: Database, why: str) -> SchemaHistory:
        return replace(self._empty(database), unread=why)


def _narrowed(history: SchemaHistory, table: str | None, column: str | None) -> SchemaHistory:
    """With the steps that touched a table or column, and of what they touched only that."""
    if table is None and column is None:
        return history
    return replace(history, steps=tuple(filter(None, (_touching(step, table, column) for step in history.steps))))


def _touching(step: Step, table: str | None, column: str | None) -> Step | None:
    touched = tuple(one for one in step.touched if names(one, table, column))
    return replace(step, touched=touched) if touched else None
