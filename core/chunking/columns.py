"""The tables that the columns of SQL statements are of."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(slots=True)
class Columns:
    """What is found in a text, each with its offset, and put together at the end."""

    statements: list[int] = field(default_factory=list)
    """Where they begin."""
    tables: list[tuple[int, str]] = field(default_factory=list)
    aliases: list[tuple[int, str, str]] = field(default_factory=list)
    """Another name, and the table's."""
    columns: list[tuple[int, str, str]] = field(default_factory=list)
    """The qualifier, empty if there is none, and the column's name."""

    def references(self) -> Iterator[tuple[int, str]]:
        """Each column by its own name and as `table.column`, an alias replaced by its table. One without a qualifier
        is of the statement's table if it uses but one.
        """
        self.statements.sort()
        tables: dict[int, set[str]] = defaultdict(set)
        aliases: dict[int, dict[str, str]] = defaultdict(dict)
        for at, table in self.tables:
            tables[self._statement(at)].add(table)
        for at, alias, table in self.aliases:
            aliases[self._statement(at)][alias] = table
        for at, qualifier, column in self.columns:
            within = self._statement(at)
            only = next(iter(tables[within])) if len(tables[within]) == 1 else ""
            yield at, column
            if table := aliases[within].get(qualifier, qualifier) or only:
                yield at, f"{table}.{column}"

    def _statement(self, at: int) -> int:
        return bisect_right(self.statements, at)
