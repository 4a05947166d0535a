"""Which tables and columns a script of SQL touches: PostgreSQL's, MySQL's, MariaDB's and SQLite's forms of it.

A script is read statement by statement, by the words that begin one. What begins otherwise than any statement that is
known here is counted, so that its reader knows of it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from core.schema.sql_statement import Words
from core.schema.sql_words import Word, statements
from core.schema.touching import Contents, contents
from core.schema.types import Touched

_CONSTRAINTS = frozenset({"CONSTRAINT", "PRIMARY", "UNIQUE", "FOREIGN", "CHECK", "LIKE"})
"""No dialect takes these for a column's name without quotes."""
_PAIRS = frozenset(
    {("PERIOD", "FOR"), ("PARTITION", "BY"), ("SYSTEM", "VERSIONING"), ("EXCLUDE", "USING"), ("EXCLUDE", "(")}
)
_INDEXES = frozenset({"KEY", "INDEX", "FULLTEXT", "SPATIAL"})
_DROPPED = _INDEXES | {"PERIOD", "PARTITION", "SYSTEM"}
"""With a name after them, these are what is dropped; else a column has that name."""
_ELSEWHERE = frozenset(
    {"ABORT", "ANALYSE", "ANALYZE", "ATTACH", "BEGIN", "CALL", "CHECKPOINT", "CLUSTER", "COMMIT", "DETACH", "DO", "END"}
    | {"EXPLAIN", "FLUSH", "GO", "GRANT", "KILL", "LISTEN", "LOCK", "NOTIFY", "OPTIMIZE", "PRAGMA", "REASSIGN"}
    | {"REFRESH", "REINDEX", "RELEASE", "RESET", "REVOKE", "ROLLBACK", "SAVEPOINT", "SELECT", "SET", "SHOW", "START"}
    | {"UNLOCK", "USE", "VACUUM", "VALUES"}
)
"""First words of statements that touch no table, or none that is looked for here."""
_COPIED = re.compile(r"COPY\b[^\n]*\bFROM\s+stdin\b[^\n]*;\s*$", re.IGNORECASE)
_EXECUTES = frozenset({"EXECUTE", "PREPARE"})


def read_sql(script: str, *, backslashes: bool = False) -> Contents:
    """What a script touches. `backslashes`: they escape in texts, as MySQL reads them."""
    found: list[Touched] = []
    notes: list[str] = []
    _read(script, backslashes, found, notes, within=False)
    return contents(found, notes)


def _read(script: str, backslashes: bool, found: list[Touched], notes: list[str], *, within: bool) -> None:
    for statement in statements(_without_data(script), backslashes=backslashes):
        begin = _first(statement) if within else 0
        words = Words(statement[begin:])
        first = words.next()
        if first == "DO" and not within:
            for word in statement:
                if word.kind == "body":
                    _read(word.text, backslashes, found, notes, within=True)
        elif first in _EXECUTES:
            notes.append("It runs SQL that it puts together itself, which is not read.")
        elif (touched := _touched(words)) is not None:
            found += touched
        elif first not in _ELSEWHERE and not within:
            notes.append("Not every statement of it is understood.")


def _without_data(script: str) -> str:
    """Without the rows that stand below `COPY ... FROM stdin;` in a dump, up to their mark."""
    if "\n\\." not in script:
        return script
    kept: list[str] = []
    skipping = False
    for line in script.split("\n"):
        if skipping:
            skipping = line.rstrip() != "\\."
        else:
            kept.append(line)
            skipping = _COPIED.match(line) is not None
    return "\n".join(kept)


def _first(statement: Sequence[Word]) -> int:
    """Where, behind IF ... THEN and the like, a statement of a block begins."""
    for at, word in enumerate(statement):
        if word.upper in _EXECUTES or (word.upper in _READERS and at + 1 < len(statement)):
            return at
    return 0


def _touched(words: Words) -> list[Touched] | None:
    """None for a statement that is not read here."""
    reader = _READERS.get(words.next())
    if reader is None:
        return None
    words.skip(words.next())
    return list(reader(words))


def _create(words: Words) -> Iterator[Touched]:
    if words.skip("OR"):
        words.skip("REPLACE")
    if words.next() in {"TEMP", "TEMPORARY"} or words.next(1) in {"TEMP", "TEMPORARY"}:
        return
    words.skip_any("UNLOGGED", "FOREIGN", "VIRTUAL", "MATERIALIZED", "RECURSIVE", "UNIQUE", "FULLTEXT", "SPATIAL")
    if words.skip("TABLE"):
        words.skip_condition()
        yield from _made(words)
    elif words.skip("INDEX"):
        if words.until("ON"):
            yield from _indexed(words)
    elif words.skip("TRIGGER") or words.skip("CONSTRAINT", "TRIGGER"):
        if words.until("ON"):
            yield Touched(words.name())
    elif words.until("VIEW"):  # MySQL has options before it
        words.skip_condition()
        yield Touched(words.name(), how="made")


def _made(words: Words) -> Iterator[Touched]:
    table = words.name()
    yield Touched(table, how="made")
    for definition in words.group():
        yield from _defined(table, definition)


def _defined(table: str, definition: Words) -> Iterator[Touched]:
    """The column that a definition is of, if it is not a constraint's or an index's."""
    if definition.next() in _CONSTRAINTS or _is_index(definition) or _pair(definition) in _PAIRS:
        return
    if column := definition.column():
        yield Touched(table, column, "made")


def _is_index(definition: Words) -> bool:
    """`KEY name (column)` is one, `key varchar (9)` a column."""
    if definition.next() not in _INDEXES:
        return False
    return definition.next(1) in {"(", "KEY", "INDEX"} or (
        definition.next(2) == "(" and not definition.next(3).isdecimal()
    )


def _pair(words: Words) -> tuple[str, str]:
    return words.next(), words.next(1)


def _indexed(words: Words) -> Iterator[Touched]:
    words.skip("ONLY")
    table = words.name()
    yield Touched(table)
    if words.skip("USING"):
        words.name()
    for part in words.group():
        if (column := part.column()) and part.next() != "(":
            yield Touched(table, column)


def _alter(words: Words) -> Iterator[Touched]:
    words.skip_any("ONLINE", "IGNORE", "FOREIGN", "MATERIALIZED")
    if not (words.skip("TABLE") or words.skip("VIEW")):
        return
    words.skip_condition()
    words.skip("ONLY")
    table = words.name()
    yield Touched(table)
    words.skip("*")
    for action in words.rest():
        yield from _action(table, action)


def _action(table: str, action: Words) -> Iterator[Touched]:
    """One thing that ALTER TABLE does."""
    if action.skip("ADD"):
        named = action.skip("COLUMN")
        action.skip_condition()
        if action.next() == "(":
            for definition in action.group():
                yield from _defined(table, definition)
        elif named:
            yield Touched(table, action.column(), "made")
        else:
            yield from _defined(table, action)
    elif action.skip("DROP"):
        yield from _dropped_column(table, action)
    elif action.skip("RENAME"):
        yield from _renamed(table, action)
    elif action.skip("CHANGE"):
        action.skip("COLUMN")
        action.skip_condition()
        old, new = action.name(), action.name()
        yield from _from_to(table, old, new)
    elif (action.skip("ALTER") or action.skip("MODIFY")) and action.next() not in _CONSTRAINTS | _INDEXES:
        action.skip("COLUMN")
        action.skip_condition()
        if column := action.column():
            yield Touched(table, column)


def _dropped_column(table: str, action: Words) -> Iterator[Touched]:
    named = action.skip("COLUMN")
    action.skip_condition()
    if not named and (action.next() in _CONSTRAINTS or (action.has(1) and action.next() in _DROPPED)):
        return
    if column := action.column():
        yield Touched(table, column, "removed")


def _renamed(table: str, action: Words) -> Iterator[Touched]:
    if action.skip("TO") or action.skip("AS"):
        schema = table.rpartition(".")[0]
        new = action.name()
        yield Touched(table, how="removed")
        yield Touched(f"{schema}.{new}" if schema and "." not in new else new, how="made")
        return
    if action.next() in _INDEXES | {"CONSTRAINT"} and action.next(1) != "TO":
        return
    action.skip("COLUMN")
    old = action.name()
    if action.skip("TO"):
        yield from _from_to(table, old, action.name())


def _from_to(table: str, old: str, new: str) -> Iterator[Touched]:
    if old.casefold() == new.casefold():
        yield Touched(table, old)
    elif old and new:
        yield Touched(table, old, "removed")
        yield Touched(table, new, "made")


def _drop(words: Words) -> Iterator[Touched]:
    words.skip_any("TEMPORARY", "FOREIGN", "MATERIALIZED")
    if words.skip("TABLE") or words.skip("VIEW"):
        words.skip_condition()
        for table in words.names():
            yield Touched(table, how="removed")
    elif words.skip("INDEX") and words.until("ON"):  # MySQL's
        yield Touched(words.name())


def _rename(words: Words) -> Iterator[Touched]:
    if not words.skip("TABLE"):
        return
    words.skip_condition()
    for pair in words.rest():
        old = pair.name()
        if pair.skip("TO"):
            yield Touched(old, how="removed")
            yield Touched(pair.name(), how="made")


def _comment(words: Words) -> Iterator[Touched]:
    if not words.skip("ON"):
        return
    if words.skip("TABLE") or words.skip("VIEW"):
        yield Touched(words.name())
    elif words.skip("COLUMN"):
        *table, column = ["", *words.path()]
        yield Touched(".".join(filter(None, table[-2:])), column)


def _update(words: Words) -> Iterator[Touched]:
    words.skip_any("ONLY", "LOW_PRIORITY", "IGNORE")
    if words.skip("OR"):
        words.name()
    table = words.name()
    yield Touched(table)
    if words.until("SET"):
        for assignment in words.rest():
            columns = [one.column() for one in assignment.group()] or [assignment.column()]
            if assignment.next() != "=":
                return  # what follows WHERE
            yield from (Touched(table, column) for column in columns if column)


def _insert(words: Words) -> Iterator[Touched]:
    if words.until("INTO"):
        table = words.name()
        yield Touched(table)
        for part in words.group():
            if (column := part.column()) and not part.has(0):
                yield Touched(table, column)


def _delete(words: Words) -> Iterator[Touched]:
    if words.until("FROM"):
        words.skip("ONLY")
        yield Touched(words.name())


def _truncate(words: Words) -> Iterator[Touched]:
    words.skip("TABLE")
    words.skip("ONLY")
    for table in words.names():
        yield Touched(table)


def _copy(words: Words) -> Iterator[Touched]:
    table = words.name()
    words.group()
    if words.skip("FROM"):
        yield Touched(table)


def _with(words: Words) -> Iterator[Touched]:
    """What a statement with named queries before it does."""
    begins = words.until("INSERT", "UPDATE", "DELETE", "MERGE", "SELECT")
    if begins in _READERS:
        yield from _READERS[begins](words)


_READERS: Mapping[str, Callable[[Words], Iterator[Touched]]] = {
    "CREATE": _create,
    "ALTER": _alter,
    "DROP": _drop,
    "RENAME": _rename,
    "COMMENT": _comment,
    "UPDATE": _update,
    "INSERT": _insert,
    "REPLACE": _insert,
    "MERGE": _insert,
    "DELETE": _delete,
    "TRUNCATE": _truncate,
    "COPY": _copy,
    "WITH": _with,
}
"""By a statement's first word."""
