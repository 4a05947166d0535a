"""Alembic: a graph of revisions, of which the database keeps only the heads."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from core.schema.files import Files
from core.schema.graph import ancestors, ordered
from core.schema.migration import Draft, Joined, Migration, Row, Table
from core.schema.python_source import Values, argument, assigned, called, calls, tree_of
from core.schema.sql import read_sql
from core.schema.touching import Contents, contents
from core.schema.types import Touched

_UNREAD = "Not every operation of it can be read without running it."
_TABLE_SECOND = frozenset(
    {
        "create_index",
        "create_unique_constraint",
        "create_check_constraint",
        "create_primary_key",
        "create_foreign_key",
        "drop_constraint",
        "drop_index",
        "create_exclude_constraint",
    }
)
_COLUMNS_THIRD = frozenset({"create_index", "create_unique_constraint", "create_primary_key"})
_COMMENTS = frozenset({"create_table_comment", "drop_table_comment"})


class Alembic:
    tables = (Table("alembic_version", ("version_num",)),)

    def migrations(self, files: Files, *, backslashes: bool) -> Sequence[Migration]:
        read = files.read(files.named(lambda path: path.suffix == ".py"))
        found: dict[str, Migration] = {}
        for path, data in read.items():
            if b"down_revision" in data and (migration := _migration(path, data, backslashes)) is not None:
                found.setdefault(migration.key, migration)
        return ordered(found)

    def joined(self, rows: Sequence[Row], migrations: Sequence[Migration]) -> Joined:
        known = {migration.key: migration for migration in migrations}
        heads = [row["version_num"] for row in rows if row["version_num"]]
        applied = ancestors(heads, known)
        lost = [head for head in heads if head not in known]
        drafts = [
            Draft(
                migration.id,
                migration.title,
                "applied" if key in applied else "unknown" if lost else "pending",
                migration,
            )
            for key, migration in known.items()
        ]
        drafts += [Draft(head, "", "not in Git", notes=("The database is at this revision.",)) for head in lost]
        notes = ["Alembic keeps neither when a revision was applied nor a checksum."]
        if lost:
            named = ", ".join(lost[:5])
            notes.append(f"The database is at {named}, of which there is no file, so what lies before it is not known.")
        return Joined(tuple(drafts), tuple(notes))


def _migration(path: str, data: bytes, backslashes: bool) -> Migration | None:
    module = tree_of(data)
    if module is None:
        return None
    values, named = Values(module), assigned(module.body)
    revision = values.text(named.get("revision"))
    if not revision or "down_revision" not in named:
        return None
    after = (*values.texts(named["down_revision"]), *values.texts(named.get("depends_on")))
    said = (ast.get_docstring(module) or "").strip().partition("\n")[0].strip()
    title = said or PurePosixPath(path).stem.removeprefix(f"{revision}_").replace("_", " ")
    return Migration(revision, revision, title, path, _contents(module, values, backslashes), after=after)


def _contents(module: ast.Module, values: Values, backslashes: bool) -> Contents:
    upgrades = [part for part in module.body if isinstance(part, ast.FunctionDef) and part.name.startswith("upgrade")]
    found: list[Touched] = []
    notes: list[str] = []
    batches = _batches(upgrades, values)
    for call in calls(upgrades):
        if not (isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name)):
            continue
        owner = call.func.value.id
        if owner in batches:
            touched = list(_in_batch(call, batches[owner], values))
        elif owner == "op":
            if called(call) in {"execute", "bulk_insert", "get_bind", "run_async"}:
                sql = read_sql(values.text(argument(call, 0, "sqltext")), backslashes=backslashes)
                found += sql.touched
                notes += sql.notes if sql.touched or sql.notes or values.text(argument(call, 0)) else (_UNREAD,)
                continue
            touched = list(_by_op(call, values))
        else:
            continue
        found += touched
        if not touched or not all(one.table for one in touched):
            notes.append(_UNREAD)
    return contents(found, notes)


def _batches(functions: Sequence[ast.FunctionDef], values: Values) -> dict[str, str]:
    """The tables of `with op.batch_alter_table("t") as name`, by that name."""
    found = {}
    for function in functions:
        for node in ast.walk(function):
            for item in node.items if isinstance(node, ast.With) else ():
                call, name = item.context_expr, item.optional_vars
                if isinstance(call, ast.Call) and isinstance(name, ast.Name) and called(call) == "batch_alter_table":
                    found[name.id] = _table(call, 0, values)
    return found


def _table(call: ast.Call, at: int, values: Values) -> str:
    name = values.text(argument(call, at, "table_name", "source_table", "old_table_name"))
    schema = values.text(argument(call, -1, "schema", "source_schema"))
    return f"{schema}.{name}" if schema and name else name


def _by_op(call: ast.Call, values: Values) -> Iterator[Touched]:
    name = called(call)
    table = _table(call, 1 if name in _TABLE_SECOND else 0, values)
    if name == "create_table":
        yield Touched(table, how="made")
        for part in call.args[1:]:
            if isinstance(part, ast.Call) and called(part) == "Column":
                yield Touched(table, values.text(argument(part, 0, "name")), "made")
    elif name == "drop_table":
        yield Touched(table, how="removed")
    elif name == "rename_table":
        yield Touched(table, how="removed")
        yield Touched(values.text(argument(call, 1, "new_table_name")), how="made")
    elif name in _COMMENTS or name == "batch_alter_table":
        yield Touched(table)
    elif name in _TABLE_SECOND:
        yield from _constrained(name, table, argument(call, 2, "columns", "local_cols"), values)
    else:
        yield from _columns(call, name, table, 1, values)


def _in_batch(call: ast.Call, table: str, values: Values) -> Iterator[Touched]:
    name = called(call)
    if name in _TABLE_SECOND:
        yield from _constrained(name, table, argument(call, 1, "columns", "local_cols"), values)
    else:
        yield from _columns(call, name, table, 0, values)


def _constrained(name: str, table: str, columns: ast.expr | None, values: Values) -> Iterator[Touched]:
    yield Touched(table)
    if name in _COLUMNS_THIRD:
        for column in values.texts(columns):
            yield Touched(table, column)


def _columns(call: ast.Call, name: str, table: str, at: int, values: Values) -> Iterator[Touched]:
    """add_column, drop_column and alter_column, which name the column as argument `at`."""
    given = argument(call, at, "column", "column_name")
    if name == "add_column" and isinstance(given, ast.Call):
        yield Touched(table, values.text(argument(given, 0, "name")), "made")
    elif name == "drop_column" and (column := values.text(given)):
        yield Touched(table, column, "removed")
    elif name == "alter_column" and (column := values.text(given)):
        new = values.text(argument(call, -1, "new_column_name"))
        yield replace(Touched(table, column), how="removed" if new else "changed")
        if new:
            yield Touched(table, new, "made")
