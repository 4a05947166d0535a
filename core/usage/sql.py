"""Statements of SQL, in files of it and in the strings of code, and the tables that they name."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.usage.view import View

_QUOTED = r"(?:[\"`\[]?\w{1,60}[\"`\]]?\.)?[\"`\[]?"
_ONLY = r"(?:only\s{1,3}|if\s{1,3}(?:not\s{1,3})?exists\s{1,3})?"
_TABLE = re.compile(
    rf"\b(?P<word>from|join|update|into|table|view|references|truncate|on)\s{{1,20}}{_ONLY}{_QUOTED}(?P<table>\w{{1,100}})[\"`\]]?"
    r"(?:\s{1,20}(?:as\s{1,3})?(?P<alias>(?!(?:on|where|set|join|left|right|inner|outer|full|cross|group|order|limit|values|using"
    r"|select|returning|union|having|add|drop|alter|rename|default|cascade|natural)\b)[a-z]\w{0,40})\b)?",
    re.IGNORECASE,
)
_COMMA = re.compile(
    r"\bfrom\s[^()]{0,300}?,\s{0,20}(?P<table>\w{1,100})(?:\s{1,3}(?:as\s{1,3})?(?P<alias>\w{1,40}))?", re.IGNORECASE
)
_BEGINS = re.compile(
    r"\b(?:select\b|insert\s+into|update\s+\S+\s+set|update\s+[\w.\"`]+\s*$|delete\s+from|alter\s+table"
    r"|create\s+(?:\w+\s+){0,3}(?:table|index|view)|drop\s+(?:table|index)|truncate|with\s+\w+\s+as|from\s+\w+|comment\s+on)",
    re.IGNORECASE,
)
_NEW = re.compile(r"[\"'`]\s*(?:select|insert|update|delete|alter|create|drop|truncate|with)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement, as far as the passage holds it. Names are in small letters."""

    text: str
    tables: frozenset[str]
    aliases: dict[str, str]
    made: str
    """The table that it makes or alters."""

    @property
    def is_sql(self) -> bool:
        return _BEGINS.search(self.text) is not None


def statements(view: View) -> list[Statement]:
    """The statement that each row of a passage belongs to; of code, what stands in its strings."""
    file = view.path.lower().endswith((".sql", ".ddl", ".dml", ".psql", ".pgsql"))
    groups: list[list[int]] = [[]]
    for row, (bare, naked) in enumerate(zip(view.bare, view.naked, strict=True)):
        if not file and view.reading and (bare == naked or _NEW.search(bare)):
            groups.append([])
        groups[-1].append(row)
        if (file and ";" in bare) or (not file and view.reading and bare == naked):
            groups.append([])
    made: list[Statement] = []
    for group in groups:
        statement = _statement("\n".join(view.bare[row] for row in group))
        made += [statement] * len(group)
    return made


def _statement(text: str) -> Statement:
    found: Sequence[re.Match[str]] = [*_TABLE.finditer(text), *_COMMA.finditer(text)]
    tables = {match["table"].lower() for match in found}
    aliases = {match["alias"].lower(): match["table"].lower() for match in found if match["alias"]}
    making = re.search(rf"\b(?:table|view)\s+{_ONLY}{_QUOTED}(?P<table>\w+)", text, re.IGNORECASE)
    return Statement(text, frozenset(tables), aliases, making["table"].lower() if making else "")
