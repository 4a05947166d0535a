"""golang-migrate: numbered pairs of scripts, of which the database keeps only the number it has come to."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from core.schema.files import Files
from core.schema.migration import TOO_LARGE, Draft, Joined, Migration, Row, Table
from core.schema.numbered import number_of
from core.schema.sql import read_sql
from core.schema.touching import Contents
from core.schema.types import State

_NAME = re.compile(r"(?P<number>[0-9]++)_(?P<title>.*)\.up\.(?P<suffix>[^.]++)", re.DOTALL)
_YES = frozenset({"1", "t", "true"})


class GolangMigrate:
    tables = (Table("schema_migrations", ("version", "dirty")),)

    def migrations(self, files: Files, *, backslashes: bool) -> Sequence[Migration]:
        paths = files.named(lambda path: _NAME.fullmatch(path.name) is not None)
        read = files.read(paths)
        found: dict[str, Migration] = {}
        for path in paths:
            migration = _migration(path, read.get(path), backslashes)
            found.setdefault(migration.key, migration)
        return sorted(found.values(), key=lambda migration: int(migration.key))

    def joined(self, rows: Sequence[Row], migrations: Sequence[Migration]) -> Joined:
        version = max((number_of(row["version"]) for row in rows), default=-1)
        dirty = any(row["dirty"].lower() in _YES for row in rows)
        drafts = [
            Draft(item.id, item.title, "applied" if int(item.key) <= version else "pending", item)
            for item in migrations
        ]
        at = next((at for at, item in enumerate(migrations) if int(item.key) == version), None)
        if at is not None and dirty:
            note = "It was begun and never finished (dirty): golang-migrate runs nothing until this is settled."
            drafts[at] = replace(drafts[at], state="failed", notes=(note,))
        elif at is None and version >= 0:
            place = sum(int(item.key) < version for item in migrations)
            state: State = "failed" if dirty else "not in Git"
            drafts.insert(place, Draft(str(version), "", state, notes=("The database is at this version.",)))
        said = "golang-migrate keeps only the version it has come to: what lies below counts as applied, with no date."
        return Joined(tuple(drafts), (said,))


def _migration(path: str, data: bytes | None, backslashes: bool) -> Migration:
    name = PurePosixPath(path).name
    match = _NAME.fullmatch(name)
    number, title = (match["number"], match["title"]) if match else (name, "")
    if data is None:
        told = Contents(notes=(TOO_LARGE,))
    elif name.endswith(".sql"):
        told = read_sql(data.decode("utf-8", "replace"), backslashes=backslashes)
    else:
        told = Contents(notes=("It is no SQL, and not read.",))
    return Migration(str(int(number[:30])), number, title.replace("_", " "), path, told)
