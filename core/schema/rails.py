"""Rails: numbered migrations in Ruby, read line by line."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from pathlib import PurePosixPath

from core.schema.files import Files
from core.schema.migration import TOO_LARGE, Draft, Joined, Migration, Row, Table
from core.schema.numbered import overtaken
from core.schema.sql import read_sql
from core.schema.touching import Contents, contents
from core.schema.types import How, State, Touched

_FILE = re.compile(r"(?P<number>[0-9]++)_(?P<title>[_a-z0-9]*)(?:\.[_a-z0-9]*)?\.rb")
_TEXT = r"""[:"'](?P<{}>[A-Za-z_][\w.]{{0,120}}+)["']?+"""
_CALL = re.compile(r"^[ \t]*(?P<call>[a-z_]{3,40})[ (][ \t]*" + _TEXT.format("first") + r"(?P<rest>[^\n]{0,500})")
_NEXT = re.compile(r"^[ \t]*,[ \t]*" + _TEXT.format("name"))
_BLOCK = re.compile(r"\bdo[ \t]*\|[ \t]*(?P<name>\w{1,20})[ \t]*\|")
_IN_BLOCK = re.compile(r"^[ \t]*(?P<block>\w{1,20})\.(?P<call>[a-z_]{2,40})\b[ (]*(?P<rest>[^\n]{0,500})")
_NAMES = re.compile(_TEXT.format("name") + r"(?!:)[ \t]*,?[ \t]*")
_COLUMNS = re.compile(r"""[:"'](?P<name>[A-Za-z_]\w{0,120}+)["']?+""")
_EXECUTE = re.compile(
    r"^[ \t]*(?:safety_assured[ \t]*\{[ \t]*)?(?:execute|exec_query)[ (][ \t]*"
    r"(?:<<[~-]?['\"]?(?P<mark>\w{1,40})|(?P<quote>['\"])(?P<line>[^\n]*?)(?P=quote))"
)
_DOWN = re.compile(r"(?P<indent>[ \t]*)def (?:self\.)?down\b")
_KNOWN = re.compile(r"^[ \t]*(?:end\b|def |class |\#|\}|else\b|do\b|private\b|disable_ddl_transaction)")
_LARGEST = 300_000
_CHANGED = frozenset(
    {"change_column", "change_column_default", "change_column_null", "change_column_comment", "add_index"}
)
_ON_TABLE = frozenset(
    {"change_table", "remove_index", "rename_index", "add_foreign_key", "remove_foreign_key", "change_table_comment"}
    | {"add_check_constraint", "remove_check_constraint", "add_unique_constraint", "validate_foreign_key"}
)
_REFERENCES = frozenset({"references", "belongs_to"})
_REMOVES = frozenset({"remove", "remove_column", "remove_columns"})
_NO_COLUMN = frozenset({"index", "foreign_key", "check_constraint", "remove_index", "unique_constraint"})
_CODE = "It runs code of its own, which is not read."


class Rails:
    tables = (Table("schema_migrations", ("version",)),)

    def migrations(self, files: Files, *, backslashes: bool) -> Sequence[Migration]:
        paths = files.named(lambda path: _FILE.fullmatch(path.name) is not None)
        read = files.read(paths)
        found: dict[str, Migration] = {}
        for path in paths:
            match = _FILE.fullmatch(PurePosixPath(path).name)
            if match is not None:
                data = read.get(path)
                told = read_ruby(data, backslashes=backslashes) if data is not None else Contents(notes=(TOO_LARGE,))
                key = _key(match["number"])
                found.setdefault(key, Migration(key, match["number"], match["title"].replace("_", " "), path, told))
        return sorted(found.values(), key=lambda migration: _order(migration.key))

    def joined(self, rows: Sequence[Row], migrations: Sequence[Migration]) -> Joined:
        applied = {_key(row["version"]) for row in rows}
        passed = overtaken(
            sorted({*applied, *(item.key for item in migrations)}, key=_order), applied, "Rails runs it all the same."
        )
        drafts: dict[str, Draft] = {}
        for item in migrations:
            done = item.key in applied
            state: State = "applied" if done else "pending"
            drafts[item.key] = Draft(item.id, item.title, state, item, notes=passed.get(item.key, ()))
        drafts |= {key: Draft(key, "", "not in Git") for key in applied - drafts.keys()}
        note = "Rails keeps neither when a migration was applied nor a checksum."
        return Joined(tuple(drafts[key] for key in sorted(drafts, key=_order)), (note,))


def _key(version: str) -> str:
    return version.lstrip("0") or "0"


def _order(key: str) -> tuple[int, str]:
    return len(key), key


def read_ruby(data: bytes, *, backslashes: bool = False) -> Contents:
    """What a migration touches on its way up."""
    if len(data) > _LARGEST:
        return Contents(notes=(TOO_LARGE,))
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    lines = iter(_upwards(text.split("\n")))
    found: list[Touched] = []
    notes: list[str] = []
    table, block = "", ""
    for line in lines:
        if executed := _EXECUTE.match(line):
            script = executed["line"] if executed["mark"] is None else _here(lines, executed["mark"])
            sql = read_sql(script, backslashes=backslashes)
            found += sql.touched
            notes += sql.notes
        elif (call := _CALL.match(line)) and (touched := list(_by_call(call))):
            found += touched
            opens = _BLOCK.search(line)
            table, block = (call["first"], opens["name"]) if opens else (table, block)
        elif (within := _IN_BLOCK.match(line)) and within["block"] == block and table:
            found += _in_block(table, within)
        elif line.strip() and not _KNOWN.match(line):
            notes.append(_CODE)
    return contents(found, notes)


def _here(lines: Iterator[str], mark: str) -> str:
    """The lines up to the one that is this mark."""
    return "\n".join(takewhile(lambda line: line.strip(" \t);") != mark, lines))


def _upwards(lines: Iterable[str]) -> Iterator[str]:
    """Without the way down."""
    end = ""
    for line in lines:
        if down := _DOWN.match(line):
            end = f"{down['indent']}end"
        if not end:
            yield line
        elif line.rstrip() == end:
            end = ""


def _by_call(call: re.Match[str]) -> Iterator[Touched]:
    name, table, rest = call["call"], call["first"], call["rest"]
    match = _NEXT.match(rest)
    second = match["name"] if match else ""
    if name in {"create_table", "create_join_table", "drop_table"}:
        joined = "_".join(sorted([table, second])) if name == "create_join_table" and second else table
        yield Touched(joined, how="removed" if name == "drop_table" else "made")
    elif name == "rename_table":
        yield Touched(table, how="removed")
        yield Touched(second, how="made")
    elif name in {"add_column", "add_columns"} and second:
        yield Touched(table, second, "made")
    elif name in {"remove_column", "remove_columns"} and second:
        yield from (Touched(table, found["name"], "removed") for found in _listed(rest, name))
    elif name == "rename_column" and second:
        later = _NEXT.match(rest, 0) and _NEXT.match(rest[match.end() :] if match else "")
        yield Touched(table, second, "removed")
        if later:
            yield Touched(table, later["name"], "made")
    elif name in {"add_reference", "add_belongs_to", "remove_reference", "remove_belongs_to"} and second:
        yield Touched(table, f"{second}_id", "made" if name.startswith("add") else "removed")
    elif name in {"add_timestamps", "remove_timestamps"}:
        yield from _timestamps(table, "made" if name.startswith("add") else "removed")
    elif name in _CHANGED:
        yield Touched(table)
        yield from (Touched(table, found["name"]) for found in _listed(rest, name))
    elif name in _ON_TABLE:
        yield Touched(table)


def _listed(rest: str, name: str) -> Iterator[re.Match[str]]:
    """The columns that a call names behind its table: one, or those in brackets or after each other."""
    if name == "remove_columns":
        yield from _COLUMNS.finditer(rest.partition(": ")[0])
    elif name == "add_index" and (brackets := re.match(r"[ \t]*,[ \t]*\[([^\]]*)\]", rest)):
        yield from _COLUMNS.finditer(brackets[1])
    elif match := _NEXT.match(rest):
        yield match


def _in_block(table: str, line: re.Match[str]) -> Iterator[Touched]:
    """`t.string :name, :title, null: false`."""
    call, names = line["call"], []
    rest = line["rest"]
    while match := _NAMES.match(rest):
        names.append(match["name"])
        rest = rest[match.end() :]
    if call == "timestamps":
        yield from _timestamps(table, "made")
    elif call in _NO_COLUMN:
        return
    elif call in _REFERENCES:
        yield from (Touched(table, f"{name}_id", "made") for name in names)
    elif call in _REMOVES:
        yield from (Touched(table, name, "removed") for name in names)
    elif call == "rename" and len(names) > 1:
        yield Touched(table, names[0], "removed")
        yield Touched(table, names[1], "made")
    elif call.startswith("change"):
        yield from (Touched(table, name) for name in names[:1])
    elif call == "column":
        yield from (Touched(table, name, "made") for name in names[:1])
    else:
        yield from (Touched(table, name, "made") for name in names)


def _timestamps(table: str, how: How) -> Iterator[Touched]:
    for column in ("created_at", "updated_at"):
        yield Touched(table, column, how)
