"""Liquibase: change sets in changelogs that include each other.

Its checksums (`8:...`, `9:...`) are of each change as its own classes normalise it, in ways that differ between
versions; they are not computed here. Whether a change set was changed is told by Git's history of that change set.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from posixpath import normpath

from core.schema.changelog import Change, Changelog, ChangeSet, Include, touched_by
from core.schema.changelog_formats import is_changelog, read_changelog
from core.schema.files import Files
from core.schema.migration import Draft, Joined, Migration, Row, Table
from core.schema.moments import moment_of
from core.schema.numbered import late, number_of, overtaken
from core.schema.sql import read_sql
from core.schema.touching import contents
from core.schema.types import State, Touched

_COLUMNS = ("id", "author", "filename", "dateexecuted", "orderexecuted", "exectype")
_MOST = 20_000
"""Change sets."""
_FOLDERS = 2_000
"""Folders that are included."""
_CODE = "It runs code of its own, which is not read."
_NO_TABLE = frozenset(
    {"createSequence", "dropSequence", "alterSequence", "renameSequence", "createProcedure", "dropProcedure", "output"}
    | {"empty", "stop", "tagDatabase", "createFunction", "createPackage", "enableTrigger", "disableTrigger"}
)


class Liquibase:
    tables = (
        Table("databasechangelog", _COLUMNS),
        Table("DATABASECHANGELOG", tuple(name.upper() for name in _COLUMNS)),
    )

    def migrations(self, files: Files, *, backslashes: bool) -> Sequence[Migration]:
        read = files.read(files.named(is_changelog))
        changelogs = {path: log for path, data in read.items() if (log := read_changelog(path, data)) is not None}
        reading = _Reading(changelogs, read, backslashes)
        return list(reading.migrations())[:_MOST]

    def joined(self, rows: Sequence[Row], migrations: Sequence[Migration]) -> Joined:
        by_name: dict[str, list[Migration]] = {}
        for item in migrations:
            by_name.setdefault(_name_of(item.key), []).append(item)
        run: dict[str, Row] = {}
        lost: list[Row] = []
        for row in sorted(rows, key=lambda row: number_of(row["orderexecuted"])):
            found = _matching(row, by_name.get(f"{row['id']}::{row['author']}", []))
            if found is None:
                lost.append(row)
            else:
                run[found.key] = row
        order = [item.key for item in migrations]
        out_of_order = late(order, [key for key, row in run.items() if row["exectype"] != "RERAN"])
        passed = overtaken(order, run, "Liquibase runs it all the same.")
        drafts = [_draft(item, run.get(item.key), passed.get(item.key, ()), out_of_order) for item in migrations]
        drafts += [_lost(row) for row in lost]
        note = "Liquibase's own checksums are not compared; Git's history of each change set is."
        return Joined(tuple(drafts), (note,))


class _Reading:
    """The walk through changelogs, from those that no other includes."""

    def __init__(self, changelogs: Mapping[str, Changelog], read: Mapping[str, bytes], backslashes: bool) -> None:
        self._changelogs = changelogs
        self._read = read
        self._backslashes = backslashes
        self._seen: set[str] = set()
        self._named: dict[str, list[str]] = {}
        for path in read:
            self._named.setdefault(path.rpartition("/")[2], []).append(path)
        self._folders = _FOLDERS

    def migrations(self) -> Iterator[Migration]:
        included = {other for path in self._changelogs for other in self._included(path)}
        left = [path for path in self._changelogs if path not in included]
        for path in (*left, *self._changelogs):  # those of a circle have no root
            yield from self._walk(path)

    def _walk(self, root: str) -> Iterator[Migration]:
        """Depth first, without recursion: a stranger decides how deep it is."""
        stack: list[Iterator[ChangeSet | str]] = [iter([root])]
        places: list[str] = [""]
        while stack:
            item = next(stack[-1], None)
            if item is None:
                stack.pop()
                places.pop()
            elif isinstance(item, ChangeSet):
                yield self._migration(places[-1], item)
            elif item not in self._seen:
                self._seen.add(item)
                stack.append(self._items(item))
                places.append(item)

    def _items(self, path: str) -> Iterator[ChangeSet | str]:
        for item in self._changelogs[path].items:
            if isinstance(item, ChangeSet):
                yield item
            else:
                yield from self._targets(path, item)

    def _included(self, path: str) -> Iterator[str]:
        for item in self._changelogs[path].items:
            if isinstance(item, Include):
                yield from (target for target in self._targets(path, item) if target != path)

    def _targets(self, path: str, include: Include) -> Iterator[str]:
        wanted = self._place(path, include.path, include.relative)
        if not include.folder:
            yield from (other for other in self._like(wanted) if other in self._changelogs)
            return
        self._folders -= 1
        for other in self._changelogs if self._folders >= 0 else ():
            if f"/{wanted}/" in f"/{other.rpartition('/')[0]}/":
                yield other

    def _like(self, wanted: str) -> Iterator[str]:
        """The files that a path means, from whichever folder it is seen."""
        yield from (path for path in self._named.get(wanted.rpartition("/")[2], ()) if _ends(path, wanted))

    def _place(self, path: str, named: str, relative: bool) -> str:
        named = named.removeprefix("classpath:").strip("/")
        return normpath(f"{path.rpartition('/')[0]}/{named}" if relative else named).strip("/")

    def _migration(self, path: str, item: ChangeSet) -> Migration:
        found: list[Touched] = []
        notes: list[str] = []
        for change in item.changes:
            touched, said = self._change(path, change)
            found += touched
            notes += said
        if where := item.attributes.get("context") or item.attributes.get("contextFilter"):
            notes.append(f"It runs only in the context {' '.join(where.split())[:80]}.")
        if where := item.attributes.get("dbms"):
            notes.append(f"It runs only on {' '.join(where.split())[:80]}.")
        reruns = [name for name in ("runOnChange", "runAlways") if item.attributes.get(name, "").lower() == "true"]
        logical = item.attributes.get("logicalFilePath") or self._changelogs[path].logical
        return Migration(
            f"{item.id}::{item.author}::{logical or path}", f"{path}::{item.id}::{item.author}", _title(item), path,
            contents(found, notes), kind="".join(reruns), part=partial(_part, path, item.id, item.author),
        )  # fmt: skip

    def _change(self, path: str, change: Change) -> tuple[Sequence[Touched], Sequence[str]]:
        script = change.text
        if change.name == "sqlFile":
            relative = change.attributes.get("relativeToChangelogFile", "").lower() == "true"
            wanted = self._place(path, change.attributes.get("path", ""), relative)
            found = next(self._like(wanted), None)
            if found is None:
                return (), ("It runs a file that is not here.",)
            script = self._read[found].decode("utf-8", "replace")
        if change.name in {"sql", "sqlFile"}:
            sql = read_sql(script, backslashes=self._backslashes)
            return sql.touched, sql.notes
        touched = list(touched_by(change))
        return touched, () if touched or change.name in _NO_TABLE else (_CODE,)


def _part(path: str, identity: str, author: str, data: bytes) -> str:
    changelog = read_changelog(path, data)
    sets = (item for item in (changelog.items if changelog else ()) if isinstance(item, ChangeSet))
    return next((item.body for item in sets if (item.id, item.author) == (identity, author)), "")


def _title(item: ChangeSet) -> str:
    return " ".join(item.attributes.get("comment", "").split())[:200] or item.id.replace("_", " ").replace("-", " ")


def _name_of(key: str) -> str:
    return "::".join(key.split("::")[:2])


def _ends(path: str, wanted: str) -> bool:
    return bool(wanted) and (path == wanted or path.endswith(f"/{wanted}") or wanted.endswith(f"/{path}"))


def _matching(row: Row, candidates: Sequence[Migration]) -> Migration | None:
    """The change set of a row, whose file is named as it lay when it was run, from any folder."""
    name = row["filename"].removeprefix("classpath:").replace("\\", "/").lstrip("./")
    fits = (item for item in candidates if _ends(item.key.split("::", 2)[2], name) or _ends(item.path, name))
    return next(fits, None)


def _draft(item: Migration, row: Row | None, notes: tuple[str, ...], out_of_order: frozenset[str]) -> Draft:
    draft = Draft(item.id, item.title, "pending", item)
    if row is None:
        return replace(draft, notes=notes)
    at, exact = moment_of(row["dateexecuted"])
    how = row["exectype"].upper()
    draft = replace(draft, at=at, exact=exact, reruns=bool(item.kind))
    if how == "FAILED":
        return replace(draft, state="failed", compared=True)
    if how == "SKIPPED":
        return replace(draft, notes=("Liquibase skipped it, since its conditions were not met.",))
    notes = ("It was marked as run without being run.",) if how == "MARK_RAN" else ()
    if item.key in out_of_order:
        return replace(draft, state="out of order", notes=(*notes, "It was applied after one that follows it."))
    return replace(draft, state="applied", notes=notes)


def _lost(row: Row) -> Draft:
    name = f"{PurePosixPath(row['filename'])}::{row['id']}::{row['author']}"
    at, exact = moment_of(row["dateexecuted"])
    state: State = "failed" if row["exectype"].upper() == "FAILED" else "not in Git"
    return Draft(name, "", state, at=at, exact=exact)
