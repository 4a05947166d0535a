"""Uses of a table of a database: in SQL, and through the class that stands for it."""

import re
from collections.abc import Iterator

from core.usage.sought import Sighting, Trail
from core.usage.spelling import pascal, singular, spellings, standing, words
from core.usage.sql import Statement, statements
from core.usage.types import How
from core.usage.view import View

MAPS = (
    r"(?:__tablename__|db_table|table_name|tableName|TableName|@Table|@Entity|\bTable\(|@@map|\.table\(|knex\(|\.from\(|pgTable\("
    r"|mysqlTable\(|sqliteTable\(|ToTable)"
)
_MAKES = re.compile(r"create_table|CreateTable|createTable|CreateModel")
_MADE = re.compile(r"\bcreate\b|^\s*table\b", re.IGNORECASE)
_BESIDE = re.compile(r"\breferences\b|\bindex\b", re.IGNORECASE)
_ALTERS = re.compile(r"(?:add|drop|alter|rename|change|remove)_?(?:column|index|table|field)|op\.\w+\(", re.IGNORECASE)


class TableSought:
    """See `core.usage.sought.Sought`."""

    def __init__(self, table: str) -> None:
        self._table = table
        self._word = re.compile(standing(re.escape(table)), re.IGNORECASE)
        self._maps = re.compile(
            rf"{MAPS}[^\n]{{0,60}}[\"'`]{re.escape(table)}[\"'`]|{MAPS}\s*[:=]\s*[\"'`]?{re.escape(table)}\b"
        )
        self._class = re.compile(standing(class_of(table)))

    @property
    def trail(self) -> Trail:
        return Trail(
            symbols=(self._table, class_of(self._table)),
            references=tuple(dict.fromkeys((self._table, class_of(self._table)))),
            texts=(spellings(words(self._table)),),
            wholes=(self._table, class_of(self._table)),
        )

    def may_be_in(self, text: str) -> bool:
        return self._word.search(text) is not None or self._class.search(text) is not None

    def sightings(self, view: View) -> Iterator[Sighting]:
        if view.prose:
            for row, line in enumerate(view.rows):
                if re.search(rf"`{re.escape(self._table)}`", line):
                    yield Sighting(row, "possible", "Documentation names it.")
            return
        stated = statements(view)
        for row, line in enumerate(view.bare):
            sighting = self._in_text(view, row, line, stated[row]) if self._word.search(line) else None
            if sighting := sighting or self._by_class(view, row):
                yield sighting

    def _in_text(self, view: View, row: int, line: str, statement: Statement) -> Sighting | None:
        table = self._table.lower()
        if statement.is_sql and table in statement.tables and self._names_it(line):
            how: How = "syntax" if self._table in view.passage.references or view.path.endswith(".sql") else "text"
            if statement.made == table and _MADE.search(line) and not _BESIDE.search(line):
                return Sighting(row, "sure", "The table is made here.", how, "defines")
            return Sighting(row, "sure", "A statement of SQL names the table.", how)
        if self._maps.search(line):
            return Sighting(row, "sure", "A class or a call stands for the table here.", role="defines")
        if _MAKES.search(view.near(row, 1, 0)):
            return Sighting(row, "sure", "The table is made here.", role="defines")
        if _ALTERS.search(view.near(row, 1, 0)) and re.search(rf"[\"'`:]{re.escape(self._table)}\b", line):
            return Sighting(row, "sure", "A migration changes the table here.")
        return None

    def _names_it(self, line: str) -> bool:
        """Whether a row of a statement has the table itself, not a column or an alias of its name."""
        table = re.escape(self._table)
        return (
            re.search(
                r"(?:^|\b(?:from|join|update|into|table|view|references|truncate|on|only|exists)\s+|,\s*|[\"'`])"
                rf"(?:\w+\.)?[\"`\[]?{table}\b(?!\s*\.)"
                rf"|(?<!\w){table}\.\w",
                line,
                re.IGNORECASE,
            )
            is not None
        )

    def _by_class(self, view: View, row: int) -> Sighting | None:
        match = self._class.search(view.naked[row])
        if match is None or view.reading is None or view.path.endswith(".sql"):
            return None
        if match[0] in view.defined(row):
            return Sighting(row, "likely", f"“{match[0]}” is named like the table.", "syntax", "defines")
        if view.is_import(row):
            return Sighting(
                row, "likely", f"“{match[0]}”, named like the table, is imported here.", "syntax", "imports"
            )
        return Sighting(row, "possible", f"“{match[0]}”, named like the table, is used here.", "syntax")


def class_of(table: str) -> str:
    """The class that stands for a table by custom: `OrderItem` for `order_items`."""
    *first, last = words(table)
    return pascal((*first, singular(last)))
