"""Flyway: versioned, repeatable and baseline migrations, and a checksum of each."""

import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from core.schema.files import Files
from core.schema.migration import TOO_LARGE, Draft, Joined, Migration, Row, Table
from core.schema.moments import moment_of
from core.schema.numbered import late, number_of, overtaken
from core.schema.sql import read_sql
from core.schema.touching import Contents
from core.schema.types import State

_COLUMNS = ("installed_rank", "version", "description", "type", "script", "checksum", "installed_on", "success")
_NAME = re.compile(
    r"(?P<prefix>[VRB])(?P<version>[0-9]+(?:[._][0-9]+)*)?(?:__(?P<said>.*))?\.(?P<suffix>sql|java|kt)", re.DOTALL
)
_LINE_END = re.compile(r"\r\n|\r|\n")
_YES = frozenset({"1", "t", "true"})
_CODE = "It is code, which is not read."
_EDITED = "By its checksum, its file is not what was applied."


class Flyway:
    tables = (Table("flyway_schema_history", _COLUMNS), Table("schema_version", _COLUMNS))

    def migrations(self, files: Files, *, backslashes: bool) -> Sequence[Migration]:
        paths = files.named(lambda path: _NAME.fullmatch(path.name) is not None)
        read = files.read(path for path in paths if path.endswith(".sql"))
        found: dict[str, Migration] = {}
        for path in paths:
            migration = _migration(path, read.get(path), backslashes)
            if migration is None:
                continue
            first = found.setdefault(migration.key, migration)
            if first is not migration:
                note = f"There is a second file of this version, which Flyway refuses: {PurePosixPath(path).name}."
                told = replace(first.contents, notes=(*first.contents.notes, note))
                found[migration.key] = replace(first, contents=told)
        return sorted(found.values(), key=lambda migration: _order(migration.key))

    def joined(self, rows: Sequence[Row], migrations: Sequence[Migration]) -> Joined:
        state = _State.of(rows)
        shown = [migration for migration in migrations if migration.kind != "B" or migration.key in state.rows]
        versions = sorted({key for key in (*state.rows, *(item.key for item in shown)) if key[0] == "V"}, key=_order)
        passed = overtaken(versions, state.rows, "Flyway refuses it unless it may run out of order.")
        drafts = {item.key: _draft(item, state, passed.get(item.key, ())) for item in shown}
        drafts |= {key: _lost(key, row) for key, row in state.rows.items() if key not in drafts}
        order = sorted(drafts, key=_order)
        for key in late(versions, state.ranks):
            if drafts[key].state == "applied":
                drafts[key] = replace(drafts[key], state="out of order")
            drafts[key] = replace(drafts[key], notes=(*drafts[key].notes, "It was applied after a later version."))
        note = f"The database was taken over at a baseline, {state.baseline}."
        return Joined(tuple(drafts[key] for key in order), (note,) if state.baseline else ())


@dataclass(slots=True)
class _State:
    """What the table comes to, row after row."""

    rows: dict[str, Row] = field(default_factory=dict)
    """By key, the last of each that still counts."""
    ranks: list[str] = field(default_factory=list)
    """The keys, in the order they were applied."""
    baseline: str = ""

    @classmethod
    def of(cls, rows: Sequence[Row]) -> "_State":
        state = cls()
        for row in sorted(rows, key=lambda row: number_of(row["installed_rank"])):
            state._take(row)
        return state

    def _take(self, row: Row) -> None:
        kind = row["type"].upper()
        key = _key("V" if row["version"] else "R", row["version"], row["description"])
        if kind in {"BASELINE", "SQL_BASELINE"}:
            self.baseline = key
            if kind == "SQL_BASELINE":
                self.rows[f"B{key[1:]}"] = row
        elif kind.startswith("UNDO") or kind == "DELETE":
            if row["success"].lower() in _YES:
                self.rows.pop(key, None)
        elif kind != "SCHEMA":
            self.rows[key] = row
            self.ranks.append(key)


def _migration(path: str, data: bytes | None, backslashes: bool) -> Migration | None:
    match = _NAME.fullmatch(PurePosixPath(path).name)
    if match is None or bool(match["version"]) == (match["prefix"] == "R"):
        return None
    title = (match["said"] or "").replace("_", " ")
    key = _key(match["prefix"], match["version"] or "", title)
    if match["suffix"] != "sql":
        return Migration(key, _shown(key), title, path, Contents(notes=(_CODE,)), kind=match["prefix"])
    if data is None:
        return Migration(key, _shown(key), title, path, Contents(notes=(TOO_LARGE,)), kind=match["prefix"])
    told = read_sql(data.decode("utf-8", "replace"), backslashes=backslashes)
    filled = match["prefix"] == "R" and b"${" in data  # Flyway fills these in before it computes
    checksums = frozenset[str]() if filled else _checksums(data)
    return Migration(key, _shown(key), title, path, told, kind=match["prefix"], checksums=checksums)


def _checksums(data: bytes) -> frozenset[str]:
    """CRC-32 of the lines in UTF-8 without their ends and without a byte order mark, as a number with a sign, like
    `StringResource.calculateChecksum` of Flyway; and of the bytes, as its versions before 4 did.
    """
    texts = []
    try:
        texts.append(data.decode("utf-8"))
    except UnicodeDecodeError:
        texts += [data.decode("latin-1"), data.decode("cp1252", "replace")]
    whole = [b"".join(line.encode() for line in _LINE_END.split(text.removeprefix("\ufeff"))) for text in texts]
    numbers = [zlib.crc32(line) for line in (*whole, data)]
    return frozenset(str(number - (1 << 32) if number >= 1 << 31 else number) for number in numbers)


def _key(prefix: str, version: str, description: str) -> str:
    """`V1.2` for 1.2, 1_2 and 1.2.0."""
    if prefix == "R":
        return f"R {description}"
    numbers = [part.lstrip("0") or "0" for part in re.split(r"[._]", version)]
    while len(numbers) > 1 and numbers[-1] == "0":
        numbers.pop()
    return prefix + ".".join(numbers)


def _shown(key: str) -> str:
    return key.replace("R ", "R__", 1).replace(" ", "_") if key.startswith("R ") else key


def _order(key: str) -> tuple[int, tuple[tuple[int, str], ...], str]:
    """By version, where each number is compared as one, however long; repeatable ones last, by description."""
    if key.startswith("R "):
        return 1, (), key
    return 0, tuple((len(part), part) for part in key[1:].split(".")), key


def _draft(migration: Migration, state: _State, notes: tuple[str, ...]) -> Draft:
    row = state.rows.get(migration.key)
    draft = Draft(migration.id, migration.title, "pending", migration)
    if row is None:
        if state.baseline and migration.kind == "V" and _order(migration.key) <= _order(state.baseline):
            note = f"It is not above the baseline {state.baseline}: Flyway does not run it, nor says if it was run."
            return replace(draft, state="unknown", notes=(note,))
        return replace(draft, notes=notes)
    at, exact = moment_of(row["installed_on"])
    draft = replace(draft, state="applied", at=at, exact=exact)
    if row["success"].lower() not in _YES:
        return replace(draft, state="failed", compared=True)
    if not row["checksum"] or not migration.checksums:
        return replace(draft, reruns=migration.kind == "R")
    if row["checksum"] in migration.checksums:
        return replace(draft, compared=True)
    if migration.kind == "R":
        return replace(draft, state="pending", notes=("Its file is another since it was run: it runs again.",))
    return replace(draft, state="edited", notes=(_EDITED,))


def _lost(key: str, row: Mapping[str, str]) -> Draft:
    state: State = "not in Git" if row["success"].lower() in _YES else "failed"
    at, exact = moment_of(row["installed_on"])
    note = f"Its script was {row['script']}."
    return Draft(_shown(key), row["description"], state, at=at, exact=exact, notes=(note,))
