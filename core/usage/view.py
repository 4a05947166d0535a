"""A passage as its lines are judged: what of each line is code, string or comment, and what stands around it."""

import re
from functools import cached_property
from pathlib import PurePosixPath

from core.chunking.languages import language_of
from core.paths import group_of
from core.store.base import Passage
from core.usage.syntax import Reading, read

_LONGEST = 2_000
"""Characters of a line that are looked at; what is longer is data."""
_COMMENT_LINE = re.compile(r"\s*(?:#(?![\[{])|//|/?\*(?:\s|\*|/|$)|--(?:\s|$)|<!--|;)")
_COMMENT_AFTER = re.compile(r"\s(?:#|//)\s.*$")
_IMPORT = re.compile(
    r"\s*(?:import|from|use|using|require|include|#include|package)\b|\s*export\s*(?:type\s*)?[{*]"
    r"|\s*(?:const|let|var)\s[^=\n]{1,200}=\s*require\("
)
_FROM = re.compile(r"^\s*from\s+[\w.]+\s+import\b")
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
_NAME = re.compile(r"[A-Za-z_$][\w$]*(?![\w$]|\.\w|::|\\|/)")
_CONFIGURATION = re.compile(
    r"(?:\.env|dockerfile|compose|docker-compose).*"
    r"|.*\.(?:env|ya?ml|json[c5]?|toml|ini|cfg|conf|config|properties|tf|tfvars|hcl|xml|plist)"
)


class View:
    """One passage. `head` is the text its document begins with, where files say what they import."""

    def __init__(self, passage: Passage, head: str = "") -> None:
        self.passage = passage
        self.rows = [row[:_LONGEST] for row in passage.text.split("\n")]
        self.surroundings = f"{head}\n{passage.text}"
        """All of the file that is at hand."""

    @property
    def repo(self) -> str:
        return self.passage.repo or ""

    @property
    def path(self) -> str:
        return self.passage.path or ""

    @property
    def prose(self) -> bool:
        """Whether it is documentation."""
        return self.passage.kind == "file"

    @property
    def test(self) -> bool:
        return group_of("code", self.path) == "test"

    @cached_property
    def configuration(self) -> bool:
        """Whether the file holds settings, not code."""
        return _CONFIGURATION.fullmatch(PurePosixPath(self.path.lower()).name) is not None

    @cached_property
    def reading(self) -> Reading | None:
        """None where no grammar reads the passage."""
        language = None if self.prose else language_of(self.path, self.passage.text)
        return read("\n".join(self.rows), language) if language else None

    @cached_property
    def bare(self) -> list[str]:
        """The rows without comments; of documentation, all of them."""
        if self.prose:
            return self.rows
        if self.reading:
            return self.reading.bare
        return ["" if _COMMENT_LINE.match(row) else _COMMENT_AFTER.sub("", row) for row in self.rows]

    @cached_property
    def naked(self) -> list[str]:
        """The rows without comments and, where a grammar tells them, without what stands in strings."""
        return self.reading.naked if self.reading else self.bare

    @cached_property
    def imported(self) -> frozenset[str]:
        """The names that the file imports, and the last part of each module."""
        found: set[str] = set()
        still_open = 0
        for line in self.surroundings.split("\n"):
            if still_open > 0 or _IMPORT.match(line):
                found |= _imported(line)
                still_open += sum(map(line.count, "({")) - sum(map(line.count, ")}"))
        return frozenset(found)

    def is_import(self, row: int) -> bool:
        return _IMPORT.match(self.rows[row]) is not None

    def imports(self, row: int, name: str) -> bool:
        """Whether a row imports this name, not only from a module that is called so."""
        return name in _imported(self.rows[row])

    def near(self, row: int, before: int, after: int) -> str:
        """The rows around one, without comments."""
        return "\n".join(self.bare[max(0, row - before) : row + after + 1])

    def defined(self, row: int) -> set[str]:
        """The names that a row defines, by syntax."""
        return {one.name for one in self.reading.definitions if one.row == row} if self.reading else set()

    def uses(self, row: int, name: str) -> bool:
        """Whether a grammar reads a use of the name there."""
        return self.reading is not None and name in self.reading.used.get(row, ())

    def owners(self, row: int) -> list[str]:
        """The names of the definitions that a row stands in, innermost first."""
        within = [
            one
            for one in (self.reading.definitions if self.reading else ())
            if one.first <= row <= one.last and (one.row != row or one.receiver)
        ]
        within.sort(key=lambda one: (one.first, -one.last))
        names = [name for one in within for name in (one.receiver, one.name if one.row != row else "") if name]
        return [*reversed(names), *reversed(self._outside)]

    @cached_property
    def _outside(self) -> list[str]:
        """The names that enclose the passage, from its context: `repo > path > class > function`."""
        place = self.passage.context.partition("\n")[0].split(" > ")
        return place[place.index(self.path) + 1 :] if self.path in place else []


def _imported(line: str) -> set[str]:
    """The names in a line of an import, without what they are imported from."""
    return set(_NAME.findall(_QUOTED.sub("", _FROM.sub("", line))))
