"""Django: a graph of migrations in each app."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from core.schema.files import Files
from core.schema.graph import ordered
from core.schema.migration import Draft, Joined, Migration, Row, Table
from core.schema.moments import moment_of
from core.schema.numbered import number_of
from core.schema.python_source import Values, argument, assigned, called, tree_of
from core.schema.sql import read_sql
from core.schema.touching import Contents, contents
from core.schema.types import Touched

_UNREAD = "Not every operation of it can be read without running it."
_CODE = "It runs code of its own, which is not read."
_REFERENCES = frozenset({"ForeignKey", "OneToOneField"})
_ON_MODEL = frozenset(
    {"AddIndex", "RemoveIndex", "RenameIndex", "AddConstraint", "RemoveConstraint", "AlterConstraint"}
)
_NO_TABLE = frozenset({"AlterModelOptions", "AlterModelManagers"})
_TOGETHER = frozenset({"AlterUniqueTogether", "AlterIndexTogether", "AlterOrderWithRespectTo"})
_ON_FIELD = frozenset({"AddField", "AlterField", "RemoveField"})


def _is_migration(path: PurePosixPath) -> bool:
    return path.suffix == ".py" and path.parent.name == "migrations" and path.name[0] not in "_~"


@dataclass(frozen=True, slots=True)
class _File:
    """A migration's file, before the names of all tables are known."""

    app: str
    name: str
    path: str
    operations: tuple[ast.Call, ...]
    after: tuple[str, ...]
    replaces: tuple[str, ...]
    values: Values


@dataclass(slots=True)
class _Names:
    """What models and fields are called in the database where that is not Django's rule."""

    tables: dict[tuple[str, str], str] = field(default_factory=dict)
    columns: dict[tuple[str, str, str], str] = field(default_factory=dict)

    def table(self, app: str, model: str) -> str:
        return self.tables.get((app, model.lower()), f"{app}_{model.lower()}" if model else "")

    def column(self, app: str, model: str, name: str) -> str:
        return self.columns.get((app, model.lower(), name), name)


class Django:
    tables = (Table("django_migrations", ("id", "app", "name", "applied")),)

    def migrations(self, files: Files, *, backslashes: bool) -> Sequence[Migration]:
        paths = files.named(
            lambda path: path.suffix == ".py" and path.parent.name == "migrations" and path.name[0] != "_"
        )
        read = [file for path, data in files.read(paths).items() if (file := _file(path, data))]
        names = _names(read)
        found: dict[str, Migration] = {}
        for file in read:
            told = contents(*_told(file, names, backslashes))
            key = f"{file.app}.{file.name}"
            title = file.name.lstrip("0123456789_").replace("_", " ")
            found[key] = Migration(key, key, title, file.path, told, after=file.after, replaces=file.replaces)
        return ordered(found)

    def joined(self, rows: Sequence[Row], migrations: Sequence[Migration]) -> Joined:
        known = {migration.key: migration for migration in migrations}
        apps = {key.partition(".")[0] for key in known}
        at = {f"{row['app']}.{row['name']}": row for row in rows}
        _count_squashed(at, known)
        drafts = [_draft(migration, at, known) for migration in migrations]
        replaced = {key for migration in migrations for key in migration.replaces}
        left = [key for key in at if key not in known and key.partition(".")[0] in apps]
        drafts += [
            Draft(
                key,
                "",
                "applied" if key in replaced else "not in Git",
                at=moment_of(at[key]["applied"])[0],
                notes=("It was put together into another one.",) if key in replaced else (),
            )
            for key in left
        ]
        foreign = sorted({key.partition(".")[0] for key in at} - apps)
        note = f"Left out: migrations of apps that are not kept here ({', '.join(foreign[:12])})."
        return Joined(tuple(drafts), (note,) if foreign else ())


def _count_squashed(at: dict[str, Row], known: Mapping[str, Migration]) -> None:
    """One that was put together of others is applied where all of these are, and they are where it is."""
    for key, migration in known.items():
        if migration.replaces and key not in at and all(part in at for part in migration.replaces):
            at[key] = at[migration.replaces[-1]]
        elif key in at:
            for part in migration.replaces:
                at.setdefault(part, at[key])


def _draft(migration: Migration, at: Mapping[str, Row], known: Mapping[str, Migration]) -> Draft:
    row = at.get(migration.key)
    if row is None:
        return Draft(migration.id, migration.title, "pending", migration)
    moment = moment_of(row["applied"])[0]  # Django writes UTC
    early = [key for key in migration.after if key in known and _later(at.get(key), row)]
    notes = tuple(f"It was applied before {key}, which it builds on." for key in early[:3])
    return Draft(migration.id, migration.title, "out of order" if early else "applied", migration, moment, notes)


def _later(before: Row | None, row: Row) -> bool:
    return before is None or number_of(before["id"]) > number_of(row["id"])


def _file(path: str, data: bytes) -> _File | None:
    module = tree_of(data)
    if module is None:
        return None
    body = next(
        (part.body for part in module.body if isinstance(part, ast.ClassDef) and part.name == "Migration"), None
    )
    if body is None:
        return None
    values, named = Values(module), assigned(body)
    place = PurePosixPath(path)
    app = place.parent.parent.name
    after = [*_pairs(named.get("dependencies"), values)]
    return _File(
        app, place.stem, path, tuple(_operations(named.get("operations"))), tuple(after),
        tuple(_pairs(named.get("replaces"), values)), values,
    )  # fmt: skip


def _pairs(node: ast.expr | None, values: Values) -> Iterator[str]:
    """`[("app", "0001_initial"), ...]`; what is swappable is left out."""
    for element in node.elts if isinstance(node, ast.List | ast.Tuple) else ():
        pair = values.texts(element) if isinstance(element, ast.Tuple) else ()
        if len(pair) == 2:
            yield ".".join(pair)


def _operations(node: ast.expr | None) -> Iterator[ast.Call]:
    """Those that change the database, in their order."""
    for element in node.elts if isinstance(node, ast.List | ast.Tuple) else ():
        if isinstance(element, ast.Call) and called(element) == "SeparateDatabaseAndState":
            yield from _operations(argument(element, 0, "database_operations"))
        elif isinstance(element, ast.Call):
            yield element


def _names(read: Sequence[_File]) -> _Names:
    names = _Names()
    for file in read:
        for call in file.operations:
            kind, model = called(call), file.values.text(argument(call, 0, "model_name", "name")).lower()
            if kind == "CreateModel":
                if table := _option(argument(call, 2, "options"), "db_table", file.values):
                    names.tables[file.app, model] = table
                for name, given in _fields(call, file.values):
                    names.columns[file.app, model, name] = _column(name, given, file.values)
            elif kind == "AlterModelTable" and (table := file.values.text(argument(call, 1, "table"))):
                names.tables[file.app, model] = table
            elif kind in {"AddField", "AlterField"} and isinstance(one := argument(call, 2, "field"), ast.Call):
                name = file.values.text(argument(call, 1, "name"))
                names.columns[file.app, model, name] = _column(name, one, file.values)
    return names


def _fields(call: ast.Call, values: Values) -> Iterator[tuple[str, ast.Call]]:
    fields = argument(call, 1, "fields")
    for element in fields.elts if isinstance(fields, ast.List | ast.Tuple) else ():
        if isinstance(element, ast.Tuple) and len(element.elts) == 2:
            name, given = element.elts
            if isinstance(given, ast.Call) and (text := values.text(name)):
                yield text, given


def _column(name: str, given: ast.Call, values: Values) -> str:
    own = values.text(argument(given, -1, "db_column"))
    return own or (f"{name}_id" if called(given) in _REFERENCES else name)


def _option(node: ast.expr | None, wanted: str, values: Values) -> str:
    if not isinstance(node, ast.Dict):
        return ""
    pairs = zip(node.keys, node.values, strict=True)
    return next((values.text(value) for key, value in pairs if values.text(key) == wanted), "")


def _told(file: _File, names: _Names, backslashes: bool) -> tuple[list[Touched], list[str]]:
    found: list[Touched] = []
    notes: list[str] = []
    for call in file.operations:
        kind = called(call)
        if kind == "RunPython":
            notes.append(_CODE)
        elif kind == "RunSQL":
            sql = _sql(argument(call, 0, "sql"), file.values, backslashes)
            found += sql.touched
            notes += sql.notes
        elif kind not in _NO_TABLE:
            touched = list(_touched(kind, call, file, names))
            found += touched
            if not touched:
                notes.append(_UNREAD)
    return found, notes


def _sql(node: ast.expr | None, values: Values, backslashes: bool) -> Contents:
    scripts = values.texts(node)
    if isinstance(node, ast.List | ast.Tuple):
        scripts += tuple(values.text(one.elts[0]) for one in node.elts if isinstance(one, ast.Tuple) and one.elts)
    if not any(scripts):
        return Contents(notes=(_UNREAD,))
    return read_sql(";\n".join(scripts), backslashes=backslashes)


def _touched(kind: str, call: ast.Call, file: _File, names: _Names) -> Iterator[Touched]:
    text, app = file.values.text, file.app
    model = text(argument(call, 0, "model_name", "name"))
    table = names.table(app, model)
    if kind == "CreateModel":
        yield Touched(table, how="made")
        for name, given in _fields(call, file.values):
            yield _field(table, names.column(app, model, name), name, given, "AddField")
    elif kind == "DeleteModel":
        yield Touched(table, how="removed")
    elif kind == "RenameModel":
        yield Touched(names.table(app, text(argument(call, 0, "old_name"))), how="removed")
        yield Touched(names.table(app, text(argument(call, 1, "new_name"))), how="made")
    elif kind in _ON_FIELD and (name := text(argument(call, 1, "name"))):
        yield Touched(table)
        yield _field(table, names.column(app, model, name), name, argument(call, 2, "field"), kind)
    elif kind == "RenameField":
        old, new = text(argument(call, 1, "old_name")), text(argument(call, 2, "new_name"))
        before = names.column(app, model, old)
        yield Touched(table, before, "removed")
        yield Touched(table, f"{new}_id" if before == f"{old}_id" else new, "made")
    elif kind in _ON_MODEL | _TOGETHER or kind in {"AlterModelTable", "AlterModelTableComment"}:
        yield Touched(table)


def _field(table: str, column: str, name: str, given: ast.expr | None, kind: str) -> Touched:
    if isinstance(given, ast.Call) and called(given) == "ManyToManyField":
        return Touched(f"{table}_{name}", how="made" if kind == "AddField" else "changed")
    if kind == "AddField":
        return Touched(table, column, "made")
    return Touched(table, column, "removed" if kind == "RemoveField" else "changed")
