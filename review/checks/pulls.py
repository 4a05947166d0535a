"""What the rules read of a ticket's pull requests."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.errors import CoreError
from core.paths import group_of
from core.pulls.types import Snapshot
from core.types import Evidence
from review.case import Case
from review.types import Cited

FILES = 40
"""Changed files whose difference is read."""
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@(.*)")
_CUT = re.compile(r"(?:\A|\n)\[[^\n]+\]\s*\Z")


@dataclass(frozen=True, slots=True)
class Line:
    """A line that a pull request adds or removes."""

    text: str
    """Without its sign."""
    around: str
    """What Git says the hunk stands in, and the comment above the line."""
    path: str
    evidence: Evidence
    added: bool

    def cite(self) -> Cited:
        return Cited(self.evidence.locator, self.evidence.labels, quote=self.text.strip())


@dataclass(frozen=True, slots=True)
class Difference:
    """What was read of a pull request's difference."""

    lines: tuple[Line, ...]
    unread: tuple[str, ...]
    """Paths of changed files that were not read, or not wholly."""


def alive(case: Case) -> tuple[Snapshot, ...]:
    """The pull requests that are, or may still come, into the code."""
    return tuple(snapshot for snapshot in case.snapshots if snapshot.pull.state != "closed")


def name_of(snapshot: Snapshot) -> str:
    return f"pull request {snapshot.ref.number} of {snapshot.ref.repo}"


def cited(snapshot: Snapshot) -> Cited:
    """The pull request by its title."""
    title = snapshot.pull.title.strip()
    return Cited(snapshot.locator, snapshot.labels, quote=title, looked_for="" if title else "its title")


def is_test(path: str) -> bool:
    return group_of("code", path) == "test"


def difference(case: Case, snapshot: Snapshot) -> Difference:
    """The changed lines, as far as they can be read as text; what is not read is told."""
    lines: list[Line] = []
    unread: list[str] = []
    wanted = [file for file in snapshot.files if group_of("code", file.path) != "generated"]
    for file in wanted[:FILES]:
        if file.special or case.read is None:
            unread.append(file.path)
            continue
        try:
            pieces = case.read.difference(snapshot, file.path)
        except CoreError:
            unread.append(file.path)
            continue
        if any(_CUT.search(piece.text) for piece in pieces):
            unread.append(file.path)
        lines += [line for piece in pieces for line in _lines(piece, file.path)]
    return Difference(tuple(lines), (*unread, *(file.path for file in wanted[FILES:])))


def _lines(piece: Evidence, path: str) -> Iterator[Line]:
    stands_in, comment, in_hunk = "", "", False
    for line in piece.text.splitlines():
        if hunk := _HUNK.match(line):
            stands_in, comment, in_hunk = hunk[1], "", True
        elif in_hunk and line[:1] in {"+", "-", " "}:
            text = line[1:]
            if text.strip() and line[0] != " ":
                yield Line(text, f"{stands_in} {comment}", path, piece, added=line[0] == "+")
            comment = text if text.lstrip().startswith(("#", "//", "*", "/*", '"""', "--")) else ""
