"""Prisma: a folder for each migration, and the checksum of its script."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from core.schema.files import Files
from core.schema.migration import TOO_LARGE, Draft, Joined, Migration, Row, Table
from core.schema.moments import moment_of
from core.schema.numbered import late, overtaken
from core.schema.sql import read_sql
from core.schema.touching import Contents
from core.schema.types import State

_COLUMNS = ("checksum", "finished_at", "migration_name", "rolled_back_at", "started_at")
_EDITED = "By its checksum, its file is not what was applied."


class Prisma:
    tables = (Table("_prisma_migrations", _COLUMNS),)

    def migrations(self, files: Files, *, backslashes: bool) -> Sequence[Migration]:
        paths = files.named(lambda path: path.name == "migration.sql" and bool(path.parent.name))
        read = files.read(paths)
        found = [_migration(path, read.get(path), backslashes) for path in paths]
        return sorted(found, key=lambda migration: migration.key)

    def joined(self, rows: Sequence[Row], migrations: Sequence[Migration]) -> Joined:
        begun = sorted(rows, key=lambda row: row["started_at"])
        last = {row["migration_name"]: row for row in begun if not row["rolled_back_at"]}
        passed = overtaken(sorted({*last, *(item.key for item in migrations)}), last, "Prisma runs it all the same.")
        drafts = {item.key: _draft(item, last.get(item.key), passed.get(item.key, ())) for item in migrations}
        for name, row in last.items():
            if name not in drafts:
                state: State = "not in Git" if row["finished_at"] else "failed"
                drafts[name] = Draft(name, _title(name), state, at=moment_of(row["finished_at"])[0])
        order = sorted(drafts)
        for key in late(order, list(last)):
            if drafts[key].state == "applied":
                drafts[key] = replace(drafts[key], state="out of order")
            drafts[key] = replace(drafts[key], notes=(*drafts[key].notes, "It was applied after one that follows it."))
        return Joined(tuple(drafts[key] for key in order))


def _migration(path: str, data: bytes | None, backslashes: bool) -> Migration:
    name = PurePosixPath(path).parent.name
    if data is None:
        return Migration(name, name, _title(name), path, Contents(notes=(TOO_LARGE,)))
    told = read_sql(data.decode("utf-8", "replace"), backslashes=backslashes)
    lines = data.replace(b"\r\n", b"\n")
    # Prisma takes a script with either line end for the same.
    texts = (data, lines, lines.replace(b"\n", b"\r\n"))
    checksums = frozenset(hashlib.sha256(text).hexdigest() for text in texts)
    return Migration(name, name, _title(name), path, told, checksums=checksums)


def _title(name: str) -> str:
    return name.lstrip("0123456789").strip("_").replace("_", " ")


def _draft(migration: Migration, row: Row | None, notes: tuple[str, ...]) -> Draft:
    draft = Draft(migration.id, migration.title, "pending", migration)
    if row is None:
        return replace(draft, notes=notes)
    if not row["finished_at"]:
        began = moment_of(row["started_at"])[0]
        return replace(draft, state="failed", at=began, compared=True, notes=("It was begun and never finished.",))
    at = moment_of(row["finished_at"])[0]  # Prisma writes UTC
    if migration.checksums and row["checksum"] not in migration.checksums:
        return replace(draft, state="edited", at=at, notes=(_EDITED,))
    return replace(draft, state="applied", at=at, compared=bool(migration.checksums))
