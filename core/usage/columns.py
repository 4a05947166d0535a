"""Uses of a column of a table: in SQL, in migrations, and through the class that stands for the table."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from core.store.base import Passage
from core.tokens import WORDLIKE
from core.usage.declared import ITSELF, receiver_of, types_of
from core.usage.sought import Role, Sighting, Trail
from core.usage.spelling import bare, camel, holds_as_word, joined, spellings, words
from core.usage.sql import Statement, statements
from core.usage.tables import class_of
from core.usage.types import How
from core.usage.view import View

_IN_A_LINE = 10
"""Places in one line that are looked at."""
_MIGRATES = re.compile(
    r"create_table|createTable|CreateModel|add_?column|AddField|drop_?column|alter_?column|rename_?column",
    re.IGNORECASE,
)
_OF_TABLE = re.compile(r"(?:create_table|createTable|_?column|Column|model_name|name)\W{1,6}(?P<table>\w{1,100})")
_ADDS = re.compile(r"\b(?:add|create)\b", re.IGNORECASE)
_DECLARED = re.compile(r"\s*(?:[:=;(?!]|__|\b(?:Column|Field|String|DateTime)\b)")


class ColumnSought:
    """See `core.usage.sought.Sought`. `definitions` are passages that define something called like the column."""

    def __init__(self, table: str, column: str, definitions: Sequence[Passage]) -> None:
        self._table, self._column = table, column
        self._model = bare(table)
        self._class = class_of(table)
        self._strangers = _owners(definitions, column) - {self._model}
        parts = words(column)
        self._several = len(parts) > 1
        self._parts = parts
        self._spelled = re.compile(
            rf"(?<![{WORDLIKE}$])(?:(?:get|set|is|has)_?)?(?P<column>{joined(parts)})(?P<query>__\w{{1,40}})?(?![{WORDLIKE}])",
            re.IGNORECASE,
        )

    @property
    def trail(self) -> Trail:
        return Trail(
            symbols=(self._column, camel(self._parts)),
            references=(f"{self._table}.{self._column}", self._column),
            texts=(spellings(self._parts), f"{self._table} {spellings(self._parts)}"),
            wholes=(self._column, "".join(self._parts)),
        )

    def may_be_in(self, text: str) -> bool:
        return self._spelled.search(text) is not None

    def sightings(self, view: View) -> Iterator[Sighting]:
        stated = [] if view.prose else statements(view)
        for row, line in enumerate(view.bare):
            statement = stated[row] if stated else None
            matches = islice(filter(self._is_spelled, self._spelled.finditer(line)), _IN_A_LINE)
            if sighting := next(filter(None, (self._at(view, row, match, statement) for match in matches)), None):
                yield sighting

    def _is_spelled(self, match: re.Match[str]) -> bool:
        """Whether it is no word that has the column's words run together."""
        return not (self._several and match["column"].isalpha() and match["column"].islower())

    def _at(self, view: View, row: int, match: re.Match[str], statement: Statement | None) -> Sighting | None:
        line = view.bare[row]
        if (
            re.search(rf"(?<![\w.]){re.escape(self._table)}\.\Z", line[: match.start()])
            and match["column"] == self._column
        ):
            if view.prose:
                return Sighting(row, "likely", "Documentation names it.")
            return Sighting(row, "sure", "The table and the column are named here.", self._how(view))
        if statement is None or view.is_import(row):
            return None
        if statement.is_sql and (view.reading is None or _is_sql_file(view) or match["column"] not in view.naked[row]):
            return self._in_sql(view, row, match, statement)
        return self._in_code(view, row, match)

    def _in_sql(self, view: View, row: int, match: re.Match[str], statement: Statement) -> Sighting | None:
        """What qualifies the column says its table, else the tables of the statement do."""
        mine = self._table.lower()
        if match["column"].lower() != self._column.lower() or mine not in statement.tables:
            return None
        qualifier = re.search(r"(\w+)[\"`\]]?\.[\"`\[]?\Z", view.bare[row][: match.start()])
        if qualifier:
            if statement.aliases.get(qualifier[1].lower(), qualifier[1].lower()) != mine:
                return None
            return Sighting(row, "sure", "A statement of SQL names the table and the column.", self._how(view))
        if statement.made:
            if statement.made != mine:
                return None
            role: Role = "defines" if _ADDS.search(statement.text) else "uses"
            return Sighting(row, "sure", "The column is made or changed here.", self._how(view), role)
        if len(statement.tables) == 1:
            return Sighting(row, "sure", "A statement of SQL on this table alone names the column.", self._how(view))
        return Sighting(
            row, "likely", "A statement of SQL names the column, and this table beside others.", self._how(view)
        )

    def _in_code(self, view: View, row: int, match: re.Match[str]) -> Sighting | None:
        around = [bare(one) for one in view.owners(row)[:2]]
        if receiver := receiver_of(view.naked[row][: match.start()]):
            return self._of(receiver, view, row, around)
        if _MIGRATES.search(view.near(row, 12, 0)):
            return self._migrated(view, row)
        if self._model in around:
            if (
                _DECLARED.match(view.naked[row][match.end() :])
                and view.owners(row)
                and bare(view.owners(row)[0]) == self._model
            ):
                return Sighting(row, "sure", "The class that stands for the table has it.", "syntax", "defines")
            return Sighting(row, "likely", "It is used in the class that stands for the table.")
        if self._strangers.intersection(around):
            return None
        return self._named(view, row)

    def _of(self, receiver: str, view: View, row: int, around: Sequence[str]) -> Sighting | None:
        """Of an object before the name."""
        if receiver in ITSELF:
            mine = self._model in around
            return (
                Sighting(row, "sure", "It is used in the class that stands for the table.", "syntax") if mine else None
            )
        called, types = bare(receiver), types_of(receiver, view.surroundings)
        if called == self._model or self._model in types:
            sure = self._model in types or receiver == self._class or holds_as_word(view.surroundings, self._class)
            return Sighting(row, "sure" if sure else "likely", f"“{receiver}” is what the table holds.", "syntax")
        if called in self._strangers or types & self._strangers:
            return None
        if called.endswith(self._model):
            return Sighting(row, "likely", f"“{receiver}” is named like what the table holds.", "syntax")
        return self._named(view, row, f"It is used of “{receiver}”")

    def _named(self, view: View, row: int, how: str = "It is named") -> Sighting | None:
        """By its name alone: what stands around it says whether this table may be meant."""
        line = view.bare[row]
        own = self._table in line or self._class in line
        near = line if own else view.near(row, 4, 2)
        mine = any(holds_as_word(near, one) for one in (self._table, self._class))
        named = mine or any(holds_as_word(view.surroundings, one) for one in (self._table, self._class))
        others = [one for one in self._strangers if self._stands(one, near)]
        if mine and not others:
            return Sighting(row, "likely" if self._several else "possible", f"{how} beside the table or its class.")
        if not self._several or others:
            return None
        if named:
            return Sighting(row, "possible", f"{how} in a file that names the table or its class.")
        if not self._strangers:
            return Sighting(row, "possible", f"{how}, and no other table that is indexed has such a column.")
        return None

    @staticmethod
    def _stands(owner: str, text: str) -> bool:
        """Whether a type or table stands in a text, however it is written."""
        return any(bare(word) == owner for word in re.findall(rf"[{WORDLIKE}]+", text))

    def _migrated(self, view: View, row: int) -> Sighting | None:
        """In a migration that is written in code: the nearest table above is the one it is of."""
        tables = [bare(one["table"]) for one in _OF_TABLE.finditer(view.near(row, 12, 0))]
        if self._model not in tables and not re.search(rf"[\"'`:]{re.escape(self._table)}\b", view.near(row, 3, 0)):
            return None
        known = [one for one in tables if one == self._model or one in self._strangers]
        if known and known[-1] != self._model:
            return None
        role: Role = "defines" if re.search(r"create|add", view.near(row, 12, 0), re.IGNORECASE) else "uses"
        return Sighting(row, "sure", "A migration makes or changes the column here.", role=role)

    def _how(self, view: View) -> How:
        return "syntax" if f"{self._table}.{self._column}" in view.passage.references else "text"


def _is_sql_file(view: View) -> bool:
    return view.path.lower().endswith((".sql", ".ddl", ".dml", ".psql", ".pgsql"))


def _owners(passages: Sequence[Passage], column: str) -> frozenset[str]:
    """Tables and classes that have something of this name."""
    parts = words(column)
    owned = (one.rpartition(".") for passage in passages for one in passage.symbols)
    return frozenset(bare(owner) for owner, _, name in owned if owner and words(name) == parts)
